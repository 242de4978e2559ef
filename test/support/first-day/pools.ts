/** Pools and vaults that do not take the amount. */
import { aAave, aLink } from '../protocols/aave-v3.js'
import { address, ether, type Mistake, quote, usdc, vault, weth } from './mistake.js'

export const poolMistakes: readonly Mistake[] = [
  {
    number: '78',
    mistake: 'More than its supply cap is lent to a reserve of Aave.',
    before: '"No route": the cap is not told',
    request: quote({
      tokenIn: address('LINK'),
      tokenOut: aLink,
      amountIn: `3000${ether.slice(1)}`,
    }),
    answer: {
      status: 422,
      code: 'NO_ROUTE',
      says: [
        `No route from ${address('LINK')} to ${aLink} within 3 hops takes the whole amount. aave-v3 at ${aLink} refuses it: Error(51): the supply cap of the reserve is exceeded. About 999544143676757812500 can be routed.`,
      ],
      next: [{ parameter: 'amountIn', value: '999544143676757812500' }],
    },
  },
  {
    number: '78a',
    mistake: 'A paused reserve of Aave is lent to.',
    before: '"No route": the pause is not told',
    request: quote({ tokenIn: address('AAVE'), tokenOut: aAave, amountIn: ether }),
    answer: {
      status: 422,
      code: 'NO_ROUTE',
      says: [
        `No route from ${address('AAVE')} to ${aAave} within 3 hops takes the whole amount. aave-v3 at ${aAave} refuses it: Error(29): the reserve is paused.`,
      ],
    },
  },
  {
    number: '79',
    mistake: 'A paused vault is entered.',
    before: '"No route": the pause is not told',
    request: quote({ tokenIn: address('USDT'), tokenOut: vault('paused') }),
    answer: {
      status: 422,
      code: 'NO_ROUTE',
      says: [
        `No route from ${address('USDT')} to ${vault('paused')} within 3 hops takes the whole amount. erc-4626 at ${vault('paused')} refuses it: EnforcedPause(): the vault is paused.`,
      ],
    },
  },
  {
    number: '79a',
    mistake: 'More is put into a vault than it takes.',
    before: '"No route": the limit is not told',
    request: quote({
      tokenIn: address('DAI'),
      tokenOut: vault('capped'),
      amountIn: `20000${ether.slice(1)}`,
    }),
    answer: {
      status: 422,
      code: 'NO_ROUTE',
      says: [
        `No route from ${address('DAI')} to ${vault('capped')} within 3 hops takes the whole amount. erc-4626 at ${vault('capped')} refuses it: ERC4626ExceededMaxDeposit(0xcf6bb1ffcbf1c37442b49b938bafc10825619054, 20000000000000000000000, 10001000100010001000101): the vault takes at most 10001000100010001000101 more. About 10000152587890625000000 can be routed.`,
      ],
      next: [{ parameter: 'amountIn', value: '10000152587890625000000' }],
    },
  },
  {
    number: '80',
    mistake: 'All venues are left out.',
    before: 'excellent',
    request: quote({
      ignoreAggregators: 'balancer-v2,curve,sushiswap-v2,uniswap-v2,uniswap-v3,uniswap-v4',
    }),
    answer: {
      status: 422,
      code: 'NO_ROUTE',
      says: [
        `No route from ${usdc} to ${weth} within 3 hops takes the whole amount; left out, as the request says: balancer-v2, curve, sushiswap-v2, uniswap-v2, uniswap-v3, uniswap-v4.`,
      ],
      next: [
        { parameter: 'ignoreAggregators', value: null },
        { parameter: 'ignoreStandards', value: null },
      ],
    },
  },
]

/** What is done ahead of actions on pools: somebody swaps. */
import { type Address, nativeToken, toAddress } from '../../../../src/domain/primitives.js'
import {
  contractAddresses,
  curvePoolAddresses,
  curveSharesAddresses,
  v2PairAddress,
  v3PoolAddress,
} from '../../../../src/sandbox/addresses.js'
import { sandboxPools } from '../../../../src/sandbox/market/catalog.js'
import { swap } from '../../front-run.js'
import { act, type Entry, ether, million, token } from './parts.js'

const [weth, usdc, dai, wbtc] = [token('WETH'), token('USDC'), token('DAI'), token('WBTC')]

/** @param facts - as of `actionCases`. */
export function exchangeMoves(facts: {
  readonly nft: string
  readonly pancakePair: Address
}): Entry[] {
  return [
    ...pairMoves('uniswap-v2', v2PairAddress('uniswap-v2', weth, usdc), usdc),
    ...pairMoves('sushiswap-v2', v2PairAddress('sushiswap-v2', weth, usdc), usdc),
    ...pairMoves('pancakeswap-v2', facts.pancakePair, dai),
    ...uniswapMoves(facts.nft),
    ...balancerMoves(),
    ...curveMoves(),
  ]
}

/** @param pair - of WETH and `other`. */
function pairMoves(slug: string, pair: Address, other: Address): Entry[] {
  const sell = (amount: bigint, pool?: Address) =>
    swap({ protocol: slug, tokenIn: weth, tokenOut: other, amount, ...(pool && { pool }) })
  // Who deposits and leaves in one transaction does both at one price.
  const held = { primaryAddress: pair, tokenIn: pair, amountIn: '1000000000000' }
  return [
    [`${slug} deposit`, sell(3_000n * ether, pair)],
    [
      `${slug} redeem`,
      sell(3_000n * ether, pair),
      { actions: act(slug, 'redeem', { ...held, tokenOut: [weth, other] }) },
    ],
    [
      `${slug} withdraw`,
      swap({ protocol: slug, tokenIn: other, tokenOut: weth, amount: worth(other), pool: pair }),
      { actions: act(slug, 'withdraw', { ...held, tokenOut: weth }) },
    ],
    [`${slug} swap`, sell(3_000n * ether)],
  ]
}

/** Ten million dollars. */
function worth(stable: Address): bigint {
  return stable === usdc ? 10n * million * million : 10n * million * ether
}

function uniswapMoves(nft: string): Entry[] {
  const pool = v3PoolAddress(...inOrder(weth, usdc), 500)
  const sell = swap({
    ...{ protocol: 'uniswap-v3', pool, tokenIn: weth, tokenOut: usdc },
    amount: 1_000n * ether,
  })
  const all = swap({
    ...{ protocol: 'uniswap-v3', tokenIn: weth, tokenOut: usdc },
    amount: 10_000n * ether,
  })
  return [
    ['uniswap-v3 deposit', sell],
    ['uniswap-v3 withdraw', sell],
    ['uniswap-v3 redeem', sell],
    [
      'uniswap-v3 harvest',
      sell,
      {
        keeps: 'Fees are owed; what others do only adds to them.',
        mayGain: true,
        actions: harvestOf(nft),
      },
    ],
    ['uniswap-v3 swap', all],
    [
      'uniswap-v4 swap',
      swap({
        protocol: 'uniswap-v4',
        tokenIn: nativeToken,
        tokenOut: usdc,
        amount: 1_000n * ether,
      }),
    ],
    [
      'fluid-dex-t1 swap',
      swap({
        protocol: 'fluid-dex-t1',
        tokenIn: dai,
        tokenOut: usdc,
        amount: 300_000n * ether,
      }),
    ],
    ...['sushiswap-v3', 'pancakeswap-v3'].map(
      (protocol): Entry => [
        `${protocol} swap`,
        swap({ protocol, tokenIn: weth, tokenOut: dai, amount: 30_000n * ether }),
      ],
    ),
  ]
}

function harvestOf(nft: string) {
  const primaryAddress = contractAddresses.v3PositionManager
  return act('uniswap-v3', 'harvest', { primaryAddress, tokenId: nft })
}

function inOrder(a: Address, b: Address): [Address, Address] {
  return a < b ? [a, b] : [b, a]
}

function balancerMoves(): Entry[] {
  const pool = sandboxPools().find(
    ({ protocol, tokens }) =>
      protocol === 'balancer-v2' &&
      tokens.length === 2 &&
      tokens.includes(wbtc) &&
      tokens.includes(weth),
  )
  const share = toAddress(pool?.id.slice(0, 42) ?? '0x')
  const sell = swap({
    ...{ protocol: 'balancer-v2', tokenIn: weth, tokenOut: wbtc },
    amount: 300n * ether,
  })
  const exit = { primaryAddress: share, tokenIn: share, amountIn: ether.toString() }
  return [
    ['balancer-v2 deposit', sell],
    [
      'balancer-v2 redeem',
      sell,
      { actions: act('balancer-v2', 'redeem', { ...exit, tokenOut: [wbtc, weth] }) },
    ],
    ['balancer-v2 swap', sell],
  ]
}

function curveMoves(): Entry[] {
  const [pool, share] = [curvePoolAddresses[0], curveSharesAddresses[0]]
  const sell = (tokenIn: Address, tokenOut: Address, amount: bigint) =>
    swap({ protocol: 'curve', tokenIn, tokenOut, amount, ...(pool && { pool }) })
  const exit = { primaryAddress: pool, tokenIn: share, amountIn: (1_000n * ether).toString() }
  const daiForUsdc = sell(dai, usdc, 20n * million * ether)
  return [
    ['curve deposit', daiForUsdc],
    ['curve redeem', daiForUsdc, { actions: act('curve', 'redeem', { ...exit, tokenOut: usdc }) }],
    [
      'curve withdraw',
      sell(usdc, dai, 20n * million * million),
      { reason: /Slippage screwed you/ },
    ],
    [
      'curve swap',
      swap({ protocol: 'curve', tokenIn: dai, tokenOut: usdc, amount: 60n * million * ether }),
    ],
  ]
}

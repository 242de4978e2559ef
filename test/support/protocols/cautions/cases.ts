/** How pools move although nobody trades in them: by protocol, what moves it, and how far. */
import { type Hex, numberToHex } from 'viem'
import { arbitrum } from '../../../../src/chains/arbitrum.js'
import { base } from '../../../../src/chains/base.js'
import { ethereum } from '../../../../src/chains/ethereum.js'
import { type Address, nativeToken, toAddress } from '../../../../src/domain/primitives.js'
import { sandboxPlan } from '../../../../src/sandbox/plans/registry.js'
import { vaultSpecs } from '../../../../src/sandbox/venues/erc-4626.js'
import { yearnVaultSpecs } from '../../../../src/sandbox/venues/yearn-v2.js'
import { NodeWriter } from '../../nodes/node-writer.js'
import { aUsdc } from '../aave-v3.js'
import { postWoofi, woofi, woofiPrice } from '../declared/place-woofi.js'
import { lite, liteVariables, setLite } from '../fluid-lite.js'
import { bookHooks } from '../other-venues.js'
import { earn } from '../pendle/place-on-sandbox.js'
import { v2RateProvider } from '../place-balancer-v2.js'
import { feeHooks, rateProvider } from '../place-balancer-v3.js'
import { converterAddress } from '../place-converters.js'
import { baseShares, burnShares, metapool } from '../place-curve.js'
import { setDynamicFee, setOutputShare } from '../place-hooks.js'
import { sparkAddresses } from '../place-psm3.js'
import { later, shrink, timeOf } from './moves.js'

export interface CautionCase {
  readonly kind: string
  readonly protocol: string
  readonly chainId: number
  readonly tokenIn: string | Address
  readonly tokenOut: string | Address
  readonly amountIn: bigint
  /** Basis points. */
  readonly slippage: string
  /** What moves, and how far for it to stay within the slippage and to go beyond it. */
  readonly moves: string
  /** Moves after which the swap gives what it gave: balances change, or what the swap costs. */
  readonly isHarmless?: 'always' | 'small'
  /** The sender has tokenIn, which Anvil cannot deal. */
  readonly isFunded?: true
  /** Before the answer is taken. */
  prepare?(node: NodeWriter): Promise<void>
  move(node: NodeWriter, isLarge: boolean, pool: Address): Promise<void>
}

export function tokenOf(chainId: number, symbol: string): Address {
  if (symbol === 'ETH') return nativeToken
  const token = sandboxPlan(chainId).market.tokens.find((one) => one.symbol === symbol)
  if (!token) throw new Error(`no token ${symbol}`)
  return token.address
}

const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const zero: Hex = `0x${'0'.repeat(64)}`
const day = 86_400
const [usdcVault] = vaultSpecs
const [daiVault] = yearnVaultSpecs
const comet = '0xc3d688b66703497daa19211eedff47f25384cdc3'
const cDai = '0x5d3a536e4d6dbd6114cc1ead35777bab948e3643'
const aLink = '0x5e8c8a7243651db1384c0ddfdbe39761e8e7e51a'
const stETH = tokenOf(ethereum.id, 'stETH')

/** A token of Ethereum to a contract, which counts what it holds. */
async function give(node: NodeWriter, symbol: string, to: Address, amount: bigint): Promise<void> {
  const token = tokenOf(ethereum.id, symbol)
  await node.rpc('anvil_dealERC20', [NodeWriter.owner, token, numberToHex(amount)])
  await node.send(token, 'function transfer(address, uint256)', [to, amount])
}

/** Base factor, filter and decay periods, reduction, variable fee, protocol share, limit of volatility, active bin. */
function bookWord(baseFactor: bigint): bigint {
  const fields = [baseFactor, 30n, 600n, 5_000n, 40_000n, 1_000n, 350_000n, 2n ** 23n]
  const places = [0n, 16n, 28n, 40n, 54n, 78n, 92n, 232n]
  return fields.reduce((sum, field, index) => sum | (field << (places[index] ?? 0n)), 0n)
}

const setHooks = 'function set(uint256 written, bool refuses)'
const feeConfiguration =
  'function changeFeeConfiguration((uint16 alpha1, uint16 alpha2, uint32 beta1, uint32 beta2, uint16 gamma1, uint16 gamma2, uint16 baseFee) config)'

/** Those that let much time pass come last. */
export const cautionCases: readonly CautionCase[] = [
  {
    kind: 'price',
    protocol: 'pendle',
    chainId: ethereum.id,
    tokenIn: 'PT',
    tokenOut: 'SY',
    amountIn: 10n * ether,
    slippage: '50',
    isFunded: true,
    moves: 'the vault of the SY earns 0.1 %, and 2 %',
    async move(node, isLarge, market) {
      const tokens = await node.read(market, 'function readTokens() view')
      await earn(node, toAddress(`0x${tokens.slice(26, 66)}`), isLarge ? 20_000n : 1_000n)
    },
  },
  {
    kind: 'rate',
    protocol: 'pendle',
    chainId: ethereum.id,
    tokenIn: 'WETH',
    tokenOut: 'SY',
    amountIn: 10n * ether,
    slippage: '50',
    moves: 'its vault earns 0.1 %, and 2 %',
    move: (node, isLarge, pool) =>
      earn(node, toAddress(pool.slice(0, 42)), isLarge ? 20_000n : 1_000n),
  },
  {
    kind: 'rate',
    protocol: 'erc-4626',
    chainId: ethereum.id,
    tokenIn: 'USDC',
    tokenOut: usdcVault?.address ?? '0x',
    amountIn: 10_000n * dollar,
    slippage: '50',
    moves: 'a gift of 0.1 %, and of 3 % of what the vault holds',
    move: (node, isLarge, pool) => give(node, 'USDC', pool, (isLarge ? 240_000n : 8_000n) * dollar),
  },
  {
    kind: 'rate',
    protocol: 'yearn-v2',
    chainId: ethereum.id,
    tokenIn: 'DAI',
    tokenOut: daiVault?.vault ?? '0x',
    amountIn: 10_000n * ether,
    slippage: '50',
    moves: 'a gift of 0.1 %, and of 3 % of what the vault holds',
    move: (node, isLarge, pool) => give(node, 'DAI', pool, (isLarge ? 150_000n : 5_000n) * ether),
  },
  {
    kind: 'rate',
    protocol: 'compound-v2',
    chainId: ethereum.id,
    tokenIn: 'DAI',
    tokenOut: cDai,
    amountIn: 10_000n * ether,
    slippage: '50',
    moves: 'interest of 200 blocks, and a gift of 3 % of what the market has lent',
    move: (node, isLarge, pool) =>
      isLarge
        ? give(node, 'DAI', pool, 1_050_000n * ether)
        : node.rpc('anvil_mine', [numberToHex(200)]),
  },
  {
    kind: 'rate',
    protocol: 'rocket-pool',
    chainId: ethereum.id,
    tokenIn: converterAddress('rocket-pool', 'rETH'),
    tokenOut: 'ETH',
    amountIn: ether,
    slippage: '50',
    moves: 'a report of its oracle: 0.1 % less ether, and 20 % less',
    async move(node, isLarge) {
      const total = isLarge ? 440_000n : 570_663n
      await node.send(
        converterAddress('rocket-pool', 'storage'),
        'function report(uint256 total, uint256 supply)',
        [total * ether, 500_000n * ether],
      )
    },
  },
  {
    kind: 'rate',
    protocol: 'balancer-v2',
    chainId: ethereum.id,
    tokenIn: 'DAI',
    tokenOut: 'FRAX',
    amountIn: 1_000n * ether,
    slippage: '50',
    moves: 'its rate provider says 0.1 % less, and 3 % less',
    move: (node, isLarge) => shrink(node, v2RateProvider, zero, isLarge ? 30_000n : 1_000n),
  },
  {
    kind: 'rate',
    protocol: 'balancer-v3',
    chainId: ethereum.id,
    tokenIn: 'DAI',
    tokenOut: 'FRAX',
    amountIn: 1_000n * ether,
    slippage: '50',
    moves: 'its rate provider says 0.1 % less, and 3 % less',
    move: (node, isLarge) => shrink(node, rateProvider, zero, isLarge ? 30_000n : 1_000n),
  },
  {
    kind: 'plugin',
    protocol: 'balancer-v3',
    chainId: ethereum.id,
    tokenIn: 'sUSD',
    tokenOut: 'FRAX',
    amountIn: 1_000n * ether,
    slippage: '50',
    moves: 'the hooks set the fee from 1 % to 1.1 %, and to 4 %',
    move: (node, isLarge) =>
      node.send(feeHooks, 'function setFee(uint256)', [(isLarge ? 40n : 11n) * 10n ** 15n]),
  },
  {
    kind: 'rebase',
    protocol: 'lido',
    chainId: ethereum.id,
    tokenIn: 'wstETH',
    tokenOut: 'stETH',
    amountIn: ether,
    slippage: '50',
    moves: 'a slashing of 0.1 %, and of 10 % of what is staked',
    move: (node, isLarge) => shrink(node, stETH, zero, isLarge ? 100_000n : 1_000n),
  },
  {
    kind: 'rebase',
    protocol: 'ether-fi',
    chainId: ethereum.id,
    tokenIn: converterAddress('ether-fi', 'weETH'),
    tokenOut: converterAddress('ether-fi', 'eETH'),
    amountIn: ether,
    slippage: '50',
    moves: 'a slashing of 0.1 %, and of 10 % of what is staked',
    move: (node, isLarge) =>
      shrink(
        node,
        converterAddress('ether-fi', 'liquidityPool'),
        zero,
        isLarge ? 100_000n : 1_000n,
      ),
  },
  {
    kind: 'price',
    protocol: 'fluid-dex-lite',
    chainId: ethereum.id,
    tokenIn: 'USDC',
    tokenOut: 'USDT',
    amountIn: 1_000n * dollar,
    slippage: '50',
    moves: 'the middle of the range moves by 0.1 %, and by 2 %',
    async move(node, isLarge) {
      const centerPrice = (lite.shape.centerPrice * (isLarge ? 980n : 999n)) / 1_000n
      const variables = liteVariables({ ...lite.shape, centerPrice })
      await node.send(lite.dex, setLite, [lite.key, variables, 0n, 0n, 0n])
    },
  },
  {
    kind: 'price',
    protocol: 'fluid-dex-t1',
    chainId: ethereum.id,
    tokenIn: 'DAI',
    tokenOut: 'USDC',
    amountIn: 1_000n * ether,
    slippage: '50',
    moves: 'reserves shift by 0.1 %, and by 2 %',
    async move(node, isLarge, pool) {
      const million = 10n ** 18n
      const reserves = '(uint256[2], uint256[2])'
      const set = `function set(uint256, ${reserves}, ${reserves}, uint256, uint256, uint256[2], uint256[2])`
      const shift = isLarge ? 980n : 999n
      const imaginary = [20n * million, (20n * million * shift) / 1_000n]
      const price = (10n ** 27n * shift) / 1_000n
      await node.send(pool, set, [
        1n | (100n << 2n),
        [[million, million], imaginary],
        [
          [0n, 0n],
          [0n, 0n],
        ],
        price,
        price,
        [10n ** 40n, 10n ** 40n],
        [0n, 0n],
      ])
    },
  },
  {
    kind: 'fee',
    protocol: 'uniswap-v4',
    chainId: ethereum.id,
    tokenIn: 'DAI',
    tokenOut: 'FRAX',
    amountIn: 1_000n * ether,
    slippage: '50',
    moves: 'the hooks set the fee from 10 to 15, and to 600 bps',
    move: (node, isLarge) => setDynamicFee(node, isLarge ? 60_000 : 1_500),
  },
  {
    kind: 'plugin',
    protocol: 'uniswap-v4',
    chainId: ethereum.id,
    tokenIn: 'sUSD',
    tokenOut: 'FRAX',
    amountIn: 1_000n * ether,
    slippage: '50',
    moves: 'the hooks keep 20 bps of the output, after 10, and 300 bps',
    // The first move lasts until the second.
    prepare: (node) => setOutputShare(node, 1_000),
    move: (node, isLarge) => setOutputShare(node, isLarge ? 30_000 : 2_000),
  },
  {
    kind: 'rate',
    protocol: 'curve',
    chainId: ethereum.id,
    tokenIn: 'wstETH',
    tokenOut: 'WETH',
    amountIn: ether,
    slippage: '50',
    moves: 'the oracle of a stable-ng pool says less of wstETH: 0.1 %, and 3 %',
    move: (node, isLarge) => shrink(node, stETH, zero, isLarge ? 30_000n : 1_000n),
  },
  {
    kind: 'fee',
    protocol: 'curve',
    chainId: ethereum.id,
    tokenIn: 'UNI',
    tokenOut: 'LINK',
    amountIn: ether,
    slippage: '5',
    moves:
      'a gift of one coin to a stable-ng pool that counts what it holds, with a factor of 20: balances of 1 to 3, and of 1 to 18',
    move: (node, isLarge, pool) => give(node, 'LINK', pool, (isLarge ? 1_500n : 200n) * ether),
  },
  {
    kind: 'plugin',
    protocol: 'curve',
    chainId: ethereum.id,
    tokenIn: 'UNI',
    tokenOut: 'AAVE',
    amountIn: ether,
    slippage: '50',
    moves: 'a pool whose math is not known keeps 20 bps of the output, after 10, and 300 bps',
    move: (node, isLarge, pool) =>
      node.send(pool, 'function keep(uint256)', [isLarge ? 30_000n : 2_000n]),
  },
  {
    kind: 'rebase',
    protocol: 'curve',
    chainId: ethereum.id,
    tokenIn: 'WETH',
    tokenOut: 'stETH',
    amountIn: ether,
    slippage: '50',
    moves: 'a slashing of the stETH in a stable-ng pool: 1 %, and 10 %',
    move: (node, isLarge) => shrink(node, stETH, zero, isLarge ? 100_000n : 10_000n),
  },
  {
    kind: 'rebase',
    protocol: 'uniswap-v2',
    chainId: ethereum.id,
    tokenIn: 'WETH',
    tokenOut: 'stETH',
    amountIn: ether,
    slippage: '50',
    moves: 'a slashing of the stETH in a pair that was slashed before: 0.1 %, and 10 %',
    prepare: (node) => shrink(node, stETH, zero, 1_000n).then(() => later(node, 12)),
    move: (node, isLarge) => shrink(node, stETH, zero, isLarge ? 100_000n : 1_000n),
  },
  {
    kind: 'fee',
    protocol: 'liquidity-book',
    chainId: arbitrum.id,
    tokenIn: 'USDT',
    tokenOut: 'USDC',
    amountIn: 1_000n * dollar,
    slippage: '5',
    moves: 'its owner sets the base fee from 8 to 10, and to 60 bps',
    move: (node, isLarge, pool) =>
      node.send(pool, 'function set(uint256)', [bookWord(isLarge ? 60_000n : 10_000n)]),
  },
  {
    kind: 'plugin',
    protocol: 'liquidity-book',
    chainId: arbitrum.id,
    tokenIn: 'WETH',
    tokenOut: 'DAI',
    amountIn: ether,
    slippage: '50',
    moves: 'the hooks write two words more for each swap, and refuse all',
    isHarmless: 'small',
    prepare: (node) => node.send(bookHooks, setHooks, [0n, false]),
    move: (node, isLarge) => node.send(bookHooks, setHooks, [2n, isLarge]),
  },
  {
    kind: 'fee',
    protocol: 'camelot-v3',
    chainId: arbitrum.id,
    tokenIn: 'DAI',
    tokenOut: 'WETH',
    amountIn: 1_000n * ether,
    slippage: '5',
    moves: 'the first swap of another second renews the fee: 4 seconds later, and 40',
    // The fee of the test's pool begins anew each 89 seconds.
    async prepare(node) {
      await later(node, 89 + 5 - Number((await timeOf(node)) % 89n))
    },
    move: (node, isLarge) => later(node, isLarge ? 40 : 4),
  },
  {
    kind: 'plugin',
    protocol: 'camelot-v4',
    chainId: arbitrum.id,
    tokenIn: 'WETH',
    tokenOut: 'USDT',
    amountIn: ether,
    slippage: '5',
    moves: 'its manager sets the base fee of the plugin from 1 to 3, and to 60 bps',
    async move(node, isLarge, pool) {
      const plugin = await node.read(pool, 'function plugin() view')
      const baseFee = isLarge ? 6_000 : 300
      await node.send(toAddress(`0x${plugin.slice(26)}`), feeConfiguration, [
        {
          alpha1: 2_900,
          alpha2: 12_000,
          beta1: 360,
          beta2: 60_000,
          gamma1: 59,
          gamma2: 8_500,
          baseFee,
        },
      ])
    },
  },
  {
    kind: 'rate',
    protocol: 'curve',
    chainId: ethereum.id,
    tokenIn: 'MKR',
    tokenOut: baseShares,
    amountIn: ether,
    slippage: '50',
    moves:
      'shares of the base pool of a metapool are burnt, 0.1 % and 3 %, and ten minutes later a swap renews what one is worth',
    prepare: (node) => node.send(metapool, 'function renew()'),
    async move(node, isLarge) {
      await burnShares(node, isLarge ? 30_000n : 1_000n)
      await later(node, 601)
    },
  },
  {
    kind: 'rebase',
    protocol: 'uniswap-v2',
    chainId: ethereum.id,
    tokenIn: aUsdc,
    tokenOut: 'WETH',
    amountIn: 1_000n * dollar,
    slippage: '50',
    moves:
      'interest of 10 days on the aUSDC in a pair, and of 100, which the pair is told by `sync`',
    isFunded: true,
    async move(node, isLarge, pool) {
      await later(node, (isLarge ? 100 : 10) * day)
      await node.send(pool, 'function sync()')
    },
  },
  {
    kind: 'rate',
    protocol: 'spark-psm3',
    chainId: base.id,
    tokenIn: 'USDC',
    tokenOut: sparkAddresses.susds,
    amountIn: 10_000n * dollar,
    slippage: '50',
    moves: 'savings of 4.5 % a year: of a day, and of a hundred days',
    move: (node, isLarge) => later(node, (isLarge ? 100 : 1) * day),
  },
  {
    kind: 'rate',
    protocol: 'woofi-v2',
    chainId: base.id,
    tokenIn: 'WETH',
    tokenOut: 'USDC',
    amountIn: ether,
    slippage: '50',
    moves: 'its oracle posts 0.1 % less, and 3 % less',
    async move(node, isLarge, pool) {
      const oracle = await node.read(pool, 'function wooracle() view')
      const price = (woofiPrice * (isLarge ? 970n : 999n)) / 1_000n
      const args = [woofi.weth, price, 2n * 10n ** 14n, 3n * 10n ** 9n, 2n ** 60n]
      await node.send(toAddress(`0x${oracle.slice(26)}`), postWoofi, args)
    },
  },
  {
    kind: 'rebase',
    protocol: 'aave-v3',
    chainId: ethereum.id,
    tokenIn: 'LINK',
    tokenOut: aLink,
    amountIn: 100n * ether,
    slippage: '5',
    moves: 'interest of a day, and of a hundred days',
    isHarmless: 'always',
    move: (node, isLarge) => later(node, (isLarge ? 100 : 1) * day),
  },
  {
    kind: 'rebase',
    protocol: 'compound-v3',
    chainId: ethereum.id,
    tokenIn: 'USDC',
    tokenOut: comet,
    amountIn: 10_000n * dollar,
    slippage: '5',
    moves: 'interest of a day, and of a hundred days',
    isHarmless: 'always',
    move: (node, isLarge) => later(node, (isLarge ? 100 : 1) * day),
  },
]

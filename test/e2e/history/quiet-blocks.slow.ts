/**
 * Blocks that events of pools leave out when a slippage is measured, against executing every block: over swaps, over gifts
 * to a pair that are skimmed again, and over a token that rebases. Of the last two no event of the pair tells.
 */
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { v2PairAddress } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { ether, usdc, weth } from '../../support/backtest/ether-plan.js'
import { measureBothWays } from '../../support/measured-slippage.js'
import {
  byV2Router,
  reservesOf,
  startTraders,
  type Trade,
  type Traders,
} from '../../support/traders.js'

const trader: Address = '0x00000000000000000000000000000000000a11ce'
const [dai, stETH] = [sandboxToken('DAI').address, sandboxToken('stETH').address]
const pair = v2PairAddress('uniswap-v2', dai, weth)
/** Blocks of a window. */
const length = 53
const pairAbi = parseAbi([
  'function skim(address to)',
  'function sync()',
  'function transfer(address to, uint256 amount)',
])

let traders: Traders
let ask: { readonly blockNumber: string; readonly amountIn: string }
/** Of the pair, before anything happens. */
let held: bigint
/** Raw wei of ether that stand behind all stETH. */
let staked: bigint

beforeAll(async () => {
  traders = await startTraders()
  await traders.equip(trader, [weth])
  ;[held] = await reservesOf(traders.node, pair)
  staked = BigInt(await traders.node.request<Hex>('eth_getStorageAt', [stETH, slot, 'latest']))
  const head = await traders.head()
  const to = Math.ceil((head + length) / 10) * 10
  for (let number = head + 1; number <= to; number++) {
    const happening = happenings.get(number - (to - length + 1))
    await traders.mine((await happening?.()) ?? [])
  }
  ask = { blockNumber: String(to), amountIn: `${ether}` }
}, 300_000)
afterAll(() => traders?.stop())

const slot: Hex = `0x${'0'.repeat(64)}`
const give = (permille: bigint) => call(weth, 'transfer', [pair, (held * permille) / 1_000n])
const skim = () => call(pair, 'skim', [trader])
const swap = (amountIn: bigint) =>
  byV2Router({ from: trader, tokenIn: weth, tokenOut: dai, amountIn })

/** What comes in which block of the window, counted from its first. */
const happenings = new Map<number, () => readonly Trade[] | Promise<readonly Trade[]>>([
  [3, () => [swap(4n * ether)]],
  // A gift that is there for some blocks, and none of the pair's events tells of it.
  [8, () => [give(50n)]],
  [12, () => [skim()]],
  [15, () => rebased(990n)],
  [19, () => rebased(1_000n)],
  [22, () => [give(1n), call(pair, 'sync')]],
  [27, () => [swap(9n * ether)]],
  [33, () => [give(1n)]],
  [36, () => [swap(2n * ether)]],
  [40, () => [give(50n)]],
  [44, () => [skim()]],
  [47, () => rebased(1_010n)],
  [50, () => rebased(1_000n)],
])

function call(
  to: Address,
  functionName: 'skim' | 'sync' | 'transfer',
  args: unknown[] = [],
): Trade {
  return {
    from: trader,
    to,
    data: encodeFunctionData({ abi: pairAbi, functionName, args } as never),
  }
}

/** From the next block on stETH is worth so many thousandths of what it was at first. */
async function rebased(permille: bigint): Promise<readonly Trade[]> {
  const value = numberToHex((staked * permille) / 1_000n, { size: 32 })
  await traders.node.request('anvil_setStorageAt', [stETH, slot, value])
  return []
}

test('of an order that states amounts: what is given and skimmed again moves nothing', async () => {
  const one = { ...ask, tokenIn: weth, tokenOut: dai }
  const { withEvents, without } = await measureBothWays(traders.url, 'uniswap-v2', one)
  expect(withEvents.text).toBe(without.text)
  expect(slippageOf(without.text)).toMatchObject({ source: 'measured', filledShare: 1 })
  // Four events make five runs of blocks, of which the first and the last are executed.
  expect(without.executions - withEvents.executions).toBe(length - 10)
}, 600_000)

test('of steps that measure what a pair has got: each block is executed, since gifts count', async () => {
  const amountIn = `${ether},${10n ** 9n}`
  const two = { ...ask, amountIn, tokenIn: `${weth},${usdc}`, tokenOut: dai }
  const { withEvents, without } = await measureBothWays(traders.url, 'uniswap-v2', two)
  expect(withEvents.text).toBe(without.text)
  // With a twentieth of the pair's ether as its input, the order would have got much more than before and after.
  expect(slippageOf(without.text)).toMatchObject({ source: 'measured', bps: 300 })
  expect(withEvents.executions).toBe(without.executions)
}, 600_000)

test('of a token that rebases: each block is executed, since the pair refuses to pay for some', async () => {
  const one = { ...ask, tokenIn: weth, tokenOut: stETH }
  const { withEvents, without } = await measureBothWays(traders.url, 'uniswap-v2', one)
  expect(withEvents.text).toBe(without.text)
  expect(slippageOf(without.text)).toMatchObject({ source: 'measured', bps: 300 })
  expect(withEvents.executions).toBe(without.executions)
}, 600_000)

function slippageOf(text: string): unknown {
  return JSON.parse(text).slippage
}

import { expect, test } from 'vitest'
import type {
  BacktestBlock,
  BacktestPlan,
  BacktestRow,
  Execution,
  PathPart,
} from '../domain/backtest.js'
import { type Address, nativeToken } from '../domain/primitives.js'
import { summarise } from './summary.js'

const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const plan: BacktestPlan = {
  name: 'three blocks',
  chainId: 1,
  range: { kind: 'step', from: 10n, to: 12n, step: 1n },
  requests: [
    {
      name: 'sell',
      request: {
        chainId: 1,
        strategy: 'router',
        executionMode: 'backend',
        inputs: [{ token: nativeToken, amount: 10n ** 18n }],
        tokensOut: [usdc],
        limit: { kind: 'slippage', centiBps: 5_000n },
        ignoreAggregators: [],
        ignoreStandards: [],
        includeTransactionCost: true,
        includePriceImpact: true,
      },
    },
  ],
  variants: [
    { name: 'base', router: {}, ignoreStandards: [] },
    { name: 'other', router: {}, ignoreStandards: [] },
  ],
  baseline: 'base',
  delays: [1, 5],
}

const filled = (delay: number, amount: bigint): Execution => ({
  delay,
  status: 'filled',
  amountsOut: [amount],
  gas: 1n,
})
const reverted = (delay: number): Execution => ({
  delay,
  status: 'reverted',
  reason: 'MinimumNotMet',
  gas: 1n,
})
const unknown = (delay: number): Execution => ({ delay, status: 'unknown', message: 'Not yet.' })

/** @param amount - null: no route. */
function row(
  blockNumber: bigint,
  variant: string,
  amount: bigint | null,
  executions: readonly Execution[] = [],
  path: readonly PathPart[] = [],
): BacktestRow {
  const common = { blockNumber, request: 'sell', variant, milliseconds: 40, executions }
  if (amount === null) {
    return { ...common, outcome: { ok: false, error: { code: 'NO_ROUTE', message: 'None.' } } }
  }
  return {
    ...common,
    outcome: {
      ok: true,
      amountsOut: [amount],
      minAmountsOut: [amount],
      gas: 100_000n,
      gasCost: 0n,
      gasCostUsd: null,
      priceImpact: null,
      price: null,
      path,
    },
  }
}

const block = (blockNumber: bigint, rows: readonly BacktestRow[]): BacktestBlock => ({
  blockNumber,
  blockHash: '0xaa',
  timestamp: blockNumber,
  rows,
})

async function* blocks(): AsyncIterable<BacktestBlock> {
  const uniswap = { protocol: 'uniswap-v3', pool: '0x1', shareBps: 6_000 }
  const curve = { protocol: 'curve', pool: '0x2', shareBps: 4_000 }
  const balancer = { protocol: 'balancer-v2', pool: '0x3', shareBps: 10_000 }
  yield block(10n, [
    row(10n, 'base', 1_000_000n, [filled(1, 999_000n), filled(5, 1_000_000n)]),
    row(10n, 'other', 999_900n, [filled(1, 999_900n), reverted(5)], [uniswap, curve, balancer]),
  ])
  yield block(11n, [
    row(11n, 'base', 1_001_000n, [filled(1, 1_001_000n), unknown(5)]),
    row(11n, 'other', 1_001_000n, [reverted(1), unknown(5)], [balancer]),
  ])
  yield block(12n, [
    row(12n, 'base', 1_000_000n, [unknown(1), unknown(5)]),
    row(12n, 'other', null),
  ])
}

test('counts, regrets, edges and wins of three blocks by two variants are as calculated by hand', async () => {
  const summary = await summarise({ plan }, blocks())
  expect(summary).toMatchObject({ blocks: 3, firstBlock: 10, lastBlock: 12 })
  const [base, other] = summary.variants
  expect(base).toMatchObject({ rows: 3, routes: 3, missed: 0, errors: {}, edge: null })
  expect(base?.againstBaseline).toBeNull()
  expect(other).toMatchObject({
    rows: 3,
    routes: 2,
    missed: 1,
    errors: { NO_ROUTE: 1 },
    againstBaseline: { wins: 0, ties: 1, losses: 1 },
    onlyHere: 0,
    onlyBaseline: 1,
    // 100 of 1,000,000 at one of two blocks.
    regret: { count: 2, mean: 0.5, p50: 0, p95: 1 },
    edge: { count: 2, mean: -0.5, min: -1, max: 0 },
    gas: { count: 2, mean: 100_000 },
    milliseconds: { count: 3, mean: 40 },
  })
  expect(other?.regretShares.slice(0, 5).map(({ share }) => share)).toEqual([0.5, 0.5, 0.5, 1, 1])
  expect(summary.requests[0]).toMatchObject({
    request: 'sell',
    rows: 6,
    routes: 5,
    onlyBaseline: 1,
  })
  expect(summary.cells.map(({ request, variant }) => [request, variant])).toEqual([
    ['sell', 'base'],
    ['sell', 'other'],
  ])
})

test('fill rates leave out what is not known; realised is against the quote, staleness against a fresh one', async () => {
  const { variants } = await summarise({ plan }, blocks())
  expect(variants[0]?.delays).toMatchObject([
    {
      delay: 1,
      filled: 2,
      reverted: 0,
      unknown: 1,
      fillRate: 1,
      // 999,000 of 1,000,000 and 1,001,000 of 1,001,000.
      realised: { count: 2, mean: -5, min: -10, max: 0 },
      // 999,000 where 1,001,000 was to be had: 2,000 / 1,001,000. 1,001,000 where 1,000,000 was: a gain of 10.
      staleness: { count: 2, min: -10, max: 19.98 },
    },
    {
      delay: 5,
      filled: 1,
      reverted: 0,
      unknown: 2,
      fillRate: 1,
      realised: { mean: 0 },
      staleness: null,
    },
  ])
  expect(variants[1]?.delays).toMatchObject([
    { delay: 1, filled: 1, reverted: 1, unknown: 0, fillRate: 0.5 },
    { delay: 5, filled: 0, reverted: 1, unknown: 1, fillRate: 0, realised: null },
  ])
})

test('each step of a path weighs the same: 60% and 40% of one and all of the next are 0.3, 0.2 and 0.5', async () => {
  const { variants } = await summarise({ plan }, blocks())
  expect(variants[0]?.venues).toEqual([])
  // The mean with a path that is balancer-v2 alone.
  expect(variants[1]?.venues).toEqual([
    { protocol: 'balancer-v2', share: 0.75 },
    { protocol: 'uniswap-v3', share: 0.15 },
    { protocol: 'curve', share: 0.1 },
  ])
})

test('allowed slippage is from the quote to the minimum; unknown where nothing was quoted, or two tokens', async () => {
  const asked = (blockNumber: bigint, variant: string, amounts: bigint[], minimums: bigint[]) => {
    const one = row(blockNumber, variant, amounts[0] ?? null)
    const { outcome } = one
    if (!outcome.ok) return one
    return { ...one, outcome: { ...outcome, amountsOut: amounts, minAmountsOut: minimums } }
  }
  const summary = await summarise(
    { plan },
    (async function* () {
      yield block(10n, [asked(10n, 'base', [1_000_000n], [997_900n]), asked(10n, 'other', [], [])])
      yield block(11n, [
        asked(11n, 'base', [3_000_000n], [2_998_999n]),
        asked(11n, 'other', [1_000n, 2_000n], [900n, 1_900n]),
      ])
    })(),
  )
  const [base, other] = summary.variants
  // 2,100 of a million; 1,001 of three millions are 3.3366… bps.
  expect(base?.allowedSlippage).toMatchObject({ count: 2, mean: 12.17, min: 3.34, max: 21 })
  expect(other?.allowedSlippage).toBeNull()
  expect(summary.requests[0]?.allowedSlippage).toEqual(base?.allowedSlippage)
})

test('reproducible: no milliseconds anywhere', async () => {
  const summary = await summarise({ plan }, blocks(), { reproducible: true })
  expect(JSON.stringify(summary)).not.toContain('milliseconds')
})

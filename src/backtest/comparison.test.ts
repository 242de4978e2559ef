import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BacktestRow, PlanRequest } from '../domain/backtest.js'
import { type Address, nativeToken } from '../domain/primitives.js'
import { centiBps, compareRows } from './comparison.js'

const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const plan = { chainId: 1, baseline: 'base' }

const request = (tokenIn: Address, ...tokensOut: readonly Address[]): PlanRequest => ({
  name: 'r',
  request: {
    chainId: 1,
    strategy: 'router',
    executionMode: 'backend',
    inputs: [{ token: tokenIn, amount: 10n ** 18n }],
    tokensOut,
    limit: { kind: 'slippage', centiBps: 5_000n },
    ignoreAggregators: [],
    ignoreStandards: [],
    includeTransactionCost: true,
    includePriceImpact: true,
  },
})

/** @param gasCost - wei. */
function row(
  variant: string,
  amountsOut: readonly bigint[],
  gasCost = 0n,
  out?: bigint,
): BacktestRow {
  return {
    blockNumber: 1n,
    request: 'r',
    variant,
    milliseconds: 1,
    outcome: {
      ok: true,
      amountsOut,
      minAmountsOut: amountsOut,
      gas: 1n,
      gasCost,
      gasCostUsd: null,
      ...(out !== undefined && { gasCostOut: out }),
      priceImpact: null,
      price: null,
      path: [],
    },
    executions: [],
  }
}

const failed = (variant: string): BacktestRow => ({
  ...row(variant, []),
  outcome: { ok: false, error: { code: 'NO_ROUTE', message: 'No path.' } },
})

describe('centiBps', () => {
  test('a third is 3333.33 bps; half a hundredth of a bp rounds away from zero', () => {
    expect(centiBps(1n, 3n)).toBe(333_333)
    expect(centiBps(1n, 2_000_000n)).toBe(1)
    expect(centiBps(-1n, 2_000_000n)).toBe(-1)
    expect(centiBps(1n, 2_000_001n)).toBe(0)
    expect(centiBps(5n, 0n)).toBeNull()
  })

  test('property: off by half a hundredth at most, whatever the amounts', () => {
    const uint = fc.bigInt({ min: 1n, max: 2n ** 200n })
    fc.assert(
      fc.property(uint, fc.bigInt({ min: -(10n ** 6n), max: 10n ** 6n }), (whole, share) => {
        const part = (whole * share) / 10n ** 6n
        const found = BigInt(centiBps(part, whole) ?? 0)
        const rest = 2n * (found * whole - part * 1_000_000n)
        expect((rest < 0n ? -rest : rest) <= whole).toBe(true)
      }),
    )
  })
})

describe('compareRows', () => {
  test('3,000.00, 2,999.70 and 3,000.30 USDC: regret 1, 2 and 0 bps of the best, edge in bps of the baseline', () => {
    const rows = [
      row('base', [3_000_000_000n]),
      row('less', [2_999_700_000n]),
      row('more', [3_000_300_000n]),
    ]
    const found = compareRows(plan, request(usdc, dai), rows)
    expect(found.map(({ regret }) => regret)).toEqual([100, 200, 0])
    expect(found.map(({ edge }) => edge)).toEqual([null, -100, 100])
    expect(found.map(({ sign }) => sign)).toEqual([null, -1, 1])
    expect(found.map(({ gasOut, regretAfterGas }) => [gasOut, regretAfterGas])).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ])
  })

  test('paid with native, gas is valued at the best price: 0.001 ETH at 3,000 is 3 USDC, and the cheaper route wins', () => {
    const rows = [
      row('base', [3_000_000_000n], 10n ** 15n),
      row('cheap', [2_999_700_000n], 4n * 10n ** 14n),
    ]
    const found = compareRows(plan, request(nativeToken, usdc), rows)
    expect(found.map(({ gasOut }) => gasOut)).toEqual([3_000_000n, 1_200_000n])
    // 2,997.00 against 2,998.50: 1.50 of 3,000 is 5 bps.
    expect(found.map(({ regretAfterGas }) => regretAfterGas)).toEqual([500, 0])
    expect(found.map(({ edge, edgeAfterGas }) => [edge, edgeAfterGas])).toEqual([
      [null, null],
      [-100, 500],
    ])
    expect(found[1]).toMatchObject({ sign: -1, signAfterGas: 1 })
  })

  test('paid out in native, gas is the wei themselves; else as the row says', () => {
    const native = compareRows(plan, request(usdc, nativeToken), [row('base', [10n ** 18n], 7n)])
    expect(native[0]?.gasOut).toBe(7n)
    const said = compareRows(plan, request(usdc, dai), [row('base', [10n ** 18n], 7n, 21n)])
    expect(said[0]?.gasOut).toBe(21n)
  })

  test('rows without a route are compared with nothing, and the others not with them', () => {
    const found = compareRows(plan, request(usdc, dai), [failed('base'), row('other', [5n])])
    expect(found[0]).toMatchObject({ regret: null, edge: null, sign: null })
    expect(found[1]).toMatchObject({ regret: 0, edge: null, sign: null })
  })

  test('amounts of several tokens are not compared', () => {
    const rows = [row('base', [1n, 2n]), row('other', [2n, 1n])]
    const found = compareRows(plan, request(usdc, dai, nativeToken), rows)
    expect(found.every(({ regret, edge }) => regret === null && edge === null)).toBe(true)
  })
})

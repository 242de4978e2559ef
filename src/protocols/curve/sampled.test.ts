import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  direction,
  interpolate,
  type Sample,
  type SampledPoolState,
  sampledAmountOut,
  sampledApply,
  sampleSizes,
} from './sampled.js'

const reserveIn = 1_000_000n * 10n ** 18n
const reserveOut = 3_000_000_000n * 10n ** 6n
const constantProduct = (x: bigint) => (reserveOut * x) / (reserveIn + x)
const samples: Sample[] = sampleSizes(reserveIn, 18).map((amountIn) => ({
  amountIn,
  amountOut: constantProduct(amountIn),
}))
const amounts = fc.bigInt({ min: 10n ** 15n, max: 3n * reserveIn })

function state(curve: readonly Sample[]): SampledPoolState {
  return { kind: 'sampled', curves: { [direction(0, 1)]: curve }, spent: {} }
}

describe('sampleSizes', () => {
  test('nine sizes, each six times the one before, the largest 1.5 times the balance', () => {
    const sizes = sampleSizes(6n ** 12n, 18)
    expect(sizes).toHaveLength(9)
    expect(sizes.at(-1)).toBe((6n ** 12n * 3n) / 2n)
    expect(sizes[1]).toBe((sizes[0] ?? 0n) * 6n)
  })

  test('without a balance the decimals give the sizes; an empty pool has none', () => {
    expect(sampleSizes(null, 6).at(-1)).toBe(10n ** 12n)
    expect(sampleSizes(0n, 6)).toEqual([])
  })
})

describe('interpolate', () => {
  test('property: a constant product is met within one part in ten thousand between and beyond samples', () => {
    fc.assert(
      fc.property(amounts, (amountIn) => {
        const exact = constantProduct(amountIn)
        const error = interpolate(samples, amountIn) - exact
        expect((error < 0n ? -error : error) * 10_000n).toBeLessThanOrEqual(exact + 10_000n)
      }),
    )
  })

  test('below the smallest sample its rate holds; without samples nothing is known', () => {
    expect(interpolate([{ amountIn: 1000n, amountOut: 500n }], 10n)).toBe(5n)
    expect(interpolate([{ amountIn: 1000n, amountOut: 500n }], 10_000n)).toBe(5000n)
    expect(interpolate([], 10n)).toBe(0n)
  })
})

describe('sampledApply', () => {
  test('property: two swaps one after the other give no more than both at once', () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        const before = state(samples)
        const first = sampledAmountOut(before, 0, 1, a)
        const second = sampledAmountOut(sampledApply(before, 0, 1, a), 0, 1, b)
        expect(first + second).toBeLessThanOrEqual(sampledAmountOut(before, 0, 1, a + b) + 1n)
      }),
    )
  })

  test('the other direction knows nothing of it', () => {
    const next = sampledApply(state(samples), 1, 0, 10n ** 18n)
    expect(sampledAmountOut(next, 0, 1, 10n ** 18n)).toBe(interpolate(samples, 10n ** 18n))
  })
})

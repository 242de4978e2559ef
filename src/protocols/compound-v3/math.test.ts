import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accruedIndex, type CometState, credited, redeemed, supplied, yearly } from './math.js'

const scale = 10n ** 18n
const indexScale = 10n ** 15n
const state = (changes: Partial<CometState> = {}): CometState => ({
  supplyIndex: (indexScale * 3n) / 2n,
  cash: 1_000_000n,
  isSupplyPaused: false,
  isWithdrawPaused: false,
  ...changes,
})

describe('accruedIndex', () => {
  test('known vector: a thousandth a second on 1.5 for 10 seconds is 1.515', () => {
    expect(accruedIndex((indexScale * 3n) / 2n, scale / 1_000n, 10n)).toBe(1_515n * 10n ** 12n)
  })
})

describe('credited', () => {
  test('known vector: 1,000 at an index of 1.5 are 666 of principal, worth 999', () => {
    expect(credited(state(), 1_000n)).toBe(999n)
  })
  test('property: never more than the amount, and less by a unit of principal at most', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
    const index = fc.bigInt({ min: indexScale, max: 10n * indexScale })
    fc.assert(
      fc.property(amount, index, (given, supplyIndex) => {
        const value = credited({ supplyIndex }, given)
        expect(value).toBeLessThanOrEqual(given)
        expect(given - value).toBeLessThanOrEqual(supplyIndex / indexScale + 1n)
      }),
    )
  })
})

describe('supplied and redeemed', () => {
  test('a paused market takes nothing, or pays nothing', () => {
    expect(supplied(state({ isSupplyPaused: true }), 1_000n)).toBe(0n)
    expect(redeemed(state({ isWithdrawPaused: true }), 1_000n)).toBe(0n)
    expect([supplied(state(), 1_000n), redeemed(state(), 1_000n)]).toEqual([999n, 999n])
  })
  test('more than lies in the market is not paid out', () => {
    expect(redeemed(state(), 1_000_003n)).toBe(0n)
    expect(redeemed(state(), 1_000_000n)).toBe(999_999n)
    expect(redeemed(state({ cash: 999_999n }), 1_000_000n)).toBe(999_999n)
    expect(redeemed(state({ cash: 999_998n }), 1_000_000n)).toBe(0n)
  })
  test('nothing for nothing or less', () => {
    for (const amount of [0n, -1_000n]) {
      expect([supplied(state(), amount), redeemed(state(), amount)]).toEqual([0n, 0n])
    }
  })
})

describe('yearly', () => {
  test('known vector: 10^9 a second of 10^-18 are 3.15 percent', () => {
    expect(yearly(1_000_000_000n)).toBeCloseTo(0.031536, 8)
  })
})

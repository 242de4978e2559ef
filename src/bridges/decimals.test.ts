import { describe, expect, test } from 'vitest'
import { laneDecimals, scaleOf, statedDecimals, toTokenIn, toTokenOut } from './decimals.js'

const up = laneDecimals(6, 18)
const down = laneDecimals(18, 6)

describe('toTokenOut', () => {
  test('from 6 to 18 decimals and back, rounded down', () => {
    expect(toTokenOut(up, 1_000_001n)).toBe(1_000_001n * 10n ** 12n)
    expect(toTokenOut(down, 1_999_999_999_999n)).toBe(1n)
    expect(toTokenOut(laneDecimals(18, 18), 5n)).toBe(5n)
    expect(toTokenOut({}, 5n)).toBe(5n)
  })
})

describe('toTokenIn', () => {
  test('gives no less than the amount is, in whole units', () => {
    expect(toTokenIn(up, 10n ** 12n + 1n)).toBe(2n)
    expect(toTokenIn(down, 2n)).toBe(2n * 10n ** 12n)
    for (const amount of [1n, 10n ** 12n, 10n ** 12n + 1n]) {
      expect(toTokenOut(up, toTokenIn(up, amount))).toBeGreaterThanOrEqual(amount)
    }
  })
})

describe('laneDecimals', () => {
  test('states them where both sides state others', () => {
    expect(laneDecimals(6, 18)).toEqual({ decimals: { in: 6, out: 18 } })
    expect(laneDecimals(6, null)).toEqual({})
    expect(laneDecimals(6, 6)).toEqual({})
    expect(scaleOf({})).toEqual({ numerator: 1n, denominator: 1n })
    expect(statedDecimals('18')).toBe(18)
    expect(statedDecimals(undefined)).toBeNull()
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pow } from './log-exp-math.js'

const e18 = 10n ** 18n

describe('pow', () => {
  test('x^0 is one, also for zero; 0^y is zero', () => {
    expect(pow(0n, 0n)).toBe(e18)
    expect(pow(5n * e18, 0n)).toBe(e18)
    expect(pow(0n, e18)).toBe(0n)
  })

  test('the square root of two, one unit short of the true 18 digits', () => {
    expect(pow(2n * e18, e18 / 2n)).toBe(1_414_213_562_373_095_047n)
  })

  test('property: as near to the real power as a double can tell, across all branches', () => {
    // Bases below 0.9, between 0.9 and 1.1 and above; exponents of real weights and beyond.
    const bases = fc.oneof(
      fc.double({ min: 0.01, max: 0.9, noNaN: true }),
      fc.double({ min: 0.9, max: 1.1, noNaN: true }),
      fc.double({ min: 1.1, max: 1e6, noNaN: true }),
    )
    fc.assert(
      fc.property(bases, fc.double({ min: 0.01, max: 6, noNaN: true }), (x, y) => {
        const real = (BigInt(Math.round(x * 1e12)) * e18) / 10n ** 12n
        const power = Number(pow(real, BigInt(Math.round(y * 1e12)) * 10n ** 6n)) / 1e18
        const expected = (Math.round(x * 1e12) / 1e12) ** (Math.round(y * 1e12) / 1e12)
        expect(Math.abs(power - expected)).toBeLessThanOrEqual(expected * 1e-12 + 2e-18)
      }),
    )
  })

  test('property: monotone in the base, up to the error of 1e-14', () => {
    const base = fc.bigInt({ min: 10n ** 15n, max: 10n ** 21n })
    fc.assert(
      fc.property(base, base, fc.bigInt({ min: 10n ** 16n, max: 5n * e18 }), (a, b, y) => {
        const [low, high] = a < b ? [a, b] : [b, a]
        const upper = pow(high, y)
        expect(pow(low, y)).toBeLessThanOrEqual(upper + upper / 10n ** 14n + 1n)
      }),
    )
  })

  test('throws RangeError where the contract reverts', () => {
    expect(() => pow(2n ** 255n, e18)).toThrow(RangeError)
    expect(() => pow(10n * e18, 100n * e18)).toThrow(RangeError)
    expect(() => pow(1n, 2n * e18)).toThrow(RangeError)
    expect(() => pow(2n * e18, 2n ** 254n)).toThrow(RangeError)
  })
})

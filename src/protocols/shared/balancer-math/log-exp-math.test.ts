import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pow } from './log-exp-math.js'

const e18 = 10n ** 18n

/** Digits of the numbers below: many more than the contract has. */
const unit = 10n ** 60n
/** 2 artanh((x - 1) / (x + 1)), x from 1/2 to 2. */
function lnNearOne(x: bigint): bigint {
  const z = ((x - unit) * unit) / (x + unit)
  let [power, sum] = [z, 0n]
  for (let n = 1n; power !== 0n; n += 2n) {
    sum += power / n
    power = (((power * z) / unit) * z) / unit
  }
  return 2n * sum
}
const ln2 = lnNearOne(2n * unit)
function ln(x: bigint): bigint {
  let [rest, halvings] = [x, 0n]
  for (; rest > 2n * unit; rest /= 2n) halvings++
  for (; rest < unit / 2n; rest *= 2n) halvings--
  return lnNearOne(rest) + halvings * ln2
}
/** Taylor's series of a 2^64th of x, squared 64 times. */
function exp(x: bigint): bigint {
  const small = x / 2n ** 64n
  let [term, sum] = [unit, 0n]
  for (let n = 1n; term !== 0n; n++) {
    sum += term
    term = (term * small) / unit / n
  }
  for (let k = 0; k < 64; k++) sum = (sum * sum) / unit
  return sum
}
/** x^y with 18 digits, by numbers of 60; x and y E18. */
function truePower(x: bigint, y: bigint): bigint {
  return exp((ln((x * unit) / e18) * y) / e18) / (unit / e18)
}
/** In units of 1e-18 of the true value. */
function errorOf(x: bigint, y: bigint): number {
  const expected = truePower(x, y)
  return Number(((pow(x, y) - expected) * e18) / expected)
}

describe('pow', () => {
  test('property: the error is that of a logarithm with 18 digits, times the exponent', () => {
    const digits = fc.integer({ min: -12, max: 56 })
    const factors = fc.bigInt(10n ** 17n, 10n ** 18n)
    const exponents = fc.oneof(fc.bigInt(10n ** 16n, 3n * e18), fc.bigInt(10n ** 18n, 40n * e18))
    fc.assert(
      fc.property(digits, factors, exponents, (scale, factor, y) => {
        const x = scale < 0 ? factor / 10n ** BigInt(-scale) : factor * 10n ** BigInt(scale)
        const size = (Number(y) / 1e18) * Math.log(Number(x) / 1e18)
        fc.pre(size > -10 && size < 129)
        // Below one, what is cut off the last digit of the result counts besides.
        const cut = size < 0 ? Math.exp(-size) : 0
        expect(Math.abs(errorOf(x, y))).toBeLessThanOrEqual(60 + (8 * Number(y)) / 1e18 + 2 * cut)
      }),
      { numRuns: 300 },
    )
  })

  test('property: between 0.9 and 1.1, where the logarithm has 36 digits, only that of the exponential is left', () => {
    const near = fc.bigInt((e18 * 9n) / 10n + 1n, (e18 * 11n) / 10n - 1n)
    fc.assert(
      fc.property(near, fc.bigInt(1n, 30n * e18), (x, y) => {
        const size = (Number(y) / 1e18) * Math.log(Number(x) / 1e18)
        const cut = size < 0 ? Math.exp(-size) : 0
        expect(Math.abs(errorOf(x, y))).toBeLessThanOrEqual(12 + 2 * cut)
      }),
      { numRuns: 300 },
    )
  })

  test('powers of ten up to e^130, and roots of what is close to the largest word', () => {
    for (const digits of [10n, 27n, 28n, 40n, 55n, 56n]) {
      expect(Math.abs(errorOf(10n * e18, digits * e18))).toBeLessThan(1_000)
      expect(Math.abs(errorOf(10n ** digits * e18, e18 / 2n))).toBeLessThan(1_000)
    }
    expect(() => pow(10n * e18, 57n * e18)).toThrow(RangeError)
  })

  test('arguments are bounded by themselves, whatever their power would be', () => {
    // ln(2^255 / 1e18) is 135.
    expect(pow(2n ** 255n - 1n, 1n)).toBe(e18 + 135n)
    expect(() => pow(2n ** 255n, 1n)).toThrow(RangeError)
    const bound = 2n ** 254n / 10n ** 20n
    expect(pow(e18, bound - 1n)).toBe(e18)
    expect(() => pow(e18, bound)).toThrow(RangeError)
  })

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

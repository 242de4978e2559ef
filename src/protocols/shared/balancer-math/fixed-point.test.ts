import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ceilDiv,
  complement,
  divDown,
  divUp,
  mul,
  mulDown,
  mulUp,
  one,
  powDown,
  powUp,
  sub,
} from './fixed-point.js'

const maxUint256 = 2n ** 256n - 1n

describe('mul and sub', () => {
  test('reach the ends of a word, and throw beyond them', () => {
    expect(mul(maxUint256, 1n)).toBe(maxUint256)
    expect(() => mul(2n ** 128n, 2n ** 128n)).toThrow(RangeError)
    expect(sub(5n, 5n)).toBe(0n)
    expect(sub(5n, 4n)).toBe(1n)
    expect(() => sub(4n, 5n)).toThrow(RangeError)
  })
})

describe('rounding', () => {
  test('known vectors: a third of a unit, down and up', () => {
    expect([ceilDiv(0n, 3n), ceilDiv(1n, 3n), ceilDiv(3n, 3n), ceilDiv(4n, 3n)]).toEqual([
      0n,
      1n,
      1n,
      2n,
    ])
    expect([mulDown(one / 3n, 3n), mulUp(one / 3n, 3n), mulUp(one / 2n, 4n)]).toEqual([0n, 1n, 2n])
    expect([divDown(1n, 3n * one), divUp(1n, 3n * one), divUp(6n * one, 3n * one)]).toEqual([
      0n,
      1n,
      2n * one,
    ])
  })

  test('a complement is never below zero', () => {
    expect([0n, 1n, one, one + 1n].map(complement)).toEqual([one, one - 1n, 0n, 0n])
  })
})

describe('powUp and powDown', () => {
  const bases = fc.bigInt(10n ** 16n, 10n ** 21n)

  test('property: the true square lies between them, 2e-14 of it apart at most', () => {
    fc.assert(
      fc.property(bases, (x) => {
        const [low, high] = [powDown(x, 2n * one, false), powUp(x, 2n * one, false)]
        expect(low * one).toBeLessThanOrEqual(x * x)
        expect(high * one).toBeGreaterThanOrEqual(x * x)
        expect(high - low).toBeLessThanOrEqual((2n * x * x) / 10n ** 14n / one + 4n)
        expect(high - low).toBeGreaterThanOrEqual((19n * x * x) / 10n ** 15n / one)
      }),
    )
  })

  test('property: exponents of 1, 2 and 4 are multiplied out where the pool does so, and no other', () => {
    fc.assert(
      fc.property(bases, (x) => {
        expect([powUp(x, one, true), powDown(x, one, true)]).toEqual([x, x])
        const [down, up] = [mulDown(x, x), mulUp(x, x)]
        expect([powDown(x, 2n * one, true), powUp(x, 2n * one, true)]).toEqual([down, up])
        expect(powDown(x, 4n * one, true)).toBe(mulDown(down, down))
        expect(powUp(x, 4n * one, true)).toBe(mulUp(up, up))
        for (const y of [3n * one, one / 2n]) {
          expect(powDown(x, y, true)).toBe(powDown(x, y, false))
          expect(powUp(x, y, true)).toBe(powUp(x, y, false))
        }
        for (const y of [one, 2n * one, 4n * one]) {
          expect(powDown(x, y, false)).toBeLessThan(powDown(x, y, true))
          expect(powUp(x, y, false)).toBeGreaterThan(powUp(x, y, true))
        }
      }),
    )
  })

  test('what is smaller than its error is nothing downwards', () => {
    // 1e-9 to the power of 1.97 is less than two units.
    const y = (one * 197n) / 100n
    expect(powDown(10n ** 9n, y, false)).toBe(0n)
    expect(powUp(10n ** 9n, y, false)).toBe(3n)
    expect(powDown(0n, one, false)).toBe(0n)
    expect(powUp(0n, one, false)).toBe(1n)
  })
})

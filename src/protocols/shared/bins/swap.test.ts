import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { priceOf } from './swap.js'

const one = 2 ** 23
const whole = 1n << 128n

describe('priceOf', () => {
  test('is one in the middle, and grows by the step', () => {
    expect(priceOf(one, 10n)).toBe(whole)
    // 1.001^10 = 1.010045120210252…, by any calculator.
    expect(Number(priceOf(one + 10, 10n)) / Number(whole)).toBeCloseTo(1.01004512021, 10)
    expect(Number(priceOf(one - 10, 10n)) / Number(whole)).toBeCloseTo(1 / 1.01004512021, 10)
  })
  test('property: rises with the id', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -10_000, max: 10_000 }),
        fc.constantFrom(1n, 10n, 25n),
        (id, step) => {
          expect(priceOf(one + id + 1, step)).toBeGreaterThan(priceOf(one + id, step))
        },
      ),
    )
  })
  test('has no value beyond 2^20 steps', () => {
    expect(() => priceOf(one + 2 ** 20, 1n)).toThrow(RangeError)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BookState, bookSwap, priceOf } from './math.js'

const one = 2 ** 23
const whole = 1n << 128n
const book = (change: Partial<BookState> = {}): BookState => ({
  binStep: 10n,
  parameters: {
    baseFactor: 10_000n,
    variableFeeControl: 0n,
    protocolShare: 0n,
    maxVolatility: 0n,
    volatilityReference: 0n,
    idReference: one,
    activeId: one,
    isAlwaysRenewed: false,
  },
  ids: [one - 1, one, one + 1],
  reservesX: [0n, 1_000_000n, 1_000_000n],
  reservesY: [1_000_000n, 1_000_000n, 0n],
  lowerId: 0,
  upperId: 2 ** 24 - 1,
  hasBinLimit: true,
  hooks: null,
  isEstimate: false,
  ...change,
})

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

describe('bookSwap', () => {
  test('within the active bin: 10,000 less 0.1 %, rounded up, at the price of one', () => {
    expect(bookSwap(book(), true, 10_000n)?.amountOut).toBe(9_990n)
    expect(bookSwap(book(), true, 10_001n)?.amountOut).toBe(9_990n)
  })
  test('over a bin: the rest is sold at the price below, and the pair is active there', () => {
    const swap = bookSwap(book(), true, 1_500_000n)
    // A bin takes 1,000,000 and a fee of 1,002 (1/999, rounded up); 498,998 less 499 at 1/1.001 are 498,000.99.
    expect(swap?.amountOut).toBe(1_000_000n + 498_000n)
    expect(swap?.after.parameters.activeId).toBe(one - 1)
    expect(swap?.exact).toBe(true)
  })
  test('crossed bins raise the fee where there is a variable part', () => {
    const { parameters } = book()
    const moving = { ...parameters, variableFeeControl: 5_000_000n, maxVolatility: 500_000n }
    const plain = bookSwap(book(), true, 1_500_000n)?.amountOut ?? 0n
    expect(bookSwap(book({ parameters: moving }), true, 1_500_000n)?.amountOut).toBeLessThan(plain)
    expect(bookSwap(book({ parameters: moving }), true, 10_000n)?.amountOut).toBe(9_990n)
  })
  test('more than all bins hold is refused; beyond the known ones it is an estimate', () => {
    expect(bookSwap(book(), true, 10n ** 9n)).toBeNull()
    const beyond = bookSwap(book({ lowerId: one - 256 }), true, 10n ** 9n)
    expect(beyond).toMatchObject({ amountOut: 2_000_000n, exact: false })
    const none = bookSwap(book({ ids: [], lowerId: one - 256 }), true, 10n ** 9n)
    expect(none).toMatchObject({ amountOut: 0n, exact: false })
  })
  test('a fee above a tenth is refused', () => {
    const { parameters } = book()
    expect(
      bookSwap(book({ parameters: { ...parameters, baseFactor: 1_000_001n } }), true, 9n),
    ).toBeNull()
  })
  test('property: what two swaps in a row give is never more than one of both', () => {
    const amount = fc.bigInt({ min: 1n, max: 700_000n })
    fc.assert(
      fc.property(fc.boolean(), amount, amount, (forY, a, b) => {
        const first = bookSwap(book(), forY, a)
        const second = bookSwap(first?.after ?? book(), forY, b)
        const both = bookSwap(book(), forY, a + b)
        const sum = (first?.amountOut ?? 0n) + (second?.amountOut ?? 0n)
        expect(both?.amountOut ?? 0n).toBeGreaterThanOrEqual(sum)
      }),
    )
  })
})

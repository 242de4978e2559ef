import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FluidState, stateAfter, swapIn } from './math.js'

const trillion = 10n ** 12n
const price1 = 10n ** 27n

/** Tokens of 6 and 18 digits at par, 100,000 of each in either part, which trade as two million. */
const state: FluidState = {
  scales: [
    [10n ** 6n, 1n],
    [1n, 10n ** 6n],
  ],
  collateral: {
    real: [100_000n * trillion, 100_000n * trillion],
    imaginary: [2_000_000n * trillion, 2_000_000n * trillion],
  },
  debt: {
    real: [100_000n * trillion, 100_000n * trillion],
    imaginary: [2_000_000n * trillion, 2_000_000n * trillion],
  },
  feePips: 100n,
  revenueCut: 0n,
  centerPrice: price1,
  lastPrice: price1,
  withdrawable: [10n ** 30n, 10n ** 30n],
  borrowable: [10n ** 30n, 10n ** 30n],
  isPaused: false,
  exact: true,
}

describe('swapIn', () => {
  test('known vector: 1,000 at 0.01% into two products of two million each gives 999.650112', () => {
    // Half of it each: floor(499.95 * 2,000,000 / 2,000,499.95) in units of 1e-12, with a calculator.
    expect(swapIn(state, true, 1_000n * 10n ** 6n)?.amountOut).toBe(
      999_650_112_463_136n * 10n ** 6n,
    )
  })

  test('both parts alike share a swap in halves', () => {
    const swap = swapIn(state, true, 1_000n * 10n ** 6n)
    expect(swap?.collateral).toEqual(swap?.debt)
  })

  test('one part alone takes all of it', () => {
    const swap = swapIn({ ...state, debt: null }, false, 10n ** 21n)
    expect(swap?.debt).toEqual({ amountIn: 0n, amountOut: 0n })
    expect(swap?.borrowed).toBe(0n)
  })

  test.each([
    ['99 raw units', { state, amountIn: 99n }],
    ['half of what it trades as', { state, amountIn: 2_000_001n * 10n ** 6n }],
    [
      'a price 5% away',
      { state: { ...state, lastPrice: (price1 * 107n) / 100n }, amountIn: 10n ** 9n },
    ],
    ['a pause', { state: { ...state, isPaused: true }, amountIn: 10n ** 9n }],
    [
      'no limit left',
      { state: { ...state, withdrawable: [0n, 0n] as const }, amountIn: 10n ** 9n },
    ],
    ['neither part', { state: { ...state, collateral: null, debt: null }, amountIn: 10n ** 9n }],
  ])('refuses: %s', (_name, { state: given, amountIn }) => {
    expect(swapIn(given, true, amountIn)).toBeNull()
  })

  test('property: two parts are never worse than either alone, and the product never falls', () => {
    fc.assert(
      fc.property(
        fc.bigInt(10n ** 6n, 30_000n * 10n ** 6n),
        fc.bigInt(1n, 40n),
        (amountIn, size) => {
          const small = { ...state, debt: null }
          const debt = {
            real: [size * 5_000n * trillion, size * 5_000n * trillion] as const,
            imaginary: [size * 100_000n * trillion, size * 100_000n * trillion] as const,
          }
          const both = { ...state, debt }
          const [one, two] = [swapIn(small, true, amountIn), swapIn(both, true, amountIn)]
          expect(two?.amountOut).toBeGreaterThanOrEqual((one?.amountOut ?? 0n) - 2n * 10n ** 6n)
          if (!two) return
          const after = stateAfter(both, true, two)
          const product = ({ collateral, debt: owed }: FluidState) =>
            [collateral, owed].map((part) => {
              return (part?.imaginary[0] ?? 0n) * (part?.imaginary[1] ?? 0n)
            })
          for (const [k, grown] of product(after).entries()) {
            expect(grown).toBeGreaterThanOrEqual(product(both)[k] ?? 0n)
          }
        },
      ),
    )
  })
})

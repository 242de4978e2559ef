import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FluidState, type Reserves, stateAfter, swapIn } from './math.js'

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

/** So many millions of each token, all of it real. */
function reserves(millions0: bigint, millions1: bigint): Reserves {
  const amounts = [millions0 * 10n ** 18n, millions1 * 10n ** 18n] as const
  return { real: amounts, imaginary: amounts }
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

  test('parts of a quarter and of three quarters take as much of the swap', () => {
    const uneven = { ...state, collateral: reserves(1n, 1n), debt: reserves(3n, 3n) }
    const swap = swapIn(uneven, true, 1_000n * 10n ** 6n)
    expect([swap?.collateral.amountIn, swap?.debt.amountIn]).toEqual([
      250n * trillion,
      750n * trillion,
    ])
  })

  test('where the prices of both parts differ the better one takes a small swap alone', () => {
    // A token0 is worth one token1 in the collateral, and three in the debt.
    const apart = { ...state, collateral: reserves(2n, 2n), debt: reserves(1n, 3n) }
    const toDebt = swapIn({ ...apart, lastPrice: 3n * price1 }, true, 1_000n * 10n ** 6n)
    expect(toDebt?.collateral).toEqual({ amountIn: 0n, amountOut: 0n })
    const toCollateral = swapIn(apart, false, 1_000n * 10n ** 18n)
    expect(toCollateral?.debt).toEqual({ amountIn: 0n, amountOut: 0n })
  })

  test('a tenth of the fee of 0.01% is not added to the reserves', () => {
    const swap = swapIn({ ...state, revenueCut: 10n }, true, 1_000n * 10n ** 6n)
    expect(swap?.debt.amountIn).toBe(499_995_000_000_000n)
  })

  test('the price may move by 5% since the swap before, either way', () => {
    const after = (amounts: readonly [bigint, bigint]) => (amounts[1] * price1) / amounts[0]
    const amountIn = 1_000n * 10n ** 6n
    const done = swapIn(state, true, amountIn)
    const moved = done && stateAfter(state, true, done).collateral
    const price = moved ? after(moved.imaginary) : 0n
    const isServed = (thousandths: bigint) => {
      const lastPrice = (price * thousandths) / 1_000n
      return swapIn({ ...state, lastPrice }, true, amountIn) !== null
    }
    expect([949n, 951n, 1_000n, 1_049n, 1_051n].map(isServed)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ])
  })

  test('each limit can be used up; within a hundredth of it the answer is an estimate', () => {
    const amountIn = 1_000n * 10n ** 6n
    const half = swapIn(state, true, amountIn)?.withdrawn ?? 0n
    const exactAt = (limits: Partial<FluidState>) =>
      swapIn({ ...state, ...limits }, true, amountIn)?.exact
    const far = (half * 100n + 98n) / 99n
    for (const name of ['withdrawable', 'borrowable'] as const) {
      expect(exactAt({ [name]: [0n, half - 1n] })).toBeUndefined()
      expect(exactAt({ [name]: [0n, half] })).toBe(false)
      expect(exactAt({ [name]: [0n, far - 1n] })).toBe(false)
      expect(exactAt({ [name]: [0n, far] })).toBe(true)
    }
    expect(exactAt({ exact: false })).toBe(false)
    // What is not used has no limit to be near to.
    expect(exactAt({ debt: null, borrowable: [0n, 0n] })).toBe(true)
  })

  test.each([
    ['token0 in, at par', true, 1n],
    ['token1 in, at par', false, 1n],
    ['token0 in, worth two', true, 2n],
    ['token1 in, worth half', false, 2n],
  ])('at least a ten-thousandth of the other token stays: %s', (_name, zeroForOne, worth) => {
    const amountIn = zeroForOne ? 1_000n * 10n ** 6n : 1_000n * 10n ** 18n
    const given = { ...state, debt: null, centerPrice: worth * price1 }
    const amountOut = swapIn(given, zeroForOne, amountIn)?.collateral.amountOut ?? 0n
    // 101,000 of what comes in are worth as many, twice as many, or half as many.
    const held = 101_000n * trillion
    const least = (zeroForOne ? held * worth : held / worth) / 10_000n
    const isServed = (left: bigint) => {
      const real = [100_000n * trillion, amountOut + left]
      const [real0 = 0n, real1 = 0n] = zeroForOne ? real : real.toReversed()
      const { imaginary } = reserves(2n, 2n)
      const collateral = { real: [real0, real1] as const, imaginary }
      return swapIn({ ...given, collateral }, zeroForOne, amountIn) !== null
    }
    expect([isServed(-1n), isServed(least - 1n), isServed(least)]).toEqual([false, false, true])
  })

  test('a pool without a price at its centre takes no token1', () => {
    expect(swapIn({ ...state, centerPrice: 0n }, false, 10n ** 21n)).toBeNull()
    expect(swapIn({ ...state, centerPrice: 0n }, true, 10n ** 9n)).not.toBeNull()
  })

  test('the smallest and largest inputs that the contract takes', () => {
    const isServed = (given: FluidState, zeroForOne: boolean, amountIn: bigint) =>
      swapIn(given, zeroForOne, amountIn) !== null
    // A millionth of a token in units of 1e-12, and a hundred raw units.
    expect(isServed(state, false, 10n ** 12n - 1n)).toBe(false)
    expect(isServed(state, false, 10n ** 12n)).toBe(true)
    expect(isServed(state, true, 100n)).toBe(true)
    const deep = { ...state, collateral: reserves(10n ** 14n, 10n ** 14n), debt: null }
    const byUnits = { ...deep, scales: [[1n, 1n] as const, [1n, 1n] as const] as const }
    expect(isServed(byUnits, true, 1n << 96n)).toBe(false)
    expect(isServed(byUnits, true, (1n << 96n) - 1n)).toBe(true)
    const fine = { ...deep, scales: [[1n, 10n ** 18n] as const, [1n, 1n] as const] as const }
    expect(isServed(fine, true, 1n << 128n)).toBe(false)
    expect(isServed(fine, true, (1n << 128n) - 1n)).toBe(true)
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

describe('stateAfter', () => {
  test.each([
    ['token0 in', true, 1_000n * 10n ** 6n],
    ['token1 in', false, 1_000n * 10n ** 18n],
  ])('%s: what came in is added, what went out is missing', (_name, zeroForOne, amountIn) => {
    const swap = swapIn(state, zeroForOne, amountIn)
    if (!swap) throw new Error('The swap was refused.')
    const [into, out] = zeroForOne ? [0, 1] : [1, 0]
    const after = stateAfter(state, zeroForOne, swap)
    expect(after.exact).toBe(false)
    for (const name of ['collateral', 'debt'] as const) {
      const { amountIn: added, amountOut } = swap[name]
      for (const kind of ['real', 'imaginary'] as const) {
        const [before, now] = [state[name]?.[kind] ?? [], after[name]?.[kind] ?? []]
        expect(now[into]).toBe((before[into] ?? 0n) + added)
        expect(now[out]).toBe((before[out] ?? 0n) - amountOut)
      }
    }
    for (const [name, amount] of [
      ['withdrawable', swap.withdrawn],
      ['borrowable', swap.borrowed],
    ] as const) {
      expect(after[name][into]).toBe(state[name][into])
      expect(after[name][out]).toBe((state[name][out] ?? 0n) - amount)
    }
    expect(stateAfter({ ...state, debt: null }, zeroForOne, swap).debt).toBeNull()
  })
})

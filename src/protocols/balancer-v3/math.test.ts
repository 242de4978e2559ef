import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BalancerV3State, vaultSwap, yieldFee } from './math.js'
import { stableInvariant, stableOutput } from './stable-math.js'

const e18 = 10n ** 18n
const maxBalance = 2n ** 128n - 1n

const weighted: BalancerV3State = {
  kind: 'weighted',
  isOpen: true,
  balances: [1_000n * e18, 4_000n * e18],
  scalingFactors: [1n, 1n],
  rates: [e18, e18],
  swapFee: 0n,
  aggregateFee: 0n,
  minimumTrade: 1_000_000n,
  weights: [e18 / 2n, e18 / 2n],
  minimums: null,
  amp: 0n,
  mostImbalance: null,
  rateProvider: null,
}
const stable: BalancerV3State = {
  ...weighted,
  kind: 'stable',
  balances: [1_000_000n * e18, 1_000_000n * e18],
  weights: [],
  amp: 200_000n,
}

const outputOf = (state: BalancerV3State, amountIn: bigint, i = 0, j = 1) =>
  vaultSwap(state, i, j, amountIn)?.amountOut ?? 0n

describe('vaultSwap of weighted pools', () => {
  test('known vector: equal weights are the constant product', () => {
    // 4000 * 250 / 1250, of which the base 1000 / 1250 = 0.8 has no rounding.
    expect(vaultSwap(weighted, 0, 1, 250n * e18)).toEqual({
      amountOut: 800n * e18,
      balances: [1_250n * e18, 3_200n * e18],
    })
  })
  test('known vectors: the base is squared at twice the weight, and to the power of 1.5 pow errs for the pool', () => {
    const twice = { ...weighted, weights: [(2n * e18) / 3n, e18 / 3n] }
    expect(outputOf(twice, 250n * e18)).toBe(1_440n * e18)
    const more = { ...weighted, weights: [(6n * e18) / 10n, (4n * e18) / 10n] }
    // 4000 * (1 - 0.8^1.5), on decimals of 60 digits; the error is counted as 10^-14.
    const exact = 1_137_832_988_800_269_188_596n
    const output = outputOf(more, 250n * e18)
    expect(exact - output).toBeGreaterThan(0n)
    expect(exact - output).toBeLessThan(4_000n * 10_000n)
  })
  test('version 2 counts one unit more of what is there, and leaves a minimum', () => {
    const later = { ...weighted, minimums: [1_000_000n, 1_000_000n] }
    expect(800n * e18 - outputOf(later, 250n * e18)).toBeGreaterThan(0n)
    expect(800n * e18 - outputOf(later, 250n * e18)).toBeLessThan(10_000n)
    expect(
      outputOf({ ...later, minimums: [1_000_000n, 3_200n * e18] }, 250n * e18),
    ).toBeGreaterThan(0n)
    expect(outputOf({ ...later, minimums: [1_000_000n, 3_201n * e18] }, 250n * e18)).toBe(0n)
    expect(outputOf({ ...later, minimums: [1_000n * e18 + 1n, 1n] }, 250n * e18)).toBeGreaterThan(
      0n,
    )
    expect(outputOf({ ...later, minimums: [1_000n * e18 + 2n, 1n] }, 250n * e18)).toBe(0n)
  })
  test('more than 30 % of the balance is refused', () => {
    expect(outputOf(weighted, 300n * e18)).toBeGreaterThan(0n)
    expect(outputOf(weighted, 300n * e18 + 1n)).toBe(0n)
  })
})

describe('vaultSwap', () => {
  test('known vector: a fee of 1 %, a quarter of which leaves the pool', () => {
    const state = { ...weighted, swapFee: e18 / 100n, aggregateFee: e18 / 4n }
    // 200 less 2 come in: 4000 * 198 / 1198, rounded down at the base.
    const swap = vaultSwap(state, 0, 1, 200n * e18)
    const exact = (4_000n * e18 * 198n) / 1_198n
    expect(exact - (swap?.amountOut ?? 0n)).toBeLessThan(5_000n)
    expect(exact).toBeGreaterThanOrEqual(swap?.amountOut ?? exact + 1n)
    expect(swap?.balances[0]).toBe(1_200n * e18 - e18 / 2n)
    expect(swap?.balances[1]).toBe(4_000n * e18 - (swap?.amountOut ?? 0n))
  })
  test('known vector: decimals and rates scale what comes in, and the rate of what goes out is rounded up', () => {
    // 250 of 6 decimals at a rate of 2 are 500 of 2000: 20 % of the other side, which has the rate 1.6.
    const state = {
      ...weighted,
      balances: [1_000n * 10n ** 6n, 4_000n * e18],
      scalingFactors: [10n ** 12n, 1n],
      rates: [2n * e18, (16n * e18) / 10n],
    }
    const amountOut = (1_280n * e18 * e18) / ((16n * e18) / 10n + 1n)
    expect(outputOf(state, 250n * 10n ** 6n)).toBe(amountOut)
    const whole = { ...state, rates: [2n * e18, e18] }
    expect(outputOf(whole, 250n * 10n ** 6n)).toBe(800n * e18)
  })
  test('known vector: the least trade counts after the fee, on both sides', () => {
    const even = { ...weighted, balances: [1_000n * e18, 1_000n * e18] }
    expect(outputOf(even, 999_999n)).toBe(0n)
    const cheap = { ...even, balances: [e18, 1_000n * e18] }
    expect(outputOf(cheap, 999_999n)).toBe(0n)
    expect(outputOf(cheap, 1_000_000n)).toBeGreaterThan(0n)
    expect(outputOf({ ...cheap, swapFee: e18 / 2n }, 1_999_999n)).toBe(0n)
    expect(outputOf({ ...cheap, swapFee: e18 / 2n }, 2_000_000n)).toBeGreaterThan(0n)
    expect(outputOf(cheap, 100_000_000n, 1, 0)).toBe(0n)
  })
  test('nothing from a pool that is closed, of the same token, of an unknown one, or beyond 128 bits', () => {
    expect(vaultSwap({ ...weighted, isOpen: false }, 0, 1, e18)).toBeNull()
    for (const [i, j] of [
      [0, 0],
      [-1, 1],
      [0, -1],
    ] as const)
      expect(vaultSwap(weighted, i, j, e18)).toBeNull()
    expect(vaultSwap(weighted, 0, 1, 0n)).toBeNull()
    const room = 10n ** 37n
    const full = { ...weighted, balances: [maxBalance - room, maxBalance - room] }
    expect(vaultSwap(full, 0, 1, room)).not.toBeNull()
    expect(vaultSwap(full, 0, 1, room + 1n)).toBeNull()
  })
  test('property: no way there and back gains, whatever the kind, the rates and the fee', () => {
    const amount = fc.bigInt(e18, 10n ** 24n)
    fc.assert(
      fc.property(
        fc.record({
          state: fc.constantFrom(
            weighted,
            { ...weighted, minimums: [10n ** 6n, 10n ** 6n] },
            stable,
          ),
          balances: fc.tuple(amount, amount),
          rates: fc.tuple(fc.bigInt(e18 / 2n, 2n * e18), fc.bigInt(e18 / 2n, 2n * e18)),
          swapFee: fc.bigInt(0n, e18 / 10n),
          amountIn: fc.bigInt(1n, 10n ** 24n),
        }),
        ({ state, amountIn, ...more }) => {
          const before = { ...state, ...more }
          const there = vaultSwap(before, 0, 1, amountIn)
          if (!there || there.amountOut === 0n) return
          const back = vaultSwap({ ...before, balances: there.balances }, 1, 0, there.amountOut)
          expect(back?.amountOut ?? 0n).toBeLessThanOrEqual(amountIn)
        },
      ),
    )
  })
})

describe('stableOutput', () => {
  const output = (args: Omit<Parameters<typeof stableOutput>[0], 'invariant'>) =>
    stableOutput({ ...args, invariant: stableInvariant(args.amp, args.balances) })
  const swap = (amountIn: bigint, more: object = {}) =>
    output({
      amp: 200_000n,
      balances: stable.balances,
      indexIn: 0,
      indexOut: 1,
      amountIn,
      mostImbalance: null,
      ...more,
    })

  test('known vector: the invariant of equal balances is their sum', () => {
    expect(stableInvariant(200_000n, stable.balances)).toBe(2_000_000n * e18)
    expect(stableInvariant(1_000n, [e18, e18, e18])).toBe(3n * e18)
    expect(stableInvariant(1_000n, [0n, 0n])).toBe(0n)
  })
  test('known vector: 100,000 into a million of each at 200 give 99,949.77…', () => {
    // Root of A n^n S + D = A n^n D + D^(n+1) / (n^n P) with A n^n = 200 * 2, by Newton's method on decimals of 60 digits.
    const exact = 99_949_776_770_075_445_966_932n
    expect(exact - swap(100_000n * e18)).toBeGreaterThanOrEqual(0n)
    expect(exact - swap(100_000n * e18)).toBeLessThanOrEqual(4n)
  })
  test('a token that is not there throws, as the contract reverts', () => {
    expect(() => swap(e18, { balances: [0n, e18] })).toThrow(RangeError)
    expect(() => swap(e18, { balances: [2n ** 130n, 2n ** 130n] })).toThrow(RangeError)
  })
  test('a swap to 10,000 times as much of one token is refused where there is such a limit, before or after', () => {
    const uneven = { balances: [10_000n * e18, e18], amp: 1_000n }
    expect(swap(e18, uneven)).toBeGreaterThan(0n)
    expect(() => swap(e18, { ...uneven, mostImbalance: 10_000n })).toThrow(RangeError)
    // Back into balance, and refused all the same: the contract looks at the balances before, too.
    const back = { ...uneven, indexIn: 1, indexOut: 0, mostImbalance: 10_000n }
    expect(() => swap(e18, back)).toThrow(RangeError)
    expect(swap(e18, { ...back, mostImbalance: 10_001n })).toBeGreaterThan(0n)
  })
  test('property: the invariant does not fall by more than its own rounding', () => {
    const balances = fc.array(fc.bigInt(10n ** 21n, 10n ** 24n), { minLength: 2, maxLength: 5 })
    const amp = fc.bigInt(1_000n, 50_000_000n)
    fc.assert(
      fc.property(balances, amp, fc.bigInt(10n ** 6n, 10n ** 23n), (held, of, amountIn) => {
        const common = { amp: of, balances: held, indexIn: 0, indexOut: 1, amountIn }
        let grown = 0n
        try {
          const amountOut = output({ ...common, mostImbalance: null })
          const [first = 0n, second = 0n, ...rest] = held
          const after = [first + amountIn, second - amountOut, ...rest]
          grown = stableInvariant(of, after) - stableInvariant(of, held)
        } catch (error) {
          // Newton's steps may turn in a circle, and then the contract reverts.
          if (!(error instanceof RangeError)) throw error
        }
        expect(grown).toBeGreaterThanOrEqual(-4n)
      }),
      { numRuns: 500 },
    )
  })
})

describe('yieldFee', () => {
  test('known vector: a tenth of a yield of 5 %, in raw units at the new rate', () => {
    // 100 tokens grew from 100 to 105: a tenth of 5 is 0.5, which are 0.476190 of 6 decimals at 1.05.
    const sixDecimals = { balance: 100n * 10n ** 6n, scalingFactor: 10n ** 12n }
    const grown = { ...sixDecimals, rate: (105n * e18) / 100n, last: 100n * e18, fee: e18 / 10n }
    expect(yieldFee(grown)).toBe(476_190n)
  })
  test('none where the rate has fallen or stayed', () => {
    const stayed = { balance: e18, scalingFactor: 1n, rate: e18, last: e18, fee: e18 / 10n }
    expect(yieldFee(stayed)).toBe(0n)
    expect(yieldFee({ ...stayed, rate: e18 - 1n })).toBe(0n)
  })
})

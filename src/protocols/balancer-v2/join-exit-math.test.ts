import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pow } from '../shared/balancer-math/log-exp-math.js'
import {
  dueFee,
  invariantOf,
  type PoolNumbers,
  sharesForTokens,
  tokensForShares,
} from './join-exit-math.js'

/*
 * Joins and exits once more, statement by statement as the contracts have them, to compare with to the wei.
 * balancer/balancer-v2-monorepo 316ded0: FixedPoint.sol, WeightedMath.sol, StableMath.sol and, for the pools of 2021,
 * StableMath.sol at tag stable-deployment. `pow` has tests of its own.
 */
const one = 10n ** 18n
const ampPrecision = 1_000n
const up = (a: bigint, b: bigint) => a / b + (a % b > 0n ? 1n : 0n)
const down = (a: bigint, b: bigint) => a / b
const mulDown = (a: bigint, b: bigint) => (a * b) / one
const mulUp = (a: bigint, b: bigint) => up(a * b, one)
const divDown = (a: bigint, b: bigint) => (a * one) / b
const divUp = (a: bigint, b: bigint) => up(a * one, b)
const complement = (x: bigint) => (x < one ? one - x : 0n)
const sumOf = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n)

function power(x: bigint, y: bigint, isModern: boolean, roundUp: boolean): bigint {
  const mul = roundUp ? mulUp : mulDown
  if (isModern && y === one) return x
  if (isModern && y === 2n * one) return mul(x, x)
  if (isModern && y === 4n * one) return mul(mul(x, x), mul(x, x))
  const raw = pow(x, y)
  const error = mulUp(raw, 10_000n) + 1n
  if (roundUp) return raw + error
  return raw < error ? 0n : raw - error
}

/** Pools of 2021. */
function calculateInvariant(amp: bigint, balances: readonly bigint[], roundUp: boolean): bigint {
  const n = BigInt(balances.length)
  const [div, opposite] = roundUp ? [up, down] : [down, up]
  const sum = sumOf(balances)
  const total = amp * n
  let invariant = sum
  for (let round = 0; round < 255; round++) {
    let p = (balances[0] ?? 0n) * n
    for (const balance of balances.slice(1)) p = div(p * balance * n, invariant)
    const previous = invariant
    invariant = div(
      n * invariant * invariant + div(total * sum * p, ampPrecision),
      (n + 1n) * invariant + opposite((total - ampPrecision) * p, ampPrecision),
    )
    if (invariant - previous <= 1n && previous - invariant <= 1n) return invariant
  }
  throw new Error('no invariant')
}

/** Later pools. */
function calculateInvariantLater(amp: bigint, balances: readonly bigint[]): bigint {
  const n = BigInt(balances.length)
  const sum = sumOf(balances)
  const total = amp * n
  let invariant = sum
  for (let round = 0; round < 255; round++) {
    let p = invariant
    for (const balance of balances) p = (p * invariant) / (balance * n)
    const previous = invariant
    const numerator = ((total * sum) / ampPrecision + p * n) * invariant
    invariant = numerator / (((total - ampPrecision) * invariant) / ampPrecision + (n + 1n) * p)
    if (invariant - previous <= 1n && previous - invariant <= 1n) return invariant
  }
  throw new Error('no invariant')
}

function balanceGivenInvariant(
  amp: bigint,
  balances: readonly bigint[],
  invariant: bigint,
  index: number,
): bigint {
  const n = BigInt(balances.length)
  const total = amp * n
  let p = (balances[0] ?? 0n) * n
  for (const balance of balances.slice(1)) p = (p * balance * n) / invariant
  const own = balances[index] ?? 0n
  const squared = invariant * invariant
  const c = up(squared, total * p) * ampPrecision * own
  const b = sumOf(balances) - own + (invariant / total) * ampPrecision
  let balance = up(squared + c, invariant + b)
  for (let round = 0; round < 255; round++) {
    const previous = balance
    balance = up(balance * balance + c, balance * 2n + b - invariant)
    if (balance - previous <= 1n && previous - balance <= 1n) return balance
  }
  throw new Error('no balance')
}

function stableInvariant({ amp, isModern }: PoolNumbers, balances: readonly bigint[]): bigint {
  return isModern ? calculateInvariantLater(amp, balances) : calculateInvariant(amp, balances, true)
}

function sharesAsDeployed(pool: PoolNumbers, amounts: readonly bigint[]): bigint {
  const { kind, balances, weights, amp, swapFee, isModern, supply } = pool
  const sum = sumOf(balances)
  const ratios = balances.map((held, k) => divDown(held + (amounts[k] ?? 0n), held))
  let withFees = 0n
  for (const [k, held] of balances.entries()) {
    const weight = kind === 'weighted' ? (weights[k] ?? 0n) : divDown(held, sum)
    withFees += mulDown(ratios[k] ?? 0n, weight)
  }
  const after = balances.map((held, k) => {
    const amount = amounts[k] ?? 0n
    if ((ratios[k] ?? 0n) <= withFees) return held + amount
    const nonTaxable = mulDown(held, withFees - one)
    return held + nonTaxable + mulDown(amount - nonTaxable, one - swapFee)
  })
  let ratio = one
  if (kind === 'weighted') {
    for (const [k, held] of balances.entries()) {
      const grown = divDown(after[k] ?? 0n, held)
      ratio = mulDown(ratio, power(grown, weights[k] ?? 0n, isModern, false))
    }
  } else {
    const later = isModern
      ? calculateInvariantLater(amp, after)
      : calculateInvariant(amp, after, false)
    ratio = divDown(later, stableInvariant(pool, balances))
  }
  return ratio > one ? mulDown(supply, ratio - one) : 0n
}

function tokensAsDeployed(pool: PoolNumbers, k: number, shares: bigint): bigint {
  const { kind, balances, weights, amp, swapFee, isModern, supply } = pool
  const held = balances[k] ?? 0n
  const ratio = divUp(supply - shares, supply)
  let weight: bigint
  let withoutFee: bigint
  if (kind === 'weighted') {
    weight = weights[k] ?? 0n
    withoutFee = mulDown(held, complement(power(ratio, divDown(one, weight), isModern, true)))
  } else {
    const invariant = mulUp(ratio, stableInvariant(pool, balances))
    withoutFee = held - balanceGivenInvariant(amp, balances, invariant, k)
    weight = divDown(held, sumOf(balances))
  }
  const taxable = mulUp(withoutFee, complement(weight))
  return withoutFee - taxable + mulDown(taxable, one - swapFee)
}

/** The same number, or both refuse: Newton's method need not settle in a very lopsided pool. */
function expectSame(own: () => unknown, asDeployed: () => unknown): void {
  let expected: unknown
  try {
    expected = asDeployed()
  } catch {
    expect(own).toThrow(RangeError)
    return
  }
  expect(own()).toEqual(expected)
}

/** Places 0 to 3 with weights that add up to one. */
const weights: readonly (readonly bigint[])[] = [
  [one / 2n, one / 2n],
  [(one * 8n) / 10n, (one * 2n) / 10n],
  [one / 4n, one / 2n, one / 4n],
  [(one * 33n) / 100n, (one * 33n) / 100n, (one * 34n) / 100n],
  [one / 4n, one / 4n, one / 4n, one / 4n],
]
const pools = fc
  .record({
    kind: fc.constantFrom('weighted' as const, 'stable' as const),
    weights: fc.constantFrom(...weights),
    balances: fc.array(fc.bigInt(10n ** 21n, 10n ** 22n), { minLength: 4, maxLength: 4 }),
    amp: fc.bigInt(20_000n, 5_000_000n),
    swapFee: fc.bigInt(10n ** 12n, 10n ** 17n),
    isModern: fc.boolean(),
    supply: fc.bigInt(10n ** 20n, 10n ** 23n),
  })
  .map(
    ({ balances, ...pool }): PoolNumbers => ({
      ...pool,
      balances: balances.slice(0, pool.weights.length),
    }),
  )
/** Null where steps swing by two units for ever, as steps that round up may. */
function settled(invariant: () => bigint): bigint | null {
  try {
    return invariant()
  } catch (error) {
    expect(error).toEqual(new RangeError('no convergence'))
    return null
  }
}

const places = fc.nat({ max: 3 })
const parts = fc.bigInt(1n, 10n ** 9n)

const even: PoolNumbers = {
  kind: 'weighted',
  balances: [1_000n * one, 1_000n * one],
  weights: [one / 2n, one / 2n],
  amp: 200_000n,
  swapFee: one / 100n,
  isModern: true,
  supply: 2_000n * one,
}

describe('sharesForTokens', () => {
  test('property: gives the shares of the contract to the wei', () => {
    const amounts = fc.array(fc.oneof(fc.constant(0n), parts), { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(pools, amounts, (pool, shares) => {
        fc.pre(shares.slice(0, pool.balances.length).some((part) => part > 0n))
        const added = pool.balances.map((held, k) => (held * (shares[k] ?? 0n)) / 10n ** 9n)
        expectSame(
          () => sharesForTokens(pool, added),
          () => sharesAsDeployed(pool, added),
        )
      }),
      { numRuns: 200 },
    )
  })

  test('property: small pools, whose invariants have few digits, round as the contract does', () => {
    const small = fc.array(fc.bigInt(10n ** 6n, 10n ** 7n), { minLength: 2, maxLength: 2 })
    fc.assert(
      fc.property(small, fc.bigInt(1n, 10n ** 6n), fc.boolean(), (balances, amount, isModern) => {
        const pool = { ...even, kind: 'stable' as const, balances, isModern }
        expectSame(
          () => sharesForTokens(pool, [amount, 0n]),
          () => sharesAsDeployed(pool, [amount, 0n]),
        )
      }),
    )
  })

  test('a tenth of each token makes a tenth more shares, without a fee', () => {
    for (const kind of ['weighted', 'stable'] as const) {
      for (const isModern of [true, false]) {
        const pool = { ...even, kind, isModern }
        const shares = Number(sharesForTokens(pool, [100n * one, 100n * one])) / 1e18
        expect(shares).toBeCloseTo(200, 8)
        expect(shares).toBeLessThanOrEqual(200)
      }
    }
  })

  test('closed form: one token of two, half of it a swap that pays 1 %', () => {
    // 21 % more of one: ratios 1.21 and 1, 1.105 together; 105 pay nothing, 105 pay 1.05.
    const shares = Number(sharesForTokens(even, [210n * one, 0n])) / 1e18
    expect(shares).toBeCloseTo(2_000 * (Math.sqrt(1.20895) - 1), 8)
  })

  test('a unit that does not move the invariant makes no share', () => {
    expect(sharesForTokens(even, [1n, 0n])).toBe(0n)
  })

  test('a pool without a token takes nothing', () => {
    for (const kind of ['weighted', 'stable'] as const) {
      expect(() => sharesForTokens({ ...even, kind, balances: [0n, one] }, [one, 0n])).toThrow(
        RangeError,
      )
      expect(() => sharesForTokens({ ...even, kind, balances: [0n, 0n] }, [one, 0n])).toThrow(
        RangeError,
      )
    }
  })
})

describe('tokensForShares', () => {
  test('property: gives the tokens of the contract to the wei', () => {
    fc.assert(
      fc.property(pools, places, fc.bigInt(1n, 250n), (pool, place, thousandths) => {
        const k = place % pool.balances.length
        const shares = (pool.supply * thousandths) / 1_000n
        expectSame(
          () => tokensForShares(pool, k, shares),
          () => tokensAsDeployed(pool, k, shares),
        )
      }),
      { numRuns: 200 },
    )
  })

  test('closed form: a tenth of the shares into one token of two, half of it a swap that pays 1 %', () => {
    // 0.9 of the invariant is 0.81 of the token: 190, of which 95 pay 0.95.
    expect(Number(tokensForShares(even, 0, 200n * one)) / 1e18).toBeCloseTo(189.05, 8)
  })

  test('a weighted pool keeps 70 % of its invariant, a stable one does not mind', () => {
    expect(tokensForShares(even, 0, 600n * one)).toBeGreaterThan(0n)
    expect(() => tokensForShares(even, 0, 600n * one + 2_000n)).toThrow(RangeError)
    expect(tokensForShares({ ...even, kind: 'stable' }, 0, 601n * one)).toBeGreaterThan(0n)
  })

  test('more shares than there are, and those of a pool without any, are refused', () => {
    expect(() => tokensForShares(even, 0, 2_000n * one + 1n)).toThrow(RangeError)
    expect(() => tokensForShares({ ...even, supply: 0n }, 0, 0n)).toThrow(RangeError)
  })

  test('property: what is joined and exited at once never comes back as more', () => {
    fc.assert(
      fc.property(pools, places, parts, (pool, place, part) => {
        const k = place % pool.balances.length
        const added = ((pool.balances[k] ?? 0n) * part) / (4n * 10n ** 9n)
        const amounts = pool.balances.map((_held, index) => (index === k ? added : 0n))
        const shares = sharesForTokens(pool, amounts)
        const joined = {
          ...pool,
          balances: pool.balances.map((held, index) => held + (amounts[index] ?? 0n)),
          supply: pool.supply + shares,
        }
        expect(tokensForShares(joined, k, shares)).toBeLessThanOrEqual(added)
      }),
    )
  })
})

describe('dueFee', () => {
  const tilted = { ...even, weights: [(one * 2n) / 10n, (one * 8n) / 10n] }

  test('property: is what the contract takes, of the heaviest or the largest token', () => {
    const grown = fc.bigInt(1n, 400n)
    fc.assert(
      fc.property(pools, grown, fc.bigInt(1n, one / 2n), (pool, thousandths, protocolFee) => {
        const { kind, balances, amp, isModern } = pool
        const invariant = (invariantOf(pool) * (1_000n - thousandths)) / 1_000n
        const due = dueFee(pool, { invariant, amp }, protocolFee)
        const sizes = kind === 'weighted' ? pool.weights : balances
        const index = sizes.findIndex((size) => sizes.every((other) => other <= size))
        const held = balances[index] ?? 0n
        let earned: bigint
        if (kind === 'weighted') {
          const base = divUp(invariant, invariantOf(pool))
          const least = (one * 7n) / 10n
          const exponent = divDown(one, pool.weights[index] ?? 0n)
          const kept = power(base > least ? base : least, exponent, isModern, true)
          earned = mulDown(held, complement(kept))
        } else {
          earned = held - balanceGivenInvariant(amp, balances, invariant, index)
        }
        expect(due).toEqual({ index, amount: mulDown(earned, protocolFee) })
      }),
      { numRuns: 200 },
    )
  })

  test('of equals the first pays, else the heaviest', () => {
    const last = { invariant: one, amp: 200_000n }
    expect(dueFee(even, last, one / 2n).index).toBe(0)
    expect(dueFee(tilted, last, one / 2n).index).toBe(1)
    const stable = { ...even, kind: 'stable' as const, balances: [one, 2n * one, 2n * one] }
    expect(dueFee(stable, last, one / 2n).index).toBe(1)
  })

  test('nothing where the protocol asks nothing, or the invariant has not grown', () => {
    for (const kind of ['weighted', 'stable'] as const) {
      const pool = { ...even, kind }
      const invariant = invariantOf(pool)
      const none = { index: 0, amount: 0n }
      expect(dueFee(pool, { invariant: invariant / 2n, amp: pool.amp }, 0n)).toEqual(none)
      expect(dueFee(pool, { invariant, amp: pool.amp }, one / 2n)).toEqual(none)
      expect(dueFee(pool, { invariant: invariant * 2n, amp: pool.amp }, one / 2n)).toEqual(none)
    }
  })

  test('a stable pool is measured by the amplification of the last join', () => {
    const pool = { ...even, kind: 'stable' as const, balances: [3_000n * one, 1_000n * one] }
    const invariant = (invariantOf(pool) * 99n) / 100n
    const atLast = dueFee(pool, { invariant, amp: 50_000n }, one)
    expect(atLast.amount).toBe(
      3_000n * one - balanceGivenInvariant(50_000n, pool.balances, invariant, 0),
    )
  })
})

describe('invariantOf', () => {
  test('closed forms: a product of powers, and the sum where a stable pool is balanced', () => {
    const uneven = { ...even, balances: [400n * one, 900n * one] }
    expect(Number(invariantOf(uneven)) / 1e18).toBeCloseTo(600, 8)
    for (const isModern of [true, false]) {
      const stable = { ...even, kind: 'stable' as const, isModern }
      expect(invariantOf(stable)).toBe(2_000n * one)
    }
  })

  test('of a pool of 2021 whose steps swing by two units for ever it is refused', () => {
    const balances = [
      1_000_000_000_000_000_000_014n,
      1_000_000_000_000_000_000_005n,
      7_884_560_273_815_812_752_600n,
      9_999_999_999_999_999_999_990n,
    ]
    const pool = { ...even, kind: 'stable' as const, balances, amp: 20_005n }
    expect(invariantOf({ ...pool, isModern: true })).toBe(18_701_818_290_624_110_381_698n)
    expect(() => invariantOf({ ...pool, isModern: false })).toThrow('no convergence')
  })

  test('property: the invariant of a stable pool solves its equation to a unit, and pools of 2021 round up', () => {
    fc.assert(
      fc.property(pools, ({ balances, amp, ...rest }) => {
        const of = (isModern: boolean) =>
          invariantOf({ ...rest, kind: 'stable', balances, amp, isModern })
        const n = BigInt(balances.length)
        const product = balances.reduce((all, held) => all * held, 1n)
        // A n (S - D) + D - D^(n+1) / (n^n P), times n^n P and the precision of A: above zero below the root.
        const equation = (d: bigint) =>
          (amp * n * (sumOf(balances) - d) + ampPrecision * d) * n ** n * product -
          ampPrecision * d ** (n + 1n)
        const later = of(true)
        expect(equation(later - 2n) > 0n && equation(later + 2n) < 0n).toBe(true)
        const first = settled(() => of(false))
        if (first === null) return
        expect(equation(first - 2n - n) > 0n && equation(first + 1n) < 0n).toBe(true)
        expect(first).toBeGreaterThanOrEqual(later)
      }),
    )
  })
})

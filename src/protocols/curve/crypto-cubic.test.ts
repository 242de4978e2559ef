import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSafe, solveCubic } from './crypto-cubic.js'

const e18 = 10n ** 18n
/** Digits of the numbers below: many more than the contract has. */
const unit = 10n ** 60n

interface Curve {
  readonly amp: bigint
  readonly gamma: bigint
  readonly invariant: bigint
}

/**
 * K D^(n-1) S + P - K D^n - (D/n)^n by D^n, with K = A K0 γ² / (γ + 1 - K0)² and K0 = P n^n / D^n: the equation that
 * every solver of these pools solves, of the whitepaper "Automatic market-making with dynamic peg". Grows with each
 * balance.
 */
function equation({ amp, gamma, invariant }: Curve, xp: readonly bigint[]): bigint {
  const n = BigInt(xp.length)
  const shares = xp.map((x) => (x * unit) / invariant)
  const product = shares.reduce((all, share) => (all * share) / unit, unit)
  const sum = shares.reduce((total, share) => total + share, 0n)
  const k0 = product * n ** n
  const [wideGamma, a] = [(gamma * unit) / e18, (amp * unit) / n ** n / 10_000n]
  const distance = wideGamma + unit - k0
  const ratio = (wideGamma * unit) / distance
  const k = (((((a * k0) / unit) * ratio) / unit) * ratio) / unit
  return (k * (sum - unit)) / unit + product - unit / n ** n
}

const never = () => {
  throw new Error('not to be asked')
}

/** D, and balances of two or three coins between a third and three times their share of it. */
const pools = fc
  .record({
    digits: fc.integer({ min: 18, max: 29 }),
    factor: fc.bigInt(10n ** 9n, 10n ** 10n),
    coins: fc.array(fc.bigInt(400n, 2_500n), { minLength: 2, maxLength: 3 }),
    j: fc.nat({ max: 2 }),
    amp: fc.bigInt(100_000n, 3_000_000n),
    gamma: fc.bigInt(10n ** 13n, 10n ** 15n),
  })
  .map(({ digits, factor, coins, j, amp, gamma }) => {
    const invariant = (factor * 10n ** BigInt(digits)) / 10n ** 9n
    const share = invariant / BigInt(coins.length)
    const xp = coins.map((thousandths) => (share * thousandths) / 1_000n)
    return { curve: { amp, gamma, invariant }, xp, j: j % coins.length }
  })

describe('solveCubic', () => {
  test('property: the balance that it finds solves the equation of the pool, to a few parts in 10^13', () => {
    fc.assert(
      fc.property(pools, ({ curve, xp, j }) => {
        const y = solveCubic(curve, xp, j, never) ?? 0n
        expect(y).toBeGreaterThan(0n)
        const near = (parts: bigint) =>
          equation(curve, xp.with(j, y + (y * parts) / 10n ** 13n + (parts > 0n ? 2n : -2n)))
        expect(near(-5n)).toBeLessThan(0n)
        expect(near(5n)).toBeGreaterThan(0n)
      }),
      { numRuns: 300 },
    )
  })

  test('at balance each coin is its share of D', () => {
    for (const n of [2, 3]) {
      const invariant = BigInt(n) * 1_000_000n * e18
      const xp = Array.from({ length: n }, () => 1_000_000n * e18)
      const curve = { amp: 400_000n, gamma: 145_000_000_000_000n, invariant }
      for (let j = 0; j < n; j++) {
        // What the own balance says does not matter.
        const y = solveCubic(curve, xp.with(j, 7n), j, never) ?? 0n
        expect(Number(y) / 1e18).toBeCloseTo(1_000_000, 6)
      }
    }
  })

  test('a D below 0.1, and balances that the contract does not take, have no answer', () => {
    const curve = { amp: 400_000n, gamma: 145_000_000_000_000n, invariant: 10n ** 17n }
    const half = 5n * 10n ** 16n
    expect(solveCubic(curve, [half, half], 1, never)).not.toBeNull()
    expect(solveCubic({ ...curve, invariant: 10n ** 17n - 1n }, [half, half], 1, never)).toBeNull()
    expect(solveCubic(curve, [0n, half], 1, never)).toBeNull()
    expect(solveCubic(curve, [10n ** 15n - 1n, half], 1, never)).toBeNull()
    expect(solveCubic(curve, [10n ** 19n + 1n, half], 1, never)).toBeNull()
    // 80 D of one coin leave less than a hundredth of D of the other.
    expect(solveCubic(curve, [160n * half, half], 1, never)).toBeNull()
  })
})

describe('isSafe', () => {
  test('from one per cent of D to a hundred times D', () => {
    const d = 10n ** 20n
    expect(
      [10n ** 18n - 1n, 10n ** 18n, 10n ** 22n, 10n ** 22n + 100n].map((x) => isSafe(x, d)),
    ).toEqual([false, true, true, false])
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BasePool,
  deposit,
  depositOne,
  virtualPrice,
  withdrawExactly,
  withdrawOne,
  withdrawOneByZap,
} from './stable-liquidity.js'
import { invariantOf, type StablePoolState, solveY, withInvariant } from './stable-math.js'

const e18 = 10n ** 18n
const e10 = 10n ** 10n
const at = (values: readonly bigint[], k: number) => values[k] ?? 0n
const gap = (a: bigint, b: bigint) => (a > b ? a - b : b - a)

/** Three coins of 18, 6 and 8 decimals. */
const decimals = [18, 6, 8]
function base(changes: Partial<StablePoolState> = {}, supply = 9_000_000n * e18): BasePool {
  const pool = withInvariant({
    kind: 'stable',
    balances: [3_000_000n * e18, 3_000_000n * 10n ** 6n, 3_000_000n * 10n ** 8n],
    rates: decimals.map((digits) => 10n ** BigInt(36 - digits)),
    amp: 2_000n,
    ampPrecision: 1n,
    fee: 4_000_000n,
    adminFee: 5_000_000_000n,
    offpegFeeMultiplier: 0n,
    legacy: false,
    dividesAtEnd: false,
    ...changes,
  })
  return { pool, supply }
}

/*
 * Deposits and withdrawals once more, statement by statement as the contracts have them, to compare with to the unit:
 * StableSwap3Pool.vy, CurveStableSwapNG.vy, StableSwapSUSD.vy and DepositSUSD.vy. D and y have tests of their own.
 */
const xpOf = ({ rates }: StablePoolState, balances: readonly bigint[]) =>
  balances.map((balance, k) => (at(rates, k) * balance) / e18)
const dOf = (pool: StablePoolState, balances: readonly bigint[]) =>
  invariantOf(xpOf(pool, balances), pool)

function dynamicFee(pool: StablePoolState, xi: bigint, xj: bigint): bigint {
  const n = BigInt(pool.balances.length)
  const fee = (pool.fee * n) / (4n * (n - 1n))
  const multiplier = pool.offpegFeeMultiplier
  if (multiplier <= e10) return fee
  const squared = (xi + xj) * (xi + xj)
  return (multiplier * fee) / (((multiplier - e10) * 4n * xi * xj) / squared + e10)
}

/** Fees of a change of balances, and what the pool keeps and is measured by after it. */
function chargedAsDeployed(pool: StablePoolState, moved: readonly bigint[]) {
  const d0 = dOf(pool, pool.balances)
  const d1 = dOf(pool, moved)
  const ys = (d0 + d1) / BigInt(moved.length)
  const measured = [...moved]
  const kept = [...moved]
  for (const [k, held] of moved.entries()) {
    const old = at(pool.balances, k)
    const ideal = (d1 * old) / d0
    const xs = (at(pool.rates, k) * (old + held)) / e18
    const fee = (dynamicFee(pool, xs, ys) * gap(ideal, held)) / e10
    kept[k] = held - (fee * pool.adminFee) / e10
    measured[k] = held - fee
  }
  return { d0, d2: dOf(pool, measured), kept }
}

function addLiquidity({ pool, supply }: BasePool, amounts: readonly bigint[]) {
  const { d0, d2, kept } = chargedAsDeployed(
    pool,
    pool.balances.map((held, k) => held + at(amounts, k)),
  )
  const minted = (supply * (d2 - d0)) / d0
  return { amount: minted, balances: kept, supply: supply + minted }
}

function removeImbalance({ pool, supply }: BasePool, amounts: readonly bigint[]) {
  const { d0, d2, kept } = chargedAsDeployed(
    pool,
    pool.balances.map((held, k) => held - at(amounts, k)),
  )
  const burned = ((d0 - d2) * supply) / d0 + (pool.legacy ? 0n : 1n)
  return { amount: burned, balances: kept, supply: supply - burned }
}

function removeOne({ pool, supply }: BasePool, k: number, shares: bigint) {
  const xp = xpOf(pool, pool.balances)
  const d0 = dOf(pool, pool.balances)
  const d1 = d0 - (shares * d0) / supply
  const newY = solveY(pool, xp, k, d1) ?? 0n
  const ys = (d0 + d1) / (2n * BigInt(xp.length))
  const reduced = xp.map((x, j) => {
    const expected = j === k ? (x * d1) / d0 - newY : x - (x * d1) / d0
    const average = j === k ? (x + newY) / 2n : x
    return x - (dynamicFee(pool, average, ys) * expected) / e10
  })
  const rate = at(pool.rates, k)
  const dy = ((at(reduced, k) - (solveY(pool, reduced, k, d1) ?? 0n) - 1n) * e18) / rate
  const fee = ((at(xp, k) - newY) * e18) / rate - dy
  const balances = [...pool.balances]
  balances[k] = at(balances, k) - dy - (fee * pool.adminFee) / e10
  return { amount: dy, balances, supply: supply - shares }
}

/** DepositSUSD: five quarters of the fee, then exactly what that leaves; null where a subtraction fails. */
function removeOneByZap(from: BasePool, k: number, shares: bigint) {
  const { pool, supply } = from
  const n = BigInt(pool.balances.length)
  const fee = (pool.fee * n) / (4n * (n - 1n))
  const raised = fee + (fee * 25n * 10n ** 8n) / e10
  const xp = xpOf(pool, pool.balances)
  const d0 = dOf(pool, pool.balances)
  const d1 = d0 - (shares * d0) / supply
  const sum = xp.reduce((total, x) => total + x, 0n)
  if ((sum * (d0 - d1)) / d0 > at(xp, k)) return null
  const reduced = xp.map((x, j) => {
    const expected = j === k ? x - (sum * (d0 - d1)) / d0 : x
    return x - (raised * gap((x * d1) / d0, expected)) / e10
  })
  const precision = at(pool.rates, k) / e18
  const dy = (at(reduced, k) - (solveY(pool, reduced, k, d1) ?? 0n)) / precision
  const amounts = xp.map((_x, j) => (j === k ? dy : 0n))
  const { amount: burned, ...after } = removeImbalance(from, amounts)
  return burned > shares ? null : { amount: dy, after }
}

const kinds: readonly Partial<StablePoolState>[] = [
  {},
  { legacy: true, adminFee: 0n },
  { amp: 150_000n, ampPrecision: 100n },
  { amp: 20_000n, ampPrecision: 100n, dividesAtEnd: true, offpegFeeMultiplier: 5n * e10 },
]
const pools = fc
  .record({
    kind: fc.constantFrom(...kinds),
    /** Whole units. */
    held: fc.array(fc.bigInt(1_000_000n, 4_000_000n), { minLength: 2, maxLength: 3 }),
    price: fc.bigInt(1_000n, 1_100n),
  })
  .map(({ kind, held, price }) => {
    const balances = held.map((units, k) => units * 10n ** BigInt(decimals[k] ?? 18))
    const rates = held.map((_units, k) => 10n ** BigInt(36 - (decimals[k] ?? 18)))
    const { pool } = base({ ...kind, balances, rates })
    return { pool, supply: (pool.invariant * 1_000n) / price }
  })
/** Hundredths of a per mille of what the pool holds. */
const parts = fc.array(fc.bigInt(0n, 20_000n), { minLength: 3, maxLength: 3 })
const partsOf = ({ pool }: BasePool, list: readonly bigint[]) =>
  pool.balances.map((held, k) => (held * at(list, k)) / 100_000n)
const places = fc.nat({ max: 2 })

function stateOf({ pool, supply }: BasePool) {
  expect(pool.invariant).toBe(dOf(pool, pool.balances))
  return { balances: pool.balances, supply }
}

describe('virtualPrice', () => {
  test('is D by share, and nothing of an empty pool', () => {
    expect(virtualPrice(base({}, 8_000_000n * e18))).toBe(1_125n * 10n ** 15n)
    expect(virtualPrice(base({}, 0n))).toBe(0n)
  })
})

describe('deposit', () => {
  test('property: mints what the contract mints, and leaves what it leaves', () => {
    fc.assert(
      fc.property(pools, parts, (from, list) => {
        const amounts = partsOf(from, list)
        fc.pre(amounts.some((amount) => amount > 0n))
        const { amount, ...after } = addLiquidity(from, amounts)
        const change = deposit(from, amounts)
        expect(change?.amountOut).toBe(amount)
        expect(change && stateOf(change.after())).toEqual(after)
      }),
    )
  })

  test('a tenth of each coin is a tenth of the shares, and pays no fee', () => {
    const tenth = base().pool.balances.map((held) => held / 10n)
    expect(deposit(base(), tenth)?.amountOut).toBe(900_000n * e18)
  })

  test('one coin alone is a deposit of nothing of the others', () => {
    const amount = 1_234n * 10n ** 6n
    const one = depositOne(base(), 1, amount)
    const all = deposit(base(), [0n, amount, 0n])
    expect(one?.amountOut).toBe(all?.amountOut)
    expect(one?.after()).toEqual(all?.after())
  })

  test('nothing, the first deposit, and what its fee would swallow are refused', () => {
    expect(deposit(base(), [0n, 0n, 0n])).toBeNull()
    expect(deposit(base({}, 0n), [e18, 0n, 0n])).toBeNull()
    expect(deposit(base({ balances: [0n, 0n, 0n] }), [e18, 0n, 0n])).toBeNull()
    expect(deposit(base({ fee: 20n * e10 }), [1_000_000n * e18, 0n, 0n])).toBeNull()
  })
})

describe('withdrawExactly', () => {
  test('property: burns what the contract burns, and leaves what it leaves', () => {
    fc.assert(
      fc.property(pools, parts, (from, list) => {
        const amounts = partsOf(from, list)
        fc.pre(amounts.some((amount) => amount > 10n ** 12n))
        const { amount, ...after } = removeImbalance(from, amounts)
        const change = withdrawExactly(from, amounts)
        expect(change?.burned).toBe(amount)
        expect(change && stateOf(change.after())).toEqual(after)
      }),
    )
  })

  test('a tenth of each coin is a tenth of the shares and a unit', () => {
    const tenth = base().pool.balances.map((held) => held / 10n)
    expect(withdrawExactly(base(), tenth)?.burned).toBe(900_000n * e18 + 1n)
    expect(withdrawExactly(base({ legacy: true }), tenth)?.burned).toBe(900_000n * e18)
  })

  test('more than is held, more than the shares are worth, and nothing are refused', () => {
    const [held] = base().pool.balances
    expect(withdrawExactly(base(), [at([held ?? 0n], 0) + 1n, 0n, 0n])).toBeNull()
    expect(withdrawExactly(base(), [held ?? 0n, 0n, 0n])).toBeNull()
    expect(withdrawExactly(base(), [0n, 0n, 0n])).toBeNull()
    expect(withdrawExactly(base({}, 1n), [e18, 0n, 0n])).toBeNull()
    // A single share: the whole of it and the unit kept back are two.
    expect(
      withdrawExactly(
        base({}, 1n),
        base().pool.balances.map((own) => own / 2n),
      ),
    ).toBeNull()
  })
})

describe('withdrawOne', () => {
  test('property: pays what the contract pays, and leaves what it leaves', () => {
    fc.assert(
      fc.property(pools, places, fc.bigInt(1n, 20_000n), (from, place, part) => {
        const k = place % from.pool.balances.length
        const shares = (from.supply * part) / 100_000n
        const { amount, ...after } = removeOne(from, k, shares)
        const change = withdrawOne(from, k, shares)
        expect(change?.amountOut).toBe(amount)
        expect(change && stateOf(change.after())).toEqual(after)
      }),
    )
  })

  test('property: what is deposited and withdrawn at once never comes back as more', () => {
    fc.assert(
      fc.property(pools, places, fc.bigInt(1n, 20_000n), (from, place, part) => {
        const k = place % from.pool.balances.length
        const amountIn = (at(from.pool.balances, k) * part) / 100_000n
        const change = depositOne(from, k, amountIn)
        const back = change && withdrawOne(change.after(), k, change.amountOut)
        expect(back?.amountOut ?? 0n).toBeLessThanOrEqual(amountIn)
      }),
    )
  })

  test('all shares at most; an empty pool, and dust that rounds away, pay nothing', () => {
    expect(withdrawOne(base(), 0, 9_000_000n * e18 + 1n)).toBeNull()
    expect(withdrawOne(base({ balances: [0n, 0n, 0n] }), 0, e18)).toBeNull()
    expect(withdrawOne(base(), 1, 1n)?.amountOut ?? 0n).toBe(0n)
  })

  test('property: dust pays what the contract pays, or is refused as by it', () => {
    fc.assert(
      fc.property(pools, places, fc.bigInt(1n, 50n), (from, place, shares) => {
        const k = place % from.pool.balances.length
        const { amount, ...after } = removeOne(from, k, shares)
        // The contract takes one unit off before it divides, and fails where there is none.
        const change = withdrawOne(from, k, shares)
        if (change) {
          expect(change.amountOut).toBe(amount)
          expect(stateOf(change.after())).toEqual(after)
        } else {
          expect(amount).toBeLessThanOrEqual(0n)
        }
        if (amount < 0n) expect(change).toBeNull()
      }),
    )
  })
})

describe('withdrawOneByZap', () => {
  const four = (changes: Partial<StablePoolState> = {}) =>
    base({ legacy: true, adminFee: 0n, amp: 256n, ...changes })

  test('property: pays what the deposit contract pays, and leaves what it leaves', () => {
    fc.assert(
      fc.property(pools, places, fc.bigInt(10n, 20_000n), ({ pool, supply }, place, part) => {
        const from = { pool: withInvariant({ ...pool, offpegFeeMultiplier: 0n }), supply }
        const k = place % pool.balances.length
        const shares = (supply * part) / 100_000n
        const expected = removeOneByZap(from, k, shares)
        const change = withdrawOneByZap(from, k, shares)
        expect(change?.amountOut).toBe(expected?.amount)
        expect(change ? stateOf(change.after()) : undefined).toEqual(expected?.after)
      }),
    )
  })

  test('property: it never burns more than was given, however little that is', () => {
    fc.assert(
      fc.property(pools, places, fc.bigInt(1n, 10n ** 13n), (from, place, shares) => {
        const change = withdrawOneByZap(from, place % from.pool.balances.length, shares)
        if (change) expect(from.supply - change.after().supply).toBeLessThanOrEqual(shares)
      }),
    )
  })

  test('pays a little less than the pool itself would, and burns no more than was given', () => {
    const shares = 100_000n * e18
    const byZap = withdrawOneByZap(four(), 0, shares)
    const own = withdrawOne(four(), 0, shares)
    expect(byZap?.amountOut ?? 0n).toBeLessThan(own?.amountOut ?? 0n)
    expect(byZap?.amountOut ?? 0n).toBeGreaterThan(((own?.amountOut ?? 0n) * 9_999n) / 10_000n)
    const left = byZap?.after().supply ?? 0n
    expect(left).toBeGreaterThanOrEqual(9_000_000n * e18 - shares)
  })

  test('more than there are shares of, or than is held of the coin, is refused', () => {
    expect(withdrawOneByZap(four(), 0, 9_000_000n * e18 + 1n)).toBeNull()
    expect(withdrawOneByZap(four(), 0, 3_500_000n * e18)).toBeNull()
    expect(withdrawOneByZap(four({ balances: [0n, 0n, 0n] }), 0, e18)).toBeNull()
  })
})

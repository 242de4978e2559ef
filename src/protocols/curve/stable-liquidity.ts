/**
 * One-sided deposits and withdrawals of StableSwap pools in native bigint, equal to the contracts to the wei:
 * what a metapool does with its base pool in `exchange_underlying`.
 *
 * @see curvefi/curve-contract 574f440, contracts/pools/3pool/StableSwap3Pool.vy (`add_liquidity`,
 *   `_calc_withdraw_one_coin`); curvefi/stableswap-ng 2abe778, contracts/main/CurveStableSwapNG.vy (the same)
 */
import { feeRate, invariantOf, normalised, type StablePoolState, solveY } from './stable-math.js'

const precision = 10n ** 18n
const feeDenominator = 10n ** 10n

/** A pool whose shares are traded elsewhere. */
export interface BasePool {
  readonly pool: StablePoolState
  /** All shares, 18 decimals. */
  readonly supply: bigint
}

interface Change {
  /** Shares minted, or raw units of the coin withdrawn. */
  readonly amountOut: bigint
  /** The pool after it; costs one more invariant, which quotes do not need. */
  after(): BasePool
}

/** Value of one share, E18; 0n for an empty pool. */
export function virtualPrice({ pool, supply }: BasePool): bigint {
  return supply === 0n ? 0n : (pool.invariant * precision) / supply
}

/**
 * `add_liquidity` of one coin.
 *
 * @param amountIn - raw units of coin k, > 0.
 * @returns null where the contract reverts.
 */
export function depositOne(base: BasePool, k: number, amountIn: bigint): Change | null {
  const { pool, supply } = base
  const before = pool.invariant
  if (before === 0n || supply === 0n) return null
  const raised = pool.balances.map((held, n) => (n === k ? held + amountIn : held))
  const after = invariantOf(normalised(pool, raised), pool)
  if (after <= before) return null
  const n = BigInt(raised.length)
  const share = imbalanceFee(pool)
  const mean = (before + after) / n
  const fees = raised.map((held, index) => {
    const old = pool.balances[index] ?? 0n
    const difference = distance((after * old) / before, held)
    const middle = ((pool.rates[index] ?? 0n) * (old + held)) / precision
    return (feeRate(pool, share, middle, mean) * difference) / feeDenominator
  })
  const charged = raised.map((held, index) => held - (fees[index] ?? 0n))
  const invariant = invariantOf(normalised(pool, charged), pool)
  if (invariant < before) return null
  const minted = (supply * (invariant - before)) / before
  const balances = raised.map(
    (held, index) => held - ((fees[index] ?? 0n) * pool.adminFee) / feeDenominator,
  )
  const next = supply + minted
  return { amountOut: minted, after: () => ({ pool: holding(pool, balances), supply: next }) }
}

/**
 * `remove_liquidity_one_coin`.
 *
 * @param shares - raw units, > 0.
 * @returns null where the contract reverts.
 */
export function withdrawOne(base: BasePool, k: number, shares: bigint): Change | null {
  const { pool, supply } = base
  const before = pool.invariant
  if (before === 0n || shares > supply) return null
  const after = before - (shares * before) / supply
  const xp = normalised(pool, pool.balances)
  const y = solveY(pool, xp, k, after)
  const x = xp[k] ?? 0n
  if (y === null || y > x) return null
  const share = imbalanceFee(pool)
  const mean = (before + after) / (2n * BigInt(xp.length))
  const reduced = xp.map((held, index) => {
    const kept = (held * after) / before
    const expected = index === k ? kept - y : held - kept
    const middle = index === k ? (held + y) / 2n : held
    return held - (feeRate(pool, share, middle, mean) * expected) / feeDenominator
  })
  const charged = solveY(pool, reduced, k, after)
  const rate = pool.rates[k] ?? 0n
  const left = (reduced[k] ?? 0n) - (charged ?? 0n) - 1n
  if (charged === null || left < 0n || rate === 0n) return null
  const amountOut = (left * precision) / rate
  const fee = ((x - y) * precision) / rate - amountOut
  const taken = amountOut + (fee * pool.adminFee) / feeDenominator
  const balances = pool.balances.map((amount, index) => (index === k ? amount - taken : amount))
  const next = supply - shares
  return { amountOut, after: () => ({ pool: holding(pool, balances), supply: next }) }
}

/** Fee on what leaves the pool's proportions: half of it is a swap. */
function imbalanceFee({ fee, balances }: StablePoolState): bigint {
  const n = BigInt(balances.length)
  return (fee * n) / (4n * (n - 1n))
}

function holding(pool: StablePoolState, balances: readonly bigint[]): StablePoolState {
  return { ...pool, balances, invariant: invariantOf(normalised(pool, balances), pool) }
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a
}

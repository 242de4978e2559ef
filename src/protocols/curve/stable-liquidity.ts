/**
 * Deposits and withdrawals of StableSwap pools in native bigint, equal to the contracts to the wei: shares as
 * something to trade, and what a metapool does with its base pool in `exchange_underlying`.
 *
 * @see curvefi/curve-contract 574f440, contracts/pools/3pool/StableSwap3Pool.vy (`add_liquidity`,
 *   `remove_liquidity_imbalance`, `_calc_withdraw_one_coin`), contracts/pools/susd/StableSwapSUSD.vy and DepositSUSD.vy
 *   (`remove_liquidity_one_coin`); curvefi/stableswap-ng 2abe778, contracts/main/CurveStableSwapNG.vy
 */
import { at } from '../../domain/lists.js'
import { feeRate, invariantOf, normalised, type StablePoolState, solveY } from './stable-math.js'

const precision = 10n ** 18n
const feeDenominator = 10n ** 10n
/** The deposit contracts of 2020 raise the fee by so much, to be on the safe side; 1e10 = once. */
const zapImprecision = 25n * 10n ** 8n

/** A pool whose shares are traded. */
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
 * `add_liquidity`.
 *
 * @param amounts - raw units of each coin, not all zero.
 * @returns null where the contract reverts, and for the first deposit into an empty pool.
 */
export function deposit(base: BasePool, amounts: readonly bigint[]): Change | null {
  const { pool, supply } = base
  const raised = pool.balances.map((held, n) => held + at(amounts, n))
  const charged = rebalance(base, raised)
  if (!charged || charged.uncharged <= pool.invariant || charged.invariant < pool.invariant)
    return null
  const minted = (supply * (charged.invariant - pool.invariant)) / pool.invariant
  const next = supply + minted
  return {
    amountOut: minted,
    after: () => ({ pool: holding(pool, charged.balances), supply: next }),
  }
}

/** `add_liquidity` of coin k alone. @param amountIn - raw units, > 0. */
export function depositOne(base: BasePool, k: number, amountIn: bigint): Change | null {
  return deposit(
    base,
    base.pool.balances.map((_held, n) => (n === k ? amountIn : 0n)),
  )
}

/**
 * `remove_liquidity_imbalance`.
 *
 * @param amounts - raw units of each coin, not all zero.
 * @returns the shares that it burns; null where the contract reverts.
 */
export function withdrawExactly(
  base: BasePool,
  amounts: readonly bigint[],
): { readonly burned: bigint; after(): BasePool } | null {
  const { pool, supply } = base
  const lowered = pool.balances.map((held, n) => held - at(amounts, n))
  if (lowered.some((held) => held < 0n)) return null
  const charged = rebalance(base, lowered)
  if (!charged || charged.invariant > pool.invariant) return null
  const share = ((pool.invariant - charged.invariant) * supply) / pool.invariant
  if (share === 0n) return null
  // All but the first template keep one unit back.
  const burned = share + (pool.legacy ? 0n : 1n)
  if (burned > supply) return null
  const next = supply - burned
  return { burned, after: () => ({ pool: holding(pool, charged.balances), supply: next }) }
}

/** What fees on the departure from the pool's proportions leave; null where the contract reverts. */
function rebalance(
  { pool, supply }: BasePool,
  moved: readonly bigint[],
): {
  /** D before and after fees. */
  readonly uncharged: bigint
  readonly invariant: bigint
  /** Raw units that the pool keeps: fees without the admin's share. */
  readonly balances: readonly bigint[]
} | null {
  const before = pool.invariant
  if (before === 0n || supply === 0n) return null
  const uncharged = invariantOf(normalised(pool, moved), pool)
  if (uncharged === 0n) return null
  const share = imbalanceFee(pool)
  const mean = (before + uncharged) / BigInt(moved.length)
  const fees = moved.map((held, index) => {
    const old = at(pool.balances, index)
    const difference = distance((uncharged * old) / before, held)
    const middle = (at(pool.rates, index) * (old + held)) / precision
    return (feeRate(pool, share, middle, mean) * difference) / feeDenominator
  })
  const charged = moved.map((held, index) => held - at(fees, index))
  if (charged.some((held) => held <= 0n)) return null
  const balances = moved.map(
    (held, index) => held - (at(fees, index) * pool.adminFee) / feeDenominator,
  )
  return { uncharged, invariant: invariantOf(normalised(pool, charged), pool), balances }
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
  const x = at(xp, k)
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
  const rate = at(pool.rates, k)
  const left = at(reduced, k) - (charged ?? 0n) - 1n
  if (charged === null || left < 0n || rate === 0n) return null
  const amountOut = (left * precision) / rate
  const fee = ((x - y) * precision) / rate - amountOut
  const taken = amountOut + (fee * pool.adminFee) / feeDenominator
  const balances = pool.balances.map((amount, index) => (index === k ? amount - taken : amount))
  const next = supply - shares
  return { amountOut, after: () => ({ pool: holding(pool, balances), supply: next }) }
}

/**
 * `remove_liquidity_one_coin` of the deposit contract beside a pool of 2020: it finds the amount by a fee that is a
 * quarter too high and takes exactly that out of the pool, so some of the shares come back.
 *
 * @param shares - raw units, > 0.
 * @returns null where the contract reverts.
 */
export function withdrawOneByZap(base: BasePool, k: number, shares: bigint): Change | null {
  const { pool, supply } = base
  const before = pool.invariant
  if (before === 0n || shares > supply) return null
  const fee = imbalanceFee(pool)
  const charge = fee + (fee * zapImprecision) / feeDenominator
  const after = before - (shares * before) / supply
  const xp = normalised(pool, pool.balances)
  const sum = xp.reduce((total, held) => total + held, 0n)
  const left = (sum * (before - after)) / before
  if (left > at(xp, k)) return null
  const reduced = xp.map((held, index) => {
    const expected = index === k ? held - left : held
    return held - (charge * distance((held * after) / before, expected)) / feeDenominator
  })
  const y = solveY(pool, reduced, k, after)
  const rate = at(pool.rates, k)
  if (y === null || y > at(reduced, k) || rate === 0n) return null
  const amountOut = (at(reduced, k) - y) / (rate / precision)
  const amounts = xp.map((_held, index) => (index === k ? amountOut : 0n))
  const withdrawal = withdrawExactly(base, amounts)
  if (!withdrawal || withdrawal.burned > shares) return null
  return { amountOut, after: withdrawal.after }
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

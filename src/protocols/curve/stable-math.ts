/**
 * StableSwap math in native bigint, equal to the Vyper contracts to the wei.
 * Balances are normalised to 18 decimals by rates; every division truncates, as in Vyper.
 *
 * @see curvefi/curve-contract 574f440, contracts/pool-templates/base/SwapTemplateBase.vy
 *   (`_get_D`, `_get_y`, `exchange`), contracts/pools/3pool/StableSwap3Pool.vy and, for
 *   `legacy`, contracts/pools/susd/StableSwapSUSD.vy
 * @see curvefi/curve-factory 5272fd2, contracts/implementations/plain-2/Plain2Basic.vy and
 *   curvefi/stableswap-ng 2abe778, contracts/main/CurveStableSwapNG.vy (`get_D`, `_dynamic_fee`)
 */
import { at } from '../../domain/lists.js'
import { maxUint256 } from '../../domain/primitives.js'
import { type Iterated, newton } from '../shared/newton.js'

const precision = 10n ** 18n
/** Denominator of `fee` and `admin_fee`. */
const feeDenominator = 10n ** 10n

export interface StablePoolState {
  readonly kind: 'stable'
  /** Raw units, without the admin's share, in the order of the coins. */
  readonly balances: readonly bigint[]
  /** Raw units times rate / 1e18 has 18 decimals; 10^(36 - decimals) where nothing else is in it. */
  readonly rates: readonly bigint[]
  /** Amplification as the contract stores it, i.e. times `ampPrecision`. */
  readonly amp: bigint
  /** 1n or 100n. */
  readonly ampPrecision: bigint
  /** Part of the output, 1e10 = 100 %. */
  readonly fee: bigint
  /** The fee grows up to this many times as the pool leaves its balance, 1e10 = once; up to 1e10: it stays. */
  readonly offpegFeeMultiplier: bigint
  /** Share of the fee that leaves the pool's balances, 1e10 = 100 %. */
  readonly adminFee: bigint
  /** Rounds as the pools compiled with Vyper 0.1.0b16 do. */
  readonly legacy: boolean
  /** D's product is divided by n^n in the end, as in later factories, and not by n at each coin. */
  readonly dividesAtEnd: boolean
  /** D of the balances, kept because every quote needs it. */
  readonly invariant: bigint
}

interface Swap {
  /** Raw units of the output coin, fee taken, rounded down. */
  readonly amountOut: bigint
  /**
   * The same where the fee is taken from what is already in raw units: `get_dy` of pools older than the
   * factories answers this, though they pay `amountOut`.
   */
  readonly quotedEarly: bigint
  readonly balances: readonly bigint[]
}

/** Numbers of a pool from which its invariant is computed. */
type Unsolved = Omit<StablePoolState, 'invariant'>

/** @returns the state with its invariant; 0n where the pool is empty or one coin is missing. */
export function withInvariant(state: Unsolved): StablePoolState {
  return { ...state, invariant: invariantOf(normalised(state, state.balances), state) }
}

/** Balances in 18 decimals. */
export function normalised(
  state: Pick<StablePoolState, 'rates'>,
  balances: readonly bigint[],
): bigint[] {
  return balances.map((balance, k) => (balance * rateOf(state, k)) / precision)
}

/**
 * `exchange(i, j, amountIn, 0)`.
 *
 * @param amountIn - raw units of coin i, > 0, as the pool receives it.
 * @returns null where the contract reverts: empty pool, overflow, output below the rounding guard.
 */
export function exchange(
  state: StablePoolState,
  i: number,
  j: number,
  amountIn: bigint,
): Swap | null {
  const { invariant, legacy, balances } = state
  const scaledIn = amountIn * rateOf(state, i)
  if (invariant === 0n || i === j || scaledIn > maxUint256) return null
  const xp = normalised(state, balances)
  const x = at(xp, i) + scaledIn / precision
  const y = solveY(
    state,
    xp.map((held, k) => (k === i ? x : held)),
    j,
    invariant,
  )
  if (y === null) return null
  const dy = at(xp, j) - y - (legacy ? 0n : 1n)
  if (dy < 0n) return null
  const rate = feeRate(state, state.fee, (at(xp, i) + x) / 2n, (at(xp, j) + y) / 2n)
  const fee = (dy * rate) / feeDenominator
  const adminFee = (fee * state.adminFee) / feeDenominator
  const rateOut = rateOf(state, j)
  const amountOut = ((dy - fee) * precision) / rateOut
  const raw = (dy * precision) / rateOut
  const next = [...balances]
  if (legacy) {
    next[i] = (x * precision) / rateOf(state, i)
    next[j] = ((y + fee - adminFee) * precision) / rateOut
  } else {
    next[i] = at(balances, i) + amountIn
    next[j] = at(balances, j) - amountOut - (adminFee * precision) / rateOut
  }
  return { amountOut, quotedEarly: raw - (raw * rate) / feeDenominator, balances: next }
}

/**
 * Amplification at a moment, in the units in which the contract stores it.
 *
 * @param ramp - `initial_A`, `future_A` and their times (Unix seconds).
 */
export function rampedAmp(
  ramp: {
    readonly initial: bigint
    readonly future: bigint
    readonly initialTime: bigint
    readonly futureTime: bigint
  },
  timestamp: bigint,
): bigint {
  const { initial, future, initialTime, futureTime } = ramp
  if (timestamp >= futureTime) return future
  const passed = timestamp - initialTime
  const duration = futureTime - initialTime
  return future > initial
    ? initial + ((future - initial) * passed) / duration
    : initial - ((initial - future) * passed) / duration
}

/**
 * Fee of a trade between two coins, 1e10 = 100 %.
 *
 * @param base - the fee at balance.
 * @param xi - normalised balance of one coin, and `xj` of the other, in the middle of the trade.
 */
export function feeRate(
  { offpegFeeMultiplier }: Pick<StablePoolState, 'offpegFeeMultiplier'>,
  base: bigint,
  xi: bigint,
  xj: bigint,
): bigint {
  if (offpegFeeMultiplier <= feeDenominator) return base
  const balance = ((offpegFeeMultiplier - feeDenominator) * 4n * xi * xj) / (xi + xj) ** 2n
  return (offpegFeeMultiplier * base) / (balance + feeDenominator)
}

/** D by Newton's method. 0n for an empty or one-sided pool, and where the contract would overflow. */
export function invariantOf(xp: readonly bigint[], state: Unsolved): bigint {
  const n = BigInt(xp.length)
  const sum = xp.reduce((total, x) => total + x, 0n)
  if (xp.some((x) => x === 0n)) return 0n
  const { ampPrecision, dividesAtEnd } = state
  const ann = state.amp * n
  const [perCoin, atEnd] = dividesAtEnd ? [1n, n ** n] : [n, 1n]
  const guard = state.legacy ? 1n : 0n
  const found = newton(sum, (d) => {
    let product = d
    for (const x of xp) {
      if (product * d > maxUint256) return null
      product = (product * d) / (x * perCoin + guard)
    }
    product /= atEnd
    const numerator = ((ann * sum) / ampPrecision + product * n) * d
    if (numerator > maxUint256) return null
    return numerator / (((ann - ampPrecision) * d) / ampPrecision + (n + 1n) * product)
  })
  return lastOf(found, state) ?? 0n
}

/**
 * Normalised balance of coin j for which the others give the invariant `d`; null where the contract overflows.
 *
 * @param xp - normalised balances; that of coin j is not looked at.
 */
export function solveY(
  state: StablePoolState,
  xp: readonly bigint[],
  j: number,
  d: bigint,
): bigint | null {
  const n = BigInt(xp.length)
  const { ampPrecision } = state
  const ann = state.amp * n
  let c = d
  let sum = 0n
  for (const [k, xk] of xp.entries()) {
    if (k === j) continue
    sum += xk
    if (xk === 0n || c * d > maxUint256 || xk * n > maxUint256) return null
    c = (c * d) / (xk * n)
  }
  if (c * d * ampPrecision > maxUint256) return null
  c = (c * d * ampPrecision) / (ann * n)
  const b = sum + (d * ampPrecision) / ann
  const found = newton(d, (y) => (y * y + c) / (2n * y + b - d))
  return lastOf(found, state)
}

/**
 * Very lopsided pools can make Newton's method swing between two values. The templates with A_PRECISION
 * revert then; the pools before them go on with the last value.
 */
function lastOf(
  found: Iterated | null,
  { ampPrecision }: Pick<StablePoolState, 'ampPrecision'>,
): bigint | null {
  return found && (found.isSettled || ampPrecision <= 1n) ? found.value : null
}

function rateOf(state: Pick<StablePoolState, 'rates'>, index: number): bigint {
  return at(state.rates, index)
}

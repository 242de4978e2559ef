/**
 * Swaps of Velodrome's pools: x*y for volatile pairs, x^3*y + y^3*x for stable ones, and the fee that leaves the pool.
 * Each step divides where the contract divides, and fails where its checked arithmetic does. Pure.
 * @see aerodrome-finance/contracts a5fae2e, contracts/Pool.sol, swap, _getAmountOut, _get_y, _k
 * @see velodrome-finance/contracts 7a74cab, contracts/Pool.sol: the same arithmetic
 */
import { bpsDenominator, maxUint256 } from '../../domain/primitives.js'
import { unlessReverted } from '../shared/reverts.js'

/** Structured-clonable. */
export interface VelodromeState {
  readonly isStable: boolean
  /** Raw units. */
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** One whole token in raw units: 10^decimals. */
  readonly unit0: bigint
  readonly unit1: bigint
  /** On the input, 1/10_000; what it is of the input is paid out of the pool at once. */
  readonly feeBps: bigint
  /** The factory has stopped all swaps. */
  readonly isPaused: boolean
}

interface Swapped {
  /** Raw units, rounded as the pool rounds. */
  readonly amountOut: bigint
  readonly after: VelodromeState
}

const e18 = 10n ** 18n
/** The contract gives up after as many steps of Newton's method. */
const maxSteps = 255

/** A value that the contract's checked arithmetic can hold. @throws RangeError where the contract would revert. */
function held(value: bigint): bigint {
  if (value < 0n || value > maxUint256) throw new RangeError('Outside of uint256.')
  return value
}

/** (x^3 y + y^3 x) of amounts scaled to 18 decimals. */
function invariant(x: bigint, y: bigint): bigint {
  const product = held(x * y) / e18
  const squares = held(held(x * x) / e18 + held(y * y) / e18)
  return held(product * squares) / e18
}

/** Derivative of the invariant by y. */
function slope(x: bigint, y: bigint): bigint {
  const first = held(held(3n * x) * (held(y * y) / e18)) / e18
  return held(first + held((held(x * x) / e18) * x) / e18)
}

type Units = Pick<VelodromeState, 'unit0' | 'unit1'>

/** The invariant of raw amounts of token0 and token1. */
function stableK(x: bigint, y: bigint, { unit0, unit1 }: Units): bigint {
  return invariant(held(x * e18) / unit0, held(y * e18) / unit1)
}

/**
 * The reserve that keeps the invariant at `wanted` beside a reserve `x`, both scaled to 18 decimals.
 *
 * One of the contract's tests for having arrived takes its scaled amounts for raw ones: with tokens of fewer than 18
 * decimals it is passed a step early, and in the order of the pool's tokens whichever is sold. That is kept.
 * @throws RangeError where the contract reverts.
 */
function reserveFor(x: bigint, wanted: bigint, from: bigint, units: Units): bigint {
  let y = from
  for (let step = 0; step < maxSteps; step += 1) {
    const k = invariant(x, y)
    if (k < wanted) {
      let dy = held((wanted - k) * e18) / slope(x, y)
      if (dy === 0n) {
        if (stableK(x, held(y + 1n), units) > wanted) return y + 1n
        dy = 1n
      }
      y = held(y + dy)
    } else {
      let dy = held((k - wanted) * e18) / slope(x, y)
      if (dy === 0n) {
        if (k === wanted || invariant(x, held(y - 1n)) < wanted) return y
        dy = 1n
      }
      y = held(y - dy)
    }
  }
  throw new RangeError('Newton does not arrive.')
}

/** @param afterFee - raw units of tokenIn without the fee. */
function stableOut(state: VelodromeState, zeroForOne: boolean, afterFee: bigint): bigint {
  const { reserve0, reserve1, unit0, unit1 } = state
  const k = stableK(reserve0, reserve1, state)
  const scaled = [held(reserve0 * e18) / unit0, held(reserve1 * e18) / unit1] as const
  const [reserveIn, reserveOut] = zeroForOne ? scaled : [scaled[1], scaled[0]]
  const amountIn = held(afterFee * e18) / (zeroForOne ? unit0 : unit1)
  const left = reserveFor(held(amountIn + reserveIn), k, reserveOut, state)
  return held(held(reserveOut - left) * (zeroForOne ? unit1 : unit0)) / e18
}

/**
 * @param zeroForOne - true: token0 in, token1 out.
 * @param amountIn - raw units as the pool receives them, fee not yet taken.
 * @returns null where the pool refuses the swap: it is paused, nothing would come out, its arithmetic overflows or does
 *   not arrive, or what it would pay is too much by its own check.
 */
export function velodromeSwap(
  state: VelodromeState,
  zeroForOne: boolean,
  amountIn: bigint,
): Swapped | null {
  return unlessReverted(() => swap(state, zeroForOne, amountIn))
}

function swap(state: VelodromeState, zeroForOne: boolean, amountIn: bigint): Swapped | null {
  const { isStable, reserve0, reserve1, feeBps, isPaused } = state
  if (isPaused || amountIn <= 0n) return null
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  const fee = held(amountIn * feeBps) / bpsDenominator
  const afterFee = amountIn - fee
  const amountOut = isStable
    ? stableOut(state, zeroForOne, afterFee)
    : held(afterFee * reserveOut) / held(reserveIn + afterFee)
  if (amountOut === 0n || amountOut >= reserveOut) return null
  // What the fee is per share of the pool.
  held(fee * e18)
  const [balanceIn, balanceOut] = [held(reserveIn + afterFee), reserveOut - amountOut]
  const after = zeroForOne
    ? { ...state, reserve0: balanceIn, reserve1: balanceOut }
    : { ...state, reserve0: balanceOut, reserve1: balanceIn }
  return curveOf(after) < curveOf(state) ? null : { amountOut, after }
}

/** What a swap must not lower. */
function curveOf(state: VelodromeState): bigint {
  const { isStable, reserve0, reserve1 } = state
  return isStable ? stableK(reserve0, reserve1, state) : held(reserve0 * reserve1)
}

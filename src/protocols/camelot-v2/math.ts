/**
 * Swaps of Camelot's pairs: x*y or x^3*y + y^3*x, a fee of its own for each direction, and, in stable pairs, the part
 * of the fee that leaves. Each step divides where the contract divides, and wraps where its arithmetic does: the contract is of
 * a compiler without checks, and uses SafeMath in some places only. Pure.
 * @see CamelotLabs/core 0fa055d, contracts/CamelotPair.sol, _swap, _getAmountOut, _get_y, _k
 */
import { maxUint256 } from '../../domain/primitives.js'
import { unlessReverted } from '../shared/reverts.js'

/** Structured-clonable. */
export interface CamelotState {
  readonly isStable: boolean
  /** Raw units. */
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** One whole token in raw units: 10^decimals. */
  readonly unit0: bigint
  readonly unit1: bigint
  /** On an input of token0 and of token1, 1/100_000. */
  readonly fees: readonly [bigint, bigint]
  /** Part of a stable pair's fee that is paid out at once, 1/100_000; 0n where nobody receives it. */
  readonly ownerShare: bigint
}

interface Swapped {
  readonly amountOut: bigint
  readonly after: CamelotState
}

const e18 = 10n ** 18n
const denominator = 100_000n
const maxReserve = (1n << 112n) - 1n
const maxSteps = 255

/** SafeMath. @throws RangeError where it reverts. */
function safe(value: bigint): bigint {
  if (value < 0n || value > maxUint256) throw new RangeError('Outside of uint256.')
  return value
}

const wrap = (value: bigint) => BigInt.asUintN(256, value)

/** The curve's value of raw amounts, by SafeMath. */
function curve({ isStable, unit0, unit1 }: CamelotState, raw0: bigint, raw1: bigint): bigint {
  if (!isStable) return safe(raw0 * raw1)
  const x = safe(raw0 * e18) / unit0
  const y = safe(raw1 * e18) / unit1
  const product = safe(x * y) / e18
  const squares = safe(safe(x * x) / e18 + safe(y * y) / e18)
  return safe(product * squares) / e18
}

/** z^3 in 18 decimals, dividing twice. */
const cubed = (z: bigint) => wrap((wrap(z * z) / e18) * z) / e18

/** Without checks, and in another order of divisions than `curve`. */
function valueAt(x: bigint, y: bigint): bigint {
  return wrap(wrap(x * cubed(y)) / e18 + wrap(cubed(x) * y) / e18)
}

function slopeAt(x: bigint, y: bigint): bigint {
  return wrap(wrap(3n * x * (wrap(y * y) / e18)) / e18 + cubed(x))
}

/** Newton's method as it is there: it ends once a step is of one unit or none, or after 255 of them. */
function reserveFor(x: bigint, wanted: bigint, from: bigint): bigint {
  let y = from
  for (let step = 0; step < maxSteps; step += 1) {
    const before = y
    const value = valueAt(x, y)
    y =
      value < wanted
        ? wrap(y + wrap((wanted - value) * e18) / slopeAt(x, y))
        : wrap(y - wrap((value - wanted) * e18) / slopeAt(x, y))
    const moved = y > before ? y - before : before - y
    if (moved <= 1n) return y
  }
  return y
}

function stableOut(state: CamelotState, zeroForOne: boolean, afterFee: bigint): bigint {
  const { reserve0, reserve1, unit0, unit1 } = state
  const k = curve(state, reserve0, reserve1)
  const scaled = [(reserve0 * e18) / unit0, (reserve1 * e18) / unit1] as const
  const [reserveIn, reserveOut] = zeroForOne ? scaled : [scaled[1], scaled[0]]
  const amountIn = wrap(afterFee * e18) / (zeroForOne ? unit0 : unit1)
  const y = wrap(reserveOut - reserveFor(wrap(amountIn + reserveIn), k, reserveOut))
  return wrap(y * (zeroForOne ? unit1 : unit0)) / e18
}

/**
 * @param zeroForOne - true: token0 in, token1 out.
 * @param amountIn - raw units as the pair receives them, fee not yet taken.
 * @returns null where the pair refuses the swap: nothing or all of a reserve would come out, its arithmetic overflows, a
 *   reserve would pass uint112, or what it would pay is too much by its own check.
 */
export function camelotSwap(
  state: CamelotState,
  zeroForOne: boolean,
  amountIn: bigint,
): Swapped | null {
  return unlessReverted(() => swap(state, zeroForOne, amountIn))
}

function swap(state: CamelotState, zeroForOne: boolean, amountIn: bigint): Swapped | null {
  if (amountIn <= 0n) return null
  const { isStable, reserve0, reserve1, fees, ownerShare } = state
  const fee = fees[zeroForOne ? 0 : 1]
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  const feeAmount = safe(amountIn * fee) / denominator
  const weighted = safe(amountIn * (denominator - fee))
  const amountOut = isStable
    ? stableOut(state, zeroForOne, amountIn - feeAmount)
    : safe(weighted * reserveOut) / safe(reserveIn * denominator + weighted)
  if (amountOut === 0n || amountOut >= reserveOut) return null
  const paidOut = isStable
    ? safe(amountIn * denominator * ownerShare * fee) / denominator ** 3n
    : 0n
  const balanceIn = reserveIn + amountIn - paidOut
  const counted = balanceIn - (feeAmount - paidOut)
  const left = reserveOut - amountOut
  const value = zeroForOne ? curve(state, counted, left) : curve(state, left, counted)
  if (value < curve(state, reserve0, reserve1) || balanceIn > maxReserve) return null
  const after = zeroForOne
    ? { ...state, reserve0: balanceIn, reserve1: left }
    : { ...state, reserve0: left, reserve1: balanceIn }
  return { amountOut, after }
}

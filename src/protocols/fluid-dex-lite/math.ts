/**
 * Swaps of Fluid's DEX Lite: a constant product with imaginary reserves, which follow from what the pool holds and from the
 * prices between which it is held. Pure.
 *
 * @see Instadapp/fluid-contracts-public a9949b4, contracts/protocols/dexLite/core/coreInternals.sol, _swapIn, and
 *   core/helpers.sol, _getPricesAndReserves, _calculateReservesOutsideRange
 */
import { squareRoot } from '../shared/square-root.js'

/** Of token0 and token1, in units of 1e-9 of a token. */
type Amounts = readonly [bigint, bigint]

export interface FluidLiteState {
  /** Decimals of token0 and token1, 6 to 18. */
  readonly decimals: readonly [number, number]
  readonly real: Amounts
  readonly imaginary: Amounts
  /** 1/1_000_000 of the input. */
  readonly feePips: bigint
  /** Part of the fee that leaves the pool, percent. */
  readonly revenueCut: bigint
  /** Token1 for one token0, 1e27: the middle, and the ends of the range. */
  readonly centerPrice: bigint
  readonly upperPrice: bigint
  readonly lowerPrice: bigint
  /** Whether the middle is another one at another time, or after a swap. */
  readonly moves: boolean
  /** Whether the contract's own answers were those of this math, and the pool is still as it was read. */
  readonly exact: boolean
}

interface Outcome {
  /** Raw units. */
  readonly amountOut: bigint
  readonly real: Amounts
}

const price1 = 10n ** 27n
const million = 10n ** 6n
/** Digits of a token in the contract's books. */
const precision = 9
/** The books keep 60 bits of an amount. */
const mostAmount = (1n << 60n) - 1n
const leastAmount = 10_000n
/** A side holds at least this part of the other, at the price of the middle. */
const leastPart = 10_000n

/**
 * @param zeroForOne - whether token0 comes in.
 * @param amountIn - raw units, > 0.
 * @returns null where the contract refuses the swap.
 */
export function swapIn(
  state: FluidLiteState,
  zeroForOne: boolean,
  amountIn: bigint,
): Outcome | null {
  const { decimals, real, imaginary, feePips, revenueCut, centerPrice } = state
  const [i, j] = zeroForOne ? ([0, 1] as const) : ([1, 0] as const)
  const amount = toBooks(amountIn, decimals[i])
  if (amount < leastAmount || amount > mostAmount || amount > imaginary[i] / 2n) return null
  const fee = (amount * feePips) / million
  const traded = amount - fee
  const out = (traded * imaginary[j]) / (imaginary[i] + traded)
  const heldIn = real[i] + amount - (fee * revenueCut) / 100n
  const heldOut = real[j] - out
  const least = zeroForOne
    ? (heldIn * centerPrice) / (price1 * leastPart)
    : (heldIn * price1) / (centerPrice * leastPart)
  if (heldOut < 0n || heldOut < least || heldIn > mostAmount) return null
  return {
    amountOut: fromBooks(out, decimals[j]),
    real: zeroForOne ? [heldIn, heldOut] : [heldOut, heldIn],
  }
}

/** The pool after a swap; an estimate where its middle moves by swaps. */
export function stateAfter(state: FluidLiteState, { real }: Outcome): FluidLiteState {
  const imaginary = imaginaryReserves({ ...state, real })
  return { ...state, real, imaginary, exact: state.exact && !state.moves }
}

/** What the pool trades as, by what it holds and the ends of its range, which are apart. */
export function imaginaryReserves({
  real: [held0, held1],
  upperPrice,
  lowerPrice,
}: Pick<FluidLiteState, 'real' | 'upperPrice' | 'lowerPrice'>): Amounts {
  const mean = geometricMean(upperPrice, lowerPrice)
  if (mean < price1) {
    const [x, y] = outsideRange(mean, upperPrice, held0, held1)
    return [x + held0, y + held1]
  }
  const inverse = price1 * price1
  const [y, x] = outsideRange(inverse / mean, inverse / lowerPrice, held1, held0)
  return [x + held0, y + held1]
}

function geometricMean(upper: bigint, lower: bigint): bigint {
  if (upper < 10n ** 38n) return squareRoot(upper * lower)
  const unit = 10n ** 18n
  return squareRoot((upper / unit) * (lower / unit)) * unit
}

/** What lies beyond the ends of the range, were it to go on. */
function outsideRange(mean: bigint, end: bigint, x: bigint, y: bigint): Amounts {
  const apart = end - mean
  // The contract divides by it: such a range is none.
  if (apart <= 0n) return [0n, 0n]
  const half = (mean * x + y * price1) / (2n * apart)
  const beyond = half + squareRoot((x * y * price1) / apart + half * half)
  return [beyond, (beyond * mean) / price1]
}

function toBooks(amount: bigint, decimals: number): bigint {
  return decimals > precision
    ? amount / 10n ** BigInt(decimals - precision)
    : amount * 10n ** BigInt(precision - decimals)
}

function fromBooks(amount: bigint, decimals: number): bigint {
  return decimals > precision
    ? amount * 10n ** BigInt(decimals - precision)
    : amount / 10n ** BigInt(precision - decimals)
}

/**
 * Swaps over the bins of a Liquidity Book pair: a price per bin, a fee that grows with the bins crossed and decays with
 * time. Rounded as the pair rounds. Pure.
 * @see traderjoe-xyz/joe-v2 067c6cc, src/LBPair.sol (swap), src/libraries/BinHelper.sol (getAmounts),
 *   PairParameterHelper.sol, FeeHelper.sol, PriceHelper.sol, math/Uint128x128Math.sol (pow)
 */
import { type Address, bpsDenominator, maxUint256 } from '../../domain/primitives.js'
import { unlessReverted } from '../shared/reverts.js'

/** Parameters from the word in which a pair keeps them; the time is the time of the swap. */
export interface BookParameters {
  readonly baseFactor: bigint
  readonly variableFeeControl: bigint
  /** Part of the fee that leaves the bins, 1/10_000. */
  readonly protocolShare: bigint
  readonly maxVolatility: bigint
  /** Both references hold as the swap begins, after what time has done to them. */
  readonly volatilityReference: bigint
  readonly idReference: number
  readonly activeId: number
  /** A second swap of the same second renews the references, too. */
  readonly isAlwaysRenewed: boolean
}

/** Structured-clonable. */
export interface BookState {
  /** 1/10_000 between the prices of two bins. */
  readonly binStep: bigint
  readonly parameters: BookParameters
  /** Ascending ids of the bins that are known to hold something, and what they hold of the first and second token. */
  readonly ids: readonly number[]
  readonly reservesX: readonly bigint[]
  readonly reservesY: readonly bigint[]
  /** Ids between which every bin that holds something is known, inclusive. */
  readonly lowerId: number
  readonly upperId: number
  /** The version limits what a bin may hold. */
  readonly hasBinLimit: boolean
  /** Code of somebody else that takes part in swaps. */
  readonly hooks: Address | null
  /** Something that is not known here may change amounts. */
  readonly isEstimate: boolean
}

interface Outcome {
  readonly amountOut: bigint
  /** False: the swap has left the known bins; amountOut is what they give. */
  readonly exact: boolean
  readonly after: BookState
}

const [e18, shift] = [10n ** 18n, 128n]
const one = 1n << shift
const maxUint128 = one - 1n
const maxFee = e18 / 10n
/** The id of the price one. */
const middleId = 2 ** 23
const maxLiquidityPerBin = 65251743116719673010965625540244653191619923014385985379600384103134737n

const divideUp = (a: bigint, b: bigint) => (a + b - 1n) / b

/** The price of the bin, units of the second token per unit of the first, 128.128. @throws RangeError out of range. */
export function priceOf(id: number, binStep: bigint): bigint {
  const base = one + (binStep << shift) / bpsDenominator
  const exponent = id - middleId
  if (exponent === 0) return one
  const times = BigInt(Math.abs(exponent))
  let isInverse = exponent < 0
  let squared = base
  if (squared > maxUint128) {
    squared = maxUint256 / squared
    isInverse = !isInverse
  }
  let result = one
  // Bits as the contract takes them: each product loses its low half.
  for (let bit = 0n; bit < 20n && times < 1n << 20n; bit += 1n) {
    if ((times >> bit) & 1n) result = BigInt.asUintN(256, result * squared) >> shift
    squared = BigInt.asUintN(256, squared * squared) >> shift
  }
  if (result === 0n || times >= 1n << 20n) throw new RangeError('The price has no value.')
  return isInverse ? maxUint256 / result : result
}

/** Fee of a bin with the volatility of the moment; 1e18 is 100 %. */
function feeOf(
  { baseFactor, variableFeeControl }: BookParameters,
  binStep: bigint,
  volatility: bigint,
) {
  const moved = volatility * binStep
  const variable =
    variableFeeControl === 0n ? 0n : (moved * moved * variableFeeControl + 99n) / 100n
  const fee = baseFactor * binStep * 10n ** 10n + variable
  if (fee > maxFee) throw new RangeError('The fee is too large.')
  return fee
}

interface Step {
  readonly consumed: bigint
  readonly amountOut: bigint
  readonly fee: bigint
}

/** How much of what is left a bin takes in one direction, and what it gives. */
function binSwap(forY: boolean) {
  return (price: bigint, reserveOut: bigint, left: bigint, fee: bigint): Step => {
    const before = forY ? divideUp(reserveOut << shift, price) : divideUp(reserveOut * price, one)
    const most = before + divideUp(before * fee, e18 - fee)
    if (before > maxUint128 || most > maxUint128) throw new RangeError('Too much for a bin.')
    if (left >= most) return { consumed: most, amountOut: reserveOut, fee: most - before }
    const paid = divideUp(left * fee, e18)
    const amountOut = forY ? ((left - paid) * price) >> shift : ((left - paid) << shift) / price
    return { consumed: left, amountOut: amountOut > reserveOut ? reserveOut : amountOut, fee: paid }
  }
}

/**
 * @param forY - true: the first token in, the second out.
 * @param amountIn - raw units as the pair receives them.
 * @returns null where the pair refuses the swap: nothing would come out, or its bins do not hold enough.
 */
export function bookSwap(state: BookState, forY: boolean, amountIn: bigint): Outcome | null {
  return unlessReverted(() => swap(state, forY, amountIn))
}

function swap(state: BookState, forY: boolean, amountIn: bigint): Outcome | null {
  const { ids, parameters, binStep, lowerId, upperId } = state
  if (amountIn <= 0n || amountIn > maxUint128) return null
  const [reservesX, reservesY] = [[...state.reservesX], [...state.reservesY]]
  const { activeId, idReference, volatilityReference, maxVolatility, protocolShare } = parameters
  const swapInBin = binSwap(forY)
  let left = amountIn
  let amountOut = 0n
  let last = activeId
  // Towards lower prices the bins hold the second token, towards higher ones the first.
  let index = forY ? lastAtMost(ids, activeId) : firstAtLeast(ids, activeId)
  for (; left > 0n; index += forY ? -1 : 1) {
    const id = ids[index]
    const [x = 0n, y = 0n] = [reservesX[index], reservesY[index]]
    const reserveOut = forY ? y : x
    if (id === undefined) {
      // Where all bins are known the pair refuses what is left.
      const isEnd = forY ? lowerId <= 0 : upperId >= 2 ** 24 - 1
      if (isEnd) return null
      break
    }
    last = id
    if (reserveOut === 0n) continue
    const reached = volatilityReference + BigInt(Math.abs(id - idReference)) * bpsDenominator
    const fee = feeOf(parameters, binStep, reached > maxVolatility ? maxVolatility : reached)
    const price = priceOf(id, binStep)
    const step = swapInBin(price, reserveOut, left, fee)
    if (step.consumed === 0n) continue
    const toBin = step.consumed - (step.fee * protocolShare) / bpsDenominator
    const full = forY
      ? [x + step.consumed, y - step.amountOut]
      : [x - step.amountOut, y + step.consumed]
    const [fullX = 0n, fullY = 0n] = full
    const liquidity = fullX * price + (fullY << shift)
    if (state.hasBinLimit && liquidity > maxLiquidityPerBin) return null
    left -= step.consumed
    amountOut += step.amountOut
    reservesX[index] = forY ? x + toBin : x - step.amountOut
    reservesY[index] = forY ? y - step.amountOut : y + toBin
  }
  if (amountOut === 0n) return left === 0n ? null : { amountOut, exact: false, after: state }
  const after = {
    ...state,
    reservesX,
    reservesY,
    parameters: { ...parameters, activeId: last },
    isEstimate: state.isEstimate || parameters.isAlwaysRenewed,
  }
  return { amountOut, exact: left === 0n && !state.isEstimate, after }
}

function firstAtLeast(ids: readonly number[], id: number): number {
  const index = ids.findIndex((each) => each >= id)
  return index < 0 ? ids.length : index
}

function lastAtMost(ids: readonly number[], id: number): number {
  return ids.findLastIndex((each) => each <= id)
}

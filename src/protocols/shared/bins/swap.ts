/**
 * Swaps over bins of one price each, as Liquidity Book and PancakeSwap's Infinity have them: rounded as their contracts
 * round. What a bin charges is said by the caller. Pure.
 * @see traderjoe-xyz/joe-v2 067c6cc, src/LBPair.sol (swap), src/libraries/BinHelper.sol (getAmounts), FeeHelper.sol,
 *   PriceHelper.sol, math/Uint128x128Math.sol (pow)
 */
import { bpsDenominator, maxUint128, maxUint256 } from '../../../domain/primitives.js'

/** What is known of the bins around a price. Structured-clonable. */
export interface BinsState {
  /** 1/10_000 between the prices of two bins. */
  readonly binStep: bigint
  /** Ascending ids of the bins that are known to hold something, and what they hold of the first and second token. */
  readonly ids: readonly number[]
  readonly reservesX: readonly bigint[]
  readonly reservesY: readonly bigint[]
  /** Ids between which every bin that holds something is known, inclusive. */
  readonly lowerId: number
  readonly upperId: number
}

/** What a pool charges, and what its bins may hold. */
export interface BinRules {
  readonly activeId: number
  /** Fee of a swap in the bin; 1e18 is 100 %. @throws RangeError where the contract refuses the fee. */
  feeAt(id: number): bigint
  /** The part of a fee that leaves the bin, raw units of the input. */
  protocolPart(fee: bigint): bigint
  /** Whether the most that a bin may hold is compared with or without that part; null: nothing is compared. */
  readonly limitCounts: 'whole fee' | 'kept fee' | null
}

export interface BinsSwap {
  readonly amountOut: bigint
  /** What the known bins did not take, raw units. */
  readonly left: bigint
  /** Of the known bins after the swap, by their places. */
  readonly reservesX: readonly bigint[]
  readonly reservesY: readonly bigint[]
  readonly activeId: number
}

/** Fees are parts of it. */
export const e18 = 10n ** 18n
const shift = 128n
const one = 1n << shift
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
 * @param amountIn - raw units, > 0.
 * @returns null where the contract refuses the swap: nothing would come out, or its bins do not hold enough.
 * @throws RangeError where the contract's arithmetic ends.
 */
export function swapOverBins(
  { ids, binStep, lowerId, upperId, ...reserves }: BinsState,
  { activeId, feeAt, protocolPart, limitCounts }: BinRules,
  forY: boolean,
  amountIn: bigint,
): BinsSwap | null {
  const [reservesX, reservesY] = [[...reserves.reservesX], [...reserves.reservesY]]
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
      // Where all bins are known the contract refuses what is left.
      const isEnd = forY ? lowerId <= 0 : upperId >= 2 ** 24 - 1
      if (isEnd) return null
      break
    }
    last = id
    if (reserveOut === 0n) continue
    const price = priceOf(id, binStep)
    const step = swapInBin(price, reserveOut, left, feeAt(id))
    if (step.consumed === 0n) continue
    const toBin = step.consumed - protocolPart(step.fee)
    const counted = limitCounts === 'whole fee' ? step.consumed : toBin
    const [countedX, countedY] = forY
      ? [x + counted, y - step.amountOut]
      : [x - step.amountOut, y + counted]
    const isFull = countedX * price + (countedY << shift) > maxLiquidityPerBin
    if (limitCounts && isFull) return null
    left -= step.consumed
    amountOut += step.amountOut
    reservesX[index] = forY ? x + toBin : x - step.amountOut
    reservesY[index] = forY ? y - step.amountOut : y + toBin
  }
  if (amountOut === 0n && left === 0n) return null
  return { amountOut, left, reservesX, reservesY, activeId: last }
}

function firstAtLeast(ids: readonly number[], id: number): number {
  const index = ids.findIndex((each) => each >= id)
  return index < 0 ? ids.length : index
}

function lastAtMost(ids: readonly number[], id: number): number {
  return ids.findLastIndex((each) => each <= id)
}

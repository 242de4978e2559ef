/**
 * Swaps over ticks in floating point, for ranking: some ten times faster than in whole numbers. Only + - * and /, whose
 * results are the same on every machine. Pure.
 */
import { at } from '../../../domain/lists.js'
import { type ConcentratedState, firstAbove, maxSqrtPriceFactor } from './swap.js'
import { maxTick, minTick, roughSqrtPriceAtTick } from './tick-math.js'

const q96 = 2 ** 96
const pips = 1_000_000

/**
 * As the quote of an adapter by `concentratedAmountOut`, to 1e-9 of it and the units that rounding takes.
 *
 * @param amountIn - raw units, fee not yet taken.
 * @returns raw units; 0 where the pool cannot serve all of the amount.
 */
export function concentratedEstimate(
  state: ConcentratedState,
  zeroForOne: boolean,
  amountIn: number,
): number {
  const { ticks, liquidityNets, lowerTick, upperTick, isFeeOld } = state
  const start = Number(state.sqrtPriceX96) / q96
  if (start === 0) return 0
  let price = start
  // Added up exactly: where all of it ends, what rounding left would seem to take any amount.
  let whole = state.liquidity
  let liquidity = Number(whole)
  let remaining = amountIn * (1 - Number(state.feePips[zeroForOne ? 0 : 1]) / pips)
  let amountOut = 0
  /** Spends what a price takes on the way to the target; true when something is left there. */
  const moveTo = (target: number): boolean => {
    // Of token0 at these prices; of token1 the same without the division.
    const needed = zeroForOne
      ? (liquidity * (price - target)) / (price * target)
      : liquidity * (target - price)
    if (remaining <= needed) {
      const next = zeroForOne
        ? (liquidity * price) / (liquidity + remaining * price)
        : price + remaining / liquidity
      amountOut += zeroForOne ? remaining * price * next : remaining / (price * next)
      price = next
      return false
    }
    amountOut += zeroForOne ? needed * price * target : needed / (price * target)
    remaining -= needed
    price = target
    return true
  }
  const isKnown = zeroForOne ? state.tick >= lowerTick : state.tick < upperTick
  const end = zeroForOne ? Math.max(lowerTick, minTick) : Math.min(upperTick, maxTick)
  let isLeft = true
  if (isKnown) {
    let index = firstAbove(ticks, state.tick) - (zeroForOne ? 1 : 0)
    for (let stop = ticks[index]; isLeft && stop !== undefined; stop = ticks[index]) {
      if (zeroForOne ? stop < end : stop > end) break
      isLeft = moveTo(roughSqrtPriceAtTick(stop))
      if (!isLeft) break
      const net = at(liquidityNets, index)
      whole += zeroForOne ? -net : net
      liquidity = Number(whole)
      index += zeroForOne ? -1 : 1
    }
    if (isLeft) isLeft = moveTo(roughSqrtPriceAtTick(end))
  }
  if (!isLeft && !isFeeOld) return Math.floor(amountOut)
  // A pool that is known to take only a part of the input does not serve the swap.
  if (isLeft && (end === minTick || end === maxTick)) return 0
  if (isLeft && (liquidity <= 0 || moveTo(zeroForOne ? 0 : Number.POSITIVE_INFINITY))) return 0
  const factor = zeroForOne ? start / price : price / start
  return factor < Number(maxSqrtPriceFactor) ? Math.floor(amountOut) : 0
}

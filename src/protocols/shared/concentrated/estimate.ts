/**
 * Swaps over ticks in floating point, for ranking: some ten times faster than in whole numbers. Only + - * and /, whose
 * results are the same on every machine. Pure.
 */
import { at } from '../../../domain/lists.js'
import { type ConcentratedState, firstAbove, maxSqrtPriceFactor } from './swap.js'
import { maxTick, minTick, roughSqrtPriceAtTick } from './tick-math.js'

const q96 = 2 ** 96
const pips = 1_000_000

/** Numbers that a stop has in the list of stops: the fee is taken off what it has spent. */
const [spentAt, boughtAt, priceAt, liquidityAt, numbersPerStop] = [0, 1, 2, 3, 4]

/**
 * Estimates the output that an adapter gives by `concentratedSwap`, to 1e-9 of it and the units that rounding takes. A
 * search asks for many amounts, and all of them pass the same stops: what was spent and bought until each is
 * remembered.
 * @returns raw units of the output by those of the input, fee not yet taken; 0 where the pool cannot serve all of it.
 */
export function concentratedEstimator(
  state: ConcentratedState,
  zeroForOne: boolean,
): (amountIn: number) => number {
  const start = Number(state.sqrtPriceX96) / q96
  if (start === 0) return () => 0
  const { ticks, liquidityNets, lowerTick, upperTick, isFeeOld } = state
  const kept = 1 - Number(state.feePips[zeroForOne ? 0 : 1]) / pips
  const end = zeroForOne ? Math.max(lowerTick, minTick) : Math.min(upperTick, maxTick)
  // Added up exactly: where all of it ends, what rounding left would seem to take any amount.
  let whole = state.liquidity
  let index = firstAbove(ticks, state.tick) - (zeroForOne ? 1 : 0)
  let isKnown = zeroForOne ? state.tick >= lowerTick : state.tick < upperTick
  const stops = [0, 0, start, Number(whole)]

  /** One more stop; the last is where the known range ends. */
  const passOne = () => {
    const last = stops.length - numbersPerStop
    const [price, liquidity] = [
      stops[last + priceAt] as number,
      stops[last + liquidityAt] as number,
    ]
    const tick = ticks[index]
    const isTick = tick !== undefined && (zeroForOne ? tick >= end : tick <= end)
    const target = roughSqrtPriceAtTick(isTick ? tick : end)
    // Input of token0 that moves the price to the target; for token1 the formula has no division.
    const needed = zeroForOne
      ? (liquidity * (price - target)) / (price * target)
      : liquidity * (target - price)
    if (isTick) {
      const net = at(liquidityNets, index)
      whole += zeroForOne ? -net : net
      index += zeroForOne ? -1 : 1
    } else isKnown = false
    stops.push(
      (stops[last + spentAt] as number) + needed,
      (stops[last + boughtAt] as number) +
        (zeroForOne ? needed * price * target : needed / (price * target)),
      target,
      Number(whole),
    )
  }

  return (amountIn) => {
    const spends = amountIn * kept
    while (isKnown && (stops[stops.length - numbersPerStop + spentAt] as number) < spends) passOne()
    // The last stop that leaves something of the amount, else the first.
    let low = 0
    let high = stops.length / numbersPerStop - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((stops[middle * numbersPerStop + spentAt] as number) < spends) low = middle
      else high = middle - 1
    }
    const last = low * numbersPerStop
    const [price, liquidity] = [
      stops[last + priceAt] as number,
      stops[last + liquidityAt] as number,
    ]
    const isPastKnown = !isKnown && last === stops.length - numbersPerStop
    // A pool that is known to take only a part of the input does not serve the swap.
    if (isPastKnown && (end === minTick || end === maxTick || liquidity <= 0)) return 0
    const rest = spends - (stops[last + spentAt] as number)
    const next = zeroForOne
      ? (liquidity * price) / (liquidity + rest * price)
      : price + rest / liquidity
    const bought = zeroForOne ? rest * price * next : rest / (price * next)
    const amountOut = Math.floor((stops[last + boughtAt] as number) + bought)
    if (!isPastKnown && !isFeeOld) return amountOut
    const factor = zeroForOne ? start / next : next / start
    return factor < Number(maxSqrtPriceFactor) ? amountOut : 0
  }
}

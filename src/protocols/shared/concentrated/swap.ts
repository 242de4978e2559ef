/**
 * Swaps over many ticks: the loop that Uniswap V3, its forks and V4 without hooks share.
 * Owns the plain state of such a pool. Pure; called by the adapters of these protocols only.
 * @see Uniswap/v3-core 1.0.1, contracts/UniswapV3Pool.sol, swap, and libraries/TickBitmap.sol
 */
import { at } from '../../../domain/lists.js'
import { oncePer } from '../once-per.js'
import { rangeTo, type SwapStep, swapStep } from './swap-step.js'
import {
  maxSqrtPriceX96,
  maxTick,
  minSqrtPriceX96,
  minTick,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from './tick-math.js'

/** Structured-clonable. Everything between `lowerTick` and `upperTick` is known; beyond it nothing is. */
export interface ConcentratedState {
  /** Q64.96; 0n when the pool was never initialised. */
  readonly sqrtPriceX96: bigint
  readonly tick: number
  /** Active at the current price. */
  readonly liquidity: bigint
  /** 1/1_000_000 of the input: of token0 in, of token1 in. */
  readonly feePips: readonly [bigint, bigint]
  /** True: the fee is that before a swap that may have changed it, so that amounts are estimates. */
  readonly isFeeOld?: boolean
  readonly tickSpacing: number
  /** True: the contract steps from one initialised tick to the next, without stops at the edges of words. */
  readonly isTickList?: boolean
  /** Initialised ticks inside the known range, ascending. */
  readonly ticks: readonly number[]
  /** Liquidity added when the tick of the same index is crossed upwards. */
  readonly liquidityNets: readonly bigint[]
  /** A swap may reach these ticks exactly; what happens past them is an estimate. */
  readonly lowerTick: number
  readonly upperTick: number
  /** Index of the newest oracle entry and number of entries, where the protocol has an oracle in slot0. */
  readonly oracle?: { readonly index: number; readonly cardinality: number }
}

/** Where a swap ended. */
interface Outcome {
  readonly amountOut: bigint
  /** Input that is left over where liquidity ends. */
  readonly unspent: bigint
  readonly exact: boolean
  readonly sqrtPriceX96: bigint
  readonly liquidity: bigint
  /** Null: between two ticks, follows from the price. */
  readonly tick: number | null
}

/** Where a swap stands at a stop. */
interface Stand {
  readonly sqrtPriceX96: bigint
  readonly liquidity: bigint
  readonly tick: number
  /** Index of the next initialised tick in the list of ticks. */
  readonly index: number
  readonly exact: boolean
  /** What it has cost and bought until there, raw units. */
  readonly amountIn: bigint
  readonly amountOut: bigint
}

/** A stop that every large enough swap passes, and how it goes on. */
interface Rung extends Stand {
  /** To the next stop; null where no swap goes on. */
  readonly range: ReturnType<typeof rangeTo> | null
  /** False: what happens on the way there is an estimate. */
  readonly isKnown: boolean
  /** The next stop; its price is not the target of the range where the contract's limit lies before it. */
  readonly stop: number
  readonly stopPrice: bigint
}

/**
 * Stops by state and direction: a search asks for many amounts in the same state, and all of them pass the same stops.
 */
const laddersOf = oncePer((_state: ConcentratedState): [Rung[]?, Rung[]?] => [])

/** The stops that swaps in this direction have passed, the first being the state itself. */
function ladderOf(state: ConcentratedState, zeroForOne: boolean): Rung[] {
  const known = laddersOf(state)
  const direction = zeroForOne ? 0 : 1
  const ladder = known[direction]
  if (ladder) return ladder
  const { sqrtPriceX96, liquidity, tick } = state
  const index = firstAbove(state.ticks, tick) - (zeroForOne ? 1 : 0)
  const exact = !state.isFeeOld
  const stand = { sqrtPriceX96, liquidity, tick, index, exact, amountIn: 0n, amountOut: 0n }
  const made = [rungAt(state, zeroForOne, stand)]
  known[direction] = made
  return made
}

function rungAt(state: ConcentratedState, zeroForOne: boolean, stand: Stand): Rung {
  const { sqrtPriceX96, liquidity, tick, index, exact, amountIn, amountOut } = stand
  const isKnown = zeroForOne ? tick >= state.lowerTick : tick < state.upperTick
  const edge = wordEdge(state, tick, zeroForOne)
  const candidate = state.ticks[index]
  let stop: number
  if (!isKnown) stop = zeroForOne ? minTick : maxTick
  else if (zeroForOne) stop = Math.max(edge, state.lowerTick, candidate ?? minTick)
  else stop = Math.min(edge, state.upperTick, candidate ?? maxTick)
  const stopPrice = sqrtPriceAtTick(stop)
  const limit = zeroForOne ? minSqrtPriceX96 + 1n : maxSqrtPriceX96 - 1n
  const isPastLimit = zeroForOne ? stopPrice < limit : stopPrice > limit
  const goesOn = zeroForOne ? sqrtPriceX96 > limit : sqrtPriceX96 < limit
  const range = goesOn ? rangeTo(sqrtPriceX96, isPastLimit ? limit : stopPrice, liquidity) : null
  return {
    sqrtPriceX96,
    liquidity,
    tick,
    index,
    exact,
    amountIn,
    amountOut,
    range,
    isKnown,
    stop,
    stopPrice,
  }
}

/** Where swaps stand that have reached the next stop by this step. */
function pastStop(
  state: ConcentratedState,
  zeroForOne: boolean,
  rung: Rung,
  step: SwapStep,
): Stand {
  const { stop, stopPrice: sqrtPriceX96 } = rung
  let { liquidity, index } = rung
  let exact = rung.exact && rung.isKnown
  if (stop === state.ticks[index]) {
    const net = at(state.liquidityNets, index)
    liquidity += zeroForOne ? -net : net
    index += zeroForOne ? -1 : 1
  } else if (state.isTickList && stop !== wordEdge(state, rung.tick, zeroForOne)) {
    // The contract does not stop where the known range ends, and rounds only where it stops.
    exact = false
  }
  const tick = zeroForOne ? stop - 1 : stop
  const amountIn = rung.amountIn + step.consumed
  const amountOut = rung.amountOut + step.amountOut
  return { sqrtPriceX96, liquidity, tick, index, exact, amountIn, amountOut }
}

/**
 * The last rung that leaves something of the amount, else the first: a stop is reached exactly by the amounts that
 * cover its cost, so the swap passes all rungs up to this one.
 */
function placeBelow(rungs: readonly Rung[], amountIn: bigint): number {
  let low = 0
  let high = rungs.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((rungs[middle] as Rung).amountIn < amountIn) low = middle
    else high = middle - 1
  }
  return low
}

/** First index whose tick is above `tick`. */
export function firstAbove(ticks: readonly number[], tick: number): number {
  let low = 0
  let high = ticks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ticks[middle] ?? 0) <= tick) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The contract looks for the next tick in one word of the bitmap at a time and stops at the word's edge,
 * where it rounds once more: equality to the wei needs these stops too.
 */
function wordEdge(
  { tickSpacing, isTickList }: ConcentratedState,
  tick: number,
  zeroForOne: boolean,
): number {
  if (isTickList) return zeroForOne ? minTick : maxTick
  const compressed = Math.floor(tick / tickSpacing)
  return zeroForOne
    ? Math.max(((compressed >> 8) << 8) * tickSpacing, minTick)
    : Math.min(((((compressed + 1) >> 8) << 8) + 255) * tickSpacing, maxTick)
}

function run(state: ConcentratedState, zeroForOne: boolean, amountIn: bigint): Outcome {
  const feePips = state.feePips[zeroForOne ? 0 : 1]
  const rungs = ladderOf(state, zeroForOne)
  for (let place = placeBelow(rungs, amountIn); ; place++) {
    const rung = rungs[place] as Rung
    const { range, exact, liquidity } = rung
    const remaining = amountIn - rung.amountIn
    if (remaining <= 0n || !range) {
      const { amountOut, sqrtPriceX96, tick } = rung
      return { amountOut, unspent: remaining, exact, sqrtPriceX96, liquidity, tick }
    }
    const step = swapStep(range, remaining, feePips)
    const { sqrtPriceX96 } = step
    if (sqrtPriceX96 !== rung.stopPrice) {
      return {
        amountOut: rung.amountOut + step.amountOut,
        unspent: remaining - step.consumed,
        exact: exact && rung.isKnown,
        sqrtPriceX96,
        liquidity,
        tick: sqrtPriceX96 === range.price ? rung.tick : null,
      }
    }
    if (place + 1 === rungs.length) {
      rungs.push(rungAt(state, zeroForOne, pastStop(state, zeroForOne, rung, step)))
    }
  }
}

export interface ConcentratedSwap {
  readonly amountOut: bigint
  /** Raw units of the input that are left, where liquidity ends. */
  readonly unspent: bigint
  readonly exact: boolean
  /** The state after the swap; the given one is not changed. */
  readonly after: () => ConcentratedState
}

/**
 * A swap with all of `amountIn` offered and no price limit.
 *
 * @param zeroForOne - true: token0 in, token1 out.
 * @param amountIn - raw units, fee not yet taken.
 * @returns `amountOut` rounded down as the contract does. Where liquidity ends, what was bought until there:
 *   the contract leaves the rest of the input with the caller. `exact` is false when the swap left the known
 *   range; liquidity is then taken as constant from there on, and 0n is the answer when even so the price would
 *   move by a factor of 64.
 */
export function concentratedSwap(
  state: ConcentratedState,
  zeroForOne: boolean,
  amountIn: bigint,
): ConcentratedSwap {
  if (state.sqrtPriceX96 === 0n) {
    return { amountOut: 0n, unspent: amountIn, exact: true, after: () => state }
  }
  const end = run(state, zeroForOne, amountIn)
  const { exact } = end
  const isRefused = !exact && isFar(state.sqrtPriceX96, end.sqrtPriceX96)
  return {
    amountOut: isRefused ? 0n : end.amountOut,
    unspent: isRefused ? amountIn : end.unspent,
    exact,
    after() {
      return stateAt(state, end)
    },
  }
}

/**
 * Whether a swap goes beyond what is known of the ticks. Where the range ends since no price lies beyond it, none does.
 *
 * @param zeroForOne - true: token0 in, token1 out.
 * @param amountIn - raw units, fee not yet taken.
 */
export function isBeyondKnown(
  state: ConcentratedState,
  zeroForOne: boolean,
  amountIn: bigint,
): boolean {
  if (state.sqrtPriceX96 === 0n) return false
  const { tick } = stateAt(state, run(state, zeroForOne, amountIn))
  return zeroForOne
    ? tick < state.lowerTick && state.lowerTick > minTick
    : tick >= state.upperTick && state.upperTick < maxTick
}

function stateAt(
  state: ConcentratedState,
  { sqrtPriceX96, liquidity, tick }: Outcome,
): ConcentratedState {
  return { ...state, sqrtPriceX96, liquidity, tick: tick ?? tickAtSqrtPrice(sqrtPriceX96) }
}

/**
 * An estimate may move the price by a factor of 64 at most. The contract would walk through every empty word
 * of the bitmap on its way, thousands of reads from the node, for a swap that nobody can want.
 */
export const maxSqrtPriceFactor = 8n

function isFar(from: bigint, to: bigint): boolean {
  const [low, high] = from < to ? [from, to] : [to, from]
  return high >= low * maxSqrtPriceFactor
}

/**
 * All pools that swap one token into another, with cached quotes so that a request over hundreds of pools quotes only
 * the best few exactly. Estimates choose which pools are quoted; they never become amounts.
 */
import type { Address } from '../../domain/primitives.js'
import type { MarketPool } from '../market/market.js'

/** With fewer pools than this to leave out, estimates are not worth their cost. */
const spare = 2
/** Quotes are cached at powers of 4: interpolation between two of them is close. */
const bitsPerSample = 2
/** Raw units of output that rounding may take. */
const roundedUnits = 2
/** A trade this much smaller shows the marginal rate. */
const marginalPart = 2 ** 10
/** Pools deeper than this many reference amounts count as equally deep. */
const deepest = 1e9

export class Edge {
  readonly pools: MarketPool[] = []
  /** Raw units of tokenIn that trade before the average rate halves, in the deepest pool; 0 until measured. */
  depth = 0
  /** Exponent of 4 to the output of every pool for that amount, in the order of `pools`. */
  readonly #outputs = new Map<number, Float64Array>()
  #gas: Float64Array | undefined

  constructor(
    readonly tokenIn: Address,
    readonly tokenOut: Address,
  ) {}

  /**
   * The pools worth an exact quote: all, or the best `count` by interpolated output after gas.
   *
   * @param amountIn - raw units, > 0.
   * @param gasRate - raw units of tokenOut that a unit of gas costs, given the best output.
   */
  shortlist(
    amountIn: bigint,
    count: number,
    gasRate: (bestOut: number) => number,
    isAllowed: (market: MarketPool) => boolean,
  ): readonly MarketPool[] {
    if (this.pools.length <= count + spare) return this.pools
    const outputs = this.#estimates(amountIn)
    const rate = gasRate(outputs.reduce((best, each) => Math.max(best, each), 0))
    this.#gas ??= Float64Array.from(this.pools, ({ adapter, loaded }) =>
      Number(adapter.gasEstimate(loaded.pool, loaded.state)),
    )
    const gas = this.#gas
    const best: { market: MarketPool; net: number }[] = []
    for (const [index, market] of this.pools.entries()) {
      const output = outputs[index] ?? 0
      if (output === 0 || !isAllowed(market)) continue
      const net = output - rate * (gas[index] ?? 0)
      if (best.length === count && net <= (best.at(-1)?.net ?? 0)) continue
      const place = best.findIndex((each) => each.net < net)
      best.splice(place < 0 ? best.length : place, 0, { market, net })
      if (best.length > count) best.pop()
    }
    return best.map(({ market }) => market)
  }

  /**
   * No pool pays a better rate for the amount, as long as larger amounts have worse ones: that of the next smaller
   * power of 4 in the best pool, or of the next larger one where that is too little for all.
   *
   * @param amountIn - raw units, > 0.
   * @param states - pools in other states.
   * @returns raw units of tokenOut by raw units of tokenIn.
   */
  bestRate(amountIn: number, states: ReadonlyMap<MarketPool, unknown>): number {
    const exponent = exponentOf(amountIn)
    return this.#bestRateAt(exponent, states) || this.#bestRateAt(exponent + 1, states)
  }

  #bestRateAt(exponent: number, states: ReadonlyMap<MarketPool, unknown>): number {
    const outputs = this.#outputsAt(exponent)
    const amount = 4 ** exponent
    let best = 0
    for (const [index, market] of this.pools.entries()) {
      const output = states.has(market)
        ? outputOf(this, market, amount, states.get(market))
        : (outputs[index] ?? 0)
      if (output > best) best = output
    }
    return best && (best + roundedUnits) / amount
  }

  /** Sets `depth` in units of the reference amount, raw units of tokenIn. */
  measureDepth(reference: number): void {
    const depths = this.pools.map((market) => depthOf(this, market, reference))
    this.depth = reference * Math.max(...depths)
  }

  /**
   * Price paid (in / out) taken as linear in the amount between two powers of 4: exact for a constant product,
   * close for the others. A pool that cannot fill the upper amount keeps the rate of the lower one.
   */
  #estimates(amountIn: bigint): Float64Array {
    const amount = Number(amountIn)
    const exponent = exponentOf(amount)
    const [low, high] = [4 ** exponent, 4 ** (exponent + 1)]
    const lower = this.#outputsAt(exponent)
    const upper = this.#outputsAt(exponent + 1)
    return Float64Array.from(lower, (lowOut, index) => {
      const highOut = upper[index] ?? 0
      if (lowOut === 0) return (highOut * amount) / high
      if (highOut === 0) return (lowOut * amount) / low
      const [lowPrice, highPrice] = [low / lowOut, high / highOut]
      return amount / (lowPrice + ((highPrice - lowPrice) * (amount - low)) / (high - low))
    })
  }

  #outputsAt(exponent: number): Float64Array {
    const known = this.#outputs.get(exponent)
    if (known) return known
    const amount = 4 ** exponent
    const outputs = Float64Array.from(this.pools, (market) => outputOf(this, market, amount))
    this.#outputs.set(exponent, outputs)
    return outputs
  }
}

/** Of the greatest power of 4 that is not above the amount. */
export function exponentOf(amount: number): number {
  return Math.max(Math.floor(Math.log2(amount) / bitsPerSample), 0)
}

type Direction = Pick<Edge, 'tokenIn' | 'tokenOut'>

/** @param amountIn - raw units, a whole number. */
function outputOf(
  { tokenIn, tokenOut }: Direction,
  market: MarketPool,
  amountIn: number,
  state = market.loaded.state,
): number {
  const { adapter, loaded } = market
  if (adapter.estimate) return adapter.estimate(loaded.pool, state, tokenIn, tokenOut, amountIn)
  return Number(
    adapter.amountOut(loaded.pool, state, tokenIn, tokenOut, BigInt(amountIn)).amountOut,
  )
}

/**
 * How deep one pool is in reference amounts, as the reserve of a constant product that gives the same rates: two
 * quotes show it over many orders of magnitude.
 */
function depthOf(direction: Direction, market: MarketPool, reference: number): number {
  if (reference < marginalPart) return 0
  const smallOut = outputOf(direction, market, reference / marginalPart)
  if (smallOut === 0) return 0
  for (const part of [1, 2 ** 5]) {
    const largeOut = outputOf(direction, market, reference / part)
    if (largeOut === 0) continue
    const kept = largeOut / smallOut / (marginalPart / part)
    const depth = kept < 1 ? kept / (1 - kept) : deepest
    return Math.min(depth, deepest) / part
  }
  return 1 / marginalPart
}

/** Pools sampled for the trade size of a token. */
const asked = 8
/** 16^30 exceeds every supply. */
const largestExponent = 30

/**
 * A typical amount that moves the pools of a token a little: a sixteenth of what halves their rate, as the median of
 * some of its pools. Larger trades would tell nothing more, and cross many ticks.
 *
 * @returns raw units of the token, a power of 16.
 */
export function referenceAmount(edges: readonly Edge[]): number {
  const sizes = edges
    .slice(0, asked)
    .map((edge) => halvingExponent(edge))
    .sort((a, b) => a - b)
  return 16 ** (sizes[sizes.length >> 1] ?? 0)
}

function halvingExponent(edge: Edge): number {
  const [market] = edge.pools
  let best = 0
  for (let exponent = 1; market && exponent < largestExponent; exponent++) {
    const rate = outputOf(edge, market, 16 ** exponent) / 16 ** exponent
    if (best > 0 && rate < best / 2) return Math.max(exponent - 1, 0)
    best = Math.max(best, rate)
  }
  return largestExponent
}

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
/** A trade this much smaller shows the marginal rate. */
const marginalShift = 10n
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

  /** Sets `depth` in units of the reference amount, raw units of tokenIn. */
  measureDepth(reference: bigint): void {
    const depths = this.pools.map((market) => depthOf(this, market, reference))
    this.depth = Number(reference) * Math.max(...depths)
  }

  /**
   * Price paid (in / out) taken as linear in the amount between two powers of 4: exact for a constant product,
   * close for the others. A pool that cannot fill the upper amount keeps the rate of the lower one.
   */
  #estimates(amountIn: bigint): Float64Array {
    const amount = Number(amountIn)
    const exponent = Math.floor(Math.log2(amount) / bitsPerSample)
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
    const amount = 1n << BigInt(bitsPerSample * exponent)
    const outputs = Float64Array.from(this.pools, (market) => outputOf(this, market, amount))
    this.#outputs.set(exponent, outputs)
    return outputs
  }
}

type Direction = Pick<Edge, 'tokenIn' | 'tokenOut'>

function outputOf({ tokenIn, tokenOut }: Direction, market: MarketPool, amountIn: bigint): number {
  const { pool, state } = market.loaded
  return Number(market.adapter.amountOut(pool, state, tokenIn, tokenOut, amountIn).amountOut)
}

/**
 * How deep one pool is in reference amounts, as the reserve of a constant product that gives the same rates: two
 * quotes show it over many orders of magnitude.
 */
function depthOf(direction: Direction, market: MarketPool, reference: bigint): number {
  const marginal = reference >> marginalShift
  if (marginal === 0n) return 0
  const smallOut = outputOf(direction, market, marginal)
  if (smallOut === 0) return 0
  for (const shift of [0n, marginalShift / 2n]) {
    const largeOut = outputOf(direction, market, reference >> shift)
    if (largeOut === 0) continue
    const kept = largeOut / smallOut / 2 ** Number(marginalShift - shift)
    const depth = kept < 1 ? kept / (1 - kept) : deepest
    return Math.min(depth, deepest) / 2 ** Number(shift)
  }
  return 2 ** -Number(marginalShift)
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
export function referenceAmount(edges: readonly Edge[]): bigint {
  const sizes = edges
    .slice(0, asked)
    .map((edge) => halvingExponent(edge))
    .sort((a, b) => a - b)
  return 1n << BigInt(4 * (sizes[sizes.length >> 1] ?? 0))
}

function halvingExponent(edge: Edge): number {
  const [market] = edge.pools
  let best = 0
  for (let exponent = 1; market && exponent < largestExponent; exponent++) {
    const rate = outputOf(edge, market, 1n << BigInt(4 * exponent)) / 16 ** exponent
    if (best > 0 && rate < best / 2) return Math.max(exponent - 1, 0)
    best = Math.max(best, rate)
  }
  return largestExponent
}

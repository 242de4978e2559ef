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
/** Of more pools than this, the best at one of the two powers of 4 around an amount are looked at. */
const mostLeading = 64
/** Raw units of output that rounding may take. */
const roundedUnits = 2
/** A trade this much smaller shows the marginal rate. */
const marginalPart = 2 ** 10
/** Pools deeper than this many reference amounts count as equally deep. */
const deepest = 1e9

/** What the pools give for one amount. */
interface Sample {
  /** Raw units of tokenIn. */
  readonly amount: number
  /** Raw units, in the order of the pools. */
  readonly outputs: Float64Array
  /** Places of the pools that give most, best first. */
  readonly leading: readonly number[]
}

type PoolStates = ReadonlyMap<MarketPool, unknown>

export class Edge {
  readonly pools: MarketPool[] = []
  /** Raw units of tokenIn that trade before the average rate halves, in the deepest pool; 0 until measured. */
  depth = 0
  /** By exponents of 4. */
  readonly #samples = new Map<number, Sample>()
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
   * @param isAllowed - absent: all are.
   */
  shortlist(
    amountIn: bigint,
    count: number,
    gasRate: (bestOut: number) => number,
    isAllowed?: (market: MarketPool) => boolean,
  ): readonly MarketPool[] {
    if (this.pools.length <= count + spare) return this.pools
    const outputs = this.#estimates(Number(amountIn), isAllowed !== undefined)
    let bestOut = 0
    for (const { output } of outputs) if (output > bestOut) bestOut = output
    const rate = gasRate(bestOut)
    this.#gas ??= Float64Array.from(this.pools, ({ adapter, loaded }) =>
      Number(adapter.gasEstimate(loaded.pool, loaded.state)),
    )
    const best: { market: MarketPool; net: number }[] = []
    for (const { index, output } of outputs) {
      const market = this.pools[index] as MarketPool
      if (output === 0 || isAllowed?.(market) === false) continue
      const net = output - rate * (this.#gas[index] ?? 0)
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
  bestRate(amountIn: number, states: PoolStates): number {
    const exponent = exponentOf(amountIn)
    return this.#bestRateAt(exponent, states) || this.#bestRateAt(exponent + 1, states)
  }

  /** Those of its pools that are in other states. */
  changedPools(states: PoolStates): MarketPool[] {
    if (this.pools.length <= states.size) return this.pools.filter((market) => states.has(market))
    const isOwn = ({ loaded: { pool } }: MarketPool) =>
      pool.tokens.includes(this.tokenIn) && pool.tokens.includes(this.tokenOut)
    return [...states.keys()].filter(isOwn)
  }

  #bestRateAt(exponent: number, states: PoolStates): number {
    const { amount, outputs, leading } = this.#sampleAt(exponent)
    const unchanged = leading.find((index) => !states.has(this.pools[index] as MarketPool))
    let best = unchanged === undefined ? 0 : (outputs[unchanged] ?? 0)
    for (const market of states.size ? this.changedPools(states) : []) {
      best = Math.max(best, outputOf(this, market, amount, states.get(market)))
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
   *
   * @param ofAll - false: of many pools only those that lead at one of the powers.
   */
  #estimates(amount: number, ofAll: boolean): { index: number; output: number }[] {
    const exponent = exponentOf(amount)
    const [lower, upper] = [this.#sampleAt(exponent), this.#sampleAt(exponent + 1)]
    const [low, high] = [lower.amount, upper.amount]
    const isWhole = ofAll || this.pools.length <= mostLeading
    const indices = isWhole ? this.pools.keys() : new Set([...lower.leading, ...upper.leading])
    return Array.from(indices, (index) => {
      const [lowOut = 0, highOut = 0] = [lower.outputs[index], upper.outputs[index]]
      if (lowOut === 0) return { index, output: (highOut * amount) / high }
      if (highOut === 0) return { index, output: (lowOut * amount) / low }
      const [lowPrice, highPrice] = [low / lowOut, high / highOut]
      const price = lowPrice + ((highPrice - lowPrice) * (amount - low)) / (high - low)
      return { index, output: amount / price }
    })
  }

  #sampleAt(exponent: number): Sample {
    const known = this.#samples.get(exponent)
    if (known) return known
    const amount = powerOf2(bitsPerSample * exponent)
    const outputs = Float64Array.from(this.pools, (market) => outputOf(this, market, amount))
    const best = [...this.pools.keys()].sort((a, b) => (outputs[b] ?? 0) - (outputs[a] ?? 0))
    const sample = { amount, outputs, leading: best.slice(0, mostLeading) }
    this.#samples.set(exponent, sample)
    return sample
  }
}

const float = new DataView(new ArrayBuffer(8))

/** Of the greatest power of 4 that is not above the amount; from the bits, since logarithms differ between machines. */
export function exponentOf(amount: number): number {
  float.setFloat64(0, Math.max(amount, 1))
  const binary = ((float.getUint16(0) >> 4) & 0x7ff) - 1_023
  return Math.floor(binary / bitsPerSample)
}

function powerOf2(bits: number): number {
  return Number(1n << BigInt(bits))
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
  return powerOf2(4 * (sizes[sizes.length >> 1] ?? 0))
}

function halvingExponent(edge: Edge): number {
  const [market] = edge.pools
  let best = 0
  for (let exponent = 1; market && exponent < largestExponent; exponent++) {
    const amount = powerOf2(4 * exponent)
    const rate = outputOf(edge, market, amount) / amount
    if (best > 0 && rate < best / 2) return Math.max(exponent - 1, 0)
    best = Math.max(best, rate)
  }
  return largestExponent
}

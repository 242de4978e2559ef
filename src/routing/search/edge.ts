/**
 * All pools that swap one token into another, with cached quotes so that a request over hundreds of pools quotes only
 * the best few exactly. Estimates choose which pools are quoted; they never become amounts.
 */
import type { Address } from '../../domain/primitives.js'
import type { Direction } from '../../protocols/protocol.js'
import type { MarketPool } from '../market/market-view.js'

/** With fewer pools than this to leave out, estimates are not worth their cost. */
const spare = 2
/** Quotes are cached at powers of 4: interpolation between two of them is close. */
const bitsPerSample = 2
/** Of more pools than this, the best at one of the two powers of 4 around an amount are looked at. */
const mostLeading = 64
/** Raw units of output that rounding may take. */
const roundedUnits = 2
/** More than an estimate may be below the quote: a part of it, and raw units. */
const estimateTolerance = 1 + 1e-7
const estimateUnits = 16
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
  /** These and those of the next sample, once asked for. */
  leadingAround?: readonly number[]
}

/** Pools of one edge and the states in which they are. */
export type ChangedPools = ReadonlyMap<MarketPool, unknown>

export class Edge {
  readonly pools: MarketPool[] = []
  /** Raw units of tokenIn that trade before the average rate halves, in the deepest pool; 0 until measured. */
  depth = 0
  /** The index is the exponent of 4. */
  readonly #samples: (Sample | undefined)[] = []
  #all: readonly number[] | undefined
  readonly #estimators: (Estimator | undefined)[] = []
  #gas: Float64Array | undefined

  constructor(
    readonly tokenIn: Address,
    readonly tokenOut: Address,
  ) {}

  /**
   * Places of the pools worth an exact quote: all, or the best `count` by interpolated output after gas.
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
  ): readonly number[] {
    if (this.pools.length <= count + spare) return this.#places()
    const amount = Number(amountIn)
    const exponent = exponentOf(amount)
    const [lower, upper] = [this.#sampleAt(exponent), this.#sampleAt(exponent + 1)]
    const places = isAllowed ? this.#places() : this.#placesAround(exponent)
    const outputs = new Float64Array(places.length)
    let bestOut = 0
    for (let at = 0; at < places.length; at++) {
      const output = between(lower, upper, places[at] as number, amount)
      outputs[at] = output
      if (output > bestOut) bestOut = output
    }
    const rate = gasRate(bestOut)
    this.#gas ??= Float64Array.from(this.pools, ({ adapter, loaded }) =>
      Number(adapter.swaps.gasEstimate(loaded.pool, loaded.state)),
    )
    const best: number[] = []
    const nets: number[] = []
    for (let at = 0; at < places.length; at++) {
      const [index, output] = [places[at] as number, outputs[at] as number]
      const net = output - rate * (this.#gas[index] as number)
      if (output === 0 || (best.length === count && net <= (nets[count - 1] as number))) continue
      if (isAllowed?.(this.pools[index] as MarketPool) === false) continue
      let place = best.length
      while (place > 0 && (nets[place - 1] as number) < net) place--
      best.splice(place, 0, index)
      nets.splice(place, 0, net)
      if (best.length > count) nets.length = best.length = count
    }
    return best
  }

  /**
   * The most that the pool at this place can give for the amount, so that no quote is needed where that is not enough: a
   * little more than the estimate, or what the rate for less would give where estimates cost as much as quotes.
   *
   * @returns raw units of tokenOut; null where nothing is known.
   */
  mostOf(place: number, amountIn: number): number | null {
    if (!this.pools[place]?.adapter.swaps.estimator) {
      const { amount, outputs } = this.#sampleAt(exponentOf(amountIn))
      const output = outputs[place]
      return output ? ((output + roundedUnits) / amount) * amountIn * estimateTolerance : null
    }
    return this.#estimatorAt(place)(amountIn) * estimateTolerance + estimateUnits
  }

  /**
   * No pool pays a better rate for the amount, as long as larger amounts have worse ones: that of the next smaller
   * power of 4 in the best pool, or of the next larger one where that is too little for all.
   *
   * @param amountIn - raw units, > 0.
   * @param changed - those of its pools that are in other states.
   * @param mayBeLess - the amount is the most that there can be: where all pools end before it, the rate of less counts.
   * @returns raw units of tokenOut by raw units of tokenIn.
   */
  bestRate(amountIn: number, changed: ChangedPools, mayBeLess: boolean): number {
    const exponent = exponentOf(amountIn)
    let rate = this.#bestRateAt(exponent, changed) || this.#bestRateAt(exponent + 1, changed)
    for (let less = 1; mayBeLess && rate === 0 && less <= exponent; less *= 2) {
      rate = this.#bestRateAt(exponent - less, changed)
    }
    return rate
  }

  #bestRateAt(exponent: number, changed: ChangedPools): number {
    const { amount, outputs, leading } = this.#sampleAt(exponent)
    const unchanged = changed.size
      ? leading.find((index) => !changed.has(this.pools[index] as MarketPool))
      : leading[0]
    let best = unchanged === undefined ? 0 : (outputs[unchanged] as number)
    for (const [market, state] of changed) {
      best = Math.max(best, estimatorOf(this, market, state)(amount))
    }
    return best && (best + roundedUnits) / amount
  }

  /** Sets `depth` in units of the reference amount, raw units of tokenIn. */
  measureDepth(reference: number): void {
    const depths = this.pools.map((market) => depthOf(this, market, reference))
    this.depth = reference * Math.max(...depths)
  }

  /** All of its pools. */
  #places(): readonly number[] {
    this.#all ??= [...this.pools.keys()]
    return this.#all
  }

  /** The pools that are looked at for an amount above this power of 4: of many, those that lead there or at the next. */
  #placesAround(exponent: number): readonly number[] {
    if (this.pools.length <= mostLeading) return this.#places()
    const [lower, upper] = [this.#sampleAt(exponent), this.#sampleAt(exponent + 1)]
    lower.leadingAround ??= [...new Set([...lower.leading, ...upper.leading])]
    return lower.leadingAround
  }

  #estimatorAt(place: number): Estimator {
    const known = this.#estimators[place]
    if (known) return known
    const made = estimatorOf(this, this.pools[place] as MarketPool)
    this.#estimators[place] = made
    return made
  }

  #sampleAt(exponent: number): Sample {
    const known = this.#samples[exponent]
    if (known) return known
    const amount = powerOf2(bitsPerSample * exponent)
    const outputs = Float64Array.from(this.pools, (_, place) => this.#estimatorAt(place)(amount))
    const sample = { amount, outputs, leading: placesOfMost(outputs, mostLeading) }
    this.#samples[exponent] = sample
    return sample
  }
}

/** The places of the `count` largest numbers, largest first, equal ones by place. */
function placesOfMost(numbers: Float64Array, count: number): number[] {
  const places: number[] = []
  for (const [place, number] of numbers.entries()) {
    if (places.length === count && number <= (numbers[places[count - 1] as number] as number))
      continue
    let at = places.length
    while (at > 0 && (numbers[places[at - 1] as number] as number) < number) at--
    places.splice(at, 0, place)
    if (places.length > count) places.length = count
  }
  return places
}

/**
 * What a pool gives for an amount between two samples. The price paid (in / out) is taken as linear in the amount: exact
 * for a constant product, close for the others. A pool that cannot fill the upper amount keeps the rate of the lower one.
 */
function between(lower: Sample, upper: Sample, place: number, amount: number): number {
  const [low, high] = [lower.amount, upper.amount]
  const [lowOut, highOut] = [lower.outputs[place] as number, upper.outputs[place] as number]
  if (lowOut === 0) return (highOut * amount) / high
  if (highOut === 0) return (lowOut * amount) / low
  const [lowPrice, highPrice] = [low / lowOut, high / highOut]
  return amount / (lowPrice + ((highPrice - lowPrice) * (amount - low)) / (high - low))
}

const float = new DataView(new ArrayBuffer(8))

/** The exponent of the greatest power of 4 that is not above the amount: from its bits, as logarithms differ by machine. */
export function exponentOf(amount: number): number {
  float.setFloat64(0, Math.max(amount, 1))
  const binary = ((float.getUint16(0) >> 4) & 0x7ff) - 1_023
  return Math.floor(binary / bitsPerSample)
}

function powerOf2(bits: number): number {
  return Number(1n << BigInt(bits))
}

/** Raw units of the output by those of the input, a whole number. */
type Estimator = (amountIn: number) => number

function estimatorOf(
  direction: Direction,
  { adapter, loaded: { pool, state: own } }: MarketPool,
  state = own,
): Estimator {
  return (
    adapter.swaps.estimator?.(pool, state, direction) ??
    ((amountIn) => Number(adapter.swaps.swap(pool, state, direction, BigInt(amountIn)).amountOut))
  )
}

/**
 * How deep one pool is in reference amounts, as the reserve of a constant product that gives the same rates: two
 * quotes show it over many orders of magnitude.
 */
function depthOf(direction: Direction, market: MarketPool, reference: number): number {
  if (reference < marginalPart) return 0
  const outputOf = estimatorOf(direction, market)
  const smallOut = outputOf(reference / marginalPart)
  if (smallOut === 0) return 0
  for (const part of [1, 2 ** 5]) {
    const largeOut = outputOf(reference / part)
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
  const outputOf = market && estimatorOf(edge, market)
  let best = 0
  for (let exponent = 1; outputOf && exponent < largestExponent; exponent++) {
    const amount = powerOf2(4 * exponent)
    const rate = outputOf(amount) / amount
    if (best > 0 && rate < best / 2) return Math.max(exponent - 1, 0)
    best = Math.max(best, rate)
  }
  return largestExponent
}

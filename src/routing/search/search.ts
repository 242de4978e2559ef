/**
 * Paths from one token to another over the pools of a market: bounded hops, native math, no I/O.
 * Ranks only; the fork decides.
 *
 * Layer by layer: all token paths of one swap, then of two, so that early finds are short and cheap to run.
 * A market of a few dozen tokens is searched whole. In larger ones each step is bounded: neighbours by depth, pools
 * of one edge by estimate, ways to the same token by the amount that they yield there.
 */
import { type Address, isNative } from '../../domain/primitives.js'
import type { MarketPool, MarketView } from '../market/market-view.js'
import { Ceiling } from './ceiling.js'
import type { ChangedPools, Edge } from './edge.js'
import { TokenGraph } from './graph.js'
import { swapGas, wrapGas } from './hop.js'
import {
  breakTie,
  byKey,
  type Path,
  type Trail,
  type TrailHop,
  toPath,
  uses,
  visits,
} from './path.js'
import { type Reach, Reaches, wrappedCounterpart } from './reach.js'

/** Partial paths kept per node of a token path: more would improve little and cost much. */
const beamWidth = 3
/** Complete paths kept per token path. */
const pathsPerTokenPath = 6

/** How much of a large market is searched. */
interface Limits {
  /** Neighbours of one token that are followed. */
  readonly width: number
  /** Pairs of a token and its neighbour that are followed per swap; where there are more, the first tokens get most. */
  readonly pairsPerLayer: number
  /** Token paths kept per token and number of swaps, by the best amount each yields there. */
  readonly trailsPerToken: number
  /** All token paths of one number of swaps; one per token is kept in any case. */
  readonly trailsPerLayer: number
  /** Leaves out edges that are too shallow for the amount: they only lose value. */
  readonly isDeepOnly: boolean
}

const usual: Limits = {
  width: 64,
  pairsPerLayer: 512,
  trailsPerToken: 8,
  trailsPerLayer: 128,
  isDeepOnly: true,
}
/** For a search in changed states: it runs several times per request and only seeks what earlier ones did not show. */
const repeated: Limits = {
  width: 24,
  pairsPerLayer: 128,
  trailsPerToken: 8,
  trailsPerLayer: 48,
  isDeepOnly: true,
}
/** For amounts that no deep path takes: with enough lost on the way, the last pool may have room for the rest. */
const thorough: Limits = {
  width: 128,
  pairsPerLayer: 1_024,
  trailsPerToken: 64,
  trailsPerLayer: 1_024,
  isDeepOnly: false,
}
/** Pools of one edge that are quoted beyond those that are kept, and where only exact quotes count and some are not. */
const usualSpare = 1
const exactSpare = 12
/** Paths that are returned at most; of a large market fewer, so that it can be told early what is not among them. */
const maxPaths = 512
const maxPathsOfLarge = 128
/** Paths of more swaps are looked for only where shorter ones give so little that they may pay. */
const mostSwapsAlways = 3
/** Part of the value of the input by which shorter paths fall short before longer ones are looked for. */
const poorBy = 0.003
/** Parts of the output that the gas of one more swap may cost: of a whole amount, and of a slice of a split. */
const gasOfWhole = 0.01
const gasOfSlice = 0.0001
/** The least gas that a swap adds. */
const leastSwapGas = 60_000
/** Longer paths that are kept. */
const mostLonger = 8
const gasUnit = 1_000_000n
/** Quotes between two checks of the clock. */
const quotesPerLook = 32

/** The best paths of those that give more than a known one. */
export interface Wanted {
  readonly count: number
  /** Raw units of tokenOut. */
  readonly moreThan: number
  /** Whether paths must give more after gas; absent: before. */
  readonly isAfterGas?: boolean
}

export interface SearchArgs {
  readonly market: MarketView
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Raw units, > 0. */
  readonly amountIn: bigint
  /** The most swaps; wrapping and unwrapping do not count. */
  readonly maxHops: number
  readonly wrappedNative: Address
  /** Raw units that a million gas costs; absent where no price is known. */
  readonly gasCostIn?: bigint | undefined
  readonly gasCostOut?: bigint | undefined
  /** Gas that costs what the bytes of a swap do on L1; absent: they cost nothing. */
  readonly swapDataGas?: bigint | undefined
  /** Pools in other states than those of the market. */
  readonly states?: ReadonlyMap<MarketPool, unknown> | undefined
  /** Pools that the request may use; absent: all. */
  readonly isAllowed?: ((market: MarketPool) => boolean) | undefined
  /** Tokens at which no path stops; absent: none. */
  readonly avoid?: ReadonlySet<Address> | undefined
  /** Only paths that native math knows to the wei, even if estimates promise more. */
  readonly exactOnly?: boolean | undefined
  /** Absent: all paths. */
  readonly wanted?: Wanted | undefined
  /** So many are enough where the market is large. */
  readonly enough?: number | undefined
  /** Polled now and then: true ends the search with its finds so far, but not before the first path. */
  readonly shouldStop?: (() => boolean) | undefined
}

type Layer = ReadonlyMap<Address, readonly Trail[]>

/**
 * Paths with a positive output, best first by native output after gas, ties by fewer hops, then by pool ids.
 * A path visits no token twice and uses no pool twice.
 */
export function findPaths(args: SearchArgs): Path[] {
  const start: TrailHop = {
    before: null,
    hop: null,
    amountOut: args.amountIn,
    exact: true,
    gas: 0n,
  }
  const origin: Trail = { before: null, token: args.tokenIn, steps: [start] }
  const limits = args.states ? repeated : usual
  const shorter = { ...args, maxHops: Math.min(args.maxHops, mostSwapsAlways) }
  if (args.wanted) {
    const { wanted } = args
    const paths = new Search(shorter, limits).run(origin)
    if (paths.length || !mayPayLonger(args, wanted.moreThan, gasOfSlice)) return paths
    return new Search({ ...args, wanted: { ...wanted, isAfterGas: true } }, limits).run(origin)
  }
  const best = bestOfLarge(args)
  const paths = new Search(shorter, limits, best).run(origin)
  if (paths.length) return args.states ? paths : withLonger(args, paths, origin)
  if (args.shouldStop?.()) return paths
  const longer = args.maxHops > mostSwapsAlways ? new Search(args, limits, best).run(origin) : paths
  if (longer.length || args.states || args.shouldStop?.()) return longer
  // Where pools end, larger amounts may give less than smaller ones: nothing is left out.
  return new Search(args, thorough).run(origin)
}

/** The paths with those of more swaps that give more after gas than the best of them, best first. */
function withLonger(args: SearchArgs, paths: Path[], origin: Trail): Path[] {
  const [best] = paths
  if (!best || !mayPayLonger(args, Number(best.amountOut), gasOfWhole)) return paths
  const net = ({ amountOut, gas }: Path) => amountOut - (gas * (args.gasCostOut ?? 0n)) / gasUnit
  const wanted = { count: mostLonger, moreThan: Number(net(best)), isAfterGas: true }
  const known = new Set(paths.map(({ key }) => key))
  const longer = new Search({ ...args, wanted }, usual).run(origin)
  const added = longer.filter(({ key }) => !known.has(key))
  if (!added.length) return paths
  return [...added, ...paths].sort((a, b) => {
    const [x, y] = [net(a), net(b)]
    return x === y ? byKey(a, b) : x > y ? -1 : 1
  })
}

/**
 * Whether more swaps than are always looked at are allowed and may pay: the output falls short of the value of the
 * input, and the gas of one more swap is less than this part of it. Without prices they may.
 */
function mayPayLonger(args: SearchArgs, output: number, gasPart: number): boolean {
  const { amountIn, gasCostIn, gasCostOut, maxHops } = args
  if (maxHops <= mostSwapsAlways || args.shouldStop?.()) return false
  if (!gasCostIn || !gasCostOut) return true
  const value = (Number(amountIn) * Number(gasCostOut)) / Number(gasCostIn)
  const swapCost = (Number(gasCostOut) * leastSwapGas) / Number(gasUnit)
  return output < value * (1 - poorBy) && swapCost < output * gasPart
}

function bestOfLarge({ market, enough = maxPathsOfLarge }: SearchArgs): Wanted | undefined {
  return market.memory(TokenGraph).isLarge ? { count: enough, moreThan: 0 } : undefined
}

class Search {
  readonly #args: SearchArgs
  readonly #limits: Limits
  readonly #graph: TokenGraph
  readonly #reach: Reach
  readonly #changed: ReadonlyMap<Edge, ChangedPools>
  readonly #wanted: Wanted | undefined
  readonly #ceiling: Ceiling | null
  readonly #judgesPools: boolean
  readonly #found: TrailHop[] = []
  /** Amounts after gas of the found paths that are wanted, best first. */
  #bestNets: readonly number[] = []
  #quotes = 0
  #stopped = false

  /** @param best - of all paths so many are enough: what cannot be among them is left out, pool by pool. */
  constructor(args: SearchArgs, limits: Limits, best?: Wanted) {
    this.#args = args
    this.#limits = limits
    const { market, tokenOut, wrappedNative, maxHops, wanted = best, states = new Map() } = args
    const graph = market.memory(TokenGraph)
    const reach = market.memory(Reaches).of(tokenOut, wrappedNative, maxHops)
    this.#graph = graph
    const changed = graph.changedPools(states)
    this.#reach = reach
    this.#changed = changed
    this.#ceiling = wanted
      ? new Ceiling({
          graph,
          reach,
          wrappedNative,
          changed,
          width: limits.width,
          mayBeLess: best !== undefined,
        })
      : null
    this.#wanted = wanted
    this.#judgesPools = best !== undefined
  }

  run(origin: Trail): Path[] {
    const { maxHops, tokenOut } = this.#args
    const counterpart = this.#throughCounterpart(origin)
    if (counterpart?.token === tokenOut) this.#find(counterpart.steps)
    let layer: Layer = new Map(
      [origin, ...(counterpart && counterpart.token !== tokenOut ? [counterpart] : [])].map(
        (trail) => [trail.token, [trail]],
      ),
    )
    for (let left = maxHops - 1; left >= 0 && layer.size && !this.#stopped; left--) {
      for (const trails of layer.values()) for (const trail of trails) this.#arrive(trail)
      if (left > 0) layer = this.#advance(layer, left)
    }
    const { count } = this.#wanted ?? { count: maxPaths }
    const wanted = this.#found.filter((end) => this.#isMore(Number(end.amountOut), end))
    return this.#ranked(tokenOut, wanted).slice(0, count).map(toPath)
  }

  /** Completes a token path by one swap into the target, or into its wrapped counterpart and through that. */
  #arrive(trail: Trail): void {
    for (const target of this.#reach.targets) {
      if (this.#stopped) return
      const edge = this.#graph.edge(trail.token, target)
      if (!edge || visits(trail, target)) continue
      const steps = this.#extend(trail, edge, 0, pathsPerTokenPath)
      const isThere = target === this.#args.tokenOut
      const ends = isThere ? steps : steps.map((step) => this.#wrapped(step, target))
      this.#find(ends)
    }
  }

  #find(ends: readonly TrailHop[]): void {
    this.#found.push(...ends)
    const wanted = this.#wanted
    if (!wanted) return
    const more = ends.filter((end) => this.#isMore(Number(end.amountOut), end))
    if (!more.length) return
    const nets = [...this.#bestNets, ...more.map((end) => this.#net(Number(end.amountOut), end))]
    this.#bestNets = nets.sort((a, b) => b - a).slice(0, wanted.count)
  }

  /** Whether it is more than what is wanted. */
  #isMore(amountOut: number, step: TrailHop): boolean {
    const { moreThan, isAfterGas = false } = this.#wanted ?? { moreThan: 0 }
    return (isAfterGas ? this.#net(amountOut, step) : amountOut) > moreThan
  }

  /** Raw units of tokenOut that are left after gas, where its price is known. */
  #net(amountOut: number, { gas }: TrailHop): number {
    return amountOut - (Number(gas) * Number(this.#args.gasCostOut ?? 0n)) / Number(gasUnit)
  }

  /** False where a step through the edge, and `left` more, cannot end among the best paths that are wanted. */
  #isWorth(step: TrailHop, edge: Edge, left: number): boolean {
    if (!this.#ceiling) return true
    return this.#isAmongBest(this.#ceiling.most(edge, step.amountOut, left), step)
  }

  /** The same of one pool in its own state, where that is asked. */
  #isPoolWorth(step: TrailHop, edge: Edge, place: number, left: number): boolean {
    if (!this.#ceiling || !this.#judgesPools) return true
    const there = edge.mostOf(place, Number(step.amountOut))
    if (there === null) return true
    return this.#isAmongBest(this.#ceiling.mostFrom(edge.tokenOut, there, left), step)
  }

  #isAmongBest(most: number, step: TrailHop): boolean {
    const { count } = this.#wanted as Wanted
    const least = this.#bestNets[count - 1] ?? Number.NEGATIVE_INFINITY
    return this.#isMore(most, step) && this.#net(most, step) > least
  }

  /** All token paths that are one swap longer, as far as they can still arrive with `left` more. */
  #advance(layer: Layer, left: number): Layer {
    const next = new Map<Address, Trail[]>()
    const put = (trail: Trail) => {
      const trails = next.get(trail.token)
      if (trails) trails.push(trail)
      else next.set(trail.token, [trail])
    }
    const { width, trailsPerToken, trailsPerLayer, isDeepOnly } = this.#limits
    const onward = [...layer].map(([token, trails]) => {
      const amount = isDeepOnly ? (trails[0]?.steps[0]?.amountOut ?? 0n) : 0n
      return { trails, edges: this.#reach.onward(token, amount, left, width) }
    })
    const pairs = onward.reduce((sum, { edges }) => sum + edges.length, 0)
    for (const [index, { trails, edges }] of onward.entries()) {
      for (const edge of edges.slice(0, this.#share(pairs, index))) {
        if (edge.tokenOut === this.#args.tokenOut || this.#args.avoid?.has(edge.tokenOut)) continue
        for (const trail of trails) {
          if (this.#stopped) return next
          if (visits(trail, edge.tokenOut)) continue
          const steps = this.#extend(trail, edge, left, beamWidth)
          if (!steps.length) continue
          const longer = { before: trail, token: edge.tokenOut, steps }
          put(longer)
          const counterpart = this.#throughCounterpart(longer)
          if (counterpart && counterpart.token !== this.#args.tokenOut) put(counterpart)
        }
      }
    }
    const perToken = Math.floor(trailsPerLayer / next.size)
    const count = Math.max(1, Math.min(perToken, trailsPerToken))
    return new Map(
      [...next].map(([token, trails]) => [token, this.#bestTrails(token, trails, count)]),
    )
  }

  #bestTrails(token: Address, trails: readonly Trail[], count: number): readonly Trail[] {
    if (trails.length <= count) return trails
    const byHead = new Map(
      trails.flatMap((trail) => trail.steps.slice(0, 1).map((head) => [head, trail])),
    )
    const heads = this.#ranked(token, [...byHead.keys()]).slice(0, count)
    return heads.flatMap((head) => byHead.get(head) ?? [])
  }

  /** How many neighbours the token at this place of its layer may have followed. */
  #share(pairs: number, index: number): number {
    const { width, pairsPerLayer } = this.#limits
    return pairs <= pairsPerLayer ? width : Math.max(2, Math.floor(width / (1 + index / 2)))
  }

  /** The same token path continued by wrapping or unwrapping, where its token can be and the counterpart is new. */
  #throughCounterpart(trail: Trail): Trail | null {
    const token = wrappedCounterpart(trail.token, this.#args.wrappedNative)
    if (!token || visits(trail, token)) return null
    const steps = trail.steps.map((step) => this.#wrapped(step, trail.token))
    return { before: trail, token, steps }
  }

  #wrapped(before: TrailHop, tokenIn: Address): TrailHop {
    const tokenOut = wrappedCounterpart(tokenIn, this.#args.wrappedNative) ?? tokenIn
    const kind = isNative(tokenIn) ? 'wrap' : 'unwrap'
    return { ...before, before, hop: { kind, tokenIn, tokenOut }, gas: before.gas + wrapGas }
  }

  /** The trail's steps through the pools of the edge, with `left` swaps to go: the best `count`, best first. */
  #extend(trail: Trail, edge: Edge, left: number, count: number): TrailHop[] {
    const { isAllowed, states, exactOnly } = this.#args
    const { tokenOut } = edge
    const worth = trail.steps.filter((step) => this.#isWorth(step, edge, left))
    const [head] = worth
    if (!head) return []
    const gasRate = (best: number) => this.#gasRate(tokenOut, best)
    // Estimates do not know changed states, so such pools are added on top and displace no others.
    const changed = this.#changed.get(edge)?.size ?? 0
    const quote = (spare: number) => {
      const most = count + changed + spare
      const places = edge.shortlist(head.amountOut, most, gasRate, isAllowed)
      return this.#quote(worth, edge, places, left)
    }
    const usual = quote(usualSpare)
    // Nor do they know which pools are exact. Repeated searches see soon enough what they passed over.
    const isShort = exactOnly && !(states && usual.areExact)
    const { steps } = isShort ? quote(exactSpare) : usual
    return this.#ranked(tokenOut, steps).slice(0, count)
  }

  /** The steps through the pools at these places. */
  #quote(from: readonly TrailHop[], edge: Edge, places: readonly number[], left: number) {
    const { isAllowed = () => true, shouldStop, states, exactOnly, swapDataGas } = this.#args
    const { tokenIn, tokenOut } = edge
    const steps: TrailHop[] = []
    let areExact = true
    for (const before of from) {
      for (const place of places) {
        const market = edge.pools[place] as MarketPool
        if (uses(before, market) || !isAllowed(market)) continue
        if (!states?.has(market) && !this.#isPoolWorth(before, edge, place, left)) continue
        if (++this.#quotes % quotesPerLook === 0 && this.#found.length && shouldStop?.()) {
          this.#stopped = true
          return { steps: [], areExact }
        }
        const { pool, state } = market.loaded
        const current = states?.has(market) ? states.get(market) : state
        const quote = market.adapter.swaps.swap(pool, current, edge, before.amountOut)
        areExact &&= quote.exact
        if (quote.amountOut <= 0n || (exactOnly && !quote.exact)) continue
        steps.push({
          before,
          hop: { kind: 'swap', tokenIn, tokenOut, market },
          amountOut: quote.amountOut,
          exact: before.exact && quote.exact,
          gas: before.gas + swapGas(market, swapDataGas),
        })
      }
    }
    return { steps, areExact }
  }

  /** Best first by amount after gas at the token where all of the steps end. */
  #ranked(token: Address, steps: readonly TrailHop[]): TrailHop[] {
    if (steps.length < 2) return [...steps]
    const { tokenOut, gasCostIn = 0n, gasCostOut, amountIn } = this.#args
    let best = 0n
    for (const { amountOut } of steps) if (amountOut > best) best = amountOut
    const isEnd = token === tokenOut && gasCostOut !== undefined
    // Between the ends: the gas cost in tokens of the input, converted at the rate of the best path so far.
    const [price, unit] = isEnd ? [gasCostOut, gasUnit] : [gasCostIn * best, gasUnit * amountIn]
    // Steps that follow one another mostly have the same gas.
    let [gas, cost] = [0n, 0n]
    const ranked = steps.map((step) => {
      if (step.gas !== gas) [gas, cost] = [step.gas, (step.gas * price) / unit]
      return { step, net: step.amountOut - cost }
    })
    ranked.sort((a, b) => (a.net === b.net ? breakTie(a.step, b.step) : a.net > b.net ? -1 : 1))
    return ranked.map(({ step }) => step)
  }

  /** The gas cost of `#ranked`, for estimates: raw units of the token per unit of gas. */
  #gasRate(token: Address, bestOut: number): number {
    const { tokenOut, gasCostIn = 0n, gasCostOut, amountIn } = this.#args
    if (token === tokenOut && gasCostOut !== undefined) return Number(gasCostOut) / Number(gasUnit)
    return (Number(gasCostIn) * bestOut) / (Number(gasUnit) * Number(amountIn))
  }
}

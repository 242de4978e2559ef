/**
 * Splits: an amount divided over several paths, and within them over several pools, so that one more unit is worth the
 * same on every way. Paths join the network while a search over the pools as changed by it finds one that pays more for
 * the next slice; then swaps are removed while their gas costs more than they yield. Native math only; the fork
 * decides. Pure.
 */
import { compareText } from '../../domain/lists.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import { applyHop, type Flow, hopSwap, type PoolStates } from './flow.js'
import { type Hop, hopKey, isSameState } from './hop.js'
import type { Path } from './path.js'
import type { SearchArgs } from './search.js'
import { toFlow } from './split-flow.js'
import {
  type Arc,
  type ArcAmounts,
  type Evaluation,
  evaluate,
  type Network,
  pruneArcs,
  type SplitTerms,
  statesAfter,
  tokenOrder,
  withAmounts,
} from './split-network.js'
import { improve, marginsOf, tokenOf } from './split-newton.js'

/** A path is judged, and joins, with these parts of its source's amount, one after the other. */
const slices = [16n, 64n, 512n] as const
/** The part after them where a unit more brings so much less than the average: of a larger one, small pools end. */
const fineSlices = [...slices, 4_096n] as const
const exhausted = 0.9
/** The most searches, and the most while each round brings more than it costs. */
const usualRounds = 7
const mostRounds = 24
/** The most paths that join in one round. */
const pathsPerRound = 5
/** The best paths that are tried for it: some would close a cycle, and with few of them splits grow one-sided. */
const pathsLookedAt = 64
/** The most swaps and wraps in one split, and the most of one that grows while each round brings more than it costs. */
const usualArcs = 24
const mostArcs = 64
/** The relative gain of a round below which more rounds and arcs than usual are not worth their time. */
const worthwhile = 1e-5
/** The relative gain over the present margin that a path needs to join. */
const leastGain = 2e-6
/** Slices of a starting network that no single path can take. */
const startSlices = 12n
/** The difference of rates beyond which another amount near this one tells too little of it. */
const steepest = 0.01
const steps = { join: 3, final: 12, prune: 3 } as const
/** Gas is an estimate until the fork has measured it: the best networks at these multiples of it are kept. */
const gasMultiples = [1, 0.5, 2] as const
/** Gas of one more swap. */
const leastGas = 60_000n
const gasUnit = 1_000_000

export interface SearchOptions extends Pick<SearchArgs, 'states' | 'exactOnly' | 'wanted'> {
  /** The amount is this part of what will go the same way, and bears this part of its gas; default 1. */
  readonly part?: bigint
}

export interface SplitArgs extends SplitTerms {
  /** Paths of each source, best first for its whole amount. */
  readonly paths: readonly (readonly Path[])[]
  /** The same without estimates. */
  readonly exactPaths: readonly (readonly Path[])[]
  /** Paths for a slice of a source, over pools in other states, best first. */
  search(slice: TokenAmount, options: SearchOptions): readonly Path[]
  /** Raw units of tokenOut that a million gas costs; absent where no price is known: gas then counts as free. */
  readonly gasCostOut?: bigint | undefined
  /** What is right for an amount near that of the one source, to go on from; null where there is nothing. */
  readonly nearby?: ((exactOnly: boolean) => Grown | null) | undefined
  readonly shouldStop?: (() => boolean) | undefined
}

/** A network to which all paths of the larger slices have joined. */
export interface Grown {
  readonly arcs: readonly Arc[]
  /** Raw units of the last token by those of the source. */
  readonly rate: number
}

/** Splits worth simulating, best first by native output after gas; none where one path alone is as good. */
export function findSplits(args: SplitArgs): Flow[] {
  if (!canPay(args)) return []
  const flows = new Map<string, Flow>()
  for (const exactOnly of hasEstimates(args) ? [true, false] : [true]) {
    const found = nearbyFlows(args, exactOnly) ?? flowsOf(args, grow(args, exactOnly), exactOnly)
    for (const flow of found) flows.set(flow.key, flow)
  }
  const net = (flow: Flow) => Number(flow.amountOut) - gasOf(args, flow.gas)
  return [...flows.values()].sort((a, b) => net(b) - net(a) || compareText(a.key, b.key))
}

/** What the network of an amount near this one leads to; null where that serves this one badly. */
function nearbyFlows(args: SplitArgs, exactOnly: boolean): Flow[] | null {
  const network = nearbyNetwork(args, exactOnly)
  if (!network) return null
  const grown = settle(args, network, exactOnly)
  const flows = flowsOf(args, grown, exactOnly)
  const best = exactOnly ? args.exactPaths : args.paths
  return flows.length || (isUndivided(grown) && best.every((own) => own.length)) ? flows : null
}

function flowsOf(args: SplitArgs, grown: Network | null, exactOnly: boolean): Flow[] {
  if (!grown || isUndivided(grown)) return []
  return bestForGas(args, prune(args, grown, exactOnly)).flatMap(
    (network) => toFlow(args, network, args) ?? [],
  )
}

function isUndivided({ arcs }: Network): boolean {
  return arcs.every(({ share }) => share === 1)
}

function hasEstimates({ paths, exactPaths }: SplitArgs): boolean {
  return paths.some((own, index) => own !== exactPaths[index])
}

/** False where even the whole amount at the best rate of a small slice would not pay for one more swap. */
function canPay(args: SplitArgs): boolean {
  const part = slices[slices.length - 1] ?? 1n
  const cost = gasOf(args, leastGas)
  let most = 0
  for (const [index, source] of args.sources.entries()) {
    const amount = source.amount / part
    if (amount === 0n) continue
    const all = Number(args.exactPaths[index]?.[0]?.amountOut ?? 0n)
    const slicesOfAll = Number(source.amount) / Number(amount)
    const moreThan = args.sources.length === 1 ? (all + cost) / slicesOfAll : 0
    const [small] = args.search({ ...source, amount }, { part, wanted: { count: 1, moreThan } })
    if (small) most += Number(small.amountOut) * slicesOfAll - all
  }
  return most > cost
}

function gasOf({ gasCostOut = 0n }: SplitArgs, gas: bigint): number {
  return (Number(gas) * Number(gasCostOut)) / gasUnit
}

/** The best path of each source; where estimates are excluded, the best way that its slices find. */
function startNetwork(args: SplitArgs, exactOnly: boolean): Network | null {
  const best = bestPaths(args, exactOnly)
  if (!exactOnly || !hasEstimates(args)) return best
  const sliced = slicedNetwork(args)
  if (!best || !sliced) return best ?? sliced
  return sliced.at.amountOut > best.at.amountOut ? sliced : best
}

function bestPaths(args: SplitArgs, exactOnly: boolean): Network | null {
  let amounts: ArcAmounts = new Map()
  const paths = exactOnly ? args.exactPaths : args.paths
  for (const [index, { amount }] of args.sources.entries()) {
    amounts = joinFirst(amounts, paths[index] ?? [], amount) ?? amounts
  }
  return networkOf(args, amounts, exactOnly)
}

/** The best exact path of each slice over the pools as earlier slices left them: for amounts too large for one path. */
function slicedNetwork(args: SplitArgs): Network | null {
  let amounts: ArcAmounts = new Map()
  const states: PoolStates = new Map()
  for (const source of args.sources) {
    const sliced = source.amount / startSlices
    for (let slice = 0n; slice < startSlices && sliced > 0n; slice++) {
      const [path] = args.search(
        { ...source, amount: sliced },
        { states, part: startSlices, exactOnly: true },
      )
      const joined = path && join(amounts, states, path, { slice: sliced, most: usualArcs })
      if (!joined) break
      amounts = joined
      let amount = sliced
      for (const hop of path.hops) {
        const swap = hopSwap(hop, states, amount)
        applyHop(hop, swap, states)
        amount = swap.amountOut
      }
    }
  }
  return networkOf(args, amounts, true)
}

function joinFirst(
  amounts: ArcAmounts,
  paths: readonly Path[],
  amountIn: bigint,
): ArcAmounts | null {
  for (const path of paths) {
    const joined = join(amounts, new Map(), path, { slice: amountIn, most: usualArcs })
    if (joined) return joined
  }
  return null
}

export function networkOf(
  args: SplitArgs,
  amounts: ArcAmounts,
  exactOnly: boolean,
): Network | null {
  const arcs = withAmounts(amounts)
  const at = evaluate(arcs, args, exactOnly)
  return at && { arcs, at }
}

/**
 * The amounts with a path's added; null where it would close a cycle, make the network too large, or use two pools of
 * one state together.
 */
function join(
  amounts: ArcAmounts,
  states: PoolStates,
  { hops }: Path,
  { slice, most }: { readonly slice: bigint; readonly most: number },
): ArcAmounts | null {
  const joined = new Map(amounts)
  let amount = slice
  for (const hop of hops) {
    const key = hopKey(hop)
    joined.set(key, { hop, amount: (joined.get(key)?.amount ?? 0) + Number(amount) })
    amount = hopSwap(hop, states, amount).amountOut
    if (amount <= 0n) return null
  }
  const all = [...joined.values()].map((each) => each.hop)
  if (joined.size > most || hops.some((hop) => isTaken(all, hop))) return null
  return tokenOrder(all) && joined
}

/** Whether another pool that shares the state is used. */
function isTaken(hops: readonly Hop[], hop: Hop): boolean {
  if (hop.kind !== 'swap' || !hop.market.sharedState) return false
  const { market } = hop
  return hops.some(
    (each) => each.kind === 'swap' && each.market !== market && isSameState(each.market, market),
  )
}

/** The network that amounts near that of the one source may go on from. */
export function growOnce(args: SplitArgs, exactOnly: boolean): Grown | null {
  const start = startNetwork(args, exactOnly)
  const grown = start && joinAll(args, start, exactOnly)
  return grown?.arcs.length ? { arcs: grown.arcs, rate: rateOf(args, grown.at) } : null
}

function rateOf({ sources }: SplitArgs, { amountOut }: Evaluation): number {
  return Number(amountOut) / sources.reduce((sum, { amount }) => sum + Number(amount), 0)
}

/** Reuses the network of a nearby amount if it still beats the best single paths and no pool runs dry. */
function nearbyNetwork(args: SplitArgs, exactOnly: boolean): Network | null {
  const known = args.nearby?.(exactOnly)
  const at = known && evaluate(known.arcs, args, exactOnly)
  if (!known || !at || Math.abs(rateOf(args, at) / known.rate - 1) > steepest) return null
  const best = bestPaths(args, exactOnly)
  return best && best.at.amountOut > at.amountOut ? null : { arcs: known.arcs, at }
}

/** How one round lets paths join. */
interface Round {
  /** Which of the slices joins. */
  readonly size: number
  /** The most arcs of the network. */
  readonly arcs: number
  /** The most steps towards right shares. */
  readonly steps: number
}

function betterOf(args: SplitArgs, network: Network, exactOnly: boolean, most: number): Network {
  return improve(network, args, { exactOnly, steps: most, shouldStop: args.shouldStop })
}

/** The network with the paths that pay more for a slice, where that gives more. */
function joinWith(
  args: SplitArgs,
  margin: Margin,
  exactOnly: boolean,
  round: Round,
): Network | null {
  const joined = joinBest(args, margin, round, exactOnly)
  const next = joined && betterOf(args, joined, exactOnly, round.steps)
  return next && next.at.amountOut > margin.network.at.amountOut ? next : null
}

/**
 * Lets paths join until none pays more for the smallest slice than the network does. A trade that is large against its
 * pools gains by many of them, so rounds and arcs beyond the usual ones are bounded by what they bring.
 */
function joinAll(args: SplitArgs, start: Network, exactOnly: boolean): Network {
  let network = start
  let size = 0
  let isWorthMore = true
  let margin = marginAt(args, network, exactOnly)
  for (let round = 0; round < mostRounds && size < slicesFor(args, margin).length; round++) {
    if (args.shouldStop?.()) break
    const arcs = isWorthMore ? mostArcs : usualArcs
    const next = joinWith(args, margin, exactOnly, { size, arcs, steps: steps.join })
    const isLate = round + 1 >= usualRounds
    if (next) {
      isWorthMore = bringsMore(args, network, next)
      network = next
      margin = marginAt(args, network, exactOnly)
    }
    if (!next || (isLate && !isWorthMore)) {
      size++
    }
  }
  return network
}

/** The slices that show what is worth joining, largest first. */
function slicesFor({ sources }: SplitArgs, { network, values }: Margin): readonly bigint[] {
  const atMargin = sources.reduce(
    (sum, { token, amount }) => sum + Number(amount) * (values.get(token) ?? 0),
    0,
  )
  return atMargin < exhausted * Number(network.at.amountOut) ? fineSlices : slices
}

/** Whether the larger network brings more than the gas of its new arcs, and than what is not worth the time. */
function bringsMore(args: SplitArgs, { at }: Network, { at: larger }: Network): boolean {
  const gained = Number(larger.amountOut - at.amountOut)
  return gained > Math.max(gasOf(args, larger.gas - at.gas), worthwhile * Number(at.amountOut))
}

function grow(args: SplitArgs, exactOnly: boolean): Network | null {
  const start = startNetwork(args, exactOnly)
  return start && settle(args, joinAll(args, start, exactOnly), exactOnly)
}

/** The right shares; a long step may have removed paths that the final network has room for. */
function settle(args: SplitArgs, network: Network, exactOnly: boolean): Network {
  const settled = betterOf(args, network, exactOnly, steps.final)
  const arcs = settled.arcs.length > usualArcs ? mostArcs : usualArcs
  const last = { size: slices.length - 1, arcs, steps: steps.final }
  return joinWith(args, marginAt(args, settled, exactOnly), exactOnly, last) ?? settled
}

/** What another path is compared with. */
interface Margin {
  readonly network: Network
  /** What one more raw unit of a token is worth in raw units of tokenOut. */
  readonly values: ReadonlyMap<Address, number>
  /** Pools as the network leaves them. */
  readonly states: PoolStates
}

function marginAt({ tokenOut }: SplitArgs, network: Network, exactOnly: boolean): Margin {
  const { values } = marginsOf(network.at, tokenOut, exactOnly)
  return { network, values, states: statesAfter(network.at) }
}

/** The network with the paths that pay more for the next slice of this size than the network's own margin. */
function joinBest(
  args: SplitArgs,
  { network, values, states }: Margin,
  { size, arcs: most }: Round,
  exactOnly: boolean,
): Network | null {
  const part = fineSlices[size] ?? 1n
  let amounts = amountsOf(network)
  let next: Network | null = null
  for (const source of args.sources) {
    const slice = source.amount / part
    const margin = values.get(source.token)
    if (slice === 0n || margin === undefined) continue
    let joined = 0
    const moreThan = Number(slice) * margin * (1 + leastGain)
    const options = { states, part, exactOnly, wanted: { count: pathsLookedAt, moreThan } }
    for (const path of args.search({ ...source, amount: slice }, options)) {
      if (joined === pathsPerRound) break
      const added = join(amounts, states, path, { slice, most })
      const larger = added && networkOf(args, added, exactOnly)
      if (!larger) continue
      amounts = added
      next = larger
      joined++
    }
  }
  return next
}

function amountsOf({ at }: Network): ArcAmounts {
  return new Map(
    at.flows.map(({ arc, amountIn }) => [arc.key, { hop: arc.hop, amount: Number(amountIn) }]),
  )
}

/** The network, and each smaller one as swaps are removed, the least useful for its gas first. */
function prune(args: SplitArgs, grown: Network, exactOnly: boolean): Network[] {
  const { sources, tokenOut, shouldStop } = args
  const stages = [grown]
  if (!args.gasCostOut) return stages
  const dearest = Math.max(...gasMultiples)
  for (let network = grown; !shouldStop?.(); ) {
    const { groups } = marginsOf(network.at, tokenOut, exactOnly)
    let best: { readonly arcs: readonly Arc[]; readonly gain: number } | null = null
    const arcs = groups.flatMap((group) => group.arcs.map((own) => ({ own, group })))
    for (const { own, group } of arcs) {
      const { arc, amountIn } = own
      // Alternatives are the parallel pools, else the other onward ways from its token.
      const beside = group.arcs.filter((other) => other !== own)
      const others = beside.length
        ? beside
        : groups.filter((other) => other !== group && tokenOf(other) === tokenOf(group))
      if (!others.length) continue
      const curvature = beside.length ? own.curvature : group.curvature
      const kept = pruneArcs(
        network.arcs.filter(({ key }) => key !== arc.key),
        sources,
        tokenOut,
      )
      const saved = network.at.gas - kept.reduce((sum, { gas }) => sum + gas, 0n)
      // The value of what moves to the others follows two parabolas: the arc's own and theirs.
      const room = others.reduce((sum, other) => sum - 1 / other.curvature, 0)
      const loss = (amountIn * amountIn * (-curvature + 1 / room)) / 2
      const gain = dearest * gasOf(args, saved) - loss
      if (!best || gain > best.gain) best = { arcs: kept, gain }
    }
    if (!best || best.gain < 0) break
    const at = evaluate(best.arcs, args, exactOnly)
    if (!at) break
    const options = { exactOnly, steps: steps.prune, shouldStop }
    network = improve({ arcs: best.arcs, at }, args, options)
    stages.push(network)
  }
  return stages
}

function bestForGas(args: SplitArgs, stages: readonly Network[]): readonly Network[] {
  const best = gasMultiples.map((multiple) => {
    const net = ({ at }: Network) => Number(at.amountOut) - multiple * gasOf(args, at.gas)
    return stages.reduce((a, b) => (net(b) > net(a) ? b : a))
  })
  return [...new Set(best)]
}

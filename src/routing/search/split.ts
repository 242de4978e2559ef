/**
 * Splits: an amount divided over several paths, and within them over several pools, so that one more unit is worth the
 * same on every way. Paths join the network while a search over the pools as changed by it finds one that pays more for
 * the next slice; then swaps are removed while their gas costs more than they yield. Native math only; the fork
 * decides. Pure.
 */
import { compareText } from '../../domain/lists.js'
import { type Address, bpsDenominator } from '../../domain/primitives.js'
import { applyHop, type Flow, hopSwap, type PoolStates } from './flow.js'
import { hopKey } from './hop.js'
import type { Path } from './path.js'
import { toFlow } from './split-flow.js'
import { bestForGas, gasOf, leastGas, prune, refine } from './split-gas.js'
import {
  type Arc,
  type ArcAmounts,
  amountsOf,
  type Evaluation,
  evaluate,
  join,
  type Network,
  networkOf,
  type SearchedTerms,
} from './split-network.js'
import { improve, type Margin, marginAt, paidApart, paidFor } from './split-newton.js'

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
const mostArcs = 48
/** The relative gain of a round below which more rounds and arcs than usual are not worth their time. */
const worthwhile = 1e-5
/** The relative gain over the present margin that a path needs to join. */
const leastGain = 2e-6
/** A pool that is known to the unit for less than this part more is looked at beyond, too. */
const heldBackPart = 100n
/** Slices of a starting network that no single path can take. */
const startSlices = 12n
/** The part of the average below which one unit more shows, from this round on, that amounts nearby have other rates. */
const unlike = 0.8
const tellingRound = 2
/** The difference of rates beyond which another amount near this one tells too little of it. */
const steepest = 0.01
const steps = { join: 3, final: 12 } as const
const whole = Number(bpsDenominator)

export interface SplitArgs extends SearchedTerms {
  /** Paths of each source, best first for its whole amount. */
  readonly paths: readonly (readonly Path[])[]
  /** The same without estimates. */
  readonly exactPaths: readonly (readonly Path[])[]
  /** False: those over exact quotes alone are known; absent: true. */
  readonly exactSplits?: boolean
  /** What is right for an amount near that of the one source, to go on from; null where there is nothing. */
  readonly nearby?: ((exactOnly: boolean) => Grown | null) | undefined
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
  const exact = args.exactSplits === false ? null : splitsOf(args, true)
  const mayEstimate = !exact || hasEstimates(args) || (exact.grown && isHeldBack(exact.grown))
  const estimated = mayEstimate ? splitsOf(args, false).flows : []
  const all = [...(exact?.flows ?? []), ...estimated]
  const flows = new Map(all.map((flow) => [flow.key, flow]))
  const net = (flow: Flow) => Number(flow.amountOut) - gasOf(args, flow.gas)
  return [...flows.values()].sort((a, b) => net(b) - net(a) || compareText(a.key, b.key))
}

/**
 * Known splits with shares that are right for another amount near theirs: in their order, at a fraction of the work of a
 * search.
 */
export function tuneSplits(args: SplitArgs, known: readonly Flow[]): Flow[] {
  const { shouldStop } = args
  return known.flatMap(({ edges, exact }) => {
    const network = networkOf(args, sharesOf(edges), exact)
    if (!network) return []
    const tuned = improve(network, args, { exactOnly: exact, steps: steps.final, shouldStop })
    return toFlow(args, tuned, args) ?? []
  })
}

/** What each swap spends of its token, as a part of all of it; edges of a split state parts of what is left. */
function sharesOf(edges: Flow['edges']): ArcAmounts {
  const left = new Map<Address, number>()
  return new Map(
    edges.map(({ hop, spends }) => {
      const rest = left.get(hop.tokenIn) ?? 1
      const amount = (rest * Number(spends)) / whole
      left.set(hop.tokenIn, rest - amount)
      return [hopKey(hop), { hop, amount }]
    }),
  )
}

interface Splits {
  readonly flows: readonly Flow[]
  /** What they are made of: the network before its swaps are weighed against their gas. */
  readonly grown: Network | null
}

function splitsOf(args: SplitArgs, exactOnly: boolean): Splits {
  const nearby = nearbySplits(args, exactOnly)
  if (nearby) return nearby
  const grown = grow(args, exactOnly)
  return { flows: flowsOf(args, grown, exactOnly), grown }
}

/** What the network of an amount near this one leads to; null where that serves this one badly. */
function nearbySplits(args: SplitArgs, exactOnly: boolean): Splits | null {
  const network = nearbyNetwork(args, exactOnly)
  if (!network) return null
  const grown = settle(args, network, exactOnly)
  const flows = flowsOf(args, grown, exactOnly)
  const best = exactOnly ? args.exactPaths : args.paths
  const isServed = flows.length || (isUndivided(grown) && best.every((own) => own.length))
  return isServed ? { flows, grown } : null
}

/** Whether some pool takes about all that it is known to give to the unit, so that an estimate of it may promise more. */
function isHeldBack({ at }: Network): boolean {
  return at.flows.some(({ arc, amountIn, states }) => {
    const { amountOut, exact } = hopSwap(arc.hop, states, amountIn + amountIn / heldBackPart)
    return amountOut > 0n && !exact
  })
}

function flowsOf(args: SplitArgs, grown: Network | null, exactOnly: boolean): Flow[] {
  if (!grown || isUndivided(grown)) return []
  return bestForGas(args, refine(args, prune(args, grown, exactOnly), exactOnly)).flatMap(
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

/**
 * The network that amounts near that of the one source may go on from; null where one unit more brings so little that
 * their rates differ too much: then each grows its own, and this one would grow for nothing.
 */
export function growOnce(args: SplitArgs, exactOnly: boolean): Grown | null {
  const start = startNetwork(args, exactOnly)
  let isForNothing = false
  const grown =
    start &&
    joinAll(args, start, exactOnly, (margin, round) => {
      isForNothing = round >= tellingRound && bringsLess(args, margin, unlike)
      return isForNothing
    })
  if (isForNothing || !grown?.arcs.length) return null
  return { arcs: grown.arcs, rate: rateOf(args, grown.at) }
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
function joinAll(
  args: SplitArgs,
  start: Network,
  exactOnly: boolean,
  shouldEnd: (margin: Margin, round: number) => boolean = () => false,
): Network {
  let network = start
  let size = 0
  let isWorthMore = true
  let margin = marginAt(args, network, exactOnly)
  for (let round = 0; round < mostRounds && size < slicesFor(args, margin).length; round++) {
    if (args.shouldStop?.() || shouldEnd(margin, round)) break
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
function slicesFor(args: SplitArgs, margin: Margin): readonly bigint[] {
  return isExhausted(args, margin) ? fineSlices : slices
}

/** Whether one unit more brings so much less than the average that even a slice pays clearly less than the margin says. */
function isExhausted(args: SplitArgs, margin: Margin): boolean {
  return bringsLess(args, margin, exhausted)
}

/** Whether one unit more brings less than this part of the average. */
function bringsLess({ sources }: SplitArgs, { network, values }: Margin, part: number): boolean {
  const atMargin = sources.reduce(
    (sum, { token, amount }) => sum + Number(amount) * (values.get(token) ?? 0),
    0,
  )
  return atMargin < part * Number(network.at.amountOut)
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

/** The network with the paths that pay more for the next slice of this size than the network's own margin. */
function joinBest(
  args: SplitArgs,
  at: Margin,
  { size, arcs: most }: Round,
  exactOnly: boolean,
): Network | null {
  const { network, values, states } = at
  const isBent = isExhausted(args, at)
  const part = fineSlices[size] ?? 1n
  let amounts = amountsOf(network)
  let next: Network | null = null
  for (const source of args.sources) {
    const slice = source.amount / part
    const margin = values.get(source.token)
    if (slice === 0n || margin === undefined) continue
    let joined = 0
    const sliced = { ...source, amount: slice }
    const paid = isBent ? paidFor(args, at, sliced, exactOnly) : Number(slice) * margin
    // A path swaps the slice after the network, which brings less in a pool of both than a larger swap would.
    const apart = isBent ? paidApart(args, at, sliced) : paid
    const moreAlone = paid * (1 + leastGain)
    const moreThan = Math.min(moreAlone, apart * (1 + leastGain))
    const options = { states, part, exactOnly, wanted: { count: pathsLookedAt, moreThan } }
    for (const path of args.search(sliced, options)) {
      if (joined === pathsPerRound) break
      const known = path.hops.filter((hop) => amounts.has(hopKey(hop))).length
      const isBranch = known > 0 && known < path.hops.length
      if (!isBranch && Number(path.amountOut) <= moreAlone) continue
      const added = join(amounts, states, path, { slice, most })
      const more = added && networkOf(args, added, exactOnly)
      if (!more) continue
      amounts = added
      next = more
      joined++
    }
  }
  return next
}

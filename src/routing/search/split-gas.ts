/**
 * What a split is worth after gas: swaps leave while their gas costs more than they yield, and what then is the best is
 * looked at once more, whether another swap should leave or another path should join. Pure.
 */
import { hopSwap } from './flow.js'
import { hopKey } from './hop.js'
import {
  type Arc,
  amountsOf,
  arcOf,
  evaluate,
  isTaken,
  join,
  type Network,
  networkOf,
  pruneArcs,
  type SearchedTerms,
  spendsAll,
  unchanged,
} from './split-network.js'
import { improve, type Margin, marginAt, marginsOf, tokenOf } from './split-newton.js'

/** Gas is an estimate until the fork has measured it: the best networks at these multiples of it are kept. */
const gasMultiples = [1, 0.5, 2] as const
/** Gas of one more swap. */
export const leastGas = 60_000n
const gasUnit = 1_000_000
/** Steps towards right shares after a swap left, to see what a change would bring, and for one that is kept. */
const steps = { left: 3, look: 2, kept: 12 } as const
/** A path is looked for with this part of a source, and joins only if so many parts could pay for a swap. */
const part = 64n
const partsAtMost = 8
/** Paths that join in turn, and swaps that leave in turn, to see what that brings. */
const tries = { join: 6, leave: 2 } as const
/** Changes of one network at most. */
const mostChanges = 8

export function gasOf({ gasCostOut = 0n }: SearchedTerms, gas: bigint): number {
  return (Number(gas) * Number(gasCostOut)) / gasUnit
}

/** The network, and each smaller one as swaps are removed, the least useful for its gas first. */
export function prune(args: SearchedTerms, grown: Network, exactOnly: boolean): Network[] {
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
    const options = { exactOnly, steps: steps.left, shouldStop }
    network = improve({ arcs: best.arcs, at }, args, options)
    stages.push(network)
  }
  return stages
}

export function bestForGas(args: SearchedTerms, stages: readonly Network[]): readonly Network[] {
  const best = gasMultiples.map((multiple) => {
    const net = ({ at }: Network) => Number(at.amountOut) - multiple * gasOf(args, at.gas)
    return stages.reduce((a, b) => (net(b) > net(a) ? b : a))
  })
  return [...new Set(best)]
}

/** The networks with others besides, where changes of the best of them, or of the smallest, bring more than their gas. */
export function refine(
  args: SearchedTerms,
  stages: readonly Network[],
  exactOnly: boolean,
): readonly Network[] {
  if (!args.gasCostOut) return stages
  // No path brings more than what was given up for less gas: mostly that is less than one swap costs.
  const most = Math.max(...stages.map(({ at }) => Number(at.amountOut)))
  const mayJoin = ({ at }: Network) => most - Number(at.amountOut) > gasOf(args, leastGas)
  const seen = new Set<string>()
  // Swaps that only pay together hide a better network from the best one, so others are changed, too.
  const starts = [...bestForGas(args, stages), ...stages.slice(-1)]
  const found = starts.flatMap((start) => {
    let network = start
    for (let change = 0; change < mostChanges && !args.shouldStop?.(); change++) {
      const name = network.arcs.map(({ key }) => key).join()
      if (seen.has(name)) return []
      seen.add(name)
      const next = changed(args, network, exactOnly, mayJoin(network))
      if (!next) break
      network = next
    }
    return network === start ? [] : [network]
  })
  return [...stages, ...found]
}

/** The network after the change that brings most after gas; null where none brings anything. */
function changed(
  args: SearchedTerms,
  network: Network,
  exactOnly: boolean,
  mayJoin: boolean,
): Network | null {
  const { shouldStop } = args
  const net = ({ at }: Network) => Number(at.amountOut) - gasOf(args, at.gas)
  const margin = marginAt(args, network, exactOnly)
  const others = smaller(args, margin, exactOnly)
  // What estimates promise is too vague to weigh the gas of one swap by it.
  if (exactOnly) others.push(...exchanged(args, margin))
  if (mayJoin) others.push(...larger(args, margin, exactOnly))
  let best: Network | null = null
  for (const other of others) {
    const next = improve(other, args, { exactOnly, steps: steps.look, shouldStop })
    if (net(next) > net(best ?? network)) best = next
  }
  return best && improve(best, args, { exactOnly, steps: steps.kept, shouldStop })
}

/** A network without some swaps. */
interface Removal {
  readonly kept: readonly Arc[]
  /** Raw units of tokenOut that are saved in gas, less what the swaps pay over the margin. */
  readonly gain: number
}

/** Each swap may leave, all between two tokens, and all into one token. The most useful removal comes first. */
function removals(args: SearchedTerms, { network, values }: Margin): Removal[] {
  const { flows, gas } = network.at
  const sets = new Map<string, Set<string>>()
  for (const { arc } of flows) {
    const { tokenIn, tokenOut } = arc.hop
    const into = tokenOut === args.tokenOut ? [] : [tokenOut]
    for (const name of [arc.key, `${tokenIn}>${tokenOut}`, ...into]) {
      sets.set(name, (sets.get(name) ?? new Set()).add(arc.key))
    }
  }
  const found = new Map<string, Removal>()
  for (const leaving of sets.values()) {
    const rest = network.arcs.filter(({ key }) => !leaving.has(key))
    const kept = pruneArcs(rest, args.sources, args.tokenOut)
    if (!spendsAll(kept, args)) continue
    const keys = new Set(kept.map(({ key }) => key))
    const surplus = flows
      .filter(({ arc }) => !keys.has(arc.key))
      .reduce((sum, { arc: { hop }, amountIn, swap }) => {
        const [own = 0, next = 0] = [values.get(hop.tokenIn), values.get(hop.tokenOut)]
        return sum + Number(swap.amountOut) * next - Number(amountIn) * own
      }, 0)
    const saved = gas - kept.reduce((sum, arc) => sum + arc.gas, 0n)
    found.set([...keys].join(), { kept, gain: gasOf(args, saved) - surplus })
  }
  return [...found.values()].sort((a, b) => b.gain - a.gain)
}

/** The network without swaps that seem to bring less than their gas, by what they pay over the margin. */
function smaller(args: SearchedTerms, margin: Margin, exactOnly: boolean): Network[] {
  return removals(args, margin)
    .filter(({ gain }) => gain > 0)
    .slice(0, tries.leave)
    .flatMap(({ kept }) => {
      const at = evaluate(kept, args, exactOnly)
      return at ? [{ arcs: kept, at }] : []
    })
}

/**
 * The network with another pool between two tokens in place of one, where that gives more after gas: a dearer one was there
 * first, and beside it the other brings too little to join. Only the best such exchange.
 */
function exchanged(args: SearchedTerms, { network, values }: Margin): Network[] {
  const hops = network.arcs.map(({ hop }) => hop)
  let best: { readonly own: Arc; readonly other: Arc; readonly gain: number } | null = null
  for (const { arc: own, amountIn, swap } of network.at.flows) {
    const worth = values.get(own.hop.tokenOut) ?? 0
    for (const hop of args.besides(own.hop, amountIn)) {
      const other = arcOf(hop, own.share, args.swapDataGas)
      if (hops.some((used) => hopKey(used) === other.key) || isTaken(hops, hop)) continue
      const { amountOut, exact } = hopSwap(hop, unchanged, amountIn)
      if (!exact) continue
      const more = Number(amountOut - swap.amountOut) * worth
      const gain = more + gasOf(args, own.gas) - gasOf(args, other.gas)
      if (gain > (best?.gain ?? 0)) best = { own, other, gain }
    }
  }
  if (!best) return []
  const { own, other } = best
  const arcs = network.arcs.map((arc) => (arc.key === own.key ? other : arc))
  const at = evaluate(arcs, args, true)
  return at ? [{ arcs, at }] : []
}

/** The network with one of the paths that pay most for a slice. */
function larger(
  args: SearchedTerms,
  { network, values, states }: Margin,
  exactOnly: boolean,
): Network[] {
  const least = gasOf(args, leastGas) / partsAtMost
  return args.sources.flatMap((source) => {
    const slice = source.amount / part
    const margin = values.get(source.token)
    if (slice === 0n || margin === undefined) return []
    const wanted = { count: tries.join, moreThan: Number(slice) * margin + least }
    const paths = args.search({ ...source, amount: slice }, { states, part, exactOnly, wanted })
    return paths.flatMap((path) => {
      const most = network.arcs.length + path.hops.length
      const joined = join(amountsOf(network), states, path, { slice, most })
      return (joined && networkOf(args, joined, exactOnly)) ?? []
    })
  })
}

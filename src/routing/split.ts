/**
 * Splits: an amount divided over several paths, and inside them over several pools, so that one more unit is worth
 * the same on every way. Paths join the network while a search over the pools as they would be afterwards finds one
 * that pays more for the next slice; then swaps leave it while the gas they cost is more than what they bring.
 * Native maths only; the fork decides. Pure.
 */
import { type Address, bpsDenominator } from '../domain/primitives.js'
import { type Flow, type FlowEdge, hopOutput, type PoolStates, runFlow } from './flow.js'
import { hopKey } from './hop.js'
import type { Path } from './search.js'
import {
  type Arc,
  type ArcAmounts,
  evaluate,
  type Network,
  type Source,
  statesAfter,
  tidy,
  tokenOrder,
  withAmounts,
} from './split-network.js'
import { improve, marginsOf, tokenOf } from './split-newton.js'

/** A path is judged, and joins, with these parts of its source's amount, one after the other. */
const slices = [16n, 64n, 512n] as const
/** Searches at most. */
const maxRounds = 7
/** Paths that join in one round at most. */
const pathsPerRound = 5
/** Swaps and wraps of one split at most. */
const maxArcs = 24
/** A path must pay this much more than the present margin to join. */
const leastGain = 2e-6
const steps = { join: 3, final: 12, prune: 3 } as const
/** Gas is an estimate until the fork has measured it: the best networks at these multiples of it are kept. */
const gasMultiples = [1, 0.5, 2] as const
/** Of one more swap. */
const leastGas = 60_000n
const gasUnit = 1_000_000
const whole = Number(bpsDenominator)

export interface SplitArgs {
  readonly sources: readonly Source[]
  readonly tokenOut: Address
  /** Of each source, best first for all of its amount. */
  readonly paths: readonly (readonly Path[])[]
  /** Paths for a slice of a source over pools in the given states, best first. */
  search(slice: Source, states: PoolStates): readonly Path[]
  /** Raw units of tokenOut that a million gas costs; absent where no price is known: gas then counts nothing. */
  readonly gasCostOut?: bigint | undefined
  readonly shouldStop?: (() => boolean) | undefined
}

/** Splits worth simulating, best first by native output after gas; none where one path alone is as good. */
export function findSplits(args: SplitArgs): Flow[] {
  if (!canPay(args)) return []
  const isEstimated = args.paths.some((paths) => paths.slice(0, pathsPerRound).some(isInexact))
  const flows = new Map<string, Flow>()
  for (const exactOnly of isEstimated ? [true, false] : [true]) {
    const start = startNetwork(args, exactOnly)
    if (!start) continue
    const grown = grow(args, start, exactOnly)
    if (grown.arcs.every(({ share }) => share === 1)) continue
    for (const network of bestForGas(args, prune(args, grown, exactOnly))) {
      const flow = toFlow(args, network)
      if (flow) flows.set(flow.key, flow)
    }
  }
  const net = (flow: Flow) => Number(flow.amountOut) - gasOf(args, flow.gas)
  return [...flows.values()].sort((a, b) => net(b) - net(a) || compare(a.key, b.key))
}

/** False where all of it at the best rate of a small slice would not pay for one more swap. */
function canPay(args: SplitArgs): boolean {
  const [slice] = slices.slice(-1)
  let most = 0
  for (const [index, source] of args.sources.entries()) {
    const amountIn = source.amountIn / (slice ?? 1n)
    const [small] = amountIn > 0n ? args.search({ ...source, amountIn }, new Map()) : []
    const [all] = args.paths[index] ?? []
    if (!small || !all) continue
    const rate = Number(small.amountOut) / Number(amountIn)
    most += rate * Number(source.amountIn) - Number(all.amountOut)
  }
  return most > gasOf(args, leastGas)
}

function isInexact({ exact }: Path): boolean {
  return !exact
}

function gasOf({ gasCostOut = 0n }: SplitArgs, gas: bigint): number {
  return (Number(gas) * Number(gasCostOut)) / gasUnit
}

/** The best path of each source. */
function startNetwork(args: SplitArgs, exactOnly: boolean): Network | null {
  let amounts: ArcAmounts = new Map()
  for (const [index, { amountIn }] of args.sources.entries()) {
    for (const path of args.paths[index] ?? []) {
      if (exactOnly && isInexact(path)) continue
      const joined = join(amounts, new Map(), path, amountIn)
      if (!joined) continue
      amounts = joined
      break
    }
  }
  return networkOf(args, amounts, exactOnly)
}

function networkOf(args: SplitArgs, amounts: ArcAmounts, exactOnly: boolean): Network | null {
  const arcs = withAmounts(amounts)
  const at = evaluate(arcs, args.sources, args.tokenOut, exactOnly)
  return at && { arcs, at }
}

/** The amounts with a path's added; null where it would close a cycle or make the network too large. */
function join(
  amounts: ArcAmounts,
  states: PoolStates,
  { hops }: Path,
  slice: bigint,
): ArcAmounts | null {
  const joined = new Map(amounts)
  let amount = slice
  for (const hop of hops) {
    const key = hopKey(hop)
    joined.set(key, { hop, amount: (joined.get(key)?.amount ?? 0) + Number(amount) })
    amount = hopOutput(hop, states, amount).amountOut
    if (amount <= 0n) return null
  }
  if (joined.size > maxArcs) return null
  return tokenOrder([...joined.values()].map(({ hop }) => hop)) && joined
}

/** Lets paths join until none pays more for the smallest slice than the network does. */
function grow(args: SplitArgs, start: Network, exactOnly: boolean): Network {
  const { sources, tokenOut, shouldStop } = args
  const better = (network: Network, most: number) =>
    improve(network, sources, tokenOut, { exactOnly, steps: most, shouldStop })
  const joinWith = (network: Network, size: number, most: number): Network | null => {
    const joined = joinBest(args, network, slices[size] ?? 1n, exactOnly)
    const next = joined && better(joined, most)
    return next && next.at.amountOut > network.at.amountOut ? next : null
  }
  let network = start
  let size = 0
  for (let round = 0; round < maxRounds && size < slices.length; round++) {
    if (shouldStop?.()) break
    const next = joinWith(network, size, steps.join)
    if (next) network = next
    else size++
  }
  network = better(network, steps.final)
  // A long step may have driven out what the end has room for.
  return joinWith(network, slices.length - 1, steps.final) ?? network
}

/** The network with the paths that pay more for the next slice than the network's own margin. */
function joinBest(
  args: SplitArgs,
  network: Network,
  part: bigint,
  exactOnly: boolean,
): Network | null {
  const { values } = marginsOf(network.at, args.tokenOut, exactOnly)
  const states = statesAfter(network.at)
  let amounts = amountsOf(network)
  let next: Network | null = null
  for (const source of args.sources) {
    const slice = source.amountIn / part
    const margin = values.get(source.token)
    if (slice === 0n || margin === undefined) continue
    let joined = 0
    for (const path of args.search({ ...source, amountIn: slice }, states)) {
      if (joined === pathsPerRound) break
      if (exactOnly && isInexact(path)) continue
      if (Number(path.amountOut) / Number(slice) <= margin * (1 + leastGain)) continue
      const added = join(amounts, states, path, slice)
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

/** The network, and what is left of it as swap after swap leaves that costs the most for what it brings. */
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
      // Alternatives are the pools beside it, else the other ways on from its token.
      const beside = group.arcs.filter((other) => other !== own)
      const others = beside.length
        ? beside
        : groups.filter((other) => other !== group && tokenOf(other) === tokenOf(group))
      if (!others.length) continue
      const curvature = beside.length ? own.curvature : group.curvature
      const kept = tidy(
        network.arcs.filter(({ key }) => key !== arc.key),
        sources,
        tokenOut,
      )
      const saved = network.at.gas - kept.reduce((sum, { gas }) => sum + gas, 0n)
      // What moves to the others comes back along two parabolas: its own and theirs.
      const room = others.reduce((sum, other) => sum - 1 / other.curvature, 0)
      const loss = (amountIn * amountIn * (-curvature + 1 / room)) / 2
      const gain = dearest * gasOf(args, saved) - loss
      if (!best || gain > best.gain) best = { arcs: kept, gain }
    }
    if (!best || best.gain < 0) break
    const at = evaluate(best.arcs, sources, tokenOut, exactOnly)
    if (!at) break
    const options = { exactOnly, steps: steps.prune, shouldStop }
    network = improve({ arcs: best.arcs, at }, sources, tokenOut, options)
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

/** Arcs to the same token are one step of the answer; small shares first, since the last arc takes what rounding leaves. */
function inStepOrder(arcs: readonly Arc[]): Arc[] {
  const totals = new Map<Address, number>()
  for (const { hop, share } of arcs) {
    totals.set(hop.tokenOut, (totals.get(hop.tokenOut) ?? 0) + share)
  }
  const rounded = (share: number) => Math.round(share * whole)
  const total = ({ hop }: Arc) => rounded(totals.get(hop.tokenOut) ?? 0)
  return arcs.toSorted(
    (a, b) =>
      total(a) - total(b) ||
      compare(a.hop.tokenOut, b.hop.tokenOut) ||
      rounded(a.share) - rounded(b.share) ||
      compare(a.key, b.key),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** As the Executor will run it; null where no amount is divided. */
function toFlow(args: SplitArgs, { arcs, at }: Network): Flow | null {
  const edges: FlowEdge[] = []
  for (const token of tokenOrder(arcs.map(({ hop }) => hop)) ?? []) {
    const own = inStepOrder(arcs.filter(({ hop }) => hop.tokenIn === token))
    let left = 1
    for (const [index, { hop, share }] of own.entries()) {
      const spends =
        index === own.length - 1 ? whole : Math.max(1, Math.round((share / left) * whole))
      left -= (left * spends) / whole
      edges.push({ hop, spends })
    }
  }
  if (edges.every(({ spends }) => spends === whole)) return null
  const { amountOut, exact } = runFlow(edges, args.sources, args.tokenOut)
  if (amountOut <= 0n) return null
  const key = edges.map(({ hop, spends }) => `${hopKey(hop)}*${spends}`).join('+')
  return { edges, amountOut, exact, gas: at.gas, isSplit: true, key }
}

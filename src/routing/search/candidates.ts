/**
 * The candidates worth simulating: splits, and the best paths by native math, diverse in pools.
 */
import { defined } from '../../domain/defined.js'
import {
  type Address,
  bpsDenominator,
  nativeToken,
  type TokenAmount,
} from '../../domain/primitives.js'
import type { MarketPool, MarketView } from '../market/market-view.js'
import { selectDiverse } from './diverse.js'
import { type Flow, type FlowEdge, flowOfPath, runFlow } from './flow.js'
import { TokenGraph } from './graph.js'
import { type Hop, hopGas, hopKey } from './hop.js'
import type { Path } from './path.js'
import { findPaths, type SearchArgs } from './search.js'
import { findSplits, growOnce, type SplitArgs, tuneSplits } from './split.js'
import { anchorOf, rememberedGrowth } from './split-anchors.js'
import { KnownMargins, type SearchOptions } from './split-network.js'

/** Pools between two tokens that are compared with the one that a split uses. */
const poolsBeside = 4
const gasUnit = 1_000_000
/** The most splits among the candidates. */
const maxSplits = 4

export interface CandidateArgs {
  readonly market: MarketView
  readonly wrappedNative: Address
  /** Fee already taken. */
  readonly inputs: readonly TokenAmount[]
  readonly tokensOut: readonly Address[]
  readonly maxHops: number
  readonly count: number
  /** False: the whole amount of each input goes one way; absent: true. */
  readonly mayBeSplit?: boolean
  /** False: each input has swaps of its own; absent: those that several share are made once. */
  readonly mergesInputs?: boolean
  /** False: splits over exact quotes alone are known, and only those with estimates are searched for; absent: true. */
  readonly exactSplits?: boolean
  /** Splits that were found for nearly the same amounts: they are adapted, and no others are searched for. */
  readonly knownSplits?: readonly Flow[] | undefined
  /** Raw units of the token that a million gas costs; undefined where no price is known. */
  gasCost(token: Address): bigint | undefined
  /** Gas that costs what the bytes of a swap do on L1; absent: they cost nothing. */
  readonly swapDataGas?: bigint | undefined
  /** Pools that the request may use; absent: all. */
  readonly isAllowed?: ((market: MarketPool) => boolean) | undefined
  /** Tokens at which no path stops; absent: none. */
  readonly avoid?: ReadonlySet<Address> | undefined
  /** Told of what was found and is not among the candidates, the best first. */
  readonly onLeftOut?: ((flow: Flow) => void) | undefined
  /** True from the moment at which the search must end with what it has. */
  readonly shouldStop?: (() => boolean) | undefined
}

export interface CandidateSet {
  /** Splits first, then paths; each best first by native math. */
  readonly candidates: readonly Flow[]
  /** The pair without any path, when there is one; then there are no candidates. */
  readonly missing: { readonly tokenIn: Address; readonly tokenOut: Address } | null
  /** True when the search was asked to stop: there may be better paths. */
  readonly wasCut: boolean
}

/** The paths that an amount may take from one token to another. */
interface Ways {
  readonly tokenIn: Address
  /** Raw units, fee already taken. */
  readonly amountIn: bigint
  /** Best first. */
  readonly paths: readonly Path[]
  /** Paths without estimates; the same list where the best have none. */
  readonly exactPaths: readonly Path[]
}

/** One input token (or a part of it) into one output token. */
interface Leg extends Ways {
  /** Part of the Executor's balance of tokenIn at that point, basis points; the last leg of a token takes all. */
  readonly bps: number
}

/**
 * Several outputs share each input equally (the last takes the remainder); several inputs are merged
 * into each output. With one leg the candidates are splits and its diverse best paths; with several, splits where
 * there is one output, the best paths of all legs together, then the same with one leg's path exchanged at a time.
 */
export function findCandidates(args: CandidateArgs): CandidateSet {
  const { market } = args
  let wasCut = false
  const shouldStop = () => {
    wasCut ||= args.shouldStop?.() ?? false
    return wasCut
  }
  const search = (
    tokenIn: Address,
    tokenOut: Address,
    amountIn: bigint,
    { part = 1n, ...options }: SearchOptions & Pick<SearchArgs, 'enough'> = {},
  ) =>
    findPaths({
      market,
      tokenIn,
      tokenOut,
      amountIn,
      maxHops: args.maxHops,
      wrappedNative: args.wrappedNative,
      gasCostIn: partOf(args.gasCost(tokenIn), part),
      gasCostOut: partOf(args.gasCost(tokenOut), part),
      swapDataGas: args.swapDataGas,
      ...options,
      isAllowed: args.isAllowed,
      avoid: args.avoid,
      shouldStop,
    })
  const waysFor = (
    tokenIn: Address,
    tokenOut: Address,
    amountIn: bigint,
    options: Pick<SearchArgs, 'enough'> = {},
  ): Ways => {
    const paths = search(tokenIn, tokenOut, amountIn, options)
    const isEstimated = paths.slice(0, args.count).some(({ exact }) => !exact)
    const exactPaths = isEstimated
      ? search(tokenIn, tokenOut, amountIn, { ...options, exactOnly: true })
      : paths
    return { tokenIn, amountIn, paths, exactPaths }
  }
  const legs: Leg[] = []
  for (const { token: tokenIn, amount } of args.inputs) {
    let rest = amount
    for (const [j, tokenOut] of args.tokensOut.entries()) {
      const bps = Math.floor(Number(bpsDenominator) / (args.tokensOut.length - j))
      const amountIn = (rest * BigInt(bps)) / bpsDenominator
      rest -= amountIn
      const ways = waysFor(tokenIn, tokenOut, amountIn)
      if (!ways.paths.length) return { candidates: [], missing: { tokenIn, tokenOut }, wasCut }
      legs.push({ ...ways, bps })
    }
  }
  const [tokenOut, ...others] = args.tokensOut
  const splitOf = (ways: readonly Ways[], into: Address): SplitArgs => ({
    sources: ways.map(({ tokenIn, amountIn }) => ({ token: tokenIn, amount: amountIn })),
    tokenOut: into,
    paths: ways.map(({ paths }) => paths),
    exactPaths: ways.map(({ exactPaths }) => exactPaths),
    search: ({ token, amount }, { states, ...options }) =>
      search(token, into, amount, { ...(states?.size && { states }), ...options }),
    besides: (hop, amountIn) => besides(args, hop, amountIn),
    gasCostOut: args.gasCost(into),
    swapDataGas: args.swapDataGas,
    margins: market.memory(KnownMargins),
    shouldStop,
  })
  /** What an amount near that of the one source grew to; found once for all amounts near it. */
  const nearby = (into: Address) => {
    const [leg, ...more] = legs
    const anchor = leg && !more.length ? anchorOf(leg.amountIn) : null
    if (!leg || anchor === null) return undefined
    let ways: Ways | undefined
    return (exactOnly: boolean) =>
      rememberedGrowth(args, { amountIn: anchor, exactOnly, wasCut: () => wasCut }, () => {
        // A network grows from the best path alone.
        ways ??= waysFor(leg.tokenIn, into, anchor, { enough: 1 })
        return growOnce(splitOf([ways], into), exactOnly)
      })
  }
  const findOrTune = (into: Address) =>
    args.knownSplits
      ? tuneSplits(splitOf(legs, into), args.knownSplits)
      : findSplits({
          ...splitOf(legs, into),
          nearby: nearby(into),
          ...defined({ exactSplits: args.exactSplits }),
        })
  const mayBeSplit = args.mayBeSplit !== false && !others.length
  const splits = tokenOut === undefined || !mayBeSplit ? [] : findOrTune(tokenOut)
  const best = splits.slice(0, Math.min(maxSplits, args.count - 1))
  const left = args.count - best.length
  const together = legs.length === 1 ? [] : combined(legs, args)
  const flows = legs.length === 1 ? singles(legs, left) : together.slice(0, left)
  const candidates = [...best, ...flows]
  if (args.onLeftOut) {
    const taken = new Set(candidates.map(({ key }) => key))
    const paths = legs.length === 1 ? (legs[0]?.paths ?? []).map(flowOfPath) : together
    for (const flow of [...splits, ...paths]) if (!taken.has(flow.key)) args.onLeftOut(flow)
  }
  return { candidates, missing: null, wasCut }
}

/** Swaps between the same tokens in the few other pools that give most after gas. */
function besides({ market, gasCost, isAllowed }: CandidateArgs, hop: Hop, amountIn: bigint): Hop[] {
  if (hop.kind !== 'swap') return []
  const edge = market.memory(TokenGraph).edge(hop.tokenIn, hop.tokenOut)
  const gasRate = () => Number(gasCost(hop.tokenOut) ?? 0n) / gasUnit
  return (edge?.shortlist(amountIn, poolsBeside, gasRate, isAllowed) ?? []).flatMap((place) => {
    const other = edge?.pools[place]
    if (!other || other === hop.market || isAllowed?.(other) === false) return []
    return [{ ...hop, market: other }]
  })
}

function partOf(gasCost: bigint | undefined, part: bigint): bigint | undefined {
  return gasCost === undefined ? undefined : gasCost / part
}

function singles([leg]: readonly Leg[], count: number): Flow[] {
  return leg ? pathsOf(leg, count).map(flowOfPath) : []
}

/** Estimates may promise more than they keep, so a third of the places is for exact paths. */
function pathsOf({ paths, exactPaths }: Leg, count: number): Path[] {
  const certain = paths === exactPaths ? [] : selectDiverse(exactPaths, Math.floor(count / 3))
  const keys = new Set(certain.map(({ key }) => key))
  const others = selectDiverse(
    paths.filter(({ key }) => !keys.has(key)),
    count - certain.length,
  )
  return [...others, ...certain]
}

/**
 * Legs in sequence: later hops spend only what the hop before yielded, so that legs do not mix their tokens. Where they lead
 * to one token, a swap that several share is made once, for all of its token.
 */
function combined(legs: readonly Leg[], { count, ...args }: CandidateArgs): Flow[] {
  const [tokenOut = nativeToken] = args.tokensOut
  const options = legs.map((leg) => ({ leg, paths: pathsOf(leg, count) }))
  const choose = (chosen: readonly number[]): Flow | null => {
    const picked: { readonly leg: Leg; readonly path: Path }[] = []
    for (const [index, { leg, paths }] of options.entries()) {
      const path = paths[chosen[index] ?? 0]
      if (!path) return null
      picked.push({ leg, path })
    }
    const isMerged = args.mergesInputs !== false && args.tokensOut.length === 1
    const merged = isMerged ? mergedEdges(picked.map(({ path }) => path)) : null
    const edges =
      merged ??
      picked.flatMap(({ leg, path }) =>
        path.hops.map((hop, index): FlowEdge => ({ hop, spends: index ? 'previous' : leg.bps })),
      )
    // Legs that share a pool see each other's effect on it.
    return {
      edges,
      ...runFlow(edges, args.inputs, tokenOut),
      gas: edges.reduce((sum, { hop }) => sum + hopGas(hop, args.swapDataGas), 0n),
      isSplit: false,
      key: picked.map(({ path }) => path.key).join('+'),
    }
  }
  const best = legs.map(() => 0)
  const picks = [choose(best)]
  for (let alternative = 1; alternative < count; alternative++) {
    for (const index of legs.keys()) picks.push(choose(best.with(index, alternative)))
  }
  return picks.filter((pick) => pick !== null)
}

/** Each hop of the paths once; null where they share none, or spend a token in two ways. */
function mergedEdges(paths: readonly Path[]): FlowEdge[] | null {
  const byToken = new Map<Address, Hop>()
  const all = paths.flatMap(({ hops }) => hops)
  for (const hop of all) {
    const known = byToken.get(hop.tokenIn)
    if (known && hopKey(known) !== hopKey(hop)) return null
    byToken.set(hop.tokenIn, hop)
  }
  if (byToken.size === all.length) return null
  const hopsLeft = (token: Address): number => {
    const hop = byToken.get(token)
    return hop ? 1 + hopsLeft(hop.tokenOut) : 0
  }
  // A token is spent once all that leads to it has been swapped.
  return [...byToken.values()]
    .toSorted((a, b) => hopsLeft(b.tokenIn) - hopsLeft(a.tokenIn))
    .map((hop) => ({ hop, spends: Number(bpsDenominator) }))
}

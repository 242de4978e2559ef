/** A split as the Executor will run it: shares in whole basis points, token after token. Pure. */
import { compareText } from '../../domain/lists.js'
import { type Address, bpsDenominator } from '../../domain/primitives.js'
import type { MarketPool } from '../market/market-view.js'
import {
  applyHop,
  type Flow,
  type FlowEdge,
  type HopSwap,
  hopSwap,
  type PoolStates,
  runFlow,
} from './flow.js'
import { type Hop, hopKey } from './hop.js'
import {
  type Arc,
  evaluate,
  type Network,
  pruneArcs,
  type SplitTerms,
  spendsAll,
  tokenOrder,
  withShare,
} from './split-network.js'
import { improve } from './split-newton.js'

/** Arcs that may take the rest of a token, and basis points that one may get less than its share. */
const lastTries = 4
const coarseBps = 4
/** Steps towards right shares after a pool was lost. */
const steps = 3
const whole = Number(bpsDenominator)

/** Arcs to the same token are adjacent, as one step of the answer; small shares first, and the given one last. */
function inStepOrder(arcs: readonly Arc[], last: Arc): Arc[] {
  const totals = new Map<Address, number>()
  for (const { hop, share } of arcs) {
    totals.set(hop.tokenOut, (totals.get(hop.tokenOut) ?? 0) + share)
  }
  const total = ({ hop }: Arc) => rounded(totals.get(hop.tokenOut) ?? 0)
  const isLate = ({ hop }: Arc) => Number(hop.tokenOut === last.hop.tokenOut)
  return arcs.toSorted(
    (a, b) =>
      isLate(a) - isLate(b) ||
      total(a) - total(b) ||
      compareText(a.hop.tokenOut, b.hop.tokenOut) ||
      Number(a === last) - Number(b === last) ||
      rounded(a.share) - rounded(b.share) ||
      compareText(a.key, b.key),
  )
}

function rounded(share: number): number {
  return Math.round(share * whole)
}

/**
 * The flow that the Executor will run: where basis points are too coarse for some pool, without it.
 * @returns null where no amount is divided, or where nothing can be left out.
 */
export function toFlow(terms: SplitTerms, network: Network, options: Refitting = {}): Flow | null {
  let fitted: Network | null = network
  while (fitted) {
    const found = inBasisPoints(terms, fitted)
    if (!('full' in found)) return found.flow
    fitted = withoutFull(terms, fitted, found.full, options)
  }
  return null
}

interface Refitting {
  readonly shouldStop?: (() => boolean) | undefined
}

/** The rest of the network with right shares, without an arc, or else without all that leads to its token. */
function withoutFull(
  terms: SplitTerms,
  { arcs, at }: Network,
  full: Arc,
  { shouldStop }: Refitting,
): Network | null {
  const exactOnly = at.exact
  const others = arcs.filter((arc) => arc !== full)
  const detour = arcs.filter(({ hop }) => hop.tokenOut !== full.hop.tokenIn)
  const beside = others.filter(({ hop }) => hop.tokenIn === full.hop.tokenIn)
  // The others may be as full as it was in proportion: then one of them takes all that is left.
  const shares = largestFirst(beside).map((taker) =>
    others.map((arc) => (arc === taker ? withShare(arc, arc.share + full.share) : arc)),
  )
  for (const kept of [others, ...shares.slice(0, lastTries), detour]) {
    const fitting = pruneArcs(kept, terms.sources, terms.tokenOut)
    if (!spendsAll(fitting, terms) || fitting.some(({ key }) => key === full.key)) continue
    const next = evaluate(fitting, terms, exactOnly)
    if (!next) continue
    return improve({ arcs: fitting, at: next }, terms, { exactOnly, steps, shouldStop })
  }
  return null
}

/** The flow, or the arc that cannot take its part in basis points. */
function inBasisPoints(
  terms: SplitTerms,
  network: Network,
): { readonly flow: Flow | null } | { readonly full: Arc } {
  /** Tokens of which no more may arrive than the network says: what follows takes no more. */
  const tight = new Set<Address>()
  for (;;) {
    const found = run(terms, network, tight)
    if (!('full' in found)) return found
    const { tokenIn } = found.full.hop
    const isSource = terms.sources.some(({ token }) => token === tokenIn)
    if (isSource || tight.has(tokenIn)) return found
    tight.add(tokenIn)
  }
}

function run(
  { sources, tokenOut }: SplitTerms,
  { arcs, at }: Network,
  tight: ReadonlySet<Address>,
): { readonly flow: Flow | null } | { readonly full: Arc } {
  const edges: FlowEdge[] = []
  const held = new Map(sources.map(({ token, amount }) => [token, amount]))
  const amounts = new Map(at.flows.map(({ arc, amountIn }) => [arc.key, amountIn]))
  const states: PoolStates = new Map()
  for (const token of tokenOrder(arcs.map(({ hop }) => hop)) ?? []) {
    const own = arcs.filter(({ hop }) => hop.tokenIn === token)
    if (!own.length) continue
    const found = divided(own, held.get(token) ?? 0n, {
      amounts,
      states,
      tight,
      exactOnly: at.exact,
    })
    if ('full' in found) return found
    const seen = new Set<MarketPool>()
    for (const { edge, amountIn, swap } of found.parts) {
      const { hop } = edge
      edges.push(edge)
      // A pool of many tokens may take two parts: the later one finds it changed.
      const isChanged = hop.kind === 'swap' && seen.has(hop.market)
      applyHop(hop, isChanged ? hopSwap(hop, states, amountIn) : swap, states)
      if (hop.kind === 'swap') seen.add(hop.market)
      held.set(hop.tokenOut, (held.get(hop.tokenOut) ?? 0n) + swap.amountOut)
    }
  }
  if (edges.every(({ spends }) => spends === whole)) return { flow: null }
  const { amountOut, exact } = runFlow(edges, sources, tokenOut)
  if (amountOut <= 0n) return { flow: null }
  const key = edges.map(({ hop, spends }) => `${hopKey(hop)}*${spends}`).join('+')
  return { flow: { edges, amountOut, exact, gas: at.gas, isSplit: true, key } }
}

function largestFirst(arcs: readonly Arc[]): Arc[] {
  return arcs.toSorted((a, b) => rounded(b.share) - rounded(a.share) || compareText(b.key, a.key))
}

interface Limits {
  /** What the network says that each arc takes, raw units by its key. */
  readonly amounts: ReadonlyMap<string, bigint>
  readonly states: PoolStates
  /** Tokens of which no more may arrive than a share says. */
  readonly tight: ReadonlySet<Address>
  readonly exactOnly: boolean
}

interface Part {
  readonly edge: FlowEdge
  readonly amountIn: bigint
  readonly swap: HopSwap
}

/**
 * One token's arcs as parts of what is left of it, in basis points; the last, the largest if it can, takes the rest.
 * @returns where some pool cannot take its part, nor a few basis points less, that one; the smallest of several.
 */
function divided(
  arcs: readonly Arc[],
  balance: bigint,
  { amounts, states, tight, exactOnly }: Limits,
): { readonly parts: readonly Part[] } | { readonly full: Arc } {
  const part = (hop: Hop, left: bigint, spends: number): Part | null => {
    const amountIn = (left * BigInt(spends)) / BigInt(whole)
    const swap = hopSwap(hop, states, amountIn)
    const isServed = swap.amountOut > 0n && (swap.exact || !exactOnly)
    return isServed ? { edge: { hop, spends }, amountIn, swap } : null
  }
  /** As many basis points, or a few less where the pool has no room for them. */
  const nearly = (hop: Hop, left: bigint, spends: number): Part | null => {
    let found = part(hop, left, spends)
    for (let less = 1; !found && less <= coarseBps && less < spends; less++) {
      found = part(hop, left, spends - less)
    }
    return found
  }
  const largest = largestFirst(arcs)
  let full: Arc | undefined
  for (const last of largest.slice(0, lastTries)) {
    let [left, leftShare] = [balance, 1]
    const ordered = inStepOrder(arcs, last)
    const parts = ordered.map((arc) => {
      const share = (arc.share / leftShare) * whole
      const nearest = tight.has(arc.hop.tokenOut) ? Math.floor(share) : Math.round(share)
      const wanted = arc === last ? whole : Math.max(1, nearest)
      // Where more has arrived than the network says, a pool without room for more gets what it was to get.
      const known = left > 0n ? Number(((amounts.get(arc.key) ?? 0n) * BigInt(whole)) / left) : 0
      const found =
        arc === last
          ? part(arc.hop, left, whole)
          : (nearly(arc.hop, left, wanted) ??
            (known > 0 && known < wanted ? nearly(arc.hop, left, known) : null))
      left -= found?.amountIn ?? 0n
      leftShare -= (leftShare * Number(found?.edge.spends ?? 0)) / whole
      return found
    })
    const served = parts.filter((each) => each !== null)
    if (served.length === parts.length) return { parts: served }
    // The last one gets what the others leave, so it is not to blame as long as one of them is.
    const blamed = ordered.filter((arc, index) => parts[index] === null && arc !== last)
    full ??= largestFirst(blamed).at(-1)
  }
  return { full: full ?? (largest.at(-1) as Arc) }
}

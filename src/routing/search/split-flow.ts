/** A split as the Executor will run it: shares in whole basis points, token after token. Pure. */
import { compareText } from '../../domain/lists.js'
import { type Address, bpsDenominator } from '../../domain/primitives.js'
import { poolKey } from '../../protocols/pool.js'
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
import { hopKey } from './hop.js'
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
/** Part of the output that basis points may cost. */
const rounding = 1e-4
/** Steps towards right shares after a pool was lost. */
const steps = 3
const whole = Number(bpsDenominator)

/**
 * Arcs to the same token are adjacent, as one step of the answer; small shares first, and the given one last.
 * @param isByToken - the tokens that they lead to come in the order in which the network was evaluated, but for the last.
 */
function inStepOrder(arcs: readonly Arc[], last: Arc, isByToken: boolean): Arc[] {
  const totals = new Map<Address, number>()
  for (const { hop, share } of arcs) {
    totals.set(hop.tokenOut, (totals.get(hop.tokenOut) ?? 0) + share)
  }
  const total = ({ hop }: Arc) => rounded(totals.get(hop.tokenOut) ?? 0)
  const isLate = ({ hop }: Arc) => Number(hop.tokenOut === last.hop.tokenOut)
  return arcs.toSorted(
    (a, b) =>
      isLate(a) - isLate(b) ||
      (isByToken ? 0 : total(a) - total(b)) ||
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
 * The flow that the Executor will run: where basis points are too coarse for some pool, without it. Swaps run in the
 * order of the answer's steps; where that costs something, in the order in which the network was evaluated.
 * @returns null where no amount is divided, or where nothing can be left out.
 */
export function toFlow(terms: SplitTerms, network: Network, options: Refitting = {}): Flow | null {
  let fitted: Network | null = network
  while (fitted) {
    const found = inBasisPoints(terms, fitted, false)
    if (!('full' in found) && !losesByOrder(fitted, found.flow)) return found.flow
    const inOrder = sharesPool(fitted) ? inBasisPoints(terms, fitted, true) : found
    const flows = [found, inOrder].flatMap((each) => ('full' in each ? [] : (each.flow ?? [])))
    if (flows.length) return flows.reduce((a, b) => (b.amountOut > a.amountOut ? b : a))
    if (!('full' in found)) return null
    fitted = withoutFull(terms, fitted, found.full, options)
  }
  return null
}

/** Whether one pool swaps a token into several others: what it pays for each depends on the order. */
function sharesPool({ arcs }: Network): boolean {
  const names = arcs.flatMap(({ hop }) =>
    hop.kind === 'swap' ? [`${hop.tokenIn}/${poolKey(hop.market.loaded.pool)}`] : [],
  )
  return new Set(names).size < names.length
}

/** Whether the flow gives clearly less than the network, which rounding alone does not do. */
function losesByOrder({ at }: Network, flow: Flow | null): boolean {
  return flow !== null && Number(flow.amountOut) < Number(at.amountOut) * (1 - rounding)
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
  isByToken: boolean,
): { readonly flow: Flow | null } | { readonly full: Arc } {
  /** Tokens of which no more may arrive than the network says: what follows takes no more. */
  const tight = new Set<Address>()
  for (;;) {
    const found = run(terms, network, { tight, isByToken })
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
  { tight, isByToken }: Pick<Limits, 'tight' | 'isByToken'>,
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
      isByToken,
      exactOnly: at.exact,
    })
    if ('full' in found) return found
    const seen = new Set<MarketPool>()
    for (const { arc, edge, amountIn, swap: first } of found.parts) {
      const { hop } = edge
      edges.push(edge)
      // A pool of many tokens may take two parts: the later one finds it changed, and there may be nothing left for it.
      const isChanged = hop.kind === 'swap' && seen.has(hop.market)
      const swap = isChanged ? hopSwap(hop, states, amountIn) : first
      if (swap.amountOut <= 0n) return { full: arc }
      applyHop(hop, swap, states)
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
  /** See `inStepOrder`. */
  readonly isByToken: boolean
  readonly exactOnly: boolean
}

interface Part {
  readonly arc: Arc
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
  { amounts, states, tight, isByToken, exactOnly }: Limits,
): { readonly parts: readonly Part[] } | { readonly full: Arc } {
  const part = (arc: Arc, left: bigint, spends: number): Part | null => {
    const amountIn = (left * BigInt(spends)) / BigInt(whole)
    const swap = hopSwap(arc.hop, states, amountIn)
    const isServed = swap.amountOut > 0n && (swap.exact || !exactOnly)
    return isServed ? { arc, edge: { hop: arc.hop, spends }, amountIn, swap } : null
  }
  /** As many basis points, or a few less where the pool has no room for them. */
  const nearly = (arc: Arc, left: bigint, spends: number): Part | null => {
    let found = part(arc, left, spends)
    for (let less = 1; !found && less <= coarseBps && less < spends; less++) {
      found = part(arc, left, spends - less)
    }
    return found
  }
  const largest = largestFirst(arcs)
  if (isByToken) largest.sort((a, b) => compareText(b.hop.tokenOut, a.hop.tokenOut))
  let full: Arc | undefined
  for (const last of largest.slice(0, lastTries)) {
    let [left, leftShare] = [balance, 1]
    const ordered = inStepOrder(arcs, last, isByToken)
    const parts = ordered.map((arc) => {
      const share = (arc.share / leftShare) * whole
      const nearest = tight.has(arc.hop.tokenOut) ? Math.floor(share) : Math.round(share)
      const wanted = arc === last ? whole : Math.max(1, nearest)
      // Where more has arrived than the network says, a pool without room for more gets what it was to get.
      const known = left > 0n ? Number(((amounts.get(arc.key) ?? 0n) * BigInt(whole)) / left) : 0
      const found =
        arc === last
          ? part(arc, left, whole)
          : (nearly(arc, left, wanted) ??
            (known > 0 && known < wanted ? nearly(arc, left, known) : null))
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

/**
 * The network of a split during optimisation: arcs with shares of what their token receives, and how much flows through
 * each. Shared by `split.ts` and `split-newton.ts`. Pure.
 */
import { zip } from '../../domain/lists.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type { MarketPool } from '../market/market-view.js'
import { applyHop, type HopSwap, hopSwap, type PoolStates } from './flow.js'
import { type Hop, hopGas, hopKey, isSameState } from './hop.js'
import type { Path } from './path.js'
import type { SearchArgs } from './search.js'

export interface Arc {
  readonly hop: Hop
  readonly key: string
  readonly gas: bigint
  /** Part of what reaches `hop.tokenIn` that takes this arc; the arcs of one token add up to 1. */
  readonly share: number
}

/** One arc with what flows through it. */
interface ArcFlow {
  readonly arc: Arc
  readonly amountIn: bigint
  readonly swap: HopSwap
  /** Pools changed by the arcs before it; only those that this arc's swap may depend on. */
  readonly states: ReadonlyMap<MarketPool, unknown>
}

export interface Evaluation {
  /** In the order in which the swaps run; arcs of one token are neighbours. */
  readonly flows: readonly ArcFlow[]
  readonly amountOut: bigint
  readonly exact: boolean
  readonly gas: bigint
}

/** Raw units through each arc, by its key. */
export type ArcAmounts = ReadonlyMap<string, { readonly hop: Hop; readonly amount: number }>

export interface Network {
  readonly arcs: readonly Arc[]
  readonly at: Evaluation
}

/** What is to be split into what. */
export interface SplitTerms {
  readonly sources: readonly TokenAmount[]
  readonly tokenOut: Address
  /** Shared by all splits of the view. */
  readonly margins: KnownMargins
  /** Gas that costs what the bytes of a swap do on L1; absent: they cost nothing. */
  readonly swapDataGas?: bigint | undefined
}

export interface SearchOptions extends Pick<SearchArgs, 'states' | 'exactOnly' | 'wanted'> {
  /** The amount is this part of what will go the same way, and bears this part of its gas; default 1. */
  readonly part?: bigint
}

/** The same with a search for more paths. */
export interface SearchedTerms extends SplitTerms {
  /** Paths for a slice of a source, over pools in other states, best first. */
  search(slice: TokenAmount, options: SearchOptions): readonly Path[]
  /** Swaps in place of one of this amount, in the pools between its tokens that may be the best for it. */
  besides(hop: Hop, amountIn: bigint): readonly Hop[]
  /** Raw units of tokenOut that a million gas costs; absent where no price is known: gas then counts as free. */
  readonly gasCostOut?: bigint | undefined
  readonly shouldStop?: (() => boolean) | undefined
}

/** Part of an amount that a pool must be able to take on top. */
export const headroomPart = 500n
/** Pools as the view has them. */
export const unchanged: PoolStates = new Map()
/** Shares are applied as 48-bit fractions. */
const shareBits = 48n
const shareUnit = 2 ** Number(shareBits)

export function arcOf(hop: Hop, share: number, swapDataGas: bigint | undefined): Arc {
  return { hop, key: hopKey(hop), gas: hopGas(hop, swapDataGas), share }
}

/** Tokens from the sources on, each after all that lead to it; null where arcs form a cycle. */
export function tokenOrder(hops: readonly Hop[]): Address[] | null {
  const incoming = new Map<Address, number>()
  for (const { tokenIn, tokenOut } of hops) {
    incoming.set(tokenIn, incoming.get(tokenIn) ?? 0)
    incoming.set(tokenOut, (incoming.get(tokenOut) ?? 0) + 1)
  }
  const order: Address[] = []
  const free = [...incoming].filter(([, count]) => count === 0).map(([token]) => token)
  while (free.length) {
    const token = free.sort().shift() as Address
    order.push(token)
    for (const { tokenIn, tokenOut } of hops) {
      if (tokenIn !== token) continue
      const left = (incoming.get(tokenOut) ?? 0) - 1
      incoming.set(tokenOut, left)
      if (left === 0) free.push(tokenOut)
    }
  }
  return order.length === incoming.size ? order : null
}

/**
 * Sends the sources' amounts through the arcs.
 * @param before - pools as earlier swaps left them.
 * @returns null when any arc with a part of the flow gives nothing, or only an estimate where `exactOnly`.
 */
export function evaluate(
  arcs: readonly Arc[],
  { sources, tokenOut, margins }: SplitTerms,
  exactOnly: boolean,
  before: PoolStates = unchanged,
): Evaluation | null {
  const order = tokenOrder(arcs.map(({ hop }) => hop))
  if (!order) return null
  const shared = poolsUsedTwice(arcs)
  const states: PoolStates = new Map(before)
  const balances = new Map<Address, bigint>()
  const add = (token: Address, amount: bigint) =>
    balances.set(token, (balances.get(token) ?? 0n) + amount)
  for (const { token, amount } of sources) add(token, amount)
  const flows: ArcFlow[] = []
  let exact = true
  let gas = 0n
  for (const token of order) {
    if (token === tokenOut) continue
    const own = arcs.filter(({ hop }) => hop.tokenIn === token)
    const amounts = divide(balances.get(token) ?? 0n, own)
    for (const [arc, amountIn] of zip(own, amounts)) {
      const swap = hopSwap(arc.hop, states, amountIn)
      if (swap.amountOut <= 0n || (exactOnly && !swap.exact)) return null
      const isShared = arc.hop.kind === 'swap' && shared.has(arc.hop.market)
      if (exactOnly && !isShared && !margins.has(arc, amountIn)) return null
      flows.push({
        arc,
        amountIn,
        swap,
        states: isShared ? new Map(states) : states,
      })
      if (isShared) applyHop(arc.hop, swap, states)
      add(arc.hop.tokenOut, swap.amountOut)
      exact &&= swap.exact
      gas += arc.gas
    }
  }
  return { flows, amountOut: balances.get(tokenOut) ?? 0n, exact, gas }
}

/** How much the pools of a view are known to take exactly. */
export class KnownMargins {
  /** Largest such amount, by the key of the hop. */
  readonly #taken = new Map<string, bigint>()

  /** Whether the pool would take a little more too, since shares are rounded to basis points in the end. */
  has({ hop, key }: Arc, amountIn: bigint): boolean {
    if (hop.kind !== 'swap') return true
    const least = amountIn + amountIn / headroomPart
    if (least <= (this.#taken.get(key) ?? 0n)) return true
    // Half as much again, so that the next amounts near this one need no quote.
    const found = [(amountIn * 3n) / 2n, least].find((amount) => {
      const { amountOut, exact } = hopSwap(hop, unchanged, amount)
      return amountOut > 0n && exact
    })
    if (found !== undefined) this.#taken.set(key, found)
    return found !== undefined
  }
}

/** Raw units for each arc; the last absorbs the rounding. */
function divide(balance: bigint, arcs: readonly Arc[]): bigint[] {
  let left = balance
  return arcs.map(({ share }, index) => {
    const part = (balance * BigInt(Math.round(share * shareUnit))) >> shareBits
    const amount = index === arcs.length - 1 || part > left ? left : part
    left -= amount
    return amount
  })
}

function poolsUsedTwice(arcs: readonly Arc[]): ReadonlySet<MarketPool> {
  const seen = new Set<MarketPool>()
  const twice = new Set<MarketPool>()
  for (const { hop } of arcs) {
    if (hop.kind !== 'swap') continue
    if (seen.has(hop.market)) twice.add(hop.market)
    seen.add(hop.market)
  }
  return twice
}

/** The pools' states after the whole flow. */
export function statesAfter({ flows }: Evaluation): PoolStates {
  const states: PoolStates = new Map()
  for (const { arc, swap } of flows) applyHop(arc.hop, swap, states)
  return states
}

/**
 * Arcs with shares that follow from amounts; those of a token without any amount are left out.
 * @param swapDataGas - as in `SplitTerms`.
 */
export function withAmounts(amounts: ArcAmounts, swapDataGas?: bigint): Arc[] {
  const totals = new Map<Address, number>()
  for (const { hop, amount } of amounts.values()) {
    totals.set(hop.tokenIn, (totals.get(hop.tokenIn) ?? 0) + amount)
  }
  return [...amounts.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, { hop, amount }]) => {
      const total = totals.get(hop.tokenIn) ?? 0
      return amount > 0 && total > 0 ? [arcOf(hop, amount / total, swapDataGas)] : []
    })
}

export function amountsOf({ at }: Network): ArcAmounts {
  return new Map(
    at.flows.map(({ arc, amountIn }) => [arc.key, { hop: arc.hop, amount: Number(amountIn) }]),
  )
}

export function networkOf(
  terms: SplitTerms,
  amounts: ArcAmounts,
  exactOnly: boolean,
): Network | null {
  const arcs = withAmounts(amounts, terms.swapDataGas)
  const at = evaluate(arcs, terms, exactOnly)
  return at && { arcs, at }
}

/**
 * The amounts with a path's added; null where it would close a cycle, make the network too large, or use two pools of
 * one state together.
 */
export function join(
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
export function isTaken(hops: readonly Hop[], hop: Hop): boolean {
  if (hop.kind !== 'swap' || !hop.market.sharedState) return false
  const { market } = hop
  return hops.some(
    (each) => each.kind === 'swap' && each.market !== market && isSameState(each.market, market),
  )
}

/** Drops arcs that nothing reaches or that lead nowhere; shares add up to 1 again. */
export function pruneArcs(
  arcs: readonly Arc[],
  sources: readonly TokenAmount[],
  tokenOut: Address,
): readonly Arc[] {
  let kept = arcs
  for (;;) {
    const reached = new Set<Address>()
    const left = new Set<Address>([tokenOut])
    for (const { token } of sources) reached.add(token)
    for (const { hop } of kept) {
      reached.add(hop.tokenOut)
      left.add(hop.tokenIn)
    }
    const next = kept.filter(({ hop }) => reached.has(hop.tokenIn) && left.has(hop.tokenOut))
    if (next.length === kept.length) break
    kept = next
  }
  const totals = new Map<Address, number>()
  for (const { hop, share } of kept) totals.set(hop.tokenIn, (totals.get(hop.tokenIn) ?? 0) + share)
  return kept.map((arc) => withShare(arc, arc.share / (totals.get(arc.hop.tokenIn) || 1)))
}

/** Whether each source has a way on: without one, its amount would stay where it is. */
export function spendsAll(
  arcs: readonly Arc[],
  { sources, tokenOut }: Pick<SplitTerms, 'sources' | 'tokenOut'>,
): boolean {
  return sources.every(
    ({ token }) => token === tokenOut || arcs.some(({ hop }) => hop.tokenIn === token),
  )
}

/** The arc with another share; by name, since a copy by spreading costs several times as much. */
export function withShare({ hop, key, gas }: Arc, share: number): Arc {
  return { hop, key, gas, share }
}

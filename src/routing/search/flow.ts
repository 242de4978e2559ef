/**
 * What a candidate does with tokens, as one ordered list of swaps and wraps; paths and splits are both such lists.
 * A split is a flow through tokens: a token is spent only after all edges that yield it, and each edge takes a part of
 * the Executor's balance at that point, so paths that meet share their next swaps. Pure.
 */
import { type Address, bpsDenominator, type TokenAmount } from '../../domain/primitives.js'
import type { MarketPool } from '../market/market-view.js'
import type { Hop } from './hop.js'
import type { Path } from './path.js'

export interface FlowEdge {
  readonly hop: Hop
  /**
   * Basis points of the Executor's balance of `hop.tokenIn` at that point (10_000 takes all), or exactly what the
   * previous edge yielded.
   */
  readonly spends: number | 'previous'
}

export interface Flow {
  readonly edges: readonly FlowEdge[]
  /** Raw units of the first tokenOut by native math. */
  readonly amountOut: bigint
  /** False when any quote on the way is an estimate. */
  readonly exact: boolean
  /** Rough gas of the edges alone. */
  readonly gas: bigint
  /** True when an amount is divided to get a better output. */
  readonly isSplit: boolean
  /** Identity for ties and for removing doubles. */
  readonly key: string
}

const whole = Number(bpsDenominator)

export function flowOfPath({ hops, amountOut, exact, gas, key }: Path): Flow {
  return {
    edges: hops.map((hop) => ({ hop, spends: whole })),
    amountOut,
    exact,
    gas,
    isSplit: false,
    key,
  }
}

/** Whole basis points that add up to 10,000; the last absorbs the rounding. */
export function toShares(parts: readonly number[]): number[] {
  const total = parts.reduce((sum, part) => sum + part, 0)
  let left = whole
  return parts.map((part, index) => {
    const share = index === parts.length - 1 ? left : Math.round((part / total) * whole)
    left -= share
    return share
  })
}

/**
 * The part that each edge takes of all that there is of its token, basis points; 10,000 where it takes what the edge
 * before it yielded. Those that divide a token add up to 10,000.
 */
export function sharesOf(edges: readonly FlowEdge[]): number[] {
  const shares = edges.map(() => whole)
  for (const token of new Set(edges.map(({ hop }) => hop.tokenIn))) {
    let left = 1
    const own = [...edges.entries()].flatMap(([index, { hop, spends }]) => {
      if (hop.tokenIn !== token || spends === 'previous') return []
      const part = (left * spends) / whole
      left -= part
      return [{ index, part }]
    })
    const parts = toShares(own.map(({ part }) => part))
    for (const [place, { index }] of own.entries()) shares[index] = parts[place] ?? 0
  }
  return shares
}

/** The pools that the edges swap in, in order. */
export function swapsOf({ edges }: Pick<Flow, 'edges'>): MarketPool[] {
  return edges.flatMap(({ hop }) => (hop.kind === 'swap' ? [hop.market] : []))
}

/** States of pools that earlier swaps have changed. */
export type PoolStates = Map<MarketPool, unknown>

/** What one hop does in the given states. */
export interface HopSwap {
  /** Raw units of `hop.tokenOut`. */
  readonly amountOut: bigint
  /** True: to the wei. */
  readonly exact: boolean
  /** The state after it of the hop's pool; absent: nothing is swapped. */
  readonly after?: () => unknown
}

const nothing: HopSwap = { amountOut: 0n, exact: true }

/** The hop with this amount in the given states. */
export function hopSwap(
  hop: Hop,
  states: ReadonlyMap<MarketPool, unknown>,
  amountIn: bigint,
): HopSwap {
  if (hop.kind !== 'swap') return { amountOut: amountIn, exact: true }
  if (amountIn <= 0n) return nothing
  const { adapter, loaded } = hop.market
  const state = states.has(hop.market) ? states.get(hop.market) : loaded.state
  return adapter.swaps.swap(loaded.pool, state, hop, amountIn)
}

/** Writes the state after the hop into `states`. */
export function applyHop(hop: Hop, { after }: HopSwap, states: PoolStates): void {
  if (hop.kind === 'swap' && after) states.set(hop.market, after())
}

/**
 * Runs the edges as the Executor does, with its rounding.
 *
 * @param inputs - raw units that the Executor holds at the start.
 * @param onHop - is told of each hop before it is made, with the states in which it finds the pools; absent: nobody is.
 * @returns Raw units of `tokenOut` at the end; 0n when any edge has no output.
 */
export function runFlow(
  edges: readonly FlowEdge[],
  inputs: readonly TokenAmount[],
  tokenOut: Address,
  onHop?: (hop: Hop, amountIn: bigint, states: ReadonlyMap<MarketPool, unknown>) => void,
): { readonly amountOut: bigint; readonly exact: boolean } {
  const balances = new Map<Address, bigint>()
  const add = (token: Address, amount: bigint) =>
    balances.set(token, (balances.get(token) ?? 0n) + amount)
  for (const { token, amount } of inputs) add(token, amount)
  const states: PoolStates = new Map()
  let previous = 0n
  let exact = true
  for (const { hop, spends } of edges) {
    const held = balances.get(hop.tokenIn) ?? 0n
    const amountIn = spends === 'previous' ? previous : (held * BigInt(spends)) / bpsDenominator
    onHop?.(hop, amountIn, states)
    const swap = hopSwap(hop, states, amountIn)
    if (swap.amountOut <= 0n) return { amountOut: 0n, exact }
    applyHop(hop, swap, states)
    add(hop.tokenIn, -amountIn)
    add(hop.tokenOut, swap.amountOut)
    exact &&= swap.exact
    previous = swap.amountOut
  }
  return { amountOut: balances.get(tokenOut) ?? 0n, exact }
}

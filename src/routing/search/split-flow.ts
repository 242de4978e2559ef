/** A split as the Executor will run it: shares in whole basis points, token after token. Pure. */
import { compareText } from '../../domain/lists.js'
import { type Address, bpsDenominator, type TokenAmount } from '../../domain/primitives.js'
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
import { type Arc, type Network, tokenOrder } from './split-network.js'

/** Arcs that may take the rest of a token, and basis points that one may get less than its share. */
const lastTries = 4
const coarseBps = 4
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

/** The flow that the Executor will run; null where no amount is divided, or basis points are too coarse for it. */
export function toFlow(
  { sources, tokenOut }: { readonly sources: readonly TokenAmount[]; readonly tokenOut: Address },
  { arcs, at }: Network,
): Flow | null {
  const edges: FlowEdge[] = []
  const held = new Map(sources.map(({ token, amount }) => [token, amount]))
  const states: PoolStates = new Map()
  for (const token of tokenOrder(arcs.map(({ hop }) => hop)) ?? []) {
    const own = arcs.filter(({ hop }) => hop.tokenIn === token)
    if (!own.length) continue
    const parts = divided(own, held.get(token) ?? 0n, states, at.exact)
    if (!parts) return null
    const seen = new Set<MarketPool>()
    for (const { edge, amountIn, swap } of parts) {
      const { hop } = edge
      edges.push(edge)
      // A pool of many tokens may take two parts: the later one finds it changed.
      const isChanged = hop.kind === 'swap' && seen.has(hop.market)
      applyHop(hop, isChanged ? hopSwap(hop, states, amountIn) : swap, states)
      if (hop.kind === 'swap') seen.add(hop.market)
      held.set(hop.tokenOut, (held.get(hop.tokenOut) ?? 0n) + swap.amountOut)
    }
  }
  if (edges.every(({ spends }) => spends === whole)) return null
  const { amountOut, exact } = runFlow(edges, sources, tokenOut)
  if (amountOut <= 0n) return null
  const key = edges.map(({ hop, spends }) => `${hopKey(hop)}*${spends}`).join('+')
  return { edges, amountOut, exact, gas: at.gas, isSplit: true, key }
}

/**
 * One token's arcs as parts of what is left of it, in basis points; the last, the largest if it can, takes the rest.
 * @returns null where some pool cannot take its part, nor a few basis points less.
 */
function divided(
  arcs: readonly Arc[],
  balance: bigint,
  states: PoolStates,
  exactOnly: boolean,
): { readonly edge: FlowEdge; readonly amountIn: bigint; readonly swap: HopSwap }[] | null {
  const part = (hop: Hop, left: bigint, spends: number) => {
    const amountIn = (left * BigInt(spends)) / BigInt(whole)
    const swap = hopSwap(hop, states, amountIn)
    const isServed = swap.amountOut > 0n && (swap.exact || !exactOnly)
    return isServed ? { edge: { hop, spends }, amountIn, swap } : null
  }
  const largest = arcs.toSorted(
    (a, b) => rounded(b.share) - rounded(a.share) || compareText(b.key, a.key),
  )
  for (const last of largest.slice(0, lastTries)) {
    let [left, leftShare] = [balance, 1]
    const parts = inStepOrder(arcs, last).map((arc) => {
      const wanted = arc === last ? whole : Math.round((arc.share / leftShare) * whole)
      const lowest = arc === last ? whole : Math.max(1, wanted - coarseBps)
      let found = part(arc.hop, left, Math.max(lowest, wanted))
      for (let spends = wanted - 1; !found && spends >= lowest; spends--) {
        found = part(arc.hop, left, spends)
      }
      left -= found?.amountIn ?? 0n
      leftShare -= (leftShare * (found?.edge.spends ?? 0)) / whole
      return found
    })
    const served = parts.filter((each) => each !== null)
    if (served.length === parts.length) return served
  }
  return null
}

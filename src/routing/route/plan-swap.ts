/**
 * Finds out whether a route is legs of plain swaps, which `Router.swap()` carries out without an Executor. Pure.
 */
import type { SwapLeg, SwapLegs } from '../../domain/order.js'
import { type Address, bpsDenominator, isNative } from '../../domain/primitives.js'
import type { FlowEdge } from '../search/flow.js'
import type { Hop } from '../search/hop.js'

const whole = Number(bpsDenominator)

type Swap = Extract<Hop, { kind: 'swap' }>
type LegHop = SwapLeg['hops'][number]

/**
 * @param tokensIn - the inputs of the order; only one can be swapped.
 * @returns null where amounts meet between the first token and the last, or a hop needs steps.
 */
export function planSwap(
  edges: readonly FlowEdge[],
  tokensIn: readonly Address[],
  tokensOut: readonly Address[],
): SwapLegs | null {
  const [tokenIn, otherIn] = tokensIn
  const [tokenOut, otherOut] = tokensOut
  if (!tokenIn || otherIn || !tokenOut || otherOut) return null
  const wrap = isNative(tokenIn) && edges[0]?.hop.kind === 'wrap' ? edges[0] : undefined
  const unwrap =
    isNative(tokenOut) && edges.at(-1)?.hop.kind === 'unwrap' ? edges.at(-1) : undefined
  // A part that stays native beside the wrapped one would need two inputs.
  if (wrap && wrap.spends !== whole) return null
  const between = edges.filter((edge) => edge !== wrap && edge !== unwrap)
  const legs = legsBetween(between, wrap?.hop.tokenOut ?? tokenIn, unwrap?.hop.tokenIn ?? tokenOut)
  return legs && { wraps: wrap !== undefined, unwraps: unwrap !== undefined, legs }
}

function legsBetween(
  edges: readonly FlowEdge[],
  source: Address,
  sink: Address,
): readonly SwapLeg[] | null {
  const legs: { share: number | null; hops: LegHop[] }[] = []
  /** Where each edge's output goes on: the leg that ends in it. */
  const open = new Map<Address, LegHop[]>()
  const used = new Set<unknown>()
  for (const [index, { hop, spends }] of edges.entries()) {
    if (hop.kind !== 'swap' || used.has(hop.market)) return null
    used.add(hop.market)
    const made = legHop(hop)
    if (!made) return null
    let hops: LegHop[]
    if (hop.tokenIn === source && spends !== 'previous') {
      const isRest = !edges.slice(index + 1).some((other) => startsAt(other, source))
      if (isRest !== (spends === whole)) return null
      hops = []
      legs.push({ share: isRest ? null : spends, hops })
    } else {
      const before = open.get(hop.tokenIn)
      if (!before || (spends !== 'previous' && spends !== whole)) return null
      open.delete(hop.tokenIn)
      hops = before
    }
    if (!mayFollow(hops.at(-1), made)) return null
    hops.push(made)
    if (hop.tokenOut === sink) continue
    // A second amount of the same token would have to wait for the first.
    if (hop.tokenOut === source || open.has(hop.tokenOut)) return null
    open.set(hop.tokenOut, hops)
  }
  return open.size === 0 && legs.length > 0 ? legs : null
}

/** Adjacent hops of V4 are one unlock of one manager. */
function mayFollow(before: LegHop | undefined, next: LegHop): boolean {
  if (before?.family !== 'v4' || next.family !== 'v4') return true
  return before.manager === next.manager
}

function startsAt({ hop, spends }: FlowEdge, source: Address): boolean {
  return hop.tokenIn === source && spends !== 'previous'
}

function legHop({ market, tokenIn, tokenOut }: Swap): LegHop | null {
  const { adapter, loaded } = market
  const hop = adapter.swaps.swapHop?.(loaded.pool, tokenIn, loaded.state)
  return hop ? { ...hop, tokenIn, tokenOut } : null
}

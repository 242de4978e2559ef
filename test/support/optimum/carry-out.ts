/** A flow in whole units, swap by swap in the order of the layers, each pool as the swaps before have left it. */
import type { MarketPool } from '../../../src/routing/market/market-view.js'
import type { Flow, Links } from './ascent.js'
import { amountAt, type Curve, curveAt } from './curve.js'
import type { CurrentCurves } from './lane-curves.js'
import type { Lane, Link, Network } from './network.js'

export interface Swap {
  readonly lane: Lane
  readonly amountIn: bigint
  readonly amountOut: bigint
}

/** Shares below this part of an amount are left out. */
const smallestShare = 1e-12
const shareUnit = 2 ** 52

export function carryOut(
  network: Network,
  links: Links,
  curves: CurrentCurves,
  flow: Flow,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly swaps: readonly Swap[] } {
  const states = new Map<MarketPool, unknown>()
  const swaps: Swap[] = []
  const swap = (lane: Lane, amount: bigint): bigint => {
    if (amount === 0n) return 0n
    const { market, tokenIn, tokenOut } = lane
    const { adapter, loaded } = market
    const state = states.get(market) ?? loaded.state
    const quote = adapter.swaps.swap(loaded.pool, state, { tokenIn, tokenOut }, amount)
    const amountOut = quote.exact ? quote.amountOut : 0n
    states.set(market, quote.after())
    swaps.push({ lane, amountIn: amount, amountOut })
    return amountOut
  }
  const through = (road: Link, link: Curve | null | undefined, whole: number, amount: bigint) => {
    const lanes = curves.openLanes(road)
    const price = link ? curveAt(link, whole).price : 0
    const taken = lanes.map((lane) => {
      const curve = curves.of(lane)
      return curve ? amountAt(curve, price) : 0
    })
    // An amount too small to move any price goes to the best.
    const first = lanes.map((lane) => curves.of(lane)?.prices[0] ?? 0)
    const best = Math.max(...first)
    const weights = taken.some((each) => each > 0)
      ? taken
      : first.map((each) => Number(each === best))
    const rooms = lanes.map((lane) => BigInt(Math.floor(curves.of(lane)?.amounts.at(-1) ?? 0)))
    return within(divide(amount, weights), rooms).reduce(
      (sum, part, index) => sum + (lanes[index] ? swap(lanes[index], part) : 0n),
      0n,
    )
  }

  const [direct = 0n, ...entering] = divide(amountIn, [flow.direct, ...flow.first])
  let amountOut = through(network.direct, links.direct, flow.direct, direct)
  const early = entering.map((amount, v) =>
    through(network.first[v] ?? [], links.first[v], flow.first[v] ?? 0, amount),
  )
  const late = early.map(() => 0n)
  for (const [v, amount] of early.entries()) {
    const onwards = flow.middle[v] ?? []
    const link = links.first[v]
    const whole = link ? curveAt(link, flow.first[v] ?? 0).output : 0
    const rest = whole - onwards.reduce((sum, each) => sum + each, 0)
    const [stays = 0n, ...parts] = divide(amount, [Math.max(0, rest), ...onwards])
    late[v] = (late[v] ?? 0n) + stays
    for (const [w, part] of parts.entries()) {
      const lanes = network.middle[v]?.[w] ?? []
      late[w] = (late[w] ?? 0n) + through(lanes, links.middle[v]?.[w], onwards[w] ?? 0, part)
    }
  }
  for (const [v, amount] of late.entries()) {
    amountOut += through(network.last[v] ?? [], links.last[v], flow.last[v] ?? 0, amount)
  }
  return { amountOut, swaps }
}

/** In proportion to the weights; the largest takes what rounding leaves. */
function divide(amount: bigint, weights: readonly number[]): bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  if (amount === 0n || sum === 0) return weights.map(() => 0n)
  const parts = weights.map((weight) =>
    weight / sum < smallestShare
      ? 0n
      : (amount * BigInt(Math.floor((weight / sum) * shareUnit))) / BigInt(shareUnit),
  )
  const largest = weights.indexOf(Math.max(...weights))
  const given = parts.reduce((total, part) => total + part, 0n)
  return parts.with(largest, (parts[largest] ?? 0n) + amount - given)
}

/** What is more than a part's room goes to where the most is left. */
function within(parts: readonly bigint[], rooms: readonly bigint[]): bigint[] {
  const room = (index: number) => rooms[index] ?? 0n
  const fits = (part: bigint, index: number) => part <= room(index)
  const kept = parts.map((part, index) => (fits(part, index) ? part : room(index)))
  let excess = parts.reduce((sum, part) => sum + part, 0n)
  for (const part of kept) excess -= part
  if (excess === 0n) return kept
  const left = kept.map((part, index) => room(index) - part)
  const widest = left.reduce((best, each, index) => (each > (left[best] ?? 0n) ? index : best), 0)
  return kept.with(widest, (kept[widest] ?? 0n) + excess)
}

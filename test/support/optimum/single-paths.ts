/** Paths without division, by trying: the best pool of each swap, each chain of tokens of the network. */
import { type Curve, curveAt } from './curve.js'
import { type LaneCurves, outputOf } from './lane-curves.js'
import type { Lane, Link, Network } from './network.js'

export interface SinglePath {
  readonly lanes: readonly Lane[]
  /** Raw units; > 0. */
  readonly amountOut: bigint
}

/** Links one after the other, for every chain of tokens. */
function chains({ direct, first, middle, last }: Network): Link[][] {
  return [
    [direct],
    ...first.flatMap((link, v) => [
      [link, last[v] ?? []],
      ...(middle[v] ?? []).map((next, w) => [link, next, last[w] ?? []]),
    ]),
  ]
}

/**
 * Best first. Of one swap every pool, of two swaps every pair of pools, of three the best pool of each swap in turn.
 * No path uses a pool twice.
 */
export function singlePaths(network: Network, amountIn: bigint): SinglePath[] {
  const found: SinglePath[] = []
  for (const links of chains(network)) {
    let partials: SinglePath[] = [{ lanes: [], amountOut: amountIn }]
    for (const lanes of links) {
      const longer = partials.flatMap((partial) => extend(partial, lanes)).sort(bestFirst)
      partials = links.length > 2 ? longer.slice(0, 1) : longer
    }
    found.push(...partials)
  }
  return found.sort(bestFirst)
}

function bestFirst(a: SinglePath, b: SinglePath): number {
  return a.amountOut === b.amountOut ? 0 : a.amountOut > b.amountOut ? -1 : 1
}

function extend({ lanes, amountOut }: SinglePath, next: readonly Lane[]): SinglePath[] {
  return next.flatMap((lane) => {
    if (lanes.some(({ market }) => market === lane.market)) return []
    const output = outputOf(lane, lane.market.loaded.state)(amountOut)
    return output > 0n ? [{ lanes: [...lanes, lane], amountOut: output }] : []
  })
}

/**
 * The best path for an amount, read from curves.
 *
 * @returns raw units out per raw unit in, 0 without a path; and the smallest amount in raw units on the way.
 */
export function bestPathOf(
  network: Network,
  curves: LaneCurves,
  amountIn: number,
): { readonly price: number; readonly smallest: number } {
  const current = curves.after(new Map(), new Set())
  const through = (curve: Curve | null, amount: number) =>
    curve && amount <= (curve.amounts.at(-1) ?? 0) ? curveAt(curve, amount).output : 0
  const best = (link: Link, amount: number): number =>
    Math.max(0, ...link.map((lane) => through(current.of(lane), amount)))
  let found = { price: 0, smallest: 0 }
  for (const chain of chains(network)) {
    let amount = amountIn
    let smallest = amountIn
    for (const link of chain) {
      amount = amount > 0 ? best(link, amount) : 0
      smallest = Math.min(smallest, amount)
    }
    if (amount / amountIn > found.price) found = { price: amount / amountIn, smallest }
  }
  return found
}

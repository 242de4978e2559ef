/**
 * The best possible output of a request without gas, over all flows that consist of paths of at most three swaps:
 * any number of paths and pools, amounts divided without limit, pools shared by paths. Independent of the product's
 * search and splitting; it uses only the adapters' `swap` as the pools' function.
 *
 * Flows go through the layers of `network.ts`, so they have no cycles. The output is concave in them, which gives
 * a figure from each side: a flow that is carried out swap by swap in whole units (`amountOut`), and an upper bound
 * from prices of the tokens (`bound`). For any prices, no flow gives more than
 *
 *   priceIn * amountIn + sum over the lanes of max over x of (priceOut * output(x) - priceIn * x),
 *
 * by Lagrangian duality. The prices of the flow found make the two meet. Only exact quotes count as output.
 *
 * Lanes of one pool of several tokens influence each other. When a flow uses more than one, each of them is taken
 * as it is after the others, until flow and prices agree. The sum over the lanes is then the pool's profit at the
 * flow plus what changing any one lane could add: an upper bound because such a pool's set of trades is convex.
 */
import { bestFlow, type Flow, type Links } from './ascent.js'
import { carryOut, type Swap } from './carry-out.js'
import { amountAt, type Curve } from './curve.js'
import { type CurrentCurves, type LaneCurves, outputOf } from './lane-curves.js'
import {
  buildNetwork,
  type Link,
  laneKey,
  type Network,
  type Place,
  type Request,
} from './network.js'
import { createSharedPools } from './shared-pools.js'

export interface Optimum {
  /** Raw units that no flow exceeds. */
  readonly bound: number
  /** Raw units that the flow found gives. */
  readonly amountOut: bigint
  readonly swaps: readonly Swap[]
}

/** Of lanes that share a pool: until bound and flow are this close, as a part, or so often. */
const agreed = 1e-6
const roundsAtMost = 30
/** Raw units that rounding of every swap may cost. */
const roundedUnits = 10
/** Around a price, where the largest profit is searched for exactly. */
const bracket = 1e-4

/** @param curves - may serve other measurements at the same block too. */
export function createOptimum(curves: LaneCurves): (place: Place, request: Request) => Optimum {
  return (place, request) => {
    const network = buildNetwork(place, request)
    const shared = createSharedPools(network)
    let best: Optimum | null = null
    let before = 0
    for (let round = 1; ; round++) {
      const current = curves.after(shared.states(), shared.closed)
      const links = toLinks(network, current.ofLink)
      const flow = bestFlow(links, Number(request.amountIn))
      const done = carryOut(network, links, current, flow, request.amountIn)
      const bound = upperBound(network, links, flow, current, done.swaps, request.amountIn)
      const found = { bound, amountOut: done.amountOut, swaps: done.swaps }
      const output = Number(done.amountOut)
      const tolerance = agreed + roundedUnits / output
      const isSettled = gap(found) < tolerance && Math.abs(output - before) <= tolerance * output
      if (!shared.note(done.swaps) || isSettled) return found
      if (!best || gap(found) < gap(best)) best = found
      if (round === roundsAtMost) return best
      before = output
    }
  }
}

function gap({ bound, amountOut }: Optimum): number {
  return bound > 0 ? Math.abs(1 - Number(amountOut) / bound) : 0
}

function toLinks(network: Network, toCurve: (link: Link) => Curve | null): Links {
  return {
    direct: toCurve(network.direct),
    first: network.first.map(toCurve),
    middle: network.middle.map((row) => row.map(toCurve)),
    last: network.last.map(toCurve),
  }
}

function upperBound(
  network: Network,
  links: Links,
  flow: Flow,
  curves: CurrentCurves,
  swaps: readonly Swap[],
  amountIn: bigint,
): number {
  const { priceIn, pricesEarly, pricesLate } = flow
  const used = new Map(swaps.map((swap) => [laneKey(swap.lane), swap]))
  let total = priceIn * Number(amountIn)
  const reach = reachable(links, Number(amountIn))
  const add = (link: Link, before: number, after: number, atMost: number) => {
    for (const lane of link) {
      const curve = curves.of(lane)
      if (!curve) continue
      const output = outputOf(lane, curves.stateOf(lane))
      const profit = (x: bigint) => after * Number(output(x)) - before * Number(x)
      const most = largestProfit(curve, profit, before, after, atMost)
      const swap = used.get(laneKey(lane))
      if (swap && curves.isChanged(lane)) {
        const { amountIn: x, amountOut: y } = swap
        total += after * Number(y) - before * Number(x) + Math.max(0, most - profit(x))
      } else total += most
    }
  }
  const [early, late] = [pricesEarly, pricesLate]
  add(network.direct, priceIn, 1, reach.source)
  for (const [v, link] of network.first.entries()) add(link, priceIn, early[v] ?? 0, reach.source)
  for (const [v, row] of network.middle.entries()) {
    for (const [w, link] of row.entries()) {
      add(link, early[v] ?? 0, late[w] ?? 0, reach.early[v] ?? 0)
    }
  }
  for (const [v, link] of network.last.entries()) add(link, late[v] ?? 0, 1, reach.late[v] ?? 0)
  return total
}

/** More than this can arrive nowhere: all of the input at first prices. Without it, conversions at a fixed rate have no end. */
function reachable({ first, middle }: Links, amountIn: number) {
  const slack = 1.001
  const price = (curve: Curve | null | undefined) => curve?.prices[0] ?? 0
  const early = first.map((curve) => slack * amountIn * price(curve))
  const late = early.map((amount, w) =>
    Math.max(amount, ...early.map((each, v) => slack * each * price(middle[v]?.[w]))),
  )
  return { source: slack * amountIn, early, late }
}

/** By golden section where the curve says that the price is met; at least 0, by not swapping. */
function largestProfit(
  curve: Curve,
  profit: (amountIn: bigint) => number,
  before: number,
  after: number,
  atMost: number,
): number {
  if (after <= 0) return 0
  const price = before / after
  let low = Math.min(atMost, amountAt(curve, price * (1 + bracket)))
  let high = Math.min(atMost, amountAt(curve, price * (1 - bracket)))
  const at = (amount: number) => profit(BigInt(Math.round(amount)))
  let most = Math.max(0, at(low), at(high))
  const golden = (Math.sqrt(5) - 1) / 2
  let [left, right] = [high - golden * (high - low), low + golden * (high - low)]
  let [atLeft, atRight] = [at(left), at(right)]
  while (high - low > 1 && high - low > 1e-7 * high) {
    most = Math.max(most, atLeft, atRight)
    if (atLeft > atRight) {
      ;[high, right, atRight] = [right, left, atLeft]
      left = high - golden * (high - low)
      atLeft = at(left)
    } else {
      ;[low, left, atLeft] = [left, right, atRight]
      right = low + golden * (high - low)
      atRight = at(right)
    }
  }
  return Math.max(most, atLeft, atRight)
}

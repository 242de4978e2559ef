/** Requests of all sizes over the tokens of a setup, the same for the same seed. */
import { canonicalToken } from '../../../src/chains/chain.js'
import type { MarketPool } from '../../../src/routing/market/market-view.js'
import { createSeededRandom, pick } from '../../../src/sandbox/seeded-random.js'
import type { LaneCurves } from './lane-curves.js'
import { buildNetwork, type Network, type Request } from './network.js'
import type { QualityContext } from './quality-context.js'
import { bestPathOf } from './single-paths.js'

export interface QualityRequest extends Request {
  readonly pools: readonly MarketPool[]
  /** Raw units of tokenOut that a million gas costs. */
  readonly gasCostOut: bigint | undefined
  readonly gasCostIn: bigint | undefined
}

export interface QualityRequests {
  readonly requests: readonly QualityRequest[]
  /** Pairs drawn that no path of exact quotes connects. */
  readonly withoutRoute: number
  /** Pairs drawn whose largest amount is less than dust. */
  readonly tooShallow: number
}

/** Smallest amount, as a part of the largest, … */
const dustPart = 1e-6
/** … and in raw units of every token on the best path: below, rounding to whole units is all that a gap shows. */
const dustUnits = 1e4
/** The part of a pool up to which sizes go where nothing else is asked. */
const halfPool = 0.5
/** The smallest amount that a price is read at. */
const firstAmount = 1
const fine = 2 ** 30

/**
 * Pairs evenly over the tokens; sizes evenly over the orders of magnitude, from dust to a part of a pool: the amount at
 * which the best path gives as much of its first price as that part of the reserve of a constant-product pool does,
 * two thirds for half of it, half for all of it.
 */
export async function makeRequests(
  context: QualityContext,
  curves: LaneCurves,
  options: {
    readonly count: number
    readonly seed: bigint
    /** Part of a pool; default a half. */
    readonly upTo?: number
  },
): Promise<QualityRequests> {
  const random = createSeededRandom(options.seed)
  const requests: QualityRequest[] = []
  let withoutRoute = 0
  let tooShallow = 0
  while (requests.length < options.count) {
    const [tokenIn, tokenOut] = [pick(context.tokens, random), pick(context.tokens, random)]
    if (canonicalToken(context, tokenIn) === canonicalToken(context, tokenOut)) continue
    const pools = await context.poolsBetween(tokenIn, tokenOut)
    const network = buildNetwork({ ...context, pools }, { tokenIn, tokenOut })
    const { price } = bestPathOf(network, curves, firstAmount)
    if (price === 0) {
      withoutRoute++
      continue
    }
    const most = largest(network, curves, price / (1 + (options.upTo ?? halfPool)))
    const least = dust(network, curves, most)
    if (least >= most) {
      tooShallow++
      continue
    }
    const amountIn = BigInt(Math.round(least * (most / least) ** (random(fine) / fine)))
    const [gasCostIn, gasCostOut] = await Promise.all([
      context.gasCost(tokenIn),
      context.gasCost(tokenOut),
    ])
    requests.push({ tokenIn, tokenOut, amountIn, pools, gasCostIn, gasCostOut })
  }
  return { requests, withoutRoute, tooShallow }
}

/** The amount at which the best path gives this price, to about 10 %. */
function largest(network: Network, curves: LaneCurves, price: number): number {
  let amount = firstAmount
  for (const growth of [16, 2, 1.1]) {
    while (bestPathOf(network, curves, amount * growth).price >= price) {
      amount *= growth
    }
  }
  return amount
}

function dust(network: Network, curves: LaneCurves, most: number): number {
  let amount = most * dustPart
  while (amount < most && bestPathOf(network, curves, amount).smallest < dustUnits) amount *= 2
  return amount
}

/**
 * The USD price of a token according to one pool, and the depth behind that price.
 * Uses the native math of the pool's adapter only; pure.
 */
import type { Address } from '../domain/primitives.js'
import type { Direction, LoadedPool, SwapAdapter } from '../protocols/protocol.js'

/** USD per whole token, and USD amounts, are integers times this (1e30): cheap tokens keep their digits. */
export const usdScale = 10n ** 30n

/** Trades that show the marginal price, USD: the first whose output has enough digits is used. */
const probeSizesUsd = [10n, 1_000n, 100_000n]
/** Raw units of an output below which the next larger probe is taken: four digits. */
const minProbeOutput = 10_000n
/**
 * Share of the marginal rate that a trade must keep on average, per mille: along a straight piece of
 * the curve an average 1 % worse is a price moved by 2 %.
 */
const keptPerMille = 990n
/** The most that one pool weighs, USD: a single deep pool must not outweigh all others. */
const maxDepthUsd = 5_000_000n
/** Depth is searched by factors of four from the smallest probe, then refined by halving. */
const growth = 4n
const refinements = 4

export interface PricedQuote {
  /** The pool's own name of the token: the native constant for pools of native ETH. */
  readonly token: Address
  readonly decimals: number
  /** USD per whole token, times `usdScale`. */
  readonly price: bigint
}

export interface Observation {
  /** USD per whole token, times `usdScale`. */
  readonly price: bigint
  /** USD times `usdScale`, at most 5 million: what trades in the worse direction before the price moves 2 %. */
  readonly depth: bigint
}

/**
 * Mid of the marginal buying and selling price, weighted by the depth of the thinner side.
 *
 * @returns null when the pool trades in one direction only, or not at all.
 */
export function observe(
  { loaded, adapter }: { readonly loaded: LoadedPool; readonly adapter: SwapAdapter },
  token: { readonly token: Address; readonly decimals: number },
  quote: PricedQuote,
): Observation | null {
  const output = (direction: Direction, amountIn: bigint): bigint =>
    amountIn > 0n
      ? adapter.swaps.swap(loaded.pool, loaded.state, direction, amountIn).amountOut
      : 0n
  const buy = { tokenIn: quote.token, tokenOut: token.token }
  const sell = { tokenIn: token.token, tokenOut: quote.token }
  const unit = 10n ** BigInt(token.decimals)
  const quoteUnit = 10n ** BigInt(quote.decimals)
  const toQuote = (usd: bigint) => (usd * usdScale * quoteUnit) / quote.price

  for (const [index, usd] of probeSizesUsd.entries()) {
    const paid = toQuote(usd)
    const bought = output(buy, paid)
    const isLast = index === probeSizesUsd.length - 1
    if (bought === 0n || (bought < minProbeOutput && !isLast)) continue
    const returned = output(sell, bought)
    if (returned === 0n) return null
    const asks = (paid * quote.price * unit) / (quoteUnit * bought)
    const bids = (returned * quote.price * unit) / (quoteUnit * bought)
    const depth = (direction: Direction, amountIn: bigint, amountOut: bigint) =>
      depthOf((x) => output(direction, x), amountIn, amountOut, usd)
    const buyDepth = depth(buy, paid, bought)
    const sellDepth = depth(sell, bought, returned)
    if (buyDepth < sellDepth) return { price: (asks + bids) / 2n, depth: buyDepth }
    return { price: (asks + bids) / 2n, depth: sellDepth }
  }
  return null
}

/**
 * @param quote - with its price as a plain number of USD per whole token.
 * @returns USD that trade in the worse direction before the price moves 2 %, at most 5 million; null when the
 * pool does not trade in both directions.
 */
export function depthUsd(
  market: { readonly loaded: LoadedPool; readonly adapter: SwapAdapter },
  token: { readonly token: Address; readonly decimals: number },
  quote: { readonly token: Address; readonly decimals: number; readonly priceUsd: number },
): number | null {
  // 1e18 first: the product of a double and 1e30 would not be an exact integer to BigInt.
  const price = BigInt(Math.round(quote.priceUsd * 1e18)) * (usdScale / 10n ** 18n)
  if (price === 0n) return null
  const seen = observe(market, token, { ...quote, price })
  return seen && Number(seen.depth / 10n ** 18n) / Number(usdScale / 10n ** 18n)
}

/**
 * @param probeIn - input of the probe; `probeOut` is its output, `probeUsd` its value.
 * @returns USD times `usdScale`, of the largest trade that keeps the probe's rate within the bound.
 */
function depthOf(
  output: (amountIn: bigint) => bigint,
  probeIn: bigint,
  probeOut: bigint,
  probeUsd: bigint,
): bigint {
  const keeps = (amountIn: bigint) =>
    output(amountIn) * probeIn * 1000n >= probeOut * amountIn * keptPerMille
  const largest = (probeIn * maxDepthUsd) / probeUsd
  // A pool that its own probe already moves too far fails at the first step.
  let good = 0n
  let bad = probeIn * growth
  while (bad < largest && keeps(bad)) {
    good = bad
    bad *= growth
  }
  if (bad >= largest) {
    if (keeps(largest)) return maxDepthUsd * usdScale
    bad = largest
  }
  for (let round = 0; round < refinements; round++) {
    const middle = (good + bad) / 2n
    if (keeps(middle)) good = middle
    else bad = middle
  }
  return (good * probeUsd * usdScale) / probeIn
}

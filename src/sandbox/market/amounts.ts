/** Prices and dollars as raw amounts, square-root prices and liquidity; integers only, so that every build agrees. */
import type { SandboxToken } from '../tokens.js'

/** 10^-12 USD per whole token, by symbol. */
export type Prices = Readonly<Record<string, bigint>>

const e12 = 1_000_000_000_000n
const q96 = 1n << 96n

export function priceOf(prices: Prices, token: SandboxToken): bigint {
  return prices[token.symbol] ?? token.priceUsdE12
}

/** Raw units that are worth so many whole dollars, rounded down. */
export function rawWorth(token: SandboxToken, dollars: number, prices: Prices): bigint {
  return (BigInt(dollars) * e12 * 10n ** BigInt(token.decimals)) / priceOf(prices, token)
}

/** sqrt(raw token1 per raw token0) in Q64.96, rounded down. */
export function sqrtPriceX96(token0: SandboxToken, token1: SandboxToken, prices: Prices): bigint {
  const numerator = priceOf(prices, token0) * 10n ** BigInt(token1.decimals)
  const denominator = priceOf(prices, token1) * 10n ** BigInt(token0.decimals)
  return squareRoot((numerator << 192n) / denominator)
}

export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}

/** 1 - 1.0001^(-ticks / 2) in 10^-9; a width of zero stands for the full range. */
function widthFactorE9(ticks: number): bigint {
  if (ticks === 0) return 1_000_000_000n
  let ratio = 1
  // Repeated multiplication, since Math.pow may differ between engines in its last bit.
  for (let tick = 0; tick < ticks; tick++) ratio /= 1.00005
  return BigInt(Math.floor((1 - ratio) * 1e9))
}

/**
 * Liquidity of a position that is worth so many dollars, about.
 *
 * @param below - width of the range under the price in ticks, `above` likewise; 0 = to the end.
 */
export function liquidityWorth(args: {
  readonly token1: SandboxToken
  readonly sqrtPrice: bigint
  readonly dollars: number
  readonly below: number
  readonly above: number
  readonly prices: Prices
}): bigint {
  const value1 = rawWorth(args.token1, args.dollars, args.prices)
  const factor = widthFactorE9(args.below) + widthFactorE9(args.above)
  return (value1 * q96 * 1_000_000_000n) / (args.sqrtPrice * factor)
}

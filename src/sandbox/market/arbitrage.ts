/**
 * Traders who keep every pool but the traps near the market's prices: a pool that is further off than its
 * fee, which is what a trade costs them, is brought back to a random price within it. Integers only.
 */
import { zip } from '../../domain/lists.js'
import type { Hex } from '../../domain/primitives.js'
import type { SeededRandom } from '../seeded-random.js'
import type { SandboxToken } from '../tokens.js'
import { type Prices, priceOf, sqrtPriceX96 } from './amounts.js'
import { type BasketSpec, basketTokens, feeOf, type Market, type PairSpec } from './market-pools.js'
import type { MarketState } from './market-state.js'
import { pushTo, swapBasket } from './trades.js'

const oneMillion = 1_000_000n
const e18 = 10n ** 18n
const e36 = 10n ** 36n

/** Calls of the trading desk, at most one for each pool. */
export function arbitrage(
  market: Market,
  state: MarketState,
  prices: Prices,
  random: SeededRandom,
): Hex[] {
  const { pairSpecs, baskets } = market
  return [
    ...zip(pairSpecs, state.roots).flatMap(([spec, root]) =>
      pairTrade(market, spec, root, { prices, random }),
    ),
    ...zip(baskets, state.balances).flatMap(([spec, balances]) =>
      basketTrade(market, spec, balances, { prices, random }),
    ),
  ]
}

interface Day {
  readonly prices: Prices
  readonly random: SeededRandom
}

/** How far a pool's price may be off, millionths: its fee, but from 5 to 30 basis points. */
function bandOf(spec: PairSpec | BasketSpec): number {
  return Math.min(Math.max(feeOf(spec), 500), 3000)
}

function pairTrade(market: Market, spec: PairSpec, root: bigint, { prices, random }: Day): Hex[] {
  const [token0, token1] = market.pricedTokens(spec)
  const target = sqrtPriceX96(token0, token1, prices)
  const band = bandOf(spec)
  // Twice, since it is a square root.
  const offBy = ((root - target) * 2n * oneMillion) / target
  if (offBy >= -band && offBy <= band) return []
  const noise = BigInt(random(2 * band + 1) - band)
  return [pushTo(market, spec, (target * (2n * oneMillion + noise)) / (2n * oneMillion))]
}

interface Holding {
  readonly token: SandboxToken
  /** Percent, or null in a stable pool. */
  readonly weight: number | null
  /** 10^-18 of a whole token. */
  readonly balance: bigint
  /** Price of one whole token, 10^-12 USD. */
  readonly price: bigint
  /** Worth of the balance, 10^-12 USD. */
  readonly worth: bigint
}

interface Measured {
  readonly holding: Holding
  /** The pool's price over the market's, up to a factor that all tokens of the pool share. */
  readonly premium: bigint
  /** Relative change of the premium for each 10^-12 USD traded, 10^-36. */
  readonly slope: bigint
}

function basketTrade(
  market: Market,
  spec: BasketSpec,
  balances: readonly bigint[],
  { prices, random }: Day,
): Hex[] {
  const holdings = zip(basketTokens(market, spec), balances).map(([{ token, weight }, raw]) => {
    const balance = raw * 10n ** BigInt(18 - token.decimals)
    const price = priceOf(prices, token)
    return { token, weight, balance, price, worth: (balance * price) / e18 }
  })
  const measured = spec.amplification
    ? stablePremiums(holdings, spec.amplification)
    : holdings.map(weightedPremium)
  const ranked = measured.sort((a, b) => (a.premium < b.premium ? -1 : 1))
  const [cheap, dear] = [ranked[0], ranked.at(-1)]
  if (!cheap || !dear) return []
  const band = bandOf(spec)
  const offBy = ((dear.premium - cheap.premium) * oneMillion) / cheap.premium
  if (offBy <= band) return []
  // What is dear goes in: one step of Newton, and more in the next blocks if it does not suffice.
  const correction = offBy - BigInt(random(band))
  const dollars = (correction * e36) / oneMillion / (dear.slope + cheap.slope)
  const { token, price, worth } = dear.holding
  const bounded = dollars < worth / 5n ? dollars : worth / 5n
  const amount = (bounded * 10n ** BigInt(token.decimals)) / price
  return [swapBasket(spec, token, cheap.holding.token, amount)]
}

/** All tokens of a weighted pool are worth the same for each percent when its prices are the market's. */
function weightedPremium(holding: Holding): Measured {
  const { weight, worth } = holding
  return { holding, premium: (BigInt(weight ?? 0) * e36) / worth, slope: e36 / worth }
}

/**
 * The derivative of the stable invariant by a balance is A n + K / balance, K = D^(n+1) / (n^n product); it is the
 * token's price in the pool. The sum of the balances stands for D, which is as much while the pool is near balance.
 */
function stablePremiums(holdings: readonly Holding[], amplification: number): Measured[] {
  const count = BigInt(holdings.length)
  const sum = holdings.reduce((total, { balance }) => total + balance, 0n)
  const k = holdings.reduce((product, { balance }) => (product * sum) / (count * balance), sum)
  const constant = BigInt(amplification) * count * e18
  return holdings.map((holding) => {
    const variable = (k * e18) / holding.balance
    const derivative = constant + variable
    const slope = (variable * e36) / derivative / holding.worth
    return { holding, premium: (derivative * e18) / holding.price, slope }
  })
}

/** Facts about the planned pools that both the opening and the trading need. */
import type { Address } from '../../domain/primitives.js'
import { v2PairAddress, v3PoolAddress } from '../addresses.js'
import { type SandboxToken, sandboxToken, sandboxTokens } from '../tokens.js'
import type { Prices } from './amounts.js'
import { balancerTokens, v4Pool } from './catalog.js'
import {
  type BalancerPlan,
  balancerPlans,
  type CurvePlan,
  curvePlans,
  type V2Plan,
  type V3Plan,
  type V4Plan,
  v2Plans,
  v3Plans,
  v4Plans,
} from './market-plan.js'

/** Both tokens of a pool in the pool's order. */
export function sortedTokens(symbols: readonly [string, string]): [SandboxToken, SandboxToken] {
  const [a, b] = [sandboxToken(symbols[0]), sandboxToken(symbols[1])]
  return a.address < b.address ? [a, b] : [b, a]
}

export function addressOf(plan: V2Plan | V3Plan): Address {
  const [token0, token1] = sortedTokens(plan.symbols)
  return plan.protocol === 'uniswap-v3'
    ? v3PoolAddress(token0.address, token1.address, plan.fee)
    : v2PairAddress(plan.protocol, token0.address, token1.address)
}

export const startPrices: Prices = Object.fromEntries(
  sandboxTokens.map((token) => [token.symbol, token.priceUsdE12]),
)

/** A pool of two tokens that follows the market. */
export type PairPlan = V2Plan | V3Plan | V4Plan
/** A pool of several tokens; all of them follow the market. */
export type BasketPlan = BalancerPlan | CurvePlan

/** All pools of two tokens but the traps. */
export const pairPlans: readonly PairPlan[] = [
  ...[...v2Plans, ...v3Plans].filter(({ trapPriceBps }) => trapPriceBps === undefined),
  ...v4Plans,
]
export const basketPlans: readonly BasketPlan[] = [...balancerPlans, ...curvePlans]

/** The two tokens by which a pool is priced, in the pool's order. */
export function pricedTokens(plan: PairPlan): [SandboxToken, SandboxToken] {
  return plan.protocol === 'uniswap-v4' ? v4Pool(plan).tokens : sortedTokens(plan.symbols)
}

/** Tokens of a basket in the pool's order, with their percentages in a weighted one. */
export function basketTokens(plan: BasketPlan) {
  return plan.protocol === 'balancer-v2'
    ? balancerTokens(plan)
    : plan.symbols.map((symbol) => ({ token: sandboxToken(symbol), weight: null }))
}

/** Hundredths of a basis point. */
export function feeOf(plan: PairPlan | BasketPlan): number {
  if (plan.protocol === 'curve') return plan.fee / 10_000
  return 'fee' in plan ? plan.fee : 3000
}

/** Ids of the pools whose price is made to deceive. */
export function trapPoolIds(): ReadonlySet<string> {
  const traps = [...v2Plans, ...v3Plans].filter(({ trapPriceBps }) => trapPriceBps !== undefined)
  return new Set(traps.map(addressOf))
}

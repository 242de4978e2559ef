/** Facts about the planned pools that both the opening and the trading need. */
import type { Address } from '../domain/primitives.js'
import { v2PairAddress, v3PoolAddress } from './addresses.js'
import type { Prices } from './amounts.js'
import type { V2Plan, V3Plan } from './market-plan.js'
import { type SandboxToken, sandboxToken, sandboxTokens } from './tokens.js'

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

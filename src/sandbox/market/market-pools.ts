/** Facts about the planned pools that both the opening and the trading need. */
import type { Address } from '../../domain/primitives.js'
import { v2PairAddress, v3PoolAddress } from '../addresses.js'
import { type SandboxToken, sandboxToken, sandboxTokens } from '../tokens.js'
import type { Prices } from './amounts.js'
import { balancerTokens, v4Pool } from './catalog.js'
import {
  type BalancerPoolSpec,
  balancerPoolSpecs,
  type CurvePoolSpec,
  curvePoolSpecs,
  type V2PoolSpec,
  type V3PoolSpec,
  type V4PoolSpec,
  v2PoolSpecs,
  v3PoolSpecs,
  v4PoolSpecs,
} from './market-specs.js'

/** Both tokens of a pool in the pool's order. */
export function sortedTokens(symbols: readonly [string, string]): [SandboxToken, SandboxToken] {
  const [a, b] = [sandboxToken(symbols[0]), sandboxToken(symbols[1])]
  return a.address < b.address ? [a, b] : [b, a]
}

export function addressOf(spec: V2PoolSpec | V3PoolSpec): Address {
  const [token0, token1] = sortedTokens(spec.symbols)
  return spec.protocol === 'uniswap-v3'
    ? v3PoolAddress(token0.address, token1.address, spec.fee)
    : v2PairAddress(spec.protocol, token0.address, token1.address)
}

export const startPrices: Prices = Object.fromEntries(
  sandboxTokens.map((token) => [token.symbol, token.priceUsdE12]),
)

/** A pool of two tokens that follows the market. */
export type PairSpec = V2PoolSpec | V3PoolSpec | V4PoolSpec
/** A pool of several tokens; all of them follow the market. */
export type BasketSpec = BalancerPoolSpec | CurvePoolSpec

/** All pools of two tokens but the traps. */
export const pairSpecs: readonly PairSpec[] = [
  ...[...v2PoolSpecs, ...v3PoolSpecs].filter(({ trapPriceBps }) => trapPriceBps === undefined),
  ...v4PoolSpecs,
]
export const basketSpecs: readonly BasketSpec[] = [...balancerPoolSpecs, ...curvePoolSpecs]

/** The two tokens by which a pool is priced, in the pool's order. */
export function pricedTokens(spec: PairSpec): [SandboxToken, SandboxToken] {
  return spec.protocol === 'uniswap-v4' ? v4Pool(spec).tokens : sortedTokens(spec.symbols)
}

/** Tokens of a basket in the pool's order, with their percentages in a weighted one. */
export function basketTokens(spec: BasketSpec) {
  return spec.protocol === 'balancer-v2'
    ? balancerTokens(spec)
    : spec.symbols.map((symbol) => ({ token: sandboxToken(symbol), weight: null }))
}

/** Hundredths of a basis point. */
export function feeOf(spec: PairSpec | BasketSpec): number {
  if (spec.protocol === 'curve') return spec.fee / 10_000
  return 'fee' in spec ? spec.fee : 3000
}

/** Ids of the pools whose price is made to deceive. */
export function trapPoolIds(): ReadonlySet<string> {
  const traps = [...v2PoolSpecs, ...v3PoolSpecs].filter(
    ({ trapPriceBps }) => trapPriceBps !== undefined,
  )
  return new Set(traps.map(addressOf))
}

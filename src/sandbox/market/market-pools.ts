/** The market of one chain of the sandbox: its tokens and planned pools, and facts that opening and trading need. */
import type { ChainDefinition } from '../../chains/chain.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address } from '../../domain/primitives.js'
import { contractAddresses, pairAddress, v3PoolAddress } from '../addresses.js'
import { type SandboxToken, sandboxTokens } from '../tokens.js'
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

/** A pool of two tokens that follows the market. */
export type PairSpec = V2PoolSpec | V3PoolSpec | V4PoolSpec
/** A pool of several tokens; all of them follow the market. */
export type BasketSpec = BalancerPoolSpec | CurvePoolSpec

export interface MarketPlan {
  readonly chain: ChainDefinition
  readonly tokens: readonly SandboxToken[]
  /** Contracts that make the pools of two tokens. */
  readonly factories: Readonly<Record<'uniswap-v2' | 'sushiswap-v2' | 'uniswap-v3', Address>>
  readonly v2Router: Address
  /** Contracts of Uniswap by which traders swap. */
  readonly routers: Readonly<Record<'swapRouter02' | 'universalRouter', Address>>
  readonly v2Pools: readonly V2PoolSpec[]
  readonly v3Pools: readonly V3PoolSpec[]
  /** Only Ethereum has pools of these kinds. */
  readonly v4Pools: readonly V4PoolSpec[]
  readonly baskets: readonly BasketSpec[]
}

export interface Market extends MarketPlan {
  /** @throws RangeError for a symbol that the chain does not have. */
  token(symbol: string): SandboxToken
  /** Both tokens of a pool in the pool's order. */
  sortedTokens(symbols: readonly [string, string]): [SandboxToken, SandboxToken]
  addressOf(spec: V2PoolSpec | V3PoolSpec): Address
  readonly startPrices: Prices
  /** All pools of two tokens but the traps. */
  readonly pairSpecs: readonly PairSpec[]
  /** The two tokens by which a pool is priced, in the pool's order. */
  pricedTokens(spec: PairSpec): [SandboxToken, SandboxToken]
  /** Price feeds of the chain for tokens that it has here; the rest is priced from pools. */
  readonly feeds: readonly {
    readonly token: SandboxToken
    readonly feed: Address
    readonly description: string
  }[]
}

/** Tokens with a price feed. */
const symbolsWithFeed = ['WETH', 'WBTC', 'USDC', 'USDT', 'cbBTC']

export function createMarket(plan: MarketPlan): Market {
  const bySymbol = new Map(plan.tokens.map((token) => [token.symbol, token]))
  const token = (symbol: string): SandboxToken => {
    const found = bySymbol.get(symbol)
    if (!found) throw new RangeError(`The sandbox has no token ${symbol} on ${plan.chain.name}.`)
    return found
  }
  const sortedTokens = (symbols: readonly [string, string]): [SandboxToken, SandboxToken] => {
    const [a, b] = [token(symbols[0]), token(symbols[1])]
    return a.address < b.address ? [a, b] : [b, a]
  }
  return {
    ...plan,
    token,
    sortedTokens,
    addressOf(spec) {
      const [{ address: a }, { address: b }] = sortedTokens(spec.symbols)
      const factory = plan.factories[spec.protocol]
      return spec.protocol === 'uniswap-v3'
        ? v3PoolAddress(a, b, spec.fee, factory)
        : pairAddress(factory, a, b)
    },
    startPrices: Object.fromEntries(
      plan.tokens.map(({ symbol, priceUsdE12 }) => [symbol, priceUsdE12]),
    ),
    pairSpecs: [
      ...[...plan.v2Pools, ...plan.v3Pools].filter(
        ({ trapPriceBps }) => trapPriceBps === undefined,
      ),
      ...plan.v4Pools,
    ],
    pricedTokens: (spec) =>
      spec.protocol === 'uniswap-v4' ? v4Pool(spec).tokens : sortedTokens(spec.symbols),
    feeds: plan.chain.chainlinkFeeds.flatMap(({ token: address, feed }) => {
      const planToken = plan.tokens.find((entry) => entry.address === address)
      if (!planToken || !symbolsWithFeed.includes(planToken.symbol)) return []
      const description = `${planToken.symbol.replace(/^(W|cb)/, '')} / USD`
      return [{ token: planToken, feed, description }]
    }),
  }
}

/** Tokens of a basket in the pool's order, with their percentages in a weighted one. */
export function basketTokens({ token }: Market, spec: BasketSpec) {
  return spec.protocol === 'balancer-v2'
    ? balancerTokens(spec)
    : spec.symbols.map((symbol) => ({ token: token(symbol), weight: null }))
}

/** Hundredths of a basis point. */
export function feeOf(spec: PairSpec | BasketSpec): number {
  if (spec.protocol === 'curve') return spec.fee / 10_000
  return 'fee' in spec ? spec.fee : 3000
}

/** Ids of the pools whose price is made to deceive. */
export function trapPoolIds({ v2Pools, v3Pools, addressOf }: Market): ReadonlySet<string> {
  const traps = [...v2Pools, ...v3Pools].filter(({ trapPriceBps }) => trapPriceBps !== undefined)
  return new Set(traps.map(addressOf))
}

export const ethereumMarket = createMarket({
  chain: ethereum,
  tokens: sandboxTokens,
  factories: {
    'uniswap-v2': contractAddresses.v2Factory,
    'sushiswap-v2': contractAddresses.sushiFactory,
    'uniswap-v3': contractAddresses.v3Factory,
  },
  v2Router: contractAddresses.v2Router,
  routers: {
    swapRouter02: contractAddresses.swapRouter02,
    universalRouter: contractAddresses.universalRouter,
  },
  v2Pools: v2PoolSpecs,
  v3Pools: v3PoolSpecs,
  v4Pools: v4PoolSpecs,
  baskets: [...balancerPoolSpecs, ...curvePoolSpecs],
})

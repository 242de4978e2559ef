/**
 * Prices positions by what they own at the block. The states are those that routes into and out of the position load,
 * so a price beside a route reads next to nothing more.
 */
import { formatUnits } from 'viem'
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import type { Address, Token, TokenAmount } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { type PricedPart, priceHoldings } from '../../pricing/holdings.js'
import type { TokenPrice } from '../../pricing/pricing.js'
import type { Market } from '../market/market.js'
import type { MarketPool } from '../market/market-view.js'

/** Positions of positions that are seen through: a vault of shares of a metapool of a pool of aTokens. */
const maxDepth = 4
/** Of less than this, USD, in a market its price says nothing. */
const leastInMarket = 1_000

/** The facts of one block that prices are made of. */
export interface HoldingsSource {
  readonly chain: ChainDefinition
  readonly market: Market
  /** What a token is made of by its protocol's word; none: it is no position. */
  underlying(token: Address): Promise<readonly Address[]>
  /** Pools of the index by which a token is found that is not told with what it is made of. */
  indexed(token: Address): Promise<readonly MarketPool[]>
  /** Whether the chain's file or a token list of the operator names it. */
  isNamed(token: Address): boolean
  facts(token: Address): Promise<Token | null>
  /** The price by feeds and pools alone. */
  poolPrice(token: Address): Promise<TokenPrice | null>
}

/**
 * Null: the token is no position, its code is vouched for by nobody, its state cannot be read, or a part of it has no
 * price.
 *
 * @param token - not native.
 * @param above - positions that are being priced by this one.
 */
export async function holdingsPrice(
  source: HoldingsSource,
  reader: StateReader,
  token: Address,
  above: readonly Address[] = [],
): Promise<TokenPrice | null> {
  if (above.includes(token) || above.length >= maxDepth) return null
  const { chain, market } = source
  const [made, indexed] = await Promise.all([source.underlying(token), source.indexed(token)])
  const parts = made.map((part) => canonicalToken(chain, part))
  if (parts.length === 0 && indexed.length === 0) return null
  const pairs = parts.map((part) => [token, part] as const)
  const [view, facts] = await Promise.all([market.view(reader, pairs), source.facts(token)])
  if (!facts) return null
  let deepest: { readonly price: TokenPrice; readonly depth: number } | null = null
  for (const pool of [...view.pools, ...indexed]) {
    const { adapter, loaded } = pool
    const holdings = adapter.positions?.holdings?.(loaded.pool, loaded.state, token)
    if (!holdings || !(await isTrusted(source, reader, pool))) continue
    const priced = new Map(
      await Promise.all(
        holdings.amounts.map(async (own) => {
          const part = await pricedPart(source, reader, own.token, [...above, token])
          return [own.token, part] as const
        }),
      ),
    )
    const price = priceHoldings(holdings, facts.decimals, priced)
    if (!holdings.depth) {
      if (price) return price
      continue
    }
    const depth = depthUsd(holdings.depth, priced)
    if (price && depth >= leastInMarket && depth > (deepest?.depth ?? 0)) deepest = { price, depth }
  }
  return deepest?.price ?? null
}

function depthUsd(
  amounts: readonly TokenAmount[],
  parts: ReadonlyMap<Address, PricedPart | null>,
): number {
  return amounts.reduce((sum, { token, amount }) => {
    const part = parts.get(token)
    if (!part) return sum
    return sum + Number(formatUnits(amount, part.decimals)) * part.price.priceUsd
  }, 0)
}

async function pricedPart(
  source: HoldingsSource,
  reader: StateReader,
  token: Address,
  above: readonly Address[],
): Promise<PricedPart | null> {
  const key = canonicalToken(source.chain, token)
  const [facts, pools, holdings] = await Promise.all([
    source.facts(key),
    source.poolPrice(key),
    holdingsPrice(source, reader, key, above),
  ])
  const price = bestPrice(holdings, pools)
  return facts && price && { decimals: facts.decimals, price }
}

/** A feed is asked first; a pool of a position's token may be thin, while what it owns is paid out to anybody. */
export function bestPrice(
  holdings: TokenPrice | null,
  pools: TokenPrice | null,
): TokenPrice | null {
  return pools?.source === 'chainlink' ? pools : (holdings ?? pools)
}

/** Whether the figures come from code that somebody other than the pool itself vouches for. */
async function isTrusted(
  { chain, market, isNamed }: HoldingsSource,
  reader: StateReader,
  { adapter, loaded: { pool }, doubt }: MarketPool,
): Promise<boolean> {
  if (doubt === 'imported') return false
  const listed = market.listed(pool)
  const venue = chain.venues[adapter.slug] ?? {}
  if (adapter.trust?.isEndorsed) {
    return adapter.trust.isEndorsed({ reader, venue, pool, listed, isNamed })
  }
  return listed !== null || doubt === undefined
}

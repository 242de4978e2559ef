/**
 * USD prices of tokens at one block: Chainlink where its answer is fresh, else the depth-weighted median of
 * pools against tokens whose price is already known. A pool without depth has no weight, whatever its spot price,
 * and without enough total depth there is no price.
 * Pure but for `readFeeds`.
 */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { type ChainDefinition, canonicalToken } from '../chains/chain.js'
import type { Address, BlockPin } from '../domain/primitives.js'
import type { StateReader } from '../domain/state.js'
import type { LoadedPool, SwapAdapter } from '../protocols/protocol.js'
import { type Observation, observe, usdScale } from './observation.js'

export interface TokenPrice {
  /** USD per whole token. */
  readonly priceUsd: number
  /** 0 to 1, two decimals. */
  readonly confidence: number
  /** `chainlink`, `anchor` (a stable coin taken as one dollar), `holdings` (of a position) or `pools`. */
  readonly source: string
}

export interface FeedPrice {
  /** USD per whole token, times 1e8. */
  readonly priceUsdE8: bigint
  /** Unix seconds. */
  readonly updatedAt: bigint
}

/** Pool states of the block, and decimals of the tokens in them. */
export interface PriceMarket {
  readonly pools: readonly { readonly loaded: LoadedPool; readonly adapter: SwapAdapter }[]
  readonly decimals: ReadonlyMap<Address, number>
}

/** A price inside this file: an integer times `usdScale`. */
interface Known {
  readonly price: bigint
  readonly confidence: number
  readonly source: string
}

interface Weighted extends Observation {
  /** Confidence of the quote token's price. */
  readonly confidence: number
}

/** Depth that all pools of a token must have together, USD times `usdScale`. */
const minTotalDepth = 1_000n * usdScale
/** Total depth at which the depth alone gives a confidence of one half, USD. */
const halfConfidenceDepthUsd = 25_000
/** How fast disagreement of pools costs confidence: 2 % mean deviation halves it. */
const dispersionPenalty = 50
const feedConfidence = 0.99
const anchorConfidence = 0.95

/**
 * Prices tokens in the order stable anchors, wrapped native, connector tokens, others. Others never price each other,
 * so a price does not depend on which other tokens are asked for.
 *
 * @param args.feeds - by token, from `readFeeds`; stale ones are ignored here.
 * @returns an entry for every token asked; null where no price is known.
 */
export function priceTokens(args: {
  readonly chain: ChainDefinition
  readonly tokens: readonly Address[]
  readonly market: PriceMarket
  readonly feeds: ReadonlyMap<Address, FeedPrice>
  readonly block: BlockPin
}): Map<Address, TokenPrice | null> {
  const { chain, tokens, market } = args
  const known = new Map<Address, Known>()
  for (const [token, price] of freshFeeds(args)) known.set(token, price)
  for (const token of chain.stableAnchors) {
    if (!known.has(token)) {
      known.set(token, { price: usdScale, confidence: anchorConfidence, source: 'anchor' })
    }
  }
  const quotes = { chain, pools: indexPools(market, chain), decimals: market.decimals, known }
  for (const token of [chain.wrappedNative, ...chain.connectorTokens]) {
    if (known.has(token)) continue
    const price = fromPools(token, quotes)
    if (price) known.set(token, price)
  }
  return new Map(
    tokens.map((token) => {
      const key = canonicalToken(chain, token)
      const price = known.get(key) ?? fromPools(key, quotes)
      return [token, price ? toTokenPrice(price) : null]
    }),
  )
}

const feedAbi = parseAbi([
  'function latestRoundData() view returns (uint80, int256 answer, uint256, uint256 updatedAt, uint80)',
])

/**
 * Latest answers of the chain's feeds, all of which have 8 decimals. A feed that cannot be read is left out.
 *
 * @throws ForkrouteError when nothing can be read at all (see StateReader).
 */
export async function readFeeds(
  reader: StateReader,
  chain: ChainDefinition,
): Promise<Map<Address, FeedPrice>> {
  const data = encodeFunctionData({ abi: feedAbi })
  const results = await reader.call(chain.chainlinkFeeds.map(({ feed }) => ({ to: feed, data })))
  const feeds = new Map<Address, FeedPrice>()
  for (const [index, { token }] of chain.chainlinkFeeds.entries()) {
    const result = results[index]
    // Five words; an account without code returns none.
    if (!result?.ok || result.value.length < 2 + 5 * 64) continue
    const [, answer, , updatedAt] = decodeFunctionResult({ abi: feedAbi, data: result.value })
    feeds.set(token, { priceUsdE8: answer, updatedAt })
  }
  return feeds
}

function* freshFeeds(args: {
  readonly chain: ChainDefinition
  readonly feeds: ReadonlyMap<Address, FeedPrice>
  readonly block: BlockPin
}): Generator<[Address, Known]> {
  for (const { token, heartbeatSeconds } of args.chain.chainlinkFeeds) {
    const feed = args.feeds.get(token)
    if (!feed || feed.priceUsdE8 <= 0n) continue
    const age = args.block.timestamp - feed.updatedAt
    if (age < 0n || age > BigInt(heartbeatSeconds)) continue
    const price = (feed.priceUsdE8 * usdScale) / 10n ** 8n
    yield [token, { price, confidence: feedConfidence, source: 'chainlink' }]
  }
}

type PoolIndex = ReadonlyMap<Address, PriceMarket['pools']>

function indexPools(market: PriceMarket, chain: ChainDefinition): PoolIndex {
  const index = new Map<Address, PriceMarket['pools'][number][]>()
  for (const entry of market.pools) {
    const { adapter, loaded } = entry
    const priced = loaded.pool.tokens.filter(
      (own) => !adapter.trust?.isNoPriceSource?.(loaded.pool, own),
    )
    for (const token of new Set(priced.map((own) => canonicalToken(chain, own)))) {
      const list = index.get(token)
      if (list) list.push(entry)
      else index.set(token, [entry])
    }
  }
  return index
}

interface Quotes {
  readonly chain: ChainDefinition
  readonly pools: PoolIndex
  /** Decimals of the tokens in the pools. */
  readonly decimals: PriceMarket['decimals']
  /** Prices of the tokens that others may be priced in. */
  readonly known: ReadonlyMap<Address, Known>
}

function fromPools(token: Address, quotes: Quotes): Known | null {
  const { chain, pools, known } = quotes
  const decimals = quotes.decimals.get(token)
  if (decimals === undefined) return null
  const observations: Weighted[] = []
  for (const entry of pools.get(token) ?? []) {
    const { tokens } = entry.loaded.pool
    const poolToken = tokens.find((each) => canonicalToken(chain, each) === token)
    if (!poolToken) continue
    for (const each of tokens) {
      const quoteKey = canonicalToken(chain, each)
      const quote = known.get(quoteKey)
      const quoteDecimals = quotes.decimals.get(quoteKey)
      if (quoteKey === token || !quote || quoteDecimals === undefined) continue
      const priced = { token: each, decimals: quoteDecimals, price: quote.price }
      const observation = observe(entry, { token: poolToken, decimals }, priced)
      if (observation && observation.depth > 0n) {
        observations.push({ ...observation, confidence: quote.confidence })
      }
    }
  }
  return combine(observations)
}

function combine(observations: readonly Weighted[]): Known | null {
  const total = observations.reduce((sum, { depth }) => sum + depth, 0n)
  if (total < minTotalDepth) return null
  const price = weightedMedian(observations, total)
  if (price === 0n) return null
  const depthUsd = Number(total / usdScale)
  let deviation = 0
  let quoteConfidence = 0
  for (const observation of observations) {
    const share = ratio(observation.depth, total)
    const difference = observation.price - price
    deviation += share * Math.min(1, ratio(difference < 0n ? -difference : difference, price))
    quoteConfidence += share * observation.confidence
  }
  const byDepth = depthUsd / (depthUsd + halfConfidenceDepthUsd)
  const confidence = (byDepth * quoteConfidence) / (1 + dispersionPenalty * deviation)
  return { price, confidence, source: 'pools' }
}

/** The price with half of the depth on either side: less than half of the money cannot move it far. */
function weightedMedian(observations: readonly Observation[], total: bigint): bigint {
  const sorted = observations.toSorted(
    (a, b) => Number(a.price > b.price) - Number(a.price < b.price),
  )
  let passed = 0n
  for (const { price, depth } of sorted) {
    passed += depth
    if (passed * 2n >= total) return price
  }
  return 0n
}

/** a / b as a number with six digits. */
function ratio(a: bigint, b: bigint): number {
  return Number((a * 1_000_000n) / b) / 1_000_000
}

function toTokenPrice({ price, confidence, source }: Known): TokenPrice {
  return {
    // Parsing a decimal rounds once; dividing two doubles would round three times.
    priceUsd: Number(`${price}e-30`),
    confidence: Math.round(confidence * 100) / 100,
    source,
  }
}

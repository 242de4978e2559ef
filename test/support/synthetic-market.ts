/**
 * Markets of any size without a chain: states of the product's own adapters, popularity of tokens by a power law,
 * prices consistent within fees. The same seed gives the same market.
 */
import type { Address } from '../../src/domain/primitives.js'
import { curve } from '../../src/protocols/curve/index.js'
import { withInvariant } from '../../src/protocols/curve/stable-math.js'
import type { Pool } from '../../src/protocols/pool.js'
import type { SwapAdapter } from '../../src/protocols/protocol.js'
import type { ConcentratedState } from '../../src/protocols/shared/concentrated/swap.js'
import { tickAtSqrtPrice } from '../../src/protocols/shared/concentrated/tick-math.js'
import { uniswapV2 } from '../../src/protocols/uniswap-v2/index.js'
import { uniswapV3 } from '../../src/protocols/uniswap-v3/index.js'
import { type MarketPool, MarketView } from '../../src/routing/market/market-view.js'

export interface SyntheticToken {
  readonly address: Address
  readonly decimals: number
  readonly priceUsd: number
  readonly isStable: boolean
  /** Of its deepest pool. */
  liquidityUsd: number
}

export interface SyntheticRequest {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
}

export interface SyntheticMarket {
  readonly pools: readonly MarketPool[]
  /** The pools as they are searched. */
  readonly view: MarketView
  /** Most popular first; the first is the wrapped native token. */
  readonly tokens: readonly SyntheticToken[]
  /** By turns between popular tokens, popular and rare ones, and rare ones, sized by a fraction of the liquidity. */
  requests(count: number): SyntheticRequest[]
  /** Raw units of the token that a million gas costs, at 10 gwei. */
  gasCost(token: Address): bigint | undefined
}

const hubs = [
  { decimals: 18, priceUsd: 3_000, isStable: false, weight: 0.55 },
  { decimals: 6, priceUsd: 1, isStable: true, weight: 0.2 },
  { decimals: 6, priceUsd: 1, isStable: true, weight: 0.12 },
  { decimals: 18, priceUsd: 1, isStable: true, weight: 0.06 },
  { decimals: 8, priceUsd: 60_000, isStable: false, weight: 0.07 },
]
const v3Tiers = [
  { fee: 100, tickSpacing: 1 },
  { fee: 500, tickSpacing: 10 },
  { fee: 3_000, tickSpacing: 60 },
  { fee: 10_000, tickSpacing: 200 },
]

/** @param share - tokens per pool, besides the five hubs. */
export function syntheticMarket(poolCount: number, seed: number, share = 0.4): SyntheticMarket {
  const random = seeded(seed)
  const tokens = makeTokens(Math.max(3, Math.round(poolCount * share)), random)
  const pools: MarketPool[] = []
  for (let index = 0; index < poolCount; index++) {
    pools.push(makePool(pickPair(tokens, index, random), index, random))
  }
  const byAddress = new Map(tokens.map((token) => [token.address, token]))
  const rare = tokens.filter((token, index) => index >= hubs.length && token.liquidityUsd > 0)
  const popular = tokens.slice(0, Math.min(tokens.length, 2 * hubs.length))
  return {
    pools,
    view: new MarketView({ pools }),
    tokens,
    gasCost(token) {
      const { decimals, priceUsd } = byAddress.get(token) ?? { decimals: 18, priceUsd: 1 }
      return toRaw(0.01 * 3_000, { decimals, priceUsd })
    },
    requests: (count) =>
      Array.from({ length: count }, (_, index) => {
        const [from, to] = [
          [popular, popular],
          [popular, rare],
          [rare, popular],
          [rare, rare],
        ][index % 4] ?? [popular, rare]
        const tokenIn = pick(from ?? popular, random)
        let tokenOut = pick(to ?? rare, random)
        while (tokenOut === tokenIn) tokenOut = pick(tokens, random)
        const usd = tokenIn.liquidityUsd * 10 ** (-4 + 3 * random())
        return {
          tokenIn: tokenIn.address,
          tokenOut: tokenOut.address,
          amountIn: toRaw(Math.max(usd, 10), tokenIn),
        }
      }),
  }
}

function makeTokens(rare: number, random: () => number): SyntheticToken[] {
  return [...hubs, ...Array.from({ length: rare }, () => null)].map((hub, index) => {
    const isStable = random() < 0.03
    const own = hub ?? {
      decimals: random() < 0.9 ? 18 : 6 + Math.floor(random() * 6),
      priceUsd: isStable ? 1 : 10 ** (-4 + 7 * random()),
      isStable,
    }
    return { ...own, address: addressOf(index + 1, 0xa), liquidityUsd: 0 }
  })
}

type Pair = readonly [SyntheticToken, SyntheticToken]

/** First a pool with a hub for every token, then by popularity. */
function pickPair(tokens: readonly SyntheticToken[], index: number, random: () => number): Pair {
  const at = (rank: number) => tokens[rank] ?? pick(tokens, random)
  const hub = () => {
    const place = random()
    let sum = 0
    return at(
      hubs.findIndex(({ weight }) => {
        sum += weight
        return place < sum
      }),
    )
  }
  const popular = () => {
    // Rank by a power law: a few tokens are in most pools.
    const rank = Math.floor(tokens.length ** random()) - 1
    return at(Math.min(rank, tokens.length - 1))
  }
  for (;;) {
    const isNew = index + hubs.length < tokens.length
    const first = isNew ? at(index + hubs.length) : random() < 0.15 ? hub() : popular()
    const second = random() < 0.88 ? hub() : popular()
    if (first === second) continue
    return first.address < second.address ? [first, second] : [second, first]
  }
}

function makePool(pair: Pair, index: number, random: () => number): MarketPool {
  const [token0, token1] = pair
  const popularity =
    Math.min(rankOf(token0), rankOf(token1)) + Math.max(rankOf(token0), rankOf(token1))
  const liquidityUsd = (10 ** (5.5 + 2.5 * random()) * 40) / (40 + popularity)
  for (const token of pair) token.liquidityUsd = Math.max(token.liquidityUsd, liquidityUsd)
  const kind = random()
  const isStablePair = token0.isStable && token1.isStable
  if (isStablePair && kind < 0.3) return stablePool(pair, index, liquidityUsd, random)
  return kind < 0.55
    ? productPool(pair, index, liquidityUsd, random)
    : concentratedPool(pair, index, liquidityUsd, random)
}

function marketPool<State>(
  adapter: SwapAdapter<State>,
  pair: Pair,
  index: number,
  parameters: Pool['parameters'],
  state: State,
): MarketPool {
  const address = addressOf(index + 1, 0xb)
  const tokens = pair.map((token) => token.address)
  const pool = { protocol: adapter.slug, id: address, address, tokens, parameters }
  return { adapter: adapter as SwapAdapter, loaded: { pool, state, partial: false } }
}

function productPool(pair: Pair, index: number, usd: number, random: () => number): MarketPool {
  const off = 1 + (random() - 0.5) * 0.006
  const state = { reserve0: toRaw(usd * off, pair[0]), reserve1: toRaw(usd, pair[1]) }
  return marketPool(uniswapV2, pair, index, { feeBps: 30 }, state)
}

function stablePool(pair: Pair, index: number, usd: number, random: () => number): MarketPool {
  const balances = pair.map((token) => toRaw(usd * (0.7 + 0.6 * random()), token))
  const state = withInvariant({
    kind: 'stable',
    balances,
    rates: pair.map(({ decimals }) => 10n ** BigInt(36 - decimals)),
    amp: BigInt(100 + Math.floor(random() * 900)) * 100n,
    ampPrecision: 100n,
    fee: 4_000_000n,
    adminFee: 5_000_000_000n,
    legacy: false,
    offpegFeeMultiplier: 0n,
    dividesAtEnd: false,
  })
  return marketPool(curve, pair, index, {}, { ...state, exact: true })
}

function concentratedPool(
  pair: Pair,
  index: number,
  usd: number,
  random: () => number,
): MarketPool {
  const tier = v3Tiers[Math.floor(random() * v3Tiers.length)] ?? { fee: 3_000, tickSpacing: 60 }
  const { fee, tickSpacing } = tier
  const unit = (token: SyntheticToken) => token.priceUsd / 10 ** token.decimals
  const price = (unit(pair[0]) / unit(pair[1])) * (1 + (random() - 0.5) * fee * 2e-6)
  const sqrtPriceX96 = BigInt(Math.floor(Math.sqrt(price) * 2 ** 48)) << 48n
  const tick = tickAtSqrtPrice(sqrtPriceX96)
  const known = 20_000 + tickSpacing * 256
  const nets = new Map<number, bigint>()
  let liquidity = 0n
  const provide = (lower: number, upper: number, amount: bigint) => {
    nets.set(lower, (nets.get(lower) ?? 0n) + amount)
    nets.set(upper, (nets.get(upper) ?? 0n) - amount)
    if (lower <= tick && tick < upper) liquidity += amount
  }
  const aligned = (each: number) => Math.round(each / tickSpacing) * tickSpacing
  // Of a constant product with these reserves; positions over narrower ranges come on top.
  const base = BigInt(Math.floor(usd / Math.sqrt(unit(pair[0]) * unit(pair[1]))))
  provide(aligned(tick - 60_000), aligned(tick + 60_000), base / 4n + 1n)
  for (let position = 0; position < 10 + Math.floor(random() * 40); position++) {
    const middle = tick + (random() - 0.5) * 4_000
    const reach = tickSpacing * (2 + Math.floor(random() * 50)) + 500 * random()
    const lower = aligned(middle - reach)
    provide(lower, Math.max(aligned(middle + reach), lower + tickSpacing), base / 8n + 1n)
  }
  const ticks = [...nets].filter(([, net]) => net !== 0n).sort(([a], [b]) => a - b)
  const state: ConcentratedState = {
    sqrtPriceX96,
    tick,
    liquidity,
    feePips: [BigInt(fee), BigInt(fee)],
    tickSpacing,
    ticks: ticks.map(([each]) => each),
    liquidityNets: ticks.map(([, net]) => net),
    lowerTick: tick - known - 60_000,
    upperTick: tick + known + 60_000,
  }
  return marketPool(uniswapV3, pair, index, { fee, tickSpacing }, state)
}

function rankOf(token: SyntheticToken): number {
  return Number(BigInt(token.address) & 0xffffffn)
}

function toRaw(usd: number, token: Pick<SyntheticToken, 'decimals' | 'priceUsd'>): bigint {
  return (
    (BigInt(Math.max(1, Math.floor((usd / token.priceUsd) * 1e6))) *
      10n ** BigInt(token.decimals)) /
      1_000_000n +
    1n
  )
}

function addressOf(index: number, kind: number): Address {
  const spread = (index * 2_654_435_761) % 2 ** 32
  return `0x${spread.toString(16).padStart(8, '0')}${kind.toString(16).padStart(24, '0')}${index.toString(16).padStart(8, '0')}`
}

function pick<T>(list: readonly T[], random: () => number): T {
  const value = list[Math.floor(random() * list.length)]
  if (value === undefined) throw new RangeError('nothing to pick from')
  return value
}

/** Mulberry32: evenly distributed numbers from 0 to 1. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

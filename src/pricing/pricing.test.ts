import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { ethereum } from '../chains/ethereum.js'
import { type Address, type BlockPin, nativeToken } from '../domain/primitives.js'
import type { StateReader } from '../domain/state.js'
import type { Pool } from '../protocols/pool.js'
import { defineProtocol } from '../protocols/protocol.js'
import { type FeedPrice, priceTokens, readFeeds } from './pricing.js'

const weth = ethereum.wrappedNative
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdt: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const token: Address = '0x00000000000000000000000000000000000000aa'
const other: Address = '0x00000000000000000000000000000000000000bb'

const decimals = new Map<Address, number>([
  [weth, 18],
  [usdc, 6],
  [usdt, 6],
  [token, 18],
  [other, 0],
])
const block = { timestamp: 1_000_000n } as BlockPin

type Reserves = Readonly<Record<Address, bigint>>

/** A constant product with a fee of 0.3 %; the honeypot's contract pays nothing back. */
const synthetic = defineProtocol<{ readonly reserves: Reserves; readonly unsellable?: Address }>({
  slug: 'synthetic',
  name: 'Synthetic',
  project: 'test',
  category: 'dex',
  url: '',
  description: '',
  swaps: {
    paysRecipient: false,
    discover: async () => ({ pools: [], unreadable: [] }),
    load: async () => [],
    swap(_pool, state, { tokenIn, tokenOut }, amountIn) {
      const { reserves, unsellable } = state
      const [x = 0n, y = 0n] = [reserves[tokenIn], reserves[tokenOut]]
      const net = (amountIn * 997n) / 1000n
      const amountOut = x === 0n || tokenIn === unsellable ? 0n : (y * net) / (x + net)
      return { amountOut, exact: true, after: () => state }
    },
    gasEstimate: () => 0n,
    encodeSwap: () => [],
  },
})

/** Whole tokens on either side. */
type Side = readonly [token: Address, whole: number]

function pool(a: Side, b: Side, unsellable?: Address) {
  const raw = ([address, whole]: Side) =>
    (BigInt(Math.round(whole * 1e6)) * 10n ** BigInt((decimals.get(address) ?? 18) + 6)) /
    10n ** 12n
  const reserves = { [a[0]]: raw(a), [b[0]]: raw(b) }
  const identity: Pool = {
    protocol: 'synthetic',
    id: `${a.join()} ${b.join()}`,
    address: token,
    tokens: [a[0], b[0]],
    parameters: {},
  }
  const state = { reserves, ...(unsellable && { unsellable }) }
  return { adapter: synthetic, loaded: { pool: identity, state, partial: false } }
}

function price(
  asked: Address,
  pools: readonly ReturnType<typeof pool>[],
  feeds: ReadonlyMap<Address, FeedPrice> = new Map(),
) {
  const market = { pools, decimals }
  return priceTokens({ chain: ethereum, tokens: [asked], market, feeds, block }).get(asked) ?? null
}

const wethPool = pool([weth, 1_000], [usdc, 3_000_000])
const feed = (usd: number, age: bigint): FeedPrice => ({
  priceUsdE8: BigInt(Math.round(usd * 1e8)),
  updatedAt: block.timestamp - age,
})

describe('priceTokens', () => {
  test('a fresh feed is the price, whatever pools say; native is its wrapped token', () => {
    const feeds = new Map([[weth, feed(2_950.5, 3_600n)]])
    const expected = { priceUsd: 2_950.5, confidence: 0.99, source: 'chainlink' }
    expect(price(weth, [wethPool], feeds)).toEqual(expected)
    expect(price(nativeToken, [wethPool], feeds)).toEqual(expected)
  })

  test('a stale feed, one from the future and one that answers zero are ignored', () => {
    for (const bad of [feed(9_999, 3_601n), feed(9_999, -1n), feed(0, 0n)]) {
      const answer = price(weth, [wethPool], new Map([[weth, bad]]))
      expect(answer?.source).toBe('pools')
      expect(answer?.priceUsd).toBeCloseTo(3_000, 0)
    }
  })

  test('a stable anchor is one dollar unless its feed says otherwise', () => {
    expect(price(usdc, [])).toEqual({ priceUsd: 1, confidence: 0.95, source: 'anchor' })
    expect(price(usdc, [], new Map([[usdc, feed(0.88, 10n)]]))?.priceUsd).toBe(0.88)
  })

  test('a depegged anchor moves what is measured against it', () => {
    const feeds = new Map([[usdc, feed(0.5, 10n)]])
    expect(price(weth, [wethPool], feeds)?.priceUsd).toBeCloseTo(1_500, 0)
  })

  test('other tokens are priced through the wrapped native token', () => {
    const answer = price(token, [wethPool, pool([token, 500_000], [weth, 500])])
    expect(answer?.priceUsd).toBeCloseTo(3, 2)
    expect(answer?.source).toBe('pools')
  })

  test('a token without decimal places keeps its digits by larger probes', () => {
    expect(price(other, [pool([other, 3_000], [usdc, 9_000_000])])?.priceUsd).toBeCloseTo(3_000, -2)
  })

  test('a manipulated pool with less than half of the depth cannot move the price', () => {
    const honest = [
      pool([token, 1_000_000], [usdc, 2_000_000]),
      pool([token, 500_000], [usdt, 1_000_000]),
    ]
    const manipulated = pool([token, 10_000], [usdc, 1_900_000])
    expect(price(token, [...honest, manipulated])?.priceUsd).toBeCloseTo(2, 1)
    const confident = price(token, honest)?.confidence ?? 0
    expect(price(token, [...honest, manipulated])?.confidence).toBeLessThan(confident)
  })

  test('a hundred pools with a fine price and no depth weigh less than one real pool', () => {
    const dust = Array.from({ length: 100 }, () => pool([token, 1], [usdc, 90]))
    expect(
      price(token, [...dust, pool([token, 1_000_000], [usdc, 2_000_000])])?.priceUsd,
    ).toBeCloseTo(2, 1)
  })

  test('without a thousand dollars of depth in all there is no price', () => {
    expect(price(token, [pool([token, 20_000], [usdc, 40_000])])).toBeNull()
    expect(price(token, [pool([token, 100_000], [usdc, 200_000])])).not.toBeNull()
    expect(price(token, [])).toBeNull()
  })

  test('a honeypot that can be bought and never sold has no price', () => {
    expect(price(token, [pool([token, 1_000_000], [usdc, 9_000_000], token)])).toBeNull()
  })

  test('tokens that are not connectors are no measure for each other', () => {
    const pools = [
      pool([token, 1_000_000], [other, 1_000_000]),
      pool([other, 1_000_000], [usdc, 1_000_000]),
    ]
    const market = { pools, decimals }
    const feeds = new Map<Address, FeedPrice>()
    const both = priceTokens({ chain: ethereum, tokens: [other, token], market, feeds, block })
    expect(both.get(token)).toBeNull()
    expect(both.get(other)?.priceUsd).toBeCloseTo(1, 1)
  })

  test('a token of unknown decimals has no price', () => {
    const foreign: Address = '0x00000000000000000000000000000000000000cc'
    expect(price(foreign, [pool([foreign, 1_000_000], [usdc, 1_000_000])])).toBeNull()
  })

  test('confidence grows with depth', () => {
    const small = price(token, [pool([token, 100_000], [usdc, 200_000])])?.confidence ?? 1
    const large = price(token, [pool([token, 5e7], [usdc, 1e8])])?.confidence ?? 0
    expect(small).toBeLessThan(0.1)
    expect(large).toBeGreaterThan(0.9)
  })

  test('very cheap tokens keep their digits', () => {
    const answer = price(token, [pool([token, 5e12], [usdc, 1_000_000])])
    expect((answer?.priceUsd ?? 0) / 2e-7).toBeCloseTo(1, 3)
  })
})

describe('readFeeds', () => {
  test('failing reads, accounts without code and short answers are left out', async () => {
    const round = encodeAbiParameters(
      parseAbiParameters('uint80, int256, uint256, uint256, uint80'),
      [7n, 300_000_000_000n, 5n, 6n, 7n],
    )
    const reader: StateReader = {
      block,
      storage: async () => [],
      call: async (calls) =>
        calls.map((_call, k) => {
          if (k === 0) return { ok: true, value: round }
          if (k === 1) return { ok: true, value: '0x' }
          return { ok: false, reason: k === 2 ? 'unreadable' : 'reverted', message: '' }
        }),
    }
    const feeds = await readFeeds(reader, ethereum)
    expect([...feeds]).toEqual([[weth, { priceUsdE8: 300_000_000_000n, updatedAt: 6n }]])
  })
})

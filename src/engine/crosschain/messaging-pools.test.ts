import { describe, expect, test } from 'vitest'
import { oftsOn } from '../../bridges/oft/tokens.js'
import { stargatePools } from '../../bridges/stargate/pools.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { chains } from '../../chains/registry.js'
import { unknownChain } from '../../domain/common-errors.js'
import { nativeToken, type Token } from '../../domain/primitives.js'
import { createMessagingPools } from './messaging-pools.js'

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdcOnBase = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'

/** As the registry's, but for the decimals of tokens, which are then those of lists. */
const unstated = chains.map(({ bridges: { stargate, ...others } = {}, ...chain }) => {
  const pools = [stargate?.pools ?? []].flat().map((pool) => String(pool).replace(/:\d+$/, ''))
  return { ...chain, bridges: { ...others, ...(stargate && { stargate: { ...stargate, pools } }) } }
})

function poolsWith(tokens: readonly Token[], known: readonly ChainDefinition[] = chains) {
  const chainOf = (chainId: number) => {
    const chain = known.find(({ id }) => id === chainId)
    if (chain) return chain
    throw unknownChain(chainId)
  }
  return createMessagingPools({ chainOf, known, tokens }).messagingPools
}

const token = (chainId: number, address: `0x${string}`, decimals: number): Token => ({
  chainId,
  address,
  decimals,
  symbol: null,
  name: null,
  logoUri: null,
})

describe('messagingPools', () => {
  test.each([
    ['pool', stargatePools],
    ['OFT', oftsOn],
  ])('every %s of every chain, with decimals as stated, or of ether', (_name, tokensOn) => {
    // Those whose decimals are the same everywhere are of lists.
    const listed = chains.flatMap((chain) =>
      oftsOn(chain).map(({ token: address }) => token(chain.id, address, 6)),
    )
    const pools = poolsWith(listed)
    for (const chain of chains) {
      for (const { pool, token, symbol } of tokensOn(chain)) {
        const found = pools({ chainId: chain.id, token })?.filter((one) => one.pool === pool)
        const others = chains.filter(
          (other) => other.id !== chain.id && tokensOn(other).some((one) => one.symbol === symbol),
        )
        expect(found?.map((one) => one.destinationChainId)).toEqual(others.map(({ id }) => id))
        for (const one of found ?? []) {
          expect(one).toMatchObject({ chainId: chain.id, pool, token })
          expect(one.decimals).toBe(symbol === 'ETH' || chain.id === 56 ? 18 : 6)
        }
      }
    }
  })

  test('a token that a pool and an OFT take goes by both', () => {
    const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7'
    const [here, there] = [1, 42_161].map((id) => chains.find((chain) => chain.id === id) ?? {})
    const to = oftsOn(there ?? {}).map((one) => token(42_161, one.token, 6))
    const found = poolsWith([token(1, usdt, 6), ...to])({
      chainId: 1,
      token: usdt,
      destinationChainId: 42_161,
    })
    const expected = [stargatePools, oftsOn].flatMap((tokensOn) =>
      tokensOn(here ?? {}).filter((one) => one.token === usdt),
    )
    expect(found?.map(({ pool }) => pool)).toEqual(expected.map(({ pool }) => pool))
  })

  test('filters, and leaves out whose decimals nobody states; null only where no pool takes the token', () => {
    const lists = [token(1, usdc, 6), token(8453, usdcOnBase, 6)]
    const pools = poolsWith(lists, unstated)
    const [only, ...more] = pools({ chainId: 1, token: usdc }) ?? []
    expect(more).toEqual([])
    expect(only).toMatchObject({
      destinationChainId: 8453,
      destination: { token: usdcOnBase, decimals: 6 },
    })
    expect(pools({ chainId: 1, token: usdc, destinationChainId: 42_161 })).toEqual([])
    expect(pools({ chainId: 1, token: usdc, destinationToken: nativeToken })).toEqual([])
    expect(pools({ chainId: 1, token: usdcOnBase })).toBeNull()
    expect(pools({ chainId: 8453, token: usdc })).toBeNull()
    expect(() => pools({ chainId: 5, token: usdc })).toThrow('Chain 5 is not configured')
  })

  test('ether is the native token', () => {
    const found = poolsWith([])({ chainId: 1, token: nativeToken, destinationChainId: 42_161 })
    expect(found).toEqual([
      expect.objectContaining({
        decimals: 18,
        destination: expect.objectContaining({ token: nativeToken, decimals: 18 }),
      }),
    ])
  })
})

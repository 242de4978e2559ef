import { describe, expect, test } from 'vitest'
import type { PositionListing } from '../domain/metadata.js'
import { type Address, nativeToken } from '../domain/primitives.js'
import { type Holding, rankOpportunities } from './opportunities.js'

const [usdc, weth] = [`0x${'c'.repeat(40)}`, `0x${'e'.repeat(40)}`] as const satisfies Address[]

function position(id: number, changes: Partial<PositionListing> = {}): PositionListing {
  const address: Address = `0x${id.toString(16).padStart(40, '0')}`
  const facts = { chainId: 1, symbol: null, name: null, decimals: 18, logoUri: null }
  return {
    kind: 'position',
    id,
    chainId: 1,
    positionId: `1:${address}:${address}`,
    protocol: 'vaults',
    project: 'vaults',
    name: 'Vault',
    subtitle: 'Vault',
    primaryAddress: address,
    poolAddress: address,
    rewardTokens: [],
    token: { ...facts, address },
    underlyingTokens: [{ ...facts, address: usdc }],
    tvl: 1_000_000,
    apy: 5,
    apyBase: 5,
    apyReward: null,
    ...changes,
  }
}

const held = (token: Address, valueUsd: number | null): Holding => ({
  token,
  amount: 10n,
  valueUsd,
  canonical: token === nativeToken ? weth : token,
})

function ranked(holdings: Holding[], positions: PositionListing[], limit = 10): string[] {
  const found = rankOpportunities({ holdings, positions, minTvlUsd: 100_000, limit })
  return found.map(({ holding, position: { id } }) => `${holding.token.slice(0, 3)} ${id}`)
}

const ofWeth: Partial<PositionListing> = {
  underlyingTokens: position(0).underlyingTokens.map((facts) => ({ ...facts, address: weth })),
}

describe('rankOpportunities', () => {
  test('orders by what the holding would earn: 3 % of 2,000 USD comes before 5 % of 1,000', () => {
    const positions = [position(1), position(2, { ...ofWeth, apy: 3 }), position(3, { apy: 9 })]
    expect(ranked([held(usdc, 1_000), held(weth, 2_000)], positions)).toEqual([
      '0xc 3',
      '0xe 2',
      '0xc 1',
    ])
  })

  test('equal earnings go to the larger position, then to the older id', () => {
    const positions = [position(4), position(5, { tvl: 2_000_000 }), position(3)]
    expect(ranked([held(usdc, 1)], positions)).toEqual(['0xc 5', '0xc 3', '0xc 4'])
  })

  test('leaves out what is too small, earns nothing, is not known, or has no token', () => {
    const positions = [
      position(1, { tvl: 99_999 }),
      position(2, { tvl: null }),
      position(3, { apy: 0 }),
      position(4, { apy: -1 }),
      position(5, { apy: null }),
      position(6, { token: null }),
      position(7, { tvl: 100_000 }),
    ]
    expect(ranked([held(usdc, 1)], positions)).toEqual(['0xc 7'])
  })

  test('only positions that are made of the token, and never itself', () => {
    const own = position(0xc, {
      token: position(1).underlyingTokens[0] ?? null,
    })
    expect(ranked([held(usdc, 1)], [own, position(2, ofWeth)])).toEqual([])
  })

  test('native ether enters positions of wrapped ether', () => {
    expect(ranked([held(nativeToken, 1)], [position(2, ofWeth)])).toEqual(['0xe 2'])
  })

  test('holdings without a known value come last, ordered by yield', () => {
    const positions = [
      position(1, { apy: 1 }),
      position(2, { ...ofWeth, apy: 8 }),
      position(3, { ...ofWeth, apy: 9 }),
    ]
    expect(ranked([held(weth, null), held(usdc, 0.01)], positions)).toEqual([
      '0xc 1',
      '0xe 3',
      '0xe 2',
    ])
  })

  test('gives no more than the limit', () => {
    expect(ranked([held(usdc, 1)], [position(1), position(2), position(3)], 2)).toHaveLength(2)
  })
})

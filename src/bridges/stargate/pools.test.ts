import { describe, expect, test } from 'vitest'
import { chains } from '../../chains/registry.js'
import { nativeToken } from '../../domain/primitives.js'
import { stargatePools } from './pools.js'

const withStargate = chains.filter(({ bridges }) => bridges?.stargate)

describe('stargatePools', () => {
  test.each(withStargate)('$name: every pool once, with the endpoint of its chain', (chain) => {
    const pools = stargatePools(chain)
    expect(pools.length).toBeGreaterThan(0)
    expect(new Set(pools.map(({ symbol }) => symbol)).size).toBe(pools.length)
    expect(new Set(pools.map(({ pool }) => pool)).size).toBe(pools.length)
    for (const { endpoint } of pools) expect(endpoint).toBe(chain.bridges?.stargate?.endpoint)
  })

  test('the address of one pool may be that of another elsewhere', () => {
    // 0xe8cd… is USDC on Arbitrum; on Optimism it is ether.
    const poolsOf = (id: number) => chains.filter((chain) => chain.id === id).flatMap(stargatePools)
    const usdc = poolsOf(42_161).find(({ symbol }) => symbol === 'USDC')
    expect(usdc).toMatchObject({ pool: expect.stringMatching(/^0xe8cd/) })
    const same = poolsOf(10).filter(({ pool }) => pool === usdc?.pool)
    expect(same).toEqual([expect.objectContaining({ symbol: 'ETH', token: nativeToken })])
  })

  test('a chain without Stargate has none', () => {
    expect(stargatePools({})).toEqual([])
    expect(stargatePools({ bridges: { across: { spokePool: '0x01' } } })).toEqual([])
  })
})

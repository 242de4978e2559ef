import { describe, expect, test } from 'vitest'
import { chains } from '../../chains/registry.js'
import { stargatePools } from './pools.js'

describe('stargatePools', () => {
  test.each(chains)('$name: every pool once, with the endpoint of its chain', (chain) => {
    const pools = stargatePools(chain)
    expect(pools.map(({ symbol }) => symbol)).toEqual(expect.arrayContaining(['USDC', 'ETH']))
    expect(new Set(pools.map(({ symbol }) => symbol)).size).toBe(pools.length)
    expect(new Set(pools.map(({ pool }) => pool)).size).toBe(pools.length)
    for (const { endpoint } of pools) expect(endpoint).toBe(chain.bridges?.stargate?.endpoint)
  })

  test('the address of one pool may be that of another elsewhere', () => {
    // 0xe8cd… is USDC on Arbitrum; on Optimism it is ether.
    const arbitrum = chains.find(({ id }) => id === 42_161)
    const [usdc] = arbitrum ? stargatePools(arbitrum) : []
    expect(usdc).toMatchObject({ symbol: 'USDC', pool: expect.stringMatching(/^0xe8cd/) })
    const optimism = {
      bridges: {
        stargate: { endpoint: usdc?.endpoint ?? '', pools: [`ETH:${usdc?.pool}:${usdc?.token}`] },
      },
    }
    expect(stargatePools(optimism)).toEqual([{ ...usdc, symbol: 'ETH' }])
  })

  test('a chain without Stargate has none', () => {
    expect(stargatePools({})).toEqual([])
    expect(stargatePools({ bridges: { across: { spokePool: '0x01' } } })).toEqual([])
  })
})

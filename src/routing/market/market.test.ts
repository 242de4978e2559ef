import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address } from '../../domain/primitives.js'
import type { Pool } from '../../protocols/pool.js'
import type { ProtocolAdapter } from '../../protocols/protocol.js'
import { Market } from './market.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c] = [token('a'), token('b'), token('c')]

const trio: Pool = {
  protocol: 'uniswap-v2',
  id: 'trio',
  address: token('9'),
  tokens: [a, b, c],
  parameters: {},
}

type Look = Pick<ProtocolAdapter, 'discover' | 'load'>

function marketOf(look: Partial<Look>, known: readonly Pool[] = []): Market {
  const adapter = {
    slug: 'uniswap-v2',
    discover: async () => ({ pools: [], unreadable: [] }),
    load: async ({ pools }) => pools.map((pool) => ({ pool, state: {}, partial: false })),
    ...look,
  } as Partial<ProtocolAdapter> as ProtocolAdapter
  return new Market({
    chain: ethereum,
    protocols: [adapter],
    listedPools: () => [],
    catalogPools: () => known,
    catalogPoolsWith: (token) => known.filter(({ tokens }) => tokens.includes(token)),
    blacklist: new Set(),
    onDiscovered: () => undefined,
  })
}

const reader = storageReader({})

describe('Market', () => {
  test('a failed look-up belongs to its pair alone, whatever was looked up with it', async () => {
    const fact = {
      protocol: 'uniswap-v2',
      subject: 'getPair a c',
      message: 'refused',
      pair: [a, c] as const,
    }
    const market = marketOf({
      discover: async ({ pairs }) => ({
        pools: [],
        unreadable: pairs.some(([x, y]) => x === a && y === c) ? [fact] : [],
      }),
    })
    const both = await market.view(reader, [
      [a, b],
      [a, c],
    ])
    expect(both.unreadable).toEqual([fact])
    expect((await market.view(reader, [[a, b]])).unreadable).toEqual([])
    expect((await market.view(reader, [[a, c]])).unreadable).toEqual([fact])
  })

  test('a pool whose load failed under another pair is read again, not silently left out', async () => {
    let fail: (error: Error) => void = () => undefined
    const first = new Promise<never>((_resolve, reject) => {
      fail = reject
    })
    let loads = 0
    const market = marketOf(
      {
        load: async ({ pools }) => {
          loads += 1
          if (loads === 1) return first
          return pools.map((pool) => ({ pool, state: {}, partial: false }))
        },
      },
      [trio],
    )
    const one = market.view(reader, [[a, b]])
    const two = market.view(reader, [[a, c]])
    await expect.poll(() => loads).toBe(1)
    fail(new Error('the fork died'))
    await expect(one).rejects.toThrow('the fork died')
    await expect(two).rejects.toThrow('the fork died')
    for (const pair of [[a, b] as const, [a, c] as const]) {
      const { pools } = await market.view(reader, [pair])
      expect(pools.map(({ loaded }) => loaded.pool.id)).toEqual(['trio'])
    }
  })

  test('pools of tokens in between come from the catalog alone, and the same question gives the same view', async () => {
    const pool = (id: string, tokens: readonly Address[]): Pool => ({ ...trio, id, tokens })
    const asked: string[] = []
    const market = marketOf(
      {
        discover: async ({ pairs }) => {
          asked.push(...pairs.map((pair) => pair.join()))
          return { pools: [], unreadable: [] }
        },
      },
      [pool('ab', [a, b]), pool('ac', [a, c]), pool('bc', [b, c])],
    )
    const ids = (view: { pools: readonly { loaded: { pool: Pool } }[] }) =>
      view.pools.map(({ loaded }) => loaded.pool.id)
    const direct = await market.view(reader, [[a, b]])
    expect(ids(direct)).toEqual(['ab'])
    const through = await market.view(reader, [[b, a]], [c])
    expect(ids(through)).toEqual(['ab', 'ac', 'bc'])
    expect(asked).toEqual([[a, b].join()])
    expect(await market.view(reader, [[a, b]])).toBe(direct)
    expect(await market.view(reader, [[a, b]], [c])).toBe(through)
  })
})

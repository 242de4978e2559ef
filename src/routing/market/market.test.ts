import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import { at } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { Pool } from '../../protocols/pool.js'
import type { SwapAdapter, Swaps, Trust } from '../../protocols/protocol.js'
import { canBeWidened, Market } from './market.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c] = [token('a'), token('b'), token('c')]

const trio: Pool = {
  protocol: 'uniswap-v2',
  id: 'trio',
  address: token('9'),
  tokens: [a, b, c],
  parameters: {},
}

type Look = Pick<Swaps, 'discover' | 'load'> & Pick<Trust, 'foreignCode'>

function marketOf(
  { foreignCode, ...look }: Partial<Look>,
  known: readonly Pool[] = [],
  listed: readonly Pool[] = [],
): Market {
  const swaps = {
    discover: async () => ({ pools: [], unreadable: [] }),
    load: async ({ pools }) => pools.map((pool) => ({ pool, state: {}, partial: false })),
    ...look,
  } as Partial<Swaps> as Swaps
  const adapter = {
    slug: 'uniswap-v2',
    swaps,
    ...(foreignCode && { trust: { foreignCode } }),
  } as Partial<SwapAdapter> as SwapAdapter
  return new Market({
    chain: ethereum,
    protocols: [adapter],
    listedPools: () => listed,
    catalogPools: () => known,
    catalogPoolsWith: (token) => known.filter(({ tokens }) => tokens.includes(token)),
    blacklist: new Set(),
    onDiscovered: () => undefined,
    onClassed: () => undefined,
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

  describe('widened', () => {
    const loading = (isPartial = false) => {
      const reaches: (number | undefined)[] = []
      const load: Swaps['load'] = async ({ pools, reach }) => {
        reaches.push(reach)
        return pools.map((pool) => ({ pool, state: { reach }, partial: isPartial }))
      }
      return { reaches, market: marketOf({ load }, [trio]) }
    }
    const poolOf = async (market: Market) => at((await market.view(reader, [[a, b]])).pools, 0)

    test('reads sixteen times as far, and once for the same pool', async () => {
      const { market, reaches } = loading()
      const pool = await poolOf(market)
      const [wider = pool] = await market.widened(reader, [pool])
      const [again] = await market.widened(reader, [pool])
      expect(reaches).toEqual([undefined, 16])
      expect(again).toBe(wider)
      expect(wider).toMatchObject({
        doubt: 'imported',
        loaded: { state: { reach: 16 }, reach: 16 },
      })
      expect([pool, wider].map(canBeWidened)).toEqual([true, false])
    })

    test('a pool of which a node refuses a part is read no further', async () => {
      const { market } = loading(true)
      expect(canBeWidened(await poolOf(market))).toBe(false)
    })

    test('views know the wider pool in the place of the other, and are the same for the same pools', async () => {
      const { market } = loading()
      const view = await market.view(reader, [[a, b]])
      const pool = at(view.pools, 0)
      const [wider = pool] = await market.widened(reader, [pool])
      const other = view.with(new Map([[pool, wider]]))
      expect(other.pools).toEqual([wider])
      expect(view.with(new Map([[pool, wider]]))).toBe(other)
    })
  })

  describe('doubt', () => {
    const hooks = token('e')
    const found = { discover: async () => ({ pools: [trio], unreadable: [] }) }
    const doubts = async (market: Market, through: readonly Address[] = []) =>
      (await market.view(reader, [[a, b]], through)).pools.map(({ doubt }) => doubt)

    test('there is none about a pool that its protocol knows, imported or not', async () => {
      expect(await doubts(marketOf(found))).toEqual([undefined])
      expect(await doubts(marketOf(found, [trio]))).toEqual([undefined])
    })

    test('a pool that is only imported is doubted, in the view that did not find it', async () => {
      expect(await doubts(marketOf({}, [trio]))).toEqual(['imported'])
      const look = {
        discover: async ({ pairs }: { pairs: readonly unknown[] }) => {
          return { pools: pairs.length > 1 ? [trio] : [], unreadable: [] }
        },
      }
      const market = marketOf(look, [trio])
      expect(await doubts(market)).toEqual(['imported'])
      const both = await market.view(reader, [
        [a, c],
        [b, c],
      ])
      expect(both.pools.map(({ doubt }) => doubt)).toEqual([undefined])
      expect(await doubts(market)).toEqual(['imported'])
      expect(await doubts(market, [c])).toEqual(['imported'])
    })

    test('code of strangers is named, unless the service itself lists the pool', async () => {
      const look = { ...found, foreignCode: () => hooks }
      expect(await doubts(marketOf(look))).toEqual([hooks])
      expect(await doubts(marketOf(look, [], [trio]))).toEqual([undefined])
      expect(await doubts(marketOf({ foreignCode: () => hooks }, [trio], [trio]))).toEqual([
        'imported',
      ])
    })

    test('an import with the id of a known pool is never taken for it', async () => {
      const forged: Pool = { ...trio, address: token('8') }
      const market = marketOf(
        {
          discover: async ({ pairs }) => ({
            pools: pairs.length > 1 ? [trio] : [],
            unreadable: [],
          }),
        },
        [forged],
      )
      const imported = await market.view(reader, [[a, b]])
      expect(imported.pools).toMatchObject([{ doubt: 'imported', loaded: { pool: forged } }])
      const known = await market.view(reader, [
        [a, c],
        [b, c],
      ])
      expect(known.pools.map(({ loaded, doubt }) => [loaded.pool.address, doubt])).toEqual([
        [trio.address, undefined],
      ])
    })
  })
})

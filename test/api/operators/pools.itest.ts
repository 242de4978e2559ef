/** Pools over HTTP: searched, imported, exported, and the state of the index. */
import { describe, expect, test } from 'vitest'
import { ExportedPool, PoolIndexState, PoolPage } from '../../../src/api/records/pool-records.js'
import { openCatalog } from '../../../src/catalog/store.js'
import { openIndexStore } from '../../../src/pool-index/store.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { bearer, dai, documented, startTestApi, usdc, weth } from '../test-api.js'

/** With an address of its own. */
const poolOf = (index: number, more: object = {}) => ({
  protocol: 'uniswap-v3',
  id: `0x${String(index).padStart(40, '0')}`,
  address: `0x${String(index).padStart(40, '0')}`,
  tokens: index % 2 ? [usdc, weth] : [dai, weth],
  parameters: { fee: 500, tickSpacing: 10 },
  ...more,
})

type Typed = Pool & ReturnType<typeof poolOf>

async function start(env: Record<string, string> = {}) {
  const api = await startTestApi({ AUTH_MODE: 'key', ...env })
  const headers = bearer(api.keys.createKey({ name: 'a', isAdmin: true }).key)
  return { api, headers, user: bearer(api.keys.createKey({ name: 'b' }).key) }
}

describe('/pools', () => {
  test('what is imported is found by each filter, a page at a time, and exported as it came', async () => {
    const { api, headers, user } = await start()
    const pools = Array.from({ length: 7 }, (_, index) => poolOf(index + 1))
    const added = await api.post('/pools/import', { pools }, headers)
    expect(added.body).toEqual({ added: 7, updated: 0 })
    const changed = poolOf(7, { parameters: { fee: 3_000 } })
    expect((await api.post('/pools/import', { pools: [changed] }, headers)).body).toEqual({
      added: 0,
      updated: 1,
    })

    const page = await api.get('/pools?pageSize=3&page=3', user)
    expect(PoolPage.parse(page.body)).toEqual(page.body)
    expect(page.body.meta).toEqual({
      total: 7,
      lastPage: 3,
      currentPage: 3,
      perPage: 3,
      prev: 2,
      next: null,
      cursor: null,
    })
    expect(page.body.data).toEqual([
      { chainId: 1, ...changed, source: 'imported', firstSeenBlock: null },
    ])
    const found = async (query: string) => (await api.get(`/pools?${query}`, user)).body.meta.total
    expect(await found(`token=${usdc}`)).toBe(4)
    expect(await found(`token=${dai}&protocol=uniswap-v3`)).toBe(3)
    expect(await found('protocol=curve')).toBe(0)
    expect(await found(`pool=${pools[4]?.id}`)).toBe(1)
    expect(await found('source=discovered')).toBe(0)
    expect(await found('chainId=8453')).toBe(0)

    const exported = await api.get('/pools/export', user)
    expect(ExportedPool.array().parse(exported.body)).toEqual([...pools.slice(0, 6), changed])
    const again = await api.post('/pools/import', { pools: exported.body }, headers)
    expect(again.body).toEqual({ added: 0, updated: 7 })
  })

  test('what running the hooks of a pool told stands with it, of the newest block, and is searched', async () => {
    const { api, headers, user } = await start({ POOL_INDEX: 'on' })
    const pools = [1, 2, 3].map((index) => poolOf(index))
    await api.post('/pools/import', { pools }, headers)
    const store = openIndexStore(api.config.dataDir)
    const indexed = pools.map((pool) => ({ ...(pool as Typed), block: 9n, gate: null }))
    store.add({ chainId: 1, sources: [], from: 0n, to: 9n, pools: indexed, checkpoints: [] })
    store.close()
    const steady = { class: 'steady', reason: null, contract: dai, codeHash: null } as const
    const reason = 'what its hooks give changes with the sender'
    const changing = { ...steady, class: 'changing', reason } as const
    const catalog = openCatalog(api.config.dataDir)
    const remember = (index: number, finding: typeof steady | typeof changing, block: bigint) =>
      catalog.rememberHooks(1, [{ ...poolOf(index), finding }], block)
    remember(1, steady, 100n)
    remember(1, changing, 101n)
    remember(1, steady, 99n)
    remember(2, steady, 100n)
    catalog.close()

    const hooksOf = async (query: string) => {
      const page = await api.get(`/pools?${query}`, user)
      expect(PoolPage.parse(page.body)).toEqual(page.body)
      return page.body.data.map(({ hooks }: { hooks?: object }) => hooks)
    }
    for (const query of ['', 'source=indexed&']) {
      expect(await hooksOf(query)).toEqual([
        { ...changing, blockNumber: '101' },
        { ...steady, blockNumber: '100' },
        undefined,
      ])
      expect(await hooksOf(`${query}hooks=changing`)).toEqual([{ ...changing, blockNumber: '101' }])
      expect(await hooksOf(`${query}hooks=closed`)).toEqual([])
    }
    expect((await api.get('/pools?hooks=odd', user)).status).toBe(400)
  })

  test('every wrong pool of an import is named, and none is kept', async () => {
    const { api, headers } = await start()
    const wrong = [
      poolOf(1),
      poolOf(2, { id: '0x12', tokens: [usdc, usdc] }),
      poolOf(3, { parameters: { fee: { deep: 1 } } }),
      7,
    ]
    const refused = await api.post('/pools/import', { pools: wrong }, headers)
    expect(refused.status).toBe(400)
    expect(refused.body.message).toEqual([
      'pools[1].id must be an address (20 bytes) or an id (32 bytes) of a pool',
      'pools[1].tokens must not name a token twice',
      'pools[2].parameters.fee must be a text, a number, a flag or a list of texts',
      'pools[3] must be an object',
    ])
    const unknown = await api.post(
      '/pools/import',
      { pools: [poolOf(1, { protocol: 'x' })] },
      headers,
    )
    expect(unknown.body.message).toBe(
      'pools[0].protocol is not the slug of a protocol that is here',
    )
    const elsewhere = { chainId: 5, pools: [poolOf(1)] }
    expect((await api.post('/pools/import', elsewhere, headers)).body.code).toBe('UNKNOWN_CHAIN')
    expect((await api.post('/pools/import', { pools: [] }, headers)).status).toBe(400)
    const many = { pools: Array.from({ length: 2_001 }, () => 0) }
    expect((await api.post('/pools/import', many, headers)).body.message).toContain(
      'pools must hold at most 2000 values',
    )
    expect((await api.get('/pools', headers)).body.meta.total).toBe(0)
  })

  test('a body over the limit is a 413', async () => {
    const { api, headers } = await start({ BODY_LIMIT_BYTES: '2048' })
    const pools = Array.from({ length: 20 }, (_, index) => poolOf(index))
    expect((await api.post('/pools/import', { pools }, headers)).status).toBe(413)
  })

  test('the index is told and searched, its oldest pools first', async () => {
    const api = await startTestApi({ POOL_INDEX: 'on' })
    expect(await documented(api, '/pools/index', PoolIndexState.array())).toEqual([
      { chainId: 1, isOn: true, readTo: null, protocols: [] },
    ])
    expect((await api.get('/pools?source=indexed')).body.data).toEqual([])
    const store = openIndexStore(api.config.dataDir)
    const pools = [3, 1, 2].map((block) => ({
      ...(poolOf(block) as Typed),
      block: BigInt(block),
      gate: null,
    }))
    store.add({ chainId: 1, sources: [], from: 0n, to: 3n, pools, checkpoints: [] })
    store.close()
    const [state] = await documented(api, '/pools/index', PoolIndexState.array())
    expect(state.protocols).toEqual([{ protocol: 'uniswap-v3', pools: 3 }])
    const blocks = async (query: string) => {
      const page = await documented(api, `/pools?source=indexed&${query}`, PoolPage)
      const shown = page.data.map((one: { firstSeenBlock: string }) => one.firstSeenBlock)
      return [page.meta.total, ...shown]
    }
    expect(await blocks('pageSize=2')).toEqual([3, '1', '2'])
    expect(await blocks(`token=${usdc}`)).toEqual([2, '1', '3'])
    expect(await blocks(`pool=${poolOf(2).id}`)).toEqual([1, '2'])
    expect(await blocks('protocol=curve')).toEqual([0])
  })
})

/** GET /tokens over real HTTP: base tokens alone, and with DeFi tokens through a proxy that checks /openapi.json. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { TokenPage } from '../../src/api/records/metadata-records.js'
import { toAddress } from '../../src/domain/primitives.js'
import {
  all,
  facts,
  type Listings,
  manager,
  openListings,
  pair,
  share,
  single,
  vault,
} from './listings.js'
import { dai, documented, type Reply, startTestApi, usdc, weth } from './test-api.js'

let api: Listings

beforeAll(async () => {
  api = await openListings()
})
afterAll(() => api.close())
beforeEach(() => api.list(all))

const checked = (path: string) => api.checked(path)

const addressesOf = (reply: Reply): string[] =>
  reply.body.data.map((one: { address: string }) => one.address)

describe('the proxy', () => {
  test('finds an answer that is not as documented', async () => {
    const broken = { ...single, tvl: 'much' as unknown as number }
    api.list([broken])
    const reply = await checked('/tokens')
    expect(reply.status).toBe(500)
    expect(reply.text).toContain('VIOLATIONS')
  })
})

describe('/tokens', () => {
  test('base tokens and DeFi tokens together, as documented', async () => {
    const { body } = await checked('/tokens?includeMetadata=true')
    expect(body.meta).toMatchObject({ total: 6, cursor: null })
    expect(body.data[4]).toEqual({
      address: vault,
      chainId: 1,
      type: 'defi',
      decimals: 18,
      symbol: 'vDAI',
      name: 'vDAI share',
      logosUri: [],
      underlyingTokens: [
        {
          address: dai,
          chainId: 1,
          type: 'base',
          decimals: 18,
          symbol: 'DAI',
          name: 'Dai',
          logosUri: [],
        },
      ],
      project: 'erc-4626',
      protocolSlug: 'erc-4626',
      protocol: 'erc-4626',
      primaryAddress: vault,
      apy: 6.5,
      apyBase: 4.5,
      apyReward: 2,
      tvl: 1_000,
    })
    // Made of USDC and WETH, of which one has a logo.
    expect(body.data[5]).toMatchObject({ symbol: null, decimals: null, logosUri: ['u.png'] })
  })

  test('without metadata and underlying tokens their fields are not there, but decimals', async () => {
    const { body } = await checked(`/tokens?address=${vault}&includeUnderlying=false`)
    for (const name of ['symbol', 'name', 'logosUri', 'underlyingTokens']) {
      expect(body.data[0]).not.toHaveProperty(name)
    }
    expect(body.data[0].decimals).toBe(18)
    const plain = (await checked(`/tokens?address=${vault}`)).body.data[0]
    expect(plain.underlyingTokens).toEqual([dai])
  })

  test('with API_DIALECT=family underlying tokens are records without metadata, too', async () => {
    const family = await openListings({ API_DIALECT: 'family' })
    onTestFinished(() => family.close())
    family.list(all)
    const { body } = await family.checked(`/tokens?address=${vault}`)
    const record = { address: dai, chainId: 1, type: 'base', decimals: 18 }
    expect(body.data[0].underlyingTokens).toEqual([record])
    const [described] = (await family.checked(`/tokens?address=${vault}&includeMetadata=true`)).body
      .data
    expect(described.underlyingTokens).toEqual([
      { ...record, symbol: 'DAI', name: 'Dai', logosUri: [] },
    ])
  })

  test('a client may take the first logo of any token', async () => {
    const { body } = await checked('/tokens?includeMetadata=true')
    for (const one of body.data) {
      for (const { logosUri } of [one, ...(one.underlyingTokens ?? [])]) {
        expect([undefined, 'u.png']).toContain(logosUri[0])
      }
    }
  })

  test('every filter, alone and with others', async () => {
    const cases: [string, string[]][] = [
      ['type=defi', [vault, share]],
      ['type=base&chainId=1', [dai, usdc, weth]],
      ['project=Uniswap', [share]],
      ['protocolSlug=erc-4626', [vault]],
      [`underlyingTokens=${usdc}`, [share]],
      [`underlyingTokens=${usdc}&underlyingTokens=${weth}`, [share]],
      [`underlyingTokens=${usdc}&underlyingTokens=${dai}`, []],
      [`underlyingTokensExact=${usdc}`, []],
      [`underlyingTokensExact=${weth}&underlyingTokensExact=${usdc}`, [share]],
      [`primaryAddress=${manager}`, [share]],
      [`primaryAddress=${manager}&primaryAddress=${vault}`, [vault, share]],
      [`address=${vault}&address=${dai}`, [dai, vault]],
      ['name=dai%20VAULT', [vault]],
      ['name=vDAI%20share', [vault]],
      ['symbol=vdai&symbol=weth', [weth, vault]],
      ['liquidityType=SingleToken', [vault]],
      ['liquidityType=MultiToken', [share]],
      ['apyFrom=6.5', [vault]],
      ['apyFrom=6.6', []],
      ['apyTo=0', [share]],
      ['tvlFrom=1000&tvlTo=1000', [vault]],
      ['tvlFrom=1', [vault, share]],
      ['chainId=8453&type=defi', []],
      [`type=defi&liquidityType=MultiToken&project=uniswap&tvlFrom=1&apyFrom=-2`, [share]],
    ]
    for (const [query, expected] of cases) {
      const reply = await checked(`/tokens?${query}`)
      expect(reply.status, `${query}: ${reply.text}`).toBe(200)
      expect(addressesOf(reply), query).toEqual(expected)
    }
  })

  test('a cursor keeps its place while tokens come and go', async () => {
    const first = await checked('/tokens?pageSize=2')
    expect(addressesOf(first)).toEqual([dai, usdc])
    expect(first.body.meta).toMatchObject({ total: 6, lastPage: 3, next: 2, cursor: 2 })
    // One of the first page is gone, figures of another have changed, and one is new.
    const late = { ...single, id: 13, token: facts(manager, 'LATE') }
    const changed = [...all.filter(({ id }) => id !== 1), { ...pair, apy: 99 }, late]
      .filter((one, index, list) => list.findLastIndex(({ id }) => id === one.id) === index)
      .sort((a, b) => a.id - b.id)
    api.list(changed)
    const second = await checked('/tokens?pageSize=2&cursor=2')
    expect(second.body.data.map((one: { chainId: number }) => one.chainId)).toEqual([1, 8453])
    expect(addressesOf(second)[0]).toBe(weth)
    const third = await checked(`/tokens?pageSize=2&cursor=${second.body.meta.cursor}`)
    expect(addressesOf(third)).toEqual([vault, share])
    expect(third.body.meta.cursor).toBe(11)
    const last = await checked('/tokens?pageSize=2&cursor=11')
    expect(addressesOf(last)).toEqual([manager])
    expect(last.body.meta.cursor).toBeNull()
    expect(addressesOf(await checked('/tokens?pageSize=2&cursor=99'))).toEqual([])
  })

  test('page sizes from 1 to 1000', async () => {
    expect((await checked('/tokens?pageSize=1&page=5')).body).toMatchObject({
      meta: { total: 6, lastPage: 6, currentPage: 5, perPage: 1, prev: 4, next: 6, cursor: 10 },
      data: [{ address: vault }],
    })
    expect((await checked('/tokens?pageSize=1000')).body.meta.lastPage).toBe(1)
    for (const size of ['0', '1001', '-1', '1.5', 'x']) {
      const reply = await api.direct.get(`/tokens?pageSize=${size}`)
      expect(reply.status).toBe(400)
      expect(reply.body.message).toBe('pageSize must be an integer from 1 to 1000')
    }
  })

  test('all spellings of a list', async () => {
    for (const query of [
      `address=${vault},${share}`,
      `address[]=${vault}&address[]=${share}`,
      `address%5B%5D=${vault}&address%5B%5D=${share}`,
      `address=${vault}&address=${share}`,
    ]) {
      expect(addressesOf(await api.direct.get(`/tokens?${query}`)), query).toEqual([vault, share])
      expect(addressesOf(await api.direct.get(`/v1/tokens?${query}`)), query).toEqual([
        vault,
        share,
      ])
    }
  })
})

describe('present=true', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_listing, index) => ({
      ...single,
      id: index + 1,
      token: facts(toAddress(`0x${(index + 1).toString(16).padStart(40, '0')}`), `T${index}`),
    }))

  test('lists only tokens that are on the chain, in pages of what is left', async () => {
    const { body } = await checked('/tokens?chainId=1&present=true&pageSize=2')
    const whole = await checked('/tokens?chainId=1')
    expect(addressesOf(whole)).toContain(dai)
    expect(body.meta.total).toBe(whole.body.meta.total - 1)
    expect(body.data).toHaveLength(2)
  })

  test('asks the chain about 5,000 tokens at most, and says how to ask about fewer', async () => {
    api.list(many(5_000))
    expect((await checked('/tokens?chainId=1&present=true')).body.meta.total).toBe(5_000)
    api.list(many(5_001))
    const refused = await checked('/tokens?chainId=1&present=true')
    expect(refused.body).toMatchObject({
      statusCode: 400,
      code: 'INVALID_REQUEST',
      details: {
        tokens: 5_001,
        next: [
          { parameter: 'type', value: 'base' },
          { parameter: 'symbol' },
          { parameter: 'address' },
          { parameter: 'present', value: null },
        ],
      },
    })
    const narrowed = await checked('/tokens?chainId=1&present=true&symbol=T7,T8')
    expect(narrowed.body.meta.total).toBe(2)
    expect((await checked('/tokens?chainId=1')).body.meta.total).toBe(5_001)
  })
})

describe('base tokens', () => {
  test('a page without metadata', async () => {
    const api = await startTestApi()
    const body = await documented(api, '/tokens', TokenPage)
    expect(body.meta).toEqual({
      total: 4,
      lastPage: 1,
      currentPage: 1,
      perPage: 1000,
      prev: null,
      next: null,
      cursor: null,
    })
    expect(body.data[0]).toEqual({
      address: dai,
      chainId: 1,
      type: 'base',
      decimals: 18,
      underlyingTokens: null,
      project: null,
      protocolSlug: null,
      protocol: null,
      primaryAddress: null,
      apy: null,
      apyBase: null,
      apyReward: null,
      tvl: null,
    })
  })

  test('metadata in, underlying out', async () => {
    const api = await startTestApi()
    const path = `/tokens?address=${usdc}&chainId=1&includeMetadata=true&includeUnderlying=false`
    const body = await documented(api, path, TokenPage)
    expect(body.data[0]).toMatchObject({
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      logosUri: ['u.png'],
    })
    expect(body.data[0]).not.toHaveProperty('underlyingTokens')
  })

  test.each([
    ['chainId=8453', 1],
    ['symbol=usdc', 2],
    ['symbol=usdc,dai', 3],
    ['symbol[]=usdc&symbol[]=weth&chainId=1', 2],
    ['name=USD%20Coin', 1],
    [`address=${usdc.toUpperCase()}`, 2],
    ['type=base', 4],
    ['type=defi', 0],
    ['project=aave', 0],
    ['protocolSlug=aave-v3', 0],
    [`underlyingTokens=${usdc}`, 0],
    [`underlyingTokensExact=${usdc}`, 0],
    [`primaryAddress=${usdc}`, 0],
    ['liquidityType=SingleToken', 0],
    ['apyFrom=0', 0],
    ['tvlTo=1000000.5', 0],
  ])('%s finds %i', async (search, total) => {
    const api = await startTestApi()
    const body = await documented(api, `/tokens?${search}`, TokenPage)
    expect(body.meta.total).toBe(total)
    expect(body.data).toHaveLength(total)
  })

  test('pages by number and by cursor are the same', async () => {
    const api = await startTestApi()
    const first = await documented(api, '/tokens?pageSize=3', TokenPage)
    expect(first.meta).toMatchObject({ lastPage: 2, prev: null, next: 2, cursor: 3 })
    const second = await documented(api, '/tokens?pageSize=3&page=2', TokenPage)
    expect(second.meta).toMatchObject({ currentPage: 2, prev: 1, next: null, cursor: null })
    expect(await documented(api, '/tokens?pageSize=3&cursor=3', TokenPage)).toEqual(second)
    const beyond = (await api.get('/tokens?pageSize=3&page=9')).body
    expect(beyond.data).toEqual([])
    expect(beyond.meta).toMatchObject({ currentPage: 9, prev: 2, next: null })
  })

  test('wrong filters are listed at once', async () => {
    const api = await startTestApi()
    const reply = await api.get('/tokens?pageSize=1001&page=0&type=x&apyFrom=a&chainId=7')
    expect(reply.body.message).toEqual([
      'type must be one of defi, base',
      'page must be an integer from 1 to 1000000000',
      'pageSize must be an integer from 1 to 1000',
      'apyFrom must be a number',
      expect.stringMatching(/^chainId 7 is not configured here; configured: 1 \(Ethereum\)/),
    ])
  })
})

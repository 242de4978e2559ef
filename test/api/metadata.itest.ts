/** Tokens, positions and protocols over real HTTP, every answer through a proxy that checks it against /openapi.json. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Listing, PositionListing, TokenFacts } from '../../src/domain/metadata.js'
import type { Address } from '../../src/domain/primitives.js'
import { type ContractProxy, startContractProxy } from '../support/nodes/contract-proxy.js'
import {
  baseListings,
  dai,
  openScene,
  type Reply,
  read,
  startScene,
  tokens,
  usdc,
  weth,
} from './scene.js'

const vault: Address = `0x${'a1'.repeat(20)}`
const share: Address = `0x${'a2'.repeat(20)}`
const manager: Address = `0x${'a3'.repeat(20)}`
const [daiFacts, usdcFacts, wethFacts] = tokens as [TokenFacts, TokenFacts, TokenFacts]

const facts = (address: Address, symbol: string | null): TokenFacts => ({
  chainId: 1,
  address,
  symbol,
  name: symbol && `${symbol} share`,
  decimals: symbol ? 18 : null,
  logoUri: null,
})

const single: PositionListing = {
  kind: 'position',
  id: 10,
  chainId: 1,
  positionId: `1:${vault}:${vault}`,
  protocol: 'erc-4626',
  project: 'erc-4626',
  token: facts(vault, 'vDAI'),
  primaryAddress: vault,
  poolAddress: vault,
  name: 'DAI vault',
  subtitle: 'DAI',
  underlyingTokens: [daiFacts],
  rewardTokens: [usdc],
  tvl: 1_000,
  apy: 6.5,
  apyBase: 4.5,
  apyReward: 2,
}
const pair: PositionListing = {
  ...single,
  id: 11,
  positionId: `1:${manager}:${share}`,
  protocol: 'uniswap-v2',
  project: 'uniswap',
  token: facts(share, null),
  primaryAddress: manager,
  poolAddress: share,
  name: 'USDC/WETH',
  subtitle: '',
  underlyingTokens: [usdcFacts, wethFacts],
  rewardTokens: [],
  tvl: 50_000,
  apy: -1.5,
  apyBase: -1.5,
  apyReward: null,
}
const nft: PositionListing = {
  ...pair,
  id: 12,
  positionId: `1:${manager}:full-range`,
  protocol: 'uniswap-v3',
  token: null,
  name: 'WETH/vDAI',
  underlyingTokens: [wethFacts, facts(vault, 'vDAI')],
  tvl: null,
  apy: null,
  apyBase: null,
}
const all: Listing[] = [...baseListings, single, pair, nft]

let listings: readonly Listing[] = all
let direct: Awaited<ReturnType<typeof openScene>>
let proxy: ContractProxy

beforeAll(async () => {
  direct = await openScene(
    {},
    {
      listings: async ({ chainId }) =>
        listings.filter(
          (one) => !chainId || (one.kind === 'base' ? one.token.chainId : one.chainId) === chainId,
        ),
    },
  )
  proxy = await startContractProxy(direct.url)
})
afterAll(async () => {
  await proxy.stop()
  await direct.close()
})
beforeEach(() => {
  listings = all
})

/** Through the proxy; it demands a key since the document does. */
async function checked(path: string): Promise<Reply> {
  const headers = { authorization: 'Bearer any' }
  return read(await fetch(`${proxy.url}/api/v1${path}`, { headers }))
}

const addressesOf = (reply: Reply): string[] =>
  reply.body.data.map((one: { address: string }) => one.address)

describe('the proxy', () => {
  test('finds an answer that is not as documented', async () => {
    const broken = { ...single, tvl: 'much' as unknown as number }
    listings = [broken]
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
      logosUri: null,
      underlyingTokens: [
        {
          address: dai,
          chainId: 1,
          type: 'base',
          decimals: 18,
          symbol: 'DAI',
          name: 'Dai',
          logosUri: null,
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
    expect(body.data[5]).toMatchObject({ symbol: null, decimals: null })
  })

  test('without metadata and underlying tokens their fields are not there', async () => {
    const { body } = await checked(`/tokens?address=${vault}&includeUnderlying=false`)
    for (const name of ['symbol', 'name', 'decimals', 'logosUri', 'underlyingTokens']) {
      expect(body.data[0]).not.toHaveProperty(name)
    }
    const plain = (await checked(`/tokens?address=${vault}`)).body.data[0]
    expect(plain.underlyingTokens).toEqual([{ address: dai, chainId: 1, type: 'base' }])
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
    listings = [...all.filter(({ id }) => id !== 1), { ...pair, apy: 99 }, late]
      .filter((one, index, list) => list.findLastIndex(({ id }) => id === one.id) === index)
      .sort((a, b) => a.id - b.id)
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
      const reply = await direct.get(`/tokens?pageSize=${size}`)
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
      expect(addressesOf(await direct.get(`/tokens?${query}`)), query).toEqual([vault, share])
      expect(addressesOf(await direct.get(`/v1/tokens?${query}`)), query).toEqual([vault, share])
    }
  })
})

describe('positions', () => {
  test('/positions lists all kinds, as documented', async () => {
    const { body } = await checked('/positions')
    expect(body.map((one: { id: string }) => one.id)).toEqual([
      `1:${dai}:${dai}`,
      `1:${usdc}:${usdc}`,
      `1:${weth}:${weth}`,
      `8453:${usdc}:${usdc}`,
      `1:${vault}:${vault}`,
      `1:${manager}:${share}`,
      `1:${manager}:full-range`,
    ])
    expect(body[4]).toEqual({
      apy: 6.5,
      apyBase: 4.5,
      apyReward: 2,
      tvl: 1_000,
      chainId: 1,
      id: `1:${vault}:${vault}`,
      name: 'DAI vault',
      poolAddress: vault,
      primaryAddress: vault,
      subtitle: 'DAI',
      rewardTokens: [usdc],
      token: {
        id: `1:${vault}:${vault}`,
        address: vault,
        name: 'vDAI share',
        symbol: 'vDAI',
        decimals: 18,
        chain: 1,
        type: 1,
        project: 'erc-4626',
        protocol: 'erc-4626',
        poolAddress: vault,
        primaryAddress: vault,
        underlyingTokens: [dai],
      },
      tokenAddress: vault,
      underlyingTokens: [dai],
      project: 'erc-4626',
      protocol: expect.objectContaining({ slug: 'erc-4626', chainIds: [1], category: 'vault' }),
    })
    expect(body[0]).toMatchObject({
      name: 'Dai',
      subtitle: 'DAI',
      poolAddress: dai,
      primaryAddress: dai,
      token: { type: 0, chain: 1, underlyingTokens: [] },
      project: null,
      protocol: null,
      apy: null,
      tvl: null,
    })
    expect(body[6]).toMatchObject({ token: null, tokenAddress: null, tvl: null, apy: null })
  })

  test('the narrower lists', async () => {
    const names = async (path: string) =>
      (await checked(path)).body.map((one: { name: string }) => one.name)
    expect(await names('/defiTokens')).toEqual(['DAI vault', 'USDC/WETH'])
    expect(await names('/baseTokens?chainId=1')).toEqual(['Dai', 'USD Coin', 'Ether'])
    expect(await names('/tokenless-positions')).toEqual(['WETH/vDAI'])
  })

  test('filters', async () => {
    const cases: [string, number][] = [
      [`tokenAddress=${vault}`, 1],
      [`poolAddress=${share}`, 2],
      ['symbol=usdc', 2],
      ['symbol=usdc&chainId=8453', 1],
      ['protocol=uniswap-v3', 1],
      ['project=uniswap', 2],
      [`underlyingAddress=${weth}`, 2],
      [`underlyingAddress=${weth}&underlyingAddress=${dai}`, 3],
      ['name=weth/VDAI', 1],
      ['name=nothing', 0],
      [`project=uniswap&underlyingAddress=${usdc}`, 1],
    ]
    for (const [query, count] of cases) {
      const reply = await checked(`/positions?${query}`)
      expect(reply.status, `${query}: ${reply.text}`).toBe(200)
      expect(reply.body, query).toHaveLength(count)
    }
  })

  test('/nontokenized by pages, with what its tokens are', async () => {
    const second = { ...nft, id: 14, positionId: `1:${manager}:narrow`, project: 'other' }
    listings = [...all, second]
    const { body } = await checked('/nontokenized?pageSize=1')
    expect(body.meta).toMatchObject({ total: 2, lastPage: 2, cursor: 12 })
    expect(body.data).toEqual([
      {
        chainId: 1,
        project: 'uniswap',
        protocol: 'uniswap-v3',
        address: share,
        positionId: `1:${manager}:full-range`,
        primaryAddress: manager,
        name: 'WETH/vDAI',
        underlyingTokens: [
          expect.objectContaining({ address: weth, type: 'base', symbol: 'WETH' }),
          expect.objectContaining({ address: vault, type: 'defi', symbol: 'vDAI' }),
        ],
      },
    ])
    const next = (await checked('/nontokenized?pageSize=1&cursor=12')).body
    expect(next.data[0].positionId).toBe(second.positionId)
    expect((await checked('/nontokenized?project=other')).body.meta.total).toBe(1)
    expect((await checked(`/nontokenized?primaryAddress=${dai}`)).body.meta.total).toBe(0)
  })

  test('wrong filters are listed at once', async () => {
    const reply = await direct.get('/positions?tokenAddress=0x12&chainId=7')
    expect(reply.status).toBe(400)
    expect(reply.body.message).toEqual([
      'tokenAddress[0] must be an address: 0x and 40 hexadecimal digits',
      'chainId 7 is not configured here',
    ])
    const unknown = await direct.get('/defiTokens?chainId=7')
    expect([unknown.status, unknown.body.code]).toEqual([400, 'UNKNOWN_CHAIN'])
  })
})

describe('protocols', () => {
  test('projects with their protocols and positions', async () => {
    const { body } = await checked('/projects')
    const uniswap = body.find(({ id }: { id: string }) => id === 'uniswap')
    expect(uniswap).toMatchObject({
      title: 'Uniswap',
      chainIds: '1',
      category: 'dex',
      poolCount: 2,
      protocol: 'uniswap-v2',
      protocols: ['uniswap-v2', 'uniswap-v3', 'uniswap-v4'],
    })
    const own = await checked('/projects/Uniswap/protocols')
    expect(own.body.map(({ slug }: { slug: string }) => slug)).toEqual(uniswap.protocols)
  })

  test('protocols by chain and slug', async () => {
    const everything = (await checked('/protocols')).body
    expect((await checked('/protocols?chainId=1')).body).toEqual(everything)
    expect((await checked('/protocols?chainId=8453')).body).toEqual([])
    const two = (await checked('/protocols?slug=uniswap-v2&slug=Uniswap-V3')).body
    expect(two.map(({ slug }: { slug: string }) => slug)).toEqual(['uniswap-v2', 'uniswap-v3'])
    expect(two[0]).toMatchObject({ project: 'uniswap', chainIds: [1] })
  })

  test('standards with forks and methods', async () => {
    const list = (await checked('/standards')).body
    const v2 = list.find(
      (one: { protocol: { slug: string } }) => one.protocol.slug === 'uniswap-v2',
    )
    expect(v2.forks.map(({ slug }: { slug: string }) => slug)).toEqual([
      'sushiswap-v2',
      'pancakeswap-v2',
    ])
    const swap = v2.methods.find(({ method }: { method: string }) => method === 'swap')
    expect(swap.supportedChains).toEqual([{ id: 1, name: 'Ethereum' }])
    expect(Object.keys(swap.inputs)).toEqual(
      expect.arrayContaining(['tokenIn', 'tokenOut', 'amountIn', 'slippage', 'primaryAddress']),
    )
    expect(v2.actions.map((one: { action: string }) => one.action)).toEqual(
      v2.methods.map(({ method }: { method: string }) => method),
    )
    expect((await checked('/standards/uniswap-v2')).body).toEqual(v2)
  })

  test('actions of all, of one protocol and of the service', async () => {
    const { body } = await checked('/actions')
    const names = body.map(({ name }: { name: string }) => name)
    expect(names).toEqual([...new Set(names)].sort())
    for (const name of ['approve', 'route', 'swap', 'transfer']) expect(names).toContain(name)
    for (const one of body) expect(one.action).toBe(one.name)
    expect((await checked('/shortcuts/actions')).body).toEqual(body)
    expect((await direct.get('/v1/shortcuts/actions')).body).toEqual(body)
    const own = (await checked('/actions/svc')).body
    expect(own.map(({ name }: { name: string }) => name)).toContain('call')
    const ofPair = (await checked('/actions/uniswap-v2')).body
    expect(ofPair.map(({ name }: { name: string }) => name)).toContain('swap')
  })

  test('the service is known by its configured name', async () => {
    const acme = await startScene({ SERVICE_NAME: 'acme' })
    expect((await acme.get('/actions/acme')).status).toBe(200)
    expect((await acme.get('/actions/svc')).status).toBe(404)
  })

  test.each(['/standards/nothing', '/actions/nothing', '/projects/nothing/protocols'])(
    '%s is a 404',
    async (path) => {
      const reply = await checked(path)
      expect([reply.status, reply.body.code]).toEqual([404, 'NOT_FOUND'])
    },
  )
})

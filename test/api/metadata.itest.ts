/** Positions and protocols over real HTTP, every answer through a proxy that checks it against /openapi.json. */

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { chains } from '../../src/chains/registry.js'
import { serviceProtocols } from '../../src/domain/bundle.js'
import { all, type Listings, manager, nft, openListings, share, vault } from './listings.js'
import { dai, startTestApi, usdc, weth } from './test-api.js'

let api: Listings

beforeAll(async () => {
  api = await openListings()
})
afterAll(() => api.close())
beforeEach(() => api.list(all))

const checked = (path: string) => api.checked(path)

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
    api.list([...all, second])
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
    const reply = await api.direct.get('/positions?tokenAddress=0x12&chainId=7')
    expect(reply.status).toBe(400)
    expect(reply.body.message).toEqual([
      'tokenAddress must be an address: 0x and 40 hexadecimal digits',
      expect.stringMatching(/^chainId 7 is not configured here; configured: 1 \(Ethereum\)/),
    ])
    const unknown = await api.direct.get('/defiTokens?chainId=7')
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
      chains: [1],
      twitter: 'Uniswap',
      description: 'An exchange of pools that anybody can open.',
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
    for (const chainId of [1, 8453]) {
      const own = everything.filter((one: { chainIds: number[] }) => one.chainIds.includes(chainId))
      expect(own.length).toBeGreaterThan(0)
      expect(own.length).toBeLessThan(everything.length)
      expect((await checked(`/protocols?chainId=${chainId}`)).body).toEqual(own)
    }
    const two = (await checked('/protocols?slug=uniswap-v2&slug=Uniswap-V3')).body
    expect(two.map(({ slug }: { slug: string }) => slug)).toEqual(['uniswap-v2', 'uniswap-v3'])
    expect(two[0]).toMatchObject({ project: 'uniswap', chainIds: [1], twitter: 'Uniswap' })
  })

  test('a client that looks for the protocols of a chain and groups them finds each', async () => {
    for (const path of ['/protocols', '/projects/uniswap/protocols']) {
      const { body } = await checked(path)
      expect(body.length).toBeGreaterThan(0)
      for (const one of body) {
        const ids = chains.map(({ id }) => id).filter((id) => one.chainIds.includes(id))
        const named = ids.map((id) => ({ id, name: chains.find((each) => each.id === id)?.name }))
        expect(one.chains).toEqual(named)
        expect(one.chainIds).toEqual(ids)
        expect(one.projectId).toBe(one.project)
        expect(one.logosUri).toEqual(one.logo === null ? [] : [one.logo])
      }
    }
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

  test('wrapped-native wraps by deposit and unwraps by redeem, in every list alike', async () => {
    const slug = 'wrapped-native'
    const actions = (await checked(`/actions/${slug}`)).body
    expect(actions.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['deposit', 'redeem']),
    )
    for (const { inputTypes } of actions) {
      expect(inputTypes).toMatchObject({
        primaryAddress: { type: 'address', optional: true },
        tokenIn: { type: 'address', optional: true },
        tokenOut: { type: 'address', optional: true },
        amountIn: { type: 'uint256' },
        receiver: { type: 'address', optional: true },
      })
    }
    const { methods, protocol } = (await checked(`/standards/${slug}`)).body
    expect(protocol.slug).toBe(slug)
    expect(methods).toEqual([
      expect.objectContaining({ method: 'deposit', name: 'Wrap', functionNames: ['deposit'] }),
      expect.objectContaining({ method: 'redeem', name: 'Unwrap', functionNames: ['withdraw'] }),
    ])
    const [record] = (await checked(`/protocols?slug=${slug}`)).body
    expect(methods[0].supportedChains).toEqual(record.chains)
    expect(record).toMatchObject({ project: slug, category: 'wrapper' })
    const projects = (await checked('/projects')).body
    expect(projects.find(({ id }: { id: string }) => id === slug)).toMatchObject({
      protocol: slug,
      protocols: [slug],
      chains: record.chainIds,
      poolCount: 0,
    })
    expect((await checked(`/projects/${slug}/protocols`)).body).toEqual([record])
    expect((await checked('/aggregators')).body).not.toContain(slug)
  })

  test('actions of all, of one protocol and of the service', async () => {
    const { body } = await checked('/actions')
    const names = body.map(({ name }: { name: string }) => name)
    expect(names).toEqual([...new Set(names)].sort())
    for (const name of ['approve', 'route', 'swap', 'transfer']) expect(names).toContain(name)
    for (const one of body) {
      expect(one.action).toBe(one.name)
      expect(Object.keys(one.inputs)).toEqual(Object.keys(one.inputTypes))
      for (const [name, input] of Object.entries<Record<string, unknown>>(one.inputTypes)) {
        const { type, description, ...rest } = input
        expect(one.inputs[name]).toBe(`${description}${rest.optional ? ' (optional)' : ''}`)
        expect(type).toMatch(
          /^(address|u?int256|bps|bytes|string|reference|action)(\[\])?$|^array$|^object$/,
        )
        expect(description).toMatch(/^\S.*[^.]$/)
        expect([{}, { optional: true }]).toContainEqual(rest)
      }
    }
    const { inputs, inputTypes } = body.find(({ name }: { name: string }) => name === 'route')
    expect(inputs.tokenIn).toBe('Token to give')
    expect(inputTypes.tokenIn).toEqual({ type: 'address', description: 'Token to give' })
    expect(inputTypes.amountIn.type).toBe('uint256')
    expect(inputTypes.slippage).toMatchObject({ type: 'bps', optional: true })
    expect((await checked('/shortcuts/actions')).body).toEqual(body)
    expect((await api.direct.get('/v1/shortcuts/actions')).body).toEqual(body)
    const own = (await checked('/actions/svc')).body
    expect(own.map(({ name }: { name: string }) => name)).toContain('call')
    const ofPair = (await checked('/actions/uniswap-v2')).body
    expect(ofPair.map(({ name }: { name: string }) => name)).toContain('swap')
  })

  test('with API_DIALECT=family inputs are typed, as published clients read them', async () => {
    const family = await openListings({ API_DIALECT: 'family' })
    onTestFinished(() => family.close())
    for (const path of ['/actions', '/shortcuts/actions', '/actions/svc']) {
      const { body } = await family.checked(path)
      for (const one of body) expect(one.inputs).toEqual(one.inputTypes)
      const { inputs } = body.find(({ name }: { name: string }) => name === 'route')
      expect(inputs.tokenIn).toEqual({ type: 'address', description: 'Token to give' })
      expect(inputs.slippage).toMatchObject({ type: 'bps', optional: true })
    }
  })

  test.each([
    ['erc20', ['approve', 'transfer', 'transferfrom']],
    ['ERC20', ['approve', 'transfer', 'transferfrom']],
    ['erc721', ['approve', 'transfer', 'transferfrom']],
    ['permit2', ['permittransferfrom']],
  ])('what bundles do under the name %s', async (slug, expected) => {
    const { status, body } = await checked(`/actions/${slug}`)
    expect(status).toBe(200)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(expected)
    const own = (await checked('/actions/svc')).body
    for (const one of body) expect(own).toContainEqual(one)
  })

  test('every protocol name that bundles take for the service has a list of actions', async () => {
    for (const slug of serviceProtocols) {
      expect((await checked(`/actions/${slug}`)).status, slug).toBe(200)
    }
  })

  test('the service is known by its configured name', async () => {
    const acme = await startTestApi({ SERVICE_NAME: 'acme' })
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

/**
 * What clients of this family of APIs take for granted: lists that they filter and index without a look, one address per
 * routing strategy, and a spender that is either honoured or refused. On the whole service.
 */
import { encodeFunctionData, erc20Abi } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress, walletAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { executeOnFork } from '../../support/execute.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const owner = sandboxAccount('carol')
const stranger = sandboxAccount('bob').address
const wallet = walletAddress(owner.address)
const strategies = ['router', 'router-legacy', 'delegate', 'delegate-legacy', 'svcwallet-v2']

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

async function get(path: string, query: Record<string, string> = {}) {
  const answer = await service.get(`/api/v1${path}`, query)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** 1,000 USDC into WETH. */
const trade = { tokenIn: token('USDC'), amountIn: '1000000000', tokenOut: token('WETH') }

const route = (query: Record<string, string>) =>
  service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    executionMode: 'backend',
    ...trade,
    ...query,
  })

const bundle = (query: Record<string, string>) => {
  const text = new URLSearchParams({ chainId: '1', ...query }).toString()
  return service.post(`/api/v1/shortcuts/bundle?${text}`, [
    { protocol: 'svc', action: 'route', args: trade },
  ])
}

describe('the native token', () => {
  test.each([nativeToken, '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'])(
    'is found as %s',
    async (address) => {
      const { meta, data } = await get('/tokens', {
        chainId: '1',
        address,
        includeMetadata: 'true',
      })
      expect(meta.total).toBe(1)
      expect(data[0]).toMatchObject({
        address: nativeToken,
        chainId: 1,
        type: 'base',
        symbol: 'ETH',
        name: 'Ether',
        decimals: 18,
      })
      expect(data[0].logosUri[0]).toMatch(/^https:/)
    },
  )

  test('is among the base tokens and the positions, by its symbol too, once', async () => {
    for (const path of ['/baseTokens', '/positions']) {
      const found = await get(path, { chainId: '1', tokenAddress: nativeToken })
      expect(found, path).toHaveLength(1)
      expect(found[0]).toMatchObject({ name: 'Ether', token: { symbol: 'ETH', decimals: 18 } })
    }
    const { data } = await get('/tokens', { chainId: '1', type: 'base', symbol: 'eth' })
    expect(data).toHaveLength(1)
    const all = (await get('/tokens', { chainId: '1', type: 'base' })).data
    const addresses = all.map(({ address }: { address: Address }) => address)
    expect(addresses.filter((address: Address) => address === nativeToken)).toHaveLength(1)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  test('of a wallet has the same logo', async () => {
    const { data } = await get('/tokens', { address: nativeToken, includeMetadata: 'true' })
    const query = { chainId: '1', eoaAddress: owner.address, useEoa: 'true' }
    const balances = await get('/wallet/balances', query)
    const own = balances.filter((one: { token: Address }) => one.token === nativeToken)
    expect(own).toHaveLength(1)
    expect(own[0].logoUri).toBe(data[0].logosUri[0])
  })
})

test('every token has decimals and a list of logos, and so has what it is made of', async () => {
  const plain = (await get('/tokens', { chainId: '1' })).data
  const { data } = await get('/tokens', { chainId: '1', includeMetadata: 'true' })
  expect(data).toHaveLength(plain.length)
  for (const one of plain) expect(one.decimals, one.address).toEqual(expect.any(Number))
  for (const one of data) {
    for (const each of [one, ...(one.underlyingTokens ?? [])]) {
      expect(each.decimals, each.address).toEqual(expect.any(Number))
      expect(each.logosUri, each.address).toEqual(expect.any(Array))
    }
  }
  // A share of a pool is shown as what it is made of.
  const share = data.find(({ symbol }: { symbol: string }) => symbol === 'UNI-V2')
  const parts = share.underlyingTokens.flatMap(({ logosUri }: { logosUri: string[] }) => logosUri)
  expect(parts.length).toBeGreaterThan(0)
  expect(share.logosUri).toEqual(parts)
})

test('what lends, stakes or holds deposits is no aggregator', async () => {
  const aggregators = await get('/aggregators', { chainId: '1' })
  expect(aggregators).toEqual(await get('/aggregators'))
  const categories = new Map(
    (await get('/protocols')).map((one: { slug: string; category: string }) => [
      one.slug,
      one.category,
    ]),
  )
  expect(aggregators).toContain('uniswap-v3')
  for (const slug of aggregators) expect(categories.get(slug), slug).toBe('dex')
  const others = [...categories].flatMap(([slug, kind]) => (kind === 'dex' ? [slug] : []))
  expect(aggregators).toEqual(others.toSorted())
})

describe('a routing strategy', () => {
  test.each(strategies)(
    '%s: one address in /wallet, in tx.to and in the approval',
    async (strategy) => {
      const { strategies: listed, address } = await get('/wallet', { fromAddress: owner.address })
      expect(Object.keys(listed).toSorted()).toEqual(strategies.toSorted())
      expect(address).toBe(wallet)
      const answer = await route({ fromAddress: owner.address, routingStrategy: strategy })
      expect(answer.status, answer.text).toBe(200)
      expect(answer.body.tx.to).toBe(listed[strategy])
      const approval = await get('/wallet/approve', {
        chainId: '1',
        fromAddress: owner.address,
        routingStrategy: strategy,
        tokenAddress: token('USDC'),
        amount: '5',
      })
      expect(approval.spender).toBe(listed[strategy])
      const args = [listed[strategy], 5n] as const
      expect(approval.tx).toEqual({
        from: owner.address,
        to: token('USDC'),
        value: '0',
        data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args }),
      })
      const needless =
        'No allowance is needed: with a delegate strategy the account spends its own tokens.'
      expect(approval.warnings ?? []).toEqual(strategy.startsWith('delegate') ? [needless] : [])
    },
  )
})

describe('spender', () => {
  const routingStrategy = 'svcwallet-v2'
  const asWallet = { fromAddress: wallet, routingStrategy, spender: owner.address }

  test.each([
    ['route', route],
    ['bundle', bundle],
  ])('%s of a wallet: its owner sends and gives, the wallet gets', async (name, ask) => {
    const answer = await ask(asWallet)
    expect(answer.status, answer.text).toBe(200)
    const { tx, blockNumber, gas } = answer.body
    const factory = contractAddress('WalletFactory')
    expect(tx).toMatchObject({ from: owner.address, to: factory })
    const gained = name === 'route' ? answer.body.amountOut : answer.body.amountsOut[trade.tokenOut]
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber,
      tx: { ...tx, key: owner.privateKey },
      fund: [{ token: trade.tokenIn, amount: BigInt(trade.amountIn) }],
      approve: factory,
      watch: [
        { token: trade.tokenIn, owner: owner.address },
        { token: trade.tokenOut, owner: wallet },
      ],
    })
    expect(done).toMatchObject({ status: 'success', deltas: [-1_000_000_000n, BigInt(gained)] })
    expect(Number(done.gasUsed)).toBeGreaterThan(0.9 * Number(gas))
  })

  test.each([
    ['a wallet of somebody else', { ...asWallet, spender: stranger }],
    [
      'another account than the owner',
      { ...asWallet, fromAddress: owner.address, spender: stranger },
    ],
    ['the wallet of the owner', { ...asWallet, fromAddress: owner.address, spender: wallet }],
    ['a delegate account', { ...asWallet, routingStrategy: 'delegate' }],
    ['an account', { fromAddress: owner.address, spender: stranger }],
  ])('%s: a 400 on route, on bundle and into a position', async (_, query) => {
    const { tokenOut: _tokenOut, ...given } = trade
    const { data } = await get('/nontokenized', { chainId: '1', pageSize: '1' })
    const into = { chainId: '1', receiver: owner.address, positionOut: data[0].positionId }
    const nontokenized = await service.get('/api/v1/shortcuts/route/nontokenized', {
      ...into,
      ...given,
      ...query,
    })
    for (const answer of [await route(query), await bundle(query), nontokenized]) {
      expect([answer.status, answer.body.code], answer.text).toEqual([400, 'INVALID_REQUEST'])
      expect(answer.body.message).toMatch(/^spender must /)
    }
  })

  test('the sender itself is one with every strategy', async () => {
    for (const strategy of strategies) {
      const query = { fromAddress: owner.address, routingStrategy: strategy }
      const named = await route({ ...query, spender: owner.address })
      expect(named.status, named.text).toBe(200)
      expect(named.body.tx).toEqual((await route(query)).body.tx)
    }
  })
})

test('an action whose protocol is a list of one', async () => {
  const query = new URLSearchParams({ chainId: '1', fromAddress: owner.address })
  const action = { action: 'route', args: trade }
  const ask = (protocol: unknown) =>
    service.post(`/api/v1/shortcuts/bundle?${query}`, [{ protocol, ...action }])
  const [alone, listed] = await Promise.all([ask('svc'), ask(['SVC'])])
  expect(listed.status, listed.text).toBe(200)
  expect(listed.body).toEqual(alone.body)
  const several = await ask(['svc', 'svc'])
  expect([several.status, several.body.message]).toEqual([400, 'item 0.protocol must be a text'])
})

describe('a position without a token', () => {
  const enter = (positionOut: string) =>
    service.get('/api/v1/shortcuts/route/nontokenized', {
      chainId: '1',
      fromAddress: owner.address,
      receiver: owner.address,
      positionOut,
      tokenIn: nativeToken,
      amountIn: `${10n ** 17n}`,
      executionMode: 'backend',
    })
  const listed = async (protocol: string) => {
    const { data } = await get('/nontokenized', { chainId: '1', protocolSlug: protocol })
    return data as { name: string; positionId: string; address: Address }[]
  }

  test.each(['WBTC/USDC 0.3%', 'LINK/WETH 0.3%', 'AAVE/USDC 0.3%'])(
    '%s can be entered as listed, by its id or its address',
    async (pair) => {
      const { positionId, address } =
        (await listed('uniswap-v3')).find(({ name }) => name.endsWith(pair)) ?? {}
      const byId = await enter(`${positionId}`)
      expect(byId.status, byId.text).toBe(200)
      expect(byId.body.positionOut).toBe(positionId)
      // Records that clients read have no id, only an address, and are typed with that as positionOut.
      expect((await enter(`${address}`)).body).toEqual(byId.body)
    },
  )

  test('at an address with several is asked for by its id, which the refusal names', async () => {
    const all = await listed('morpho-blue')
    const address = `${all[0]?.address}`
    expect(all.length).toBeGreaterThan(1)
    const { status, body } = await enter(address)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    for (const { positionId } of all) expect(body.message).toContain(positionId)
  })

  test.each([sandboxAccount('bob').address, trade.tokenIn])('%s is none', async (address) => {
    const { status, body } = await enter(address)
    expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
  })
})

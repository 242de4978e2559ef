/**
 * A service as clients of the family expect it (API_DIALECT=family), with an exchange disabled, on two chains of the
 * sandbox. The proxy in front holds each answer against the dialect.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import { nativeToken } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { proveBundle } from '../../support/bundle.js'
import { startService, type TestService } from '../../support/service/service.js'

const [usdc, weth] = [sandboxToken('USDC').address, sandboxToken('WETH').address]
/** Has neither funds nor allowances. */
const sender = '0x00000000000000000000000000000000000d1a1e'
const trade = { tokenIn: usdc, tokenOut: weth, amountIn: '1000000000' }
const disabled = 'uniswap-v3'

let service: TestService

beforeAll(async () => {
  service = await startService({
    API_DIALECT: 'family',
    DISABLED_AGGREGATORS: 'Uniswap-V3',
    SANDBOX_CHAINS: '1,42161',
  })
})
afterAll(() => service.stop())

async function get(path: string, query: Record<string, string> = {}) {
  const answer = await service.get(`/api/v1${path}`, query)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

describe('API_DIALECT=family', () => {
  test('inputs of actions and underlying tokens are records', async () => {
    const [route] = (await get('/actions')).filter(({ name }: { name: string }) => name === 'route')
    expect(route.inputs.tokenIn).toEqual({ type: 'address', description: 'Token to give' })
    const { data } = await get('/tokens', { type: 'defi', protocolSlug: 'aave-v3', chainId: '1' })
    expect(data[0].underlyingTokens[0]).toMatchObject({ chainId: 1, type: 'base' })
  })

  test('a route is answered before the sender has funds or an allowance, and refused as that of a user', async () => {
    await get('/shortcuts/route', { fromAddress: sender, ...trade })
    const path = '/api/v1/shortcuts/route'
    const asUser = { fromAddress: sender, ...trade, executionMode: 'user' }
    const refused = await service.get(path, asUser)
    expect([refused.status, refused.body.code]).toEqual([400, 'INSUFFICIENT_BALANCE'])
  })
})

describe('DISABLED_AGGREGATORS', () => {
  test('what it names is no aggregator and in no route, but its positions stay', async () => {
    for (const query of [{}, { chainId: '1' }]) {
      expect(await get('/aggregators', query)).not.toContain(disabled)
    }
    const { candidates, pools } = await get('/shortcuts/quote', { ...trade, explain: 'true' })
    expect(candidates.length).toBeGreaterThan(0)
    expect(JSON.stringify(candidates)).not.toContain(disabled)
    const reasons = pools.refused.map(({ reason }: { reason: string }) => reason)
    expect(reasons).toContain('DISABLED_AGGREGATORS names its protocol')
    const { meta } = await get('/nontokenized', { chainId: '1', protocolSlug: disabled })
    expect(meta.total).toBeGreaterThan(0)
  })

  test('a route that is asked of it alone says that it is disabled here', async () => {
    const others = (await get('/aggregators', { chainId: '1' })).join()
    const answer = await service.get('/api/v1/shortcuts/quote', {
      ...trade,
      ignoreAggregators: others,
    })
    expect(answer.status).toBe(422)
    expect(answer.body.details.disabled).toEqual([disabled])
    expect(answer.body.message).toContain(`disabled in this service: ${disabled}`)
  })

  test('a name that no exchange has is told at the start, with those that there are', async () => {
    const start = startService({
      DISABLED_AGGREGATORS: 'uniswap-v3,uniswapv9',
      SANDBOX_CHAINS: '1',
    })
    await expect(start).rejects.toThrow(
      /DISABLED_AGGREGATORS: no exchange is called uniswapv9; known: .*uniswap-v2/,
    )
  })
})

test("another chain of the sandbox lists none of Ethereum's positions, nor any that nobody can enter", async () => {
  for (const path of ['/nontokenized', '/tokenless-positions']) {
    const answer = await get(path, { chainId: '42161' })
    expect(answer.data ?? answer, path).toEqual([])
  }
  expect((await get('/nontokenized', { chainId: '1' })).meta.total).toBeGreaterThan(0)
})

describe('wrapped-native', () => {
  test('is a protocol, since steps name it', async () => {
    const { route, warnings } = await get('/shortcuts/quote', {
      tokenIn: nativeToken,
      tokenOut: weth,
      amountIn: '1000000000000000000',
      ignoreStandards: 'wrapped-native',
    })
    const known = (await get('/protocols')).map(({ slug }: { slug: string }) => slug)
    for (const { protocol } of route) expect(known).toContain(protocol)
    expect(route.map(({ protocol }: { protocol: string }) => protocol)).toContain('wrapped-native')
    expect(warnings).toEqual([expect.stringContaining('wrapped wherever a route needs it')])
    const [record] = await get('/protocols', { slug: 'wrapped-native' })
    expect(record.chainIds).toEqual([1, 42161])
  })

  /** As published clients send them, letter by letter. */
  const [native, wrapped] = [
    '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
    '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  ]
  const common = { primaryAddress: wrapped, amountIn: '1000000000000000001' }
  const deposit = { ...common, tokenIn: native, tokenOut: wrapped }
  const redeem = { ...common, tokenIn: wrapped, tokenOut: native }

  test.each([
    ['deposit', deposit, nativeToken, weth],
    ['redeem', redeem, weth, nativeToken],
  ])('%s of a bundle gives one for one', async (action, args, tokenIn, tokenOut) => {
    const protocol = 'wrapped-native'
    const { body } = await proveBundle(service, { fromAddress: sender }, [
      { protocol, action, args },
    ])
    expect(body.amountsIn).toEqual({ [tokenIn]: common.amountIn })
    expect(body.amountsOut).toEqual({ [tokenOut]: common.amountIn })
    expect(body.minAmountsOut).toEqual({ [tokenOut]: '995000000000000000' })
    expect(body.priceImpact).toBe(0)
    expect(body.route).toEqual([
      expect.objectContaining({ action, protocol, primary: weth, chainId: 1 }),
    ])
    const [listed] = (await get(`/actions/${protocol}`)).filter(
      ({ name }: { name: string }) => name === action,
    )
    expect(listed.inputs.tokenIn).toMatchObject({ type: 'address', optional: true })
  })

  test("another chain's is refused by the argument, with the right one", async () => {
    const actions = [{ protocol: 'wrapped-native', action: 'deposit', args: deposit }]
    const query = new URLSearchParams({ chainId: '42161', fromAddress: sender })
    const refused = await service.post(`/api/v1/shortcuts/bundle?${query}`, actions)
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(refused.body.message).toBe(
      `action 0, primaryAddress must be the wrapped native token of chain 42161, ${arbitrum.wrappedNative}`,
    )
  })
})

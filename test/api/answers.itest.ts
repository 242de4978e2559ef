import { describe, expect, test } from 'vitest'
import {
  Approval,
  ErrorBody,
  Network,
  Opportunities,
  Price,
  Wallet,
  WalletBalance,
} from '../../src/api/records/records.js'
import { Quote, RouteTransaction } from '../../src/api/records/transactions.js'
import type { QuoteRequest, RouteAnswer } from '../../src/domain/engine.js'
import { ForkrouteError } from '../../src/domain/errors.js'
import type { RouteLeg } from '../../src/domain/route-step.js'
import {
  answerTo,
  blockNumber,
  dai,
  documented,
  sender,
  startTestApi,
  usdc,
  weth,
} from './test-api.js'

const trade = `tokenIn=${weth}&tokenOut=${usdc}&amountIn=1000`
const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

function warned(request: QuoteRequest): RouteAnswer {
  return { ...answerTo(request), warnings: ['curve could not be read'] }
}

describe('route answers', () => {
  test('one tokenOut: the exact body', async () => {
    const api = await startTestApi()
    const body = await documented(
      api,
      `/shortcuts/route?fromAddress=${sender}&${trade}`,
      RouteTransaction,
    )
    expect(body).toEqual({
      route: [
        {
          action: 'swap',
          protocol: 'uniswap-v2',
          tokenIn: [weth],
          tokenOut: [usdc],
          positionInId: [],
          positionOutId: [],
          chainId: 1,
          primary: weth,
        },
      ],
      gas: '150000',
      amountOut: (2n ** 200n).toString(),
      minAmountOut: '1000',
      priceImpact: 12.5,
      createdAt: blockNumber,
      blockNumber,
      tx: { data: '0x1234', to: dai, from: sender, value: '5', chainId: 1 },
    })
  })

  test('several tokenOut: amounts in their order', async () => {
    const api = await startTestApi()
    const body = await documented(
      api,
      `/shortcuts/route?fromAddress=${sender}&tokenIn=${weth}&tokenOut=${usdc},${dai}&amountIn=1`,
      RouteTransaction,
    )
    expect(body.amountOut).toEqual([(2n ** 200n).toString(), (2n ** 200n + 1n).toString()])
    expect(body.minAmountOut).toEqual(['1000', '1000'])
  })

  test('several tokenOut of a quote: the first amount as text, all of them beside it', async () => {
    const api = await startTestApi()
    const search = `tokenIn=${weth}&tokenOut=${usdc},${dai}&amountIn=1`
    const { amountOut, amountOutList } = await documented(api, `/shortcuts/quote?${search}`, Quote)
    expect(amountOut).toBe((2n ** 200n).toString())
    expect(amountOutList).toEqual([(2n ** 200n).toString(), (2n ** 200n + 1n).toString()])
    const one = await documented(api, `/shortcuts/quote?${trade}`, Quote)
    expect(one).not.toHaveProperty('amountOutList')
  })

  test('a fee and the cost are there only when asked for', async () => {
    const api = await startTestApi()
    const body = await documented(
      api,
      `/shortcuts/route?fromAddress=${sender}&${trade}&fee=25&feeReceiver=${dai}&includeTransactionCost=true`,
      RouteTransaction,
    )
    expect(body.feeAmount).toEqual(['25'])
    expect(body.gasCost).toEqual({ native: '7', usd: 0.5 })
  })

  test.each([
    [
      '0.5',
      'slippage 0.5 is in basis points, 0.005 %: prices move more than that between blocks. 0.5 % would be 50.',
    ],
    [
      '3',
      'slippage 3 is in basis points, 0.03 %: prices move more than that between blocks. 3 % would be 300.',
    ],
  ])('slippage=%s, as of percent, has a warning', async (slippage, warning) => {
    const api = await startTestApi()
    const route = `/shortcuts/route?fromAddress=${sender}&${trade}`
    expect((await api.get(`${route}&slippage=${slippage}`)).body.warnings).toEqual([warning])
    for (const usual of ['0', '5.01', '50']) {
      const { body } = await api.get(`${route}&slippage=${usual}`)
      expect(body, usual).not.toHaveProperty('warnings')
    }
    const args = { tokenIn: weth, tokenOut: usdc, amountIn: '1000', slippage }
    const bundle = await api.post(`/shortcuts/bundle?fromAddress=${sender}`, [
      { protocol: 'svc', action: 'route', args },
    ])
    expect(bundle.body.warnings).toEqual([`action 0: ${warning}`])
  })

  test('a minimum of zero, as of slippage=10000, is said to enforce nothing', async () => {
    const api = await startTestApi(
      {},
      {
        route: async (request) => ({
          ...answerTo(request),
          outputs: [{ token: usdc, amountOut: 5n, minAmountOut: 0n }],
        }),
      },
    )
    const { body } = await api.get(`/shortcuts/route?fromAddress=${sender}&slippage=10000&${trade}`)
    expect(body.minAmountOut).toBe('0')
    expect(body.warnings).toEqual([
      'A minimum of this transaction is 0: it takes any price, however bad.',
    ])
  })

  test('a step over several venues names them all, those that take most first', async () => {
    const leg = (protocol: string, share: number): RouteLeg => ({
      tokenIn: weth,
      tokenOut: usdc,
      protocol,
      pool: dai,
      primary: dai,
      share,
    })
    const api = await startTestApi(
      {},
      {
        quote: async (request) => {
          const answer = answerTo(request)
          const legs = [leg('curve', 4_000), leg('uniswap-v3', 3_500), leg('uniswap-v3', 2_500)]
          const route = answer.route.map((step) => ({
            ...step,
            protocol: 'curve',
            internalRoutes: legs,
          }))
          return { ...answer, route }
        },
      },
    )
    const { body } = await api.get(`/shortcuts/quote?${trade}`)
    expect(body.route[0]).toMatchObject({
      protocol: 'curve',
      protocols: ['uniswap-v3', 'curve'],
    })
    const plain = (await (await startTestApi()).get(`/shortcuts/quote?${trade}`)).body
    expect(plain.route[0]).not.toHaveProperty('protocols')
  })

  test('warnings are there only when there are any', async () => {
    const api = await startTestApi({}, { quote: async (request) => warned(request) })
    const body = await documented(api, `/shortcuts/quote?${trade}`, Quote)
    expect(body.warnings).toEqual(['curve could not be read'])
    const plain = await startTestApi()
    expect((await plain.get(`/shortcuts/quote?${trade}`)).body).not.toHaveProperty('warnings')
  })

  test('where it was simulated and how long it holds follows the block, where the engine says it', async () => {
    const simulatedPosition = 0
    const api = await startTestApi(
      {},
      {
        route: async (request) => ({
          ...answerTo(request),
          marks: { simulatedPosition, expiresAtBlock: null },
        }),
        quote: async (request) => ({
          ...answerTo(request),
          marks: { simulatedPosition, expiresAtBlock: BigInt(blockNumber) + 4n },
        }),
      },
    )
    const path = `/shortcuts/route?fromAddress=${sender}&${trade}`
    const route = await documented(api, path, RouteTransaction)
    expect(route).toMatchObject({ simulatedPosition: 0, expiresAtBlock: null })
    expect(Object.keys(route).join()).toContain('blockNumber,simulatedPosition,expiresAtBlock,tx')
    const quote = await documented(api, `/shortcuts/quote?${trade}`, Quote)
    expect(quote).toMatchObject({ simulatedPosition: 0, expiresAtBlock: blockNumber + 4 })
  })

  test('/v1 answers with the same bytes as /api/v1', async () => {
    const api = await startTestApi()
    const search = `fromAddress=${sender}&${trade}`
    const one = await api.get(`/api/v1/shortcuts/route?${search}`)
    const two = await api.get(`/v1/shortcuts/route?${search}`)
    expect(two.text).toBe(one.text)
    expect((await api.get(`/v1/shortcuts/quote?${trade}`)).body).toEqual(
      await documented(api, `/shortcuts/quote?${trade}`, Quote),
    )
  })
})

describe('metadata', () => {
  test('networks, filtered by id or name', async () => {
    const api = await startTestApi()
    const all = await documented(api, '/networks', Network.array())
    expect(all).toEqual([
      { id: 1, name: 'Ethereum', isConnected: true, nativeToken: native, blockNumber },
      { id: 8453, name: 'Base', isConnected: false, nativeToken: native, blockNumber: null },
    ])
    expect((await api.get('/networks?chainId=8453')).body).toEqual([all[1]])
    expect((await api.get('/networks?name=ethereum')).body).toEqual([all[0]])
    expect((await api.get('/networks?name=Eth')).body).toEqual([all[0]])
    expect((await api.get('/networks?chainId=5')).body).toEqual([])
  })

  test('one price, or a 404', async () => {
    const api = await startTestApi()
    const body = await documented(api, `/prices/1/${weth.toUpperCase()}?blockNumber=7`, Price)
    expect(body).toMatchObject({ address: weth, price: 1.5, source: 'chainlink' })
    expect(api.asked.prices).toEqual([{ chainId: 1, addresses: [weth], blockNumber: 7n }])
    const none = await api.get(`/prices/1/${dai}`)
    expect(ErrorBody.parse(none.body)).toMatchObject({
      statusCode: 404,
      code: 'NO_PRICE',
      details: {
        chainId: 1,
        address: dai,
        next: [
          {
            endpoint: 'GET /api/v1/shortcuts/quote',
            query: { chainId: '1', tokenIn: dai },
          },
          { parameter: 'address' },
        ],
      },
    })
  })

  test('prices in the order asked, null where none is known', async () => {
    const api = await startTestApi()
    const path = `/prices/1?addresses=${usdc},${dai},${usdc}`
    const body = await documented(api, path, Price.nullable().array())
    expect(body.map((price: { address: string } | null) => price?.address ?? null)).toEqual([
      usdc,
      null,
      usdc,
    ])
  })

  test.each([
    ['/prices/1', 'addresses is required'],
    ['/prices/1?addresses=', 'addresses is required'],
    [
      '/prices/x/0x12',
      [
        'chainId must be an integer of at least 1',
        'address must be an address: 0x and 40 hexadecimal digits',
      ],
    ],
    [
      `/prices/5?addresses=${weth}`,
      expect.stringMatching(/^chainId 5 is not configured here; configured: 1 \(Ethereum\)/),
    ],
  ])('%s is a 400', async (path, message) => {
    const api = await startTestApi()
    const reply = await api.get(path)
    expect(reply.body).toMatchObject({ statusCode: 400, message })
  })

  test('aggregators', async () => {
    const api = await startTestApi()
    expect((await api.get('/aggregators')).body).toEqual(['uniswap-v2', 'uniswap-v3'])
    expect((await api.get('/aggregators?chainId=8453')).body).toEqual(['uniswap-v3'])
    expect((await api.get('/aggregators?chainId=7')).body).toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(
        /^chainId 7 is not configured here; configured: 1 \(Ethereum\)/,
      ),
    })
  })
})

describe('wallet', () => {
  test('details, with the service name in the strategy', async () => {
    const api = await startTestApi()
    const body = await documented(api, `/wallet?fromAddress=${sender}`, Wallet)
    expect(body).toEqual({
      address: dai,
      isDeployed: false,
      owner: sender,
      chainId: 1,
      strategies: {
        router: weth,
        delegate: weth,
        'router-legacy': weth,
        'delegate-legacy': weth,
        'svcwallet-v2': dai,
      },
    })
  })

  test('an approval', async () => {
    const api = await startTestApi()
    const max = (2n ** 256n - 1n).toString()
    const path = `/wallet/approve?chainId=1&fromAddress=${sender}&tokenAddress=${usdc}&amount=${max}`
    expect(await documented(api, path, Approval)).toEqual({
      tx: { to: usdc, from: sender, data: '0x095ea7b3', value: '0' },
      gas: '46000',
      token: usdc,
      amount: max,
      spender: weth,
    })
    expect(api.asked.approvals).toEqual([
      {
        chainId: 1,
        fromAddress: sender,
        strategy: 'router',
        token: usdc,
        amount: 2n ** 256n - 1n,
      },
    ])
  })

  test('the native token needs no approval', async () => {
    const api = await startTestApi()
    const reply = await api.get(
      `/wallet/approve?fromAddress=${sender}&tokenAddress=${native}&amount=1`,
    )
    expect(reply.body.message).toBe(
      'tokenAddress must be an ERC-20 token: the native token needs no approval',
    )
  })

  test.each([
    ['all', 'all'],
    ['1', 1],
  ] as const)('balances of chain %s', async (text, chainId) => {
    const api = await startTestApi()
    const path = `/wallet/balances?eoaAddress=${sender}&useEoa=true&chainId=${text}`
    expect(await documented(api, path, WalletBalance.array())).toEqual([
      {
        token: dai,
        amount: (2n ** 100n).toString(),
        chainId: 1,
        decimals: 18,
        price: '1.0',
        name: null,
        symbol: 'DAI',
        logoUri: null,
      },
    ])
    expect(api.asked.balances).toEqual([{ chainId, eoaAddress: sender, useEoa: true }])
  })

  test('balances name what is missing', async () => {
    const api = await startTestApi()
    expect((await api.get('/wallet/balances?chainId=some')).body.message).toEqual([
      'chainId must be a chain id, or all',
      'eoaAddress is required',
      'useEoa is required',
    ])
  })
})

describe('opportunities', () => {
  const bundle = (tokenOut: string, amount: string, slippage: string) => [
    {
      protocol: 'svc',
      action: 'route',
      args: { tokenIn: usdc, tokenOut, amountIn: amount, amount, slippage },
    },
  ]

  test('of an address: bodies of bundles', async () => {
    const api = await startTestApi()
    const path = `/opportunities/${sender}`
    expect(await documented(api, path, Opportunities)).toEqual([
      bundle(dai, '1000000', '50'),
      bundle(weth, '1000000', '50'),
    ])
    expect(api.asked.opportunities).toEqual([
      { chainId: 1, of: { kind: 'address', address: sender } },
    ])
  })

  test('of a token, with an amount and a slippage of its own', async () => {
    const api = await startTestApi()
    const path = `/opportunities/tokenIn/${usdc}?amountIn=77&slippage=1.5&chainId=8453`
    expect(await documented(api, path, Opportunities)).toEqual([
      bundle(dai, '77', '1.5'),
      bundle(weth, '77', '1.5'),
    ])
    expect(api.asked.opportunities).toEqual([
      { chainId: 8453, of: { kind: 'token', address: usdc }, amountIn: 77n },
    ])
  })

  test('while they are off: 503 that says so, and that no repetition helps', async () => {
    const disabled = new ForkrouteError('OPPORTUNITIES_DISABLED', 'They are off.')
    const api = await startTestApi({}, { opportunities: () => Promise.reject(disabled) })
    for (const path of [`/opportunities/${sender}`, `/opportunities/tokenIn/${usdc}`]) {
      const reply = await api.get(path)
      expect(reply.status).toBe(503)
      expect(reply.body).toMatchObject({ code: 'OPPORTUNITIES_DISABLED', message: 'They are off.' })
      expect(reply.headers.has('retry-after')).toBe(false)
    }
  })

  test('names what is wrong', async () => {
    const api = await startTestApi()
    const reply = await api.get('/opportunities/tokenIn/0x12?amountIn=0')
    expect(reply.body.message).toEqual([
      'tokenAddress must be an address: 0x and 40 hexadecimal digits',
      'amountIn must be greater than zero',
    ])
  })
})

import { describe, expect, test } from 'vitest'
import { base, query } from './route-query.js'
import { dai, sender, startTestApi, usdc, weth } from './test-api.js'

describe('wrong route requests', () => {
  const address = 'must be an address: 0x and 40 hexadecimal digits'
  const amount = 'must be an amount in the smallest unit: a decimal string below 2^256'
  const fee = { fee: '25', feeReceiver: dai }
  test.each<[Record<string, string | null>, string]>([
    [{ fromAddress: null }, 'fromAddress is required'],
    [{ tokenIn: null }, 'tokenIn is required'],
    [{ tokenOut: null }, 'tokenOut is required'],
    [{ amountIn: null }, 'amountIn is required'],
    [{ fromAddress: 'null' }, 'fromAddress is required'],
    [{ fromAddress: '0x12' }, `fromAddress ${address}`],
    [{ fromAddress: `${sender}0` }, `fromAddress ${address}`],
    [{ tokenIn: 'WETH' }, `tokenIn ${address}`],
    [
      { tokenIn: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756cc2' },
      'tokenIn has a wrong EIP-55 checksum; write it in lower case to skip the check',
    ],
    [{ tokenOut: `${usdc},` }, `tokenOut[1] ${address}`],
    [{ amountIn: '0' }, 'amountIn must be greater than zero'],
    [{ amountIn: '-1' }, `amountIn ${amount}`],
    [{ amountIn: '1.5' }, `amountIn ${amount}`],
    [{ amountIn: '1e18' }, `amountIn ${amount}`],
    [{ amountIn: '0x10' }, `amountIn ${amount}`],
    [{ amountIn: (2n ** 256n).toString() }, `amountIn ${amount}`],
    [{ amountIn: '1,2' }, 'amountIn must hold one amount per tokenIn (1, not 2)'],
    [{ tokenIn: `${weth},${dai}` }, 'amountIn must hold one amount per tokenIn (2, not 1)'],
    [
      { tokenIn: `${weth},${weth.toUpperCase()}`, amountIn: '1,2' },
      'tokenIn must not name a token twice',
    ],
    [{ tokenOut: `${usdc},${usdc}` }, 'tokenOut must not name a token twice'],
    [{ tokenOut: weth }, 'tokenOut must differ from tokenIn'],
    [{ chainId: 'one' }, 'chainId must be an integer of at least 1'],
    [{ chainId: '0' }, 'chainId must be an integer of at least 1'],
    [{ chainId: '1.0' }, 'chainId must be an integer of at least 1'],
    [{ chainId: '9007199254740993' }, 'chainId must be an integer of at least 1'],
    [
      { slippage: '1.234' },
      'slippage must be basis points from 0 to 10000 with at most two decimals',
    ],
    [
      { slippage: '10001' },
      'slippage must be basis points from 0 to 10000 with at most two decimals',
    ],
    [{ slippage: '-1' }, 'slippage must be basis points from 0 to 10000 with at most two decimals'],
    [
      { slippage: '50', minAmountOut: '1' },
      'slippage must not be given together with minAmountOut',
    ],
    [{ minAmountOut: '1,2' }, 'minAmountOut must hold one amount per tokenOut (1, not 2)'],
    [{ fee: '25' }, 'feeReceiver is required with fee'],
    [{ ...fee, fee: '101' }, 'fee must be at most 100 basis points'],
    [{ ...fee, fee: '1.5' }, 'fee must be whole basis points'],
    [{ ...fee, fee: '1,2' }, 'fee must hold one value per amountIn (1, not 2)'],
    [
      { ...fee, fee: '5,0', tokenIn: `${weth},${dai}`, amountIn: '1,2' },
      'fee[1] must be from 1 to 100 basis points',
    ],
    [{ spender: dai }, 'spender must equal fromAddress with a router strategy'],
    [
      { spender: dai, routingStrategy: 'router-legacy' },
      'spender must equal fromAddress with a router strategy',
    ],
    [
      { spender: dai, routingStrategy: 'delegate' },
      'spender must equal fromAddress with a delegate strategy: the account spends its own tokens',
    ],
    [
      { referralCode: '12345678901234567' },
      'referralCode must be 1 to 16 printable ASCII characters',
    ],
    [{ referralCode: 'é' }, 'referralCode must be 1 to 16 printable ASCII characters'],
    [
      { tokenIn: `0x${'0'.repeat(40)}` },
      'tokenIn must not be the zero address: the native token is 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
    ],
    [
      { tokenOut: `0x${'0'.repeat(40)}` },
      'tokenOut must not be the zero address: the native token is 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
    ],
    [
      { tokenInAmountToApprove: '999' },
      'tokenInAmountToApprove must be at least amountIn (1000): the transaction takes that much by the allowance',
    ],
    [
      { tokenInAmountToTransfer: '1001', routingStrategy: 'delegate' },
      'tokenInAmountToTransfer must equal amountIn (1000), which is what the transaction takes from fromAddress',
    ],
    [
      { tokenIn: `${weth},${dai}`, amountIn: '1,2', tokenInAmountToTransfer: '3' },
      'tokenInAmountToTransfer must not be given with several tokenIn: it is one amount',
    ],
    [
      { amountIn: null, amountOut: '5', tokenInAmountToApprove: '3' },
      'tokenInAmountToApprove must not be given without amountIn, which it repeats',
    ],
    [{ executionMode: 'fast' }, 'executionMode must be one of user, backend'],
    [{ toEoa: 'yes' }, 'toEoa must be true or false'],
    [
      { routingStrategy: 'checkout' },
      'routingStrategy must be one of router, delegate, router-legacy, delegate-legacy, svcwallet-v2',
    ],
    [
      { crosschainRouteMode: 'x' },
      'crosschainRouteMode must be one of direct, source, destination, sourceOrDestination, full',
    ],
    [
      { blockNumber: '-1' },
      'blockNumber must be an integer of at least 0; without it the newest is taken',
    ],
    [{ deadlineMs: '49' }, 'deadlineMs must be an integer from 50 to 60000'],
    [{ deadlineMs: '60001' }, 'deadlineMs must be an integer from 50 to 60000'],
    [
      { destinationBlockNumber: '7' },
      'destinationBlockNumber must not be given without a destinationChainId other than chainId',
    ],
  ])('%o', async (change, message) => {
    const api = await startTestApi()
    const reply = await api.get(`/shortcuts/route?${query(change)}`)
    const [parameter] = /^\w+/.exec(message) ?? []
    expect(reply.body).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message,
      code: 'INVALID_REQUEST',
      requestId: reply.headers.get('x-request-id'),
      details: {
        next: [
          expect.objectContaining({ parameter: expect.stringMatching(RegExp(`^${parameter}\\b`)) }),
        ],
      },
    })
    expect(api.asked.routes).toHaveLength(0)
  })

  test.each<[Record<string, string | null>, unknown[]]>([
    [
      { tokenOut: '0x0000000000000000000000000000000000000000' },
      [{ parameter: 'tokenOut', value: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' }],
    ],
    [{ amountIn: '1,000,000' }, [{ parameter: 'amountIn', value: '1000000' }]],
    [{ slippage: '50', minAmountOut: '1' }, [{ parameter: 'slippage', value: null }]],
    [
      { tokenIn: `${weth},x`, amountIn: '1,0' },
      [{ parameter: 'tokenIn[1]' }, { parameter: 'amountIn[1]' }],
    ],
    [{ chainId: '999' }, ['1', '8453'].map((value) => ({ parameter: 'chainId', value }))],
  ])('%o: the next steps are data', async (change, next) => {
    const api = await startTestApi()
    const reply = await api.get(`/shortcuts/route?${query(change)}`)
    expect(reply.body.details.next).toEqual(next)
  })

  test('names that nothing is called are told with what is missing', async () => {
    const api = await startTestApi()
    const reply = await api.get(`/shortcuts/route?${query({ tokenOut: null })}&toToken=${usdc}`)
    expect(reply.body.message).toEqual(['tokenOut is required', 'Not known here: toToken.'])
  })

  test('a POST without its fields in the body says that its query is not read', async () => {
    const api = await startTestApi()
    const reply = await api.post(`/shortcuts/route?${query({})}`, {})
    expect(reply.body.message.at(-1)).toMatch(
      /^The query of this POST is not read: send .*tokenIn.* in its JSON body\.$/,
    )
  })

  test('an unknown chain alone has its own code', async () => {
    const api = await startTestApi()
    const reply = await api.get(`/shortcuts/route?${query({ chainId: '999' })}`)
    expect(reply.body).toMatchObject({
      statusCode: 400,
      code: 'UNKNOWN_CHAIN',
      message: 'chainId 999 is not configured here; configured: 1 (Ethereum), 8453 (Base)',
    })
  })

  test('objects that have no text are refused like any other', async () => {
    const api = await startTestApi()
    const odd = { toString: 1, valueOf: null }
    const fields = { explain: odd, permit: odd, routingStrategy: odd, amountOut: odd }
    for (const tokenIn of [[odd], odd]) {
      const body = { tokenIn, tokenOut: [usdc, odd], amountIn: [odd], fee: [odd], ...fields }
      const asked = [
        api.post('/shortcuts/route', body),
        api.post('/shortcuts/quote', body),
        api.post('/backtests', { blocks: odd, requests: [body], variants: [odd], delays: odd }),
      ]
      for (const { status, body } of await Promise.all(asked)) {
        expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
      }
    }
  })

  test('a scalar given twice is refused, also with the same value', async () => {
    const api = await startTestApi()
    const reply = await api.get(
      `/shortcuts/route?${base}&chainId=1&slippage=1&slippage=2&fromAddress=${sender}`,
    )
    expect(reply.body.message).toEqual([
      'chainId must be given once',
      'fromAddress must be given once',
      'slippage must be given once',
    ])
  })

  test('every wrong field is listed at once, the chain and the rules between fields included', async () => {
    const api = await startTestApi()
    const reply = await api.get(
      `/shortcuts/route?chainId=999&tokenIn=a,${weth}&tokenOut=${weth}&amountIn=0` +
        '&slippage=x&minAmountOut=1&fee=500&deadlineMs=1&referralCode=12345678901234567',
    )
    expect(reply.status).toBe(400)
    expect(reply.body.code).toBe('INVALID_REQUEST')
    expect(reply.body.message).toEqual([
      `tokenIn[0] ${address}`,
      'amountIn must be greater than zero',
      'deadlineMs must be an integer from 50 to 60000',
      'fromAddress is required',
      'slippage must be basis points from 0 to 10000 with at most two decimals',
      'fee must be at most 100 basis points',
      'referralCode must be 1 to 16 printable ASCII characters',
      'tokenOut must differ from tokenIn',
      'amountIn must hold one amount per tokenIn (2, not 1)',
      'slippage must not be given together with minAmountOut',
      'feeReceiver is required with fee',
      'chainId 999 is not configured here; configured: 1 (Ethereum), 8453 (Base)',
    ])
  })
})

describe('bodies that are made to take long', () => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
  const bundle = `/shortcuts/bundle?fromAddress=${sender}`
  const action = (tokenIn: unknown) => [{ protocol: 'svc', action: 'route', args: { tokenIn } }]

  test.each<[string, string, unknown, string]>([
    [
      'arguments nested 2,000 deep',
      bundle,
      action(nested(2_000)),
      'The request body is nested deeper than 64 levels.',
    ],
    [
      'a list of 60,000',
      '/shortcuts/route',
      { tokenIn: Array(60_000).fill(0) },
      'The request body holds more than 50000 values.',
    ],
    [
      '40,000 quotes',
      '/shortcuts/quotes',
      { quotes: Array(40_000).fill(0) },
      'quotes must hold at most 200 values',
    ],
    [
      '40,000 actions',
      bundle,
      Array(40_000).fill(0),
      'the request body must hold at most 50 actions',
    ],
  ])('%s are refused with one sentence', async (_, path, body, message) => {
    const api = await startTestApi()
    const reply = await api.post(path, body)
    expect([reply.status, reply.body.code, reply.body.message]).toEqual([
      400,
      'INVALID_REQUEST',
      message,
    ])
  })

  test('of more than a hundred mistakes the first hundred are listed, and how many more there are', async () => {
    const api = await startTestApi()
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]))
    const { status, body } = await api.post('/backtests', fields)
    expect(status).toBe(400)
    expect(body.message).toHaveLength(101)
    expect(body.message[99]).toBe('k99 is no field')
    expect(body.message[100]).toBe('There are at least 4902 more mistakes.')
  })
})

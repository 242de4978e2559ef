import { describe, expect, test } from 'vitest'
import { base, query } from './route-query.js'
import { dai, sender, startTestApi, type TestApi, usdc, weth } from './test-api.js'

const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

async function asked(api: TestApi, search: string) {
  const reply = await api.get(`/shortcuts/route?${search}`)
  expect(reply.body).toMatchObject({ gas: '150000' })
  const request = api.asked.routes.at(-1)
  if (!request) throw new Error('the engine was not asked')
  return request
}

describe('lists in a query', () => {
  const spellings = [
    ['k=a&k=b', `tokenIn=${weth}&tokenIn=${dai}&amountIn=1&amountIn=2`],
    ['k[]=a&k[]=b', `tokenIn[]=${weth}&tokenIn[]=${dai}&amountIn[]=1&amountIn[]=2`],
    ['k%5B%5D=a', `tokenIn%5B%5D=${weth}&tokenIn%5B%5D=${dai}&amountIn%5B%5D=1&amountIn%5B%5D=2`],
    ['k[0]=a&k[1]=b', `tokenIn[0]=${weth}&tokenIn[1]=${dai}&amountIn[0]=1&amountIn[1]=2`],
    ['k=a,b', `tokenIn=${weth},${dai}&amountIn=1,2`],
    ['k=a%2Cb', `tokenIn=${weth}%2C${dai}&amountIn=1%2C2`],
  ]
  test.each(spellings)('%s is two values', async (_name, lists) => {
    const api = await startTestApi()
    const request = await asked(api, `fromAddress=${sender}&tokenOut=${usdc}&${lists}`)
    expect(request.inputs).toEqual([
      { token: weth, amount: 1n },
      { token: dai, amount: 2n },
    ])
  })

  test('a list given once is a list of one', async () => {
    const api = await startTestApi()
    expect((await asked(api, base)).inputs).toEqual([{ token: weth, amount: 1000n }])
  })

  const hundred = Array.from({ length: 100 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`)
  test.each([
    ['k=a', hundred.map((address) => `addresses=${address}`).join('&')],
    ['k[]=a', hundred.map((address) => `addresses[]=${address}`).join('&')],
    ['k%5B%5D=a', hundred.map((address) => `addresses%5B%5D=${address}`).join('&')],
    ['k=a,b', `addresses=${hundred.join(',')}`],
  ])('prices keep 100 addresses spelled %s', async (_name, search) => {
    const api = await startTestApi()
    const reply = await api.get(`/prices/1?${search}`)
    expect(reply.status).toBe(200)
    expect(api.asked.prices[0]?.addresses).toEqual(hundred)
    expect(reply.body).toHaveLength(100)
  })

  test('101 prices are a 400', async () => {
    const api = await startTestApi()
    const reply = await api.get(`/prices/1?addresses=${[...hundred, weth].join(',')}`)
    expect(reply.body).toMatchObject({
      statusCode: 400,
      message: 'addresses must hold at most 100 values',
    })
  })

  test('300 values in the longest spelling pass the HTTP parser', async () => {
    const api = await startTestApi()
    const search = Array.from({ length: 300 }, () => `address%5B%5D=${weth}`).join('&')
    expect((await api.get(`/tokens?${search}`)).body.meta.total).toBe(1)
  })
})

describe('values', () => {
  test.each([
    ['lower case', weth],
    ['upper case', `0x${weth.slice(2).toUpperCase()}`],
    ['upper case with its prefix', weth.toUpperCase()],
    ['checksummed', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'],
  ])('an address in %s is accepted', async (_name, address) => {
    const api = await startTestApi()
    const { inputs } = await asked(api, query({ tokenIn: address }))
    expect(inputs).toEqual([{ token: weth, amount: 1000n }])
  })

  test.each([
    native,
    native.toUpperCase(),
    '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
    '0xEEeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  ])('the native token may be written %s', async (address) => {
    const api = await startTestApi()
    const { inputs } = await asked(api, query({ tokenIn: address }))
    expect(inputs).toEqual([{ token: native, amount: 1000n }])
  })

  test('defaults: chain 1, router, user, 50 bps, nothing else', async () => {
    const api = await startTestApi()
    expect(await asked(api, query({ chainId: null }))).toEqual({
      chainId: 1,
      fromAddress: sender,
      strategy: 'router',
      executionMode: 'user',
      inputs: [{ token: weth, amount: 1000n }],
      tokensOut: [usdc],
      limit: { kind: 'slippage', centiBps: 5000n },
      ignoreAggregators: [],
      ignoreStandards: [],
      includeTransactionCost: false,
      includePriceImpact: true,
    })
  })

  test('with API_DIALECT=family routes are those of a backend unless they say user', async () => {
    const api = await startTestApi({ API_DIALECT: 'family' })
    expect(await asked(api, query({}))).toMatchObject({ executionMode: 'backend' })
    expect(await asked(api, query({ executionMode: 'user' }))).toMatchObject({
      executionMode: 'user',
    })
    const body = { fromAddress: sender, tokenIn: weth, amountIn: '1000', tokenOut: usdc }
    expect((await api.post('/shortcuts/route', body)).status).toBe(200)
    expect(api.asked.routes.at(-1)).toMatchObject({ executionMode: 'backend' })
    const document = (await api.get('/openapi.json')).body
    const { parameters } = document.paths['/api/v1/shortcuts/route'].get
    const mode = parameters.find(({ name }: { name: string }) => name === 'executionMode')
    expect(mode.schema.default).toBe('backend')
  })

  test('what older clients state about allowance and transfer is taken where it holds', async () => {
    const api = await startTestApi()
    const plain = await asked(api, query({}))
    for (const more of [
      { tokenInAmountToApprove: '1000', tokenInAmountToTransfer: '1000' },
      { tokenInAmountToApprove: `${2n ** 256n - 1n}` },
      { tokenInAmountToApprove: 'null', tokenInAmountToTransfer: '' },
    ]) {
      expect(await asked(api, query(more))).toEqual(plain)
      const reply = await api.get(`/shortcuts/route?${query(more)}`)
      expect(reply.body).not.toHaveProperty('warnings')
    }
    const ether = query({ tokenIn: native, tokenInAmountToApprove: '0' })
    expect((await api.get(`/shortcuts/route?${ether}`)).status).toBe(200)
    const delegate = query({ routingStrategy: 'delegate', tokenInAmountToApprove: '0' })
    expect((await api.get(`/shortcuts/route?${delegate}`)).status).toBe(200)
  })

  test('null and empty text mean not given', async () => {
    const api = await startTestApi()
    const blank = 'routingStrategy=null&receiver=&toEoa=null&minAmountOut=null&fee=&slippage='
    const lists = 'ignoreAggregators=null&ignoreStandards[]=&ignoreBridges='
    const plain = await asked(api, base)
    expect(await asked(api, `${base}&${blank}&${lists}&deadlineMs=&blockNumber=null`)).toEqual(
      plain,
    )
  })

  test('unknown fields are ignored', async () => {
    const api = await startTestApi()
    expect(await asked(api, `${base}&disableRFQs=true&x[y]=1&__proto__=1`)).toEqual(
      await asked(api, base),
    )
  })

  test.each([
    ['1.5', 150n],
    ['0.01', 1n],
    ['0', 0n],
    ['300', 30_000n],
    ['10000', 1_000_000n],
  ])('slippage %s bps is %s hundredths', async (slippage, centiBps) => {
    const api = await startTestApi()
    expect((await asked(api, `${base}&slippage=${slippage}`)).limit).toEqual({
      kind: 'slippage',
      centiBps,
    })
  })

  test('every other field reaches the engine', async () => {
    const api = await startTestApi()
    const request = await asked(
      api,
      `${base}&routingStrategy=svcwallet-v2&executionMode=backend&toEoa=true&receiver=${dai}` +
        `&spender=${sender}&refundReceiver=${usdc}&minAmountOut=5&fee=25&feeReceiver=${dai}` +
        '&ignoreAggregators=Uniswap-V2,0x&ignoreStandards=curve&referralCode=abc%20DEF~' +
        '&includeTransactionCost=true&blockNumber=17&deadlineMs=50&destinationChainId=1' +
        `&destinationFeeReceiver=${dai}&ignoreBridges=across&crosschainRouteMode=direct`,
    )
    expect(request).toMatchObject({
      strategy: 'wallet-v2',
      executionMode: 'backend',
      toEoa: true,
      receiver: dai,
      spender: sender,
      refundReceiver: usdc,
      limit: { kind: 'minimum', minimums: [{ token: usdc, amount: 5n }] },
      inputs: [{ token: weth, amount: 1000n, feeBps: 25n }],
      feeReceiver: dai,
      ignoreAggregators: ['uniswap-v2', '0x'],
      ignoreStandards: ['curve'],
      referralCode: 'abc DEF~',
      includeTransactionCost: true,
      blockNumber: 17n,
      deadlineMs: 50,
    })
  })

  test('another spender is for the engine to judge with the wallet strategy', async () => {
    const api = await startTestApi()
    const request = await asked(api, `${base}&spender=${dai}&routingStrategy=svcwallet-v2`)
    expect(request).toMatchObject({ spender: dai, strategy: 'wallet-v2' })
  })

  test('priceImpact=false: neither calculated nor answered, by GET and by POST', async () => {
    const api = await startTestApi()
    expect((await asked(api, base)).includePriceImpact).toBe(true)
    expect((await asked(api, `${base}&priceImpact=false`)).includePriceImpact).toBe(false)
    const without = await api.get(`/shortcuts/route?${base}&priceImpact=false`)
    expect(without.status).toBe(200)
    expect(without.body).not.toHaveProperty('priceImpact')
    expect((await api.get(`/shortcuts/route?${base}`)).body.priceImpact).toBe(12.5)
    const body = { fromAddress: sender, tokenIn: [weth], tokenOut: [usdc], amountIn: ['1000'] }
    const posted = await api.post('/shortcuts/route', { ...body, priceImpact: false })
    expect(posted.body).not.toHaveProperty('priceImpact')
    expect(posted.body.amountOut).toBe((2n ** 200n).toString())
    expect((await api.get(`/shortcuts/route?${base}&priceImpact=no`)).body.message).toBe(
      'priceImpact must be true or false',
    )
  })

  test('a list of zero fees is ignored, feeReceiver or not', async () => {
    const api = await startTestApi()
    const request = await asked(api, `${base}&fee=0&feeReceiver=${dai}`)
    expect(request.inputs).toEqual([{ token: weth, amount: 1000n }])
    expect(request).not.toHaveProperty('feeReceiver')
    expect(await asked(api, `${base}&fee=0&fee=0`)).toEqual(await asked(api, base))
  })

  test('the wallet strategy carries the configured service name', async () => {
    const api = await startTestApi({ SERVICE_NAME: 'acme' })
    expect((await asked(api, `${base}&routingStrategy=acmewallet-v2`)).strategy).toBe('wallet-v2')
    const reply = await api.get(`/shortcuts/route?${base}&routingStrategy=svcwallet-v2`)
    expect(reply.body.message).toBe(
      'routingStrategy must be one of router, delegate, router-legacy, delegate-legacy, acmewallet-v2',
    )
  })
})

describe('POST /shortcuts/route', () => {
  const body = {
    chainId: 1,
    fromAddress: sender,
    tokenIn: [weth],
    tokenOut: [usdc],
    amountIn: ['1000'],
  }

  test('means the same as the GET', async () => {
    const api = await startTestApi()
    const reply = await api.post('/shortcuts/route', body)
    expect(reply.status).toBe(200)
    await asked(api, base)
    expect(api.asked.routes[0]).toEqual(api.asked.routes[1])
  })

  test('takes single values for lists, text for numbers, and numbers for text', async () => {
    const api = await startTestApi()
    const loose = { ...body, tokenIn: weth, tokenOut: usdc, amountIn: 1000, chainId: '1' }
    const more = { slippage: 1.5, toEoa: true, receiver: null, fee: [null], unknown: {} }
    expect((await api.post('/shortcuts/route', { ...loose, ...more })).status).toBe(200)
    expect(api.asked.routes[0]).toMatchObject({
      inputs: [{ token: weth, amount: 1000n }],
      limit: { centiBps: 150n },
      toEoa: true,
    })
  })

  test.each<[Record<string, unknown>, string | RegExp]>([
    [{ amountIn: 1e18 }, /^amountIn must be a string: a number above 2\^53 loses digits/],
    [{ amountIn: '1,000' }, 'amountIn must be written without separators: 1000'],
    [{ amountIn: `1${',000'.repeat(1_000)}` }, /^amountIn must be an amount/],
    [{ amountIn: [['1']] }, /^amountIn must be an amount/],
    [{ amountIn: { a: 1 } }, /^amountIn must be an amount/],
    [{ tokenIn: `${weth},${dai}` }, /^tokenIn must be an address/],
    [{ chainId: ['1'] }, 'chainId must be an integer of at least 1'],
    [{ chainId: 1.5 }, 'chainId must be an integer of at least 1'],
    [{ fromAddress: {} }, /^fromAddress must be an address/],
    [{ ignoreStandards: [1, {}] }, 'ignoreStandards[1] must be a text'],
    [
      { slippage: '50', minAmountOut: ['1'] },
      'slippage must not be given together with minAmountOut',
    ],
    [{ amountIn: [] }, 'amountIn is required'],
  ])('%o is a 400', async (change, message) => {
    const api = await startTestApi()
    const reply = await api.post('/shortcuts/route', { ...body, ...change })
    expect(reply.status).toBe(400)
    if (typeof message === 'string') expect(reply.body.message).toBe(message)
    else expect(reply.body.message).toMatch(message)
  })
})

describe('GET /shortcuts/quote', () => {
  test('needs neither sender nor priceImpact, and then calculates it', async () => {
    const api = await startTestApi()
    const reply = await api.get(
      `/shortcuts/quote?tokenIn=${weth}&tokenOut=${usdc}&amountIn=1&slippage=300`,
    )
    expect(reply.body).toEqual({
      amountOut: (2n ** 200n).toString(),
      route: [expect.objectContaining({ protocol: 'uniswap-v2', tokenIn: [weth] })],
      gas: '150000',
      priceImpact: 12.5,
      blockNumber: 23_000_000,
      warnings: ['Not known here and ignored: slippage.'],
    })
    expect(api.asked.quotes[0]?.includePriceImpact).toBe(true)
    expect(api.asked.quotes[0]).not.toHaveProperty('fromAddress')
  })

  test('priceImpact=false leaves it out', async () => {
    const api = await startTestApi()
    const reply = await api.get(`/shortcuts/quote?${base}&priceImpact=false`)
    expect(reply.body).not.toHaveProperty('priceImpact')
    expect(api.asked.quotes[0]).toMatchObject({ includePriceImpact: false, fromAddress: sender })
  })

  test.each([
    ['50', [50n, 50n]],
    ['0,7', [0n, 7n]],
    ['1&fee=2', [1n, 2n]],
  ])('fee=%s for two amounts is %o', async (fee, feesBps) => {
    const api = await startTestApi()
    const lists = `tokenIn=${weth},${dai}&amountIn=1,2&tokenOut=${usdc}`
    const reply = await api.get(`/shortcuts/quote?${lists}&fee=${fee}&feeReceiver=${dai}`)
    expect(reply.body.feeAmount).toEqual(feesBps.map(String))
    expect(api.asked.quotes[0]).toMatchObject({
      inputs: feesBps.map((feeBps) => ({ feeBps })),
      feeReceiver: dai,
    })
  })

  test('fee=0 is no fee', async () => {
    const api = await startTestApi()
    const reply = await api.get(`/shortcuts/quote?${base}&fee=0`)
    expect(reply.body).not.toHaveProperty('feeAmount')
    expect(api.asked.quotes[0]?.inputs).toEqual([{ token: weth, amount: 1000n }])
  })

  test('a fee over 100 is a 400', async () => {
    const api = await startTestApi()
    const reply = await api.get(`/shortcuts/quote?${base}&fee=101`)
    expect(reply.body.message).toBe('fee must be at most 100 basis points')
  })
})

/** What is taken and refused as overrides of state and block, over HTTP. */
import { describe, expect, test } from 'vitest'
import { sender, startTestApi, type TestApi, usdc, weth } from './test-api.js'

const pair = '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc'
const checksummed = '0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc'
const request = { fromAddress: sender, tokenIn: weth, tokenOut: usdc, amountIn: '1000' }
const word = `0x${'0'.repeat(63)}1`

function post(api: TestApi, path: string, body: unknown) {
  return api.post(`/shortcuts/${path}`, body)
}

describe('overrides', () => {
  test('reach the calculation parsed: lower-case, padded words, amounts in either form', async () => {
    const api = await startTestApi()
    const { body } = await post(api, 'route', {
      ...request,
      stateOverrides: {
        [checksummed]: { stateDiff: { '0x8': '0x01', [word]: word }, code: '0xFE' },
        [sender]: { balance: '0x10', nonce: 7, state: {} },
        [usdc]: { balance: '12', nonce: '0x1', code: null },
      },
      blockOverrides: { time: 1_900_000_000, baseFeePerGas: '0x64' },
    })
    expect(api.asked.contexts.at(-1)?.whatIf).toEqual({
      accounts: {
        [pair]: { stateDiff: { [`0x${'0'.repeat(63)}8`]: word, [word]: word }, code: '0xfe' },
        [sender]: { balance: 16n, nonce: 7, state: {} },
        [usdc]: { balance: 12n, nonce: 1 },
      },
      block: { timestamp: 1_900_000_000n, baseFeePerGas: 100n },
    })
    expect(body).toMatchObject({
      overrides: {
        accounts: [usdc, pair, sender].sort(),
        code: [pair],
        timestamp: 1_900_000_000,
        baseFee: '100',
      },
    })
  })

  test.each([
    ['route', {}],
    ['route', { stateOverrides: {}, blockOverrides: {} }],
    ['quote', { stateOverrides: null, blockOverrides: { timestamp: null } }],
  ])('%s with %j changes nothing', async (path, more) => {
    const api = await startTestApi()
    const { body } = await post(api, path, { ...request, ...more })
    expect(api.asked.contexts.at(-1)).not.toHaveProperty('whatIf')
    expect(body).not.toHaveProperty('overrides')
  })

  const state = (stateOverrides: unknown) => ({ stateOverrides })
  const many = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_none, index) => [`0x${index.toString(16)}`, '0x1']),
    )
  const accounts = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_none, index) => [
        `0x${(index + 1_000).toString(16).padStart(40, '0')}`,
        { nonce: 1 },
      ]),
    )
  const integerUpTo = (most: string) =>
    `must be an integer from 0 to ${most}, decimal or hexadecimal (0x…)`
  test.each([
    [state([]), 'stateOverrides must be an object of accounts by address'],
    [state('x'), 'stateOverrides must be an object of accounts by address'],
    [state({ '0x12': {} }), 'stateOverrides has 0x12, which is no address'],
    [
      state({ [pair.replace('b4e1', 'B4e1')]: {} }),
      `stateOverrides has ${pair.replace('b4e1', 'B4e1')}, whose EIP-55 checksum is wrong`,
    ],
    [state({ [pair]: {}, [checksummed]: {} }), `stateOverrides must not name ${pair} twice`],
    [
      state({ [pair]: 5 }),
      `stateOverrides.${pair} must be an object of balance, nonce, code, state, stateDiff`,
    ],
    [
      state({ [pair]: { storage: {} } }),
      `stateOverrides.${pair} has the unknown field storage; known: balance, nonce, code, state, stateDiff`,
    ],
    [
      state({ [pair]: { state: {}, stateDiff: {} } }),
      `stateOverrides.${pair} must not have state together with stateDiff`,
    ],
    [
      state({ [pair]: { balance: '-1' } }),
      `stateOverrides.${pair}.balance ${integerUpTo('2^256 - 1')}`,
    ],
    [
      state({ [pair]: { balance: 1.5 } }),
      `stateOverrides.${pair}.balance ${integerUpTo('2^256 - 1')}`,
    ],
    [
      state({ [pair]: { nonce: '0x20000000000000' } }),
      `stateOverrides.${pair}.nonce ${integerUpTo('9007199254740991')}`,
    ],
    [
      state({ [pair]: { code: '0x123' } }),
      `stateOverrides.${pair}.code must be 0x and hexadecimal digits, two for each byte`,
    ],
    [
      state({ [pair]: { code: `0x${'00'.repeat(49_153)}` } }),
      `stateOverrides.${pair}.code must be at most 49152 bytes`,
    ],
    [
      state({ [`0x${'0'.repeat(39)}1`]: { code: '0x00' } }),
      `stateOverrides.0x${'0'.repeat(39)}1.code must not be given: the chain itself runs this address`,
    ],
    [
      state({ [pair]: { stateDiff: { slot: '0x1' } } }),
      `stateOverrides.${pair}.stateDiff has the slot slot, which is not 0x and at most 64 hexadecimal digits`,
    ],
    [
      state({ [pair]: { stateDiff: { '0x1': 1 } } }),
      `stateOverrides.${pair}.stateDiff must have 0x and at most 64 hexadecimal digits at slot 0x1`,
    ],
    [
      state({ [pair]: { stateDiff: { '0x1': '0x1', '0x01': '0x2' } } }),
      `stateOverrides.${pair}.stateDiff must not name slot ${word} twice`,
    ],
    [state(accounts(65)), 'stateOverrides must name at most 64 accounts (not 65)'],
    [
      state({ [pair]: { stateDiff: many(1_000) }, [usdc]: { state: many(25) } }),
      'stateOverrides must name at most 1024 slots in all (not 1025)',
    ],
    [{ blockOverrides: 'x' }, 'blockOverrides must be an object of timestamp, baseFee'],
    [
      { blockOverrides: { number: 5 } },
      'blockOverrides has the unknown field number; known: timestamp, baseFee',
    ],
    [
      { blockOverrides: { timestamp: 1, time: 2 } },
      'blockOverrides must not have timestamp together with time',
    ],
    [
      { blockOverrides: { timestamp: 'soon' } },
      `blockOverrides.timestamp ${integerUpTo('4294967295')}`,
    ],
    [
      { blockOverrides: { baseFee: '1000000000000000001' } },
      `blockOverrides.baseFee ${integerUpTo('1000000000000000000')}`,
    ],
  ])('refused: %#', async (more, message) => {
    const api = await startTestApi()
    for (const path of ['route', 'quote']) {
      const { body } = await post(api, path, { ...request, ...more })
      expect(body).toMatchObject({ statusCode: 400, code: 'INVALID_REQUEST', message })
    }
    const bundle = await post(api, `bundle?fromAddress=${sender}`, {
      actions: [{ protocol: 'svc', action: 'balance', args: { token: weth } }],
      ...more,
    })
    expect(bundle.body).toMatchObject({ statusCode: 400, message })
  })

  test('as many as there may be are taken', async () => {
    const api = await startTestApi()
    const { status } = await post(api, 'route', {
      ...request,
      ...state({ ...accounts(63), [pair]: { stateDiff: many(1_024) } }),
    })
    expect(status).toBe(200)
    expect(Object.keys(api.asked.contexts.at(-1)?.whatIf?.accounts ?? {})).toHaveLength(64)
  })

  test('every mistake is listed at once, and a bundle says what its list lacks', async () => {
    const api = await startTestApi()
    const { body } = await post(api, 'quote', {
      ...request,
      amountIn: '0',
      blockOverrides: { timestamp: -1, baseFee: -1 },
    })
    expect(body).toMatchObject({
      message: [
        'amountIn must be greater than zero',
        `blockOverrides.timestamp ${integerUpTo('4294967295')}`,
        `blockOverrides.baseFee ${integerUpTo('1000000000000000000')}`,
      ],
    })
    const bundle = await post(api, `bundle?fromAddress=${sender}`, { actions: {} })
    expect(bundle.body).toMatchObject({ message: 'the request body must be a list of actions' })
  })
})

describe('overrides in a query', () => {
  const overrides = 'stateOverrides={}&blockOverrides={}'
  const query = `fromAddress=${sender}&tokenIn=${weth}&tokenOut=${usdc}&amountIn=1000`
  const bodyAlone =
    'Ignored in the query, since only the body of a POST takes them: stateOverrides, blockOverrides.'

  test.each(['route', 'quote'])('GET %s says that it takes none', async (path) => {
    const api = await startTestApi()
    const { body } = await api.get(`/shortcuts/${path}?${query}&${overrides}&slipage=1`)
    expect(body.warnings).toEqual(['Not known here and ignored: slipage.', bodyAlone])
    expect(api.asked.contexts.at(-1)).not.toHaveProperty('whatIf')
  })

  test('POST route says that its query is not read', async () => {
    const api = await startTestApi()
    const { body } = await post(api, `route?${overrides}&slippage=7`, request)
    expect(body.warnings).toEqual([
      'Ignored in the query, since the fields of this POST are those of its body: stateOverrides, blockOverrides, slippage.',
    ])
  })

  test('a bundle takes them in its body alone, and names what it does not know beside its actions', async () => {
    const api = await startTestApi()
    const actions = [{ protocol: 'svc', action: 'route', args: request }]
    const { body } = await post(api, `bundle?fromAddress=${sender}&${overrides}`, {
      actions,
      blockOveride: { timestamp: 1 },
    })
    expect(body.warnings).toEqual(['Not known here and ignored: blockOveride.', bodyAlone])
    expect(body).not.toHaveProperty('overrides')
  })
})

describe('a bundle with an object as its body', () => {
  const wrapped = (query: string, more: object) => async () => {
    const api = await startTestApi()
    const actions = [{ protocol: 'svc', action: 'route', args: request }]
    const { status, body } = await post(api, `bundle?${query}`, { ...more, actions })
    return { status, body, asked: api.asked.bundles.at(-1) }
  }
  const fields = {
    chainId: 1,
    fromAddress: sender,
    routingStrategy: 'delegate',
    receiver: usdc,
    refundReceiver: usdc,
    executionMode: 'user',
    skipQuote: true,
    blockNumber: 7,
    ignoreAggregators: ['curve'],
    excludePools: [usdc],
    referralCode: 'me',
  }

  test('is asked with every field of the query that the body has', async () => {
    const { status, body, asked } = await wrapped('', fields)()
    expect(status, JSON.stringify(body)).toBe(200)
    expect(asked).toMatchObject({
      chainId: 1,
      fromAddress: sender,
      strategy: 'delegate',
      receiver: usdc,
      refundReceiver: usdc,
      executionMode: 'user',
      skipQuote: true,
      blockNumber: 7n,
      ignoreAggregators: ['curve'],
      referralCode: 'me',
    })
    expect(body.warnings).toBeUndefined()
  })

  test('may repeat the query, in other letters and spellings', async () => {
    const query = `fromAddress=0x${sender.slice(2).toUpperCase()}&chainId=1&ignoreAggregators=curve`
    const { status, body } = await wrapped(query, fields)()
    expect(status, JSON.stringify(body)).toBe(200)
  })

  test('names each field that is another in the query', async () => {
    const query = `fromAddress=${usdc}&routingStrategy=router&skipQuote=false&blockNumber=7`
    const { status, body } = await wrapped(query, fields)()
    expect(status).toBe(400)
    expect(body.message).toEqual([
      'fromAddress must be the same in the query and in the body',
      'routingStrategy must be the same in the query and in the body',
      'skipQuote must be the same in the query and in the body',
    ])
  })

  test('needs a sender in one of them', async () => {
    const { status, body } = await wrapped('', { chainId: 1 })()
    expect(status).toBe(400)
    expect(body.message).toBe('fromAddress is required')
  })
})

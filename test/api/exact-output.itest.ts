/** `amountOut` in place of `amountIn` on the wire: what is refused with which words, and what reaches the engine. */
import { describe, expect, test } from 'vitest'
import { query } from './route-query.js'
import { dai, sender, startTestApi, usdc, weth } from './test-api.js'

const route = { fromAddress: sender, tokenIn: weth, tokenOut: usdc, amountOut: '5' }
const bothGiven = 'amountIn must not be given together with amountOut: one follows from the other'

describe('a request with amountOut', () => {
  test.each(['amountOut=7', 'amountOut[]=7'])(
    '%s reaches the engine, without amountIn',
    async (given) => {
      const api = await startTestApi()
      const reply = await api.get(`/shortcuts/route?${query({ amountIn: null })}&${given}`)
      expect(reply.status, reply.text).toBe(200)
      expect(api.asked.routes[0]).toMatchObject({
        inputs: [{ token: weth, amount: 0n }],
        tokensOut: [usdc],
        amountOut: 7n,
        limit: { kind: 'slippage', centiBps: 5_000n },
      })
      await api.post('/shortcuts/route', { ...route, amountOut: 9, slippage: '1.5' })
      expect(api.asked.routes[1]).toMatchObject({ amountOut: 9n, limit: { centiBps: 150n } })
    },
  )

  test('over a bridge it reaches the engine, too, with a permit', async () => {
    const api = await startTestApi()
    const there = { destinationChainId: '8453', permit: 'true', tokenIn: usdc, tokenOut: weth }
    const reply = await api.get(
      `/shortcuts/route?${query({ amountIn: null, ...there })}&amountOut=7`,
    )
    expect(reply.status, reply.text).toBe(200)
    expect(api.asked.routes[0]).toMatchObject({
      amountOut: 7n,
      permit: true,
      crosschain: { destinationChainId: 8453 },
    })
  })

  test('one with amountIn has none', async () => {
    const api = await startTestApi()
    await api.get(`/shortcuts/route?${query({})}`)
    expect(api.asked.routes[0]).not.toHaveProperty('amountOut')
  })

  test('a fee of a quote holds for the one input', async () => {
    const api = await startTestApi()
    const reply = await api.get(
      `/shortcuts/quote?tokenIn=${weth}&tokenOut=${usdc}&amountOut=5&fee=30`,
    )
    expect(reply.status, reply.text).toBe(200)
    expect(api.asked.quotes[0]).toMatchObject({
      inputs: [{ amount: 0n, feeBps: 30n }],
      amountOut: 5n,
    })
  })

  test.each([
    [{ amountIn: '1' }, bothGiven],
    [{ amountOut: null }, 'amountIn is required'],
    [{ amountOut: '0' }, 'amountOut must be greater than zero'],
    [{ amountOut: 1.5 }, /^amountOut must be an amount in the smallest unit/],
    [{ amountOut: {} }, /^amountOut/],
    [{ amountOut: (2n ** 256n).toString() }, /^amountOut must be an amount in the smallest unit/],
    [{ amountOut: ['5', '6'] }, 'amountOut must hold at most 1 values'],
    [{ tokenIn: [weth, dai] }, 'tokenIn must hold one token with amountOut (not 2)'],
    [{ tokenOut: [usdc, dai] }, 'tokenOut must hold one token with amountOut (not 2)'],
    [
      { minAmountOut: '5' },
      'minAmountOut must not be given together with amountOut: slippage says how far below it the transaction may end',
    ],
    [{ tokenOut: weth }, 'tokenOut must differ from tokenIn'],
    [{ fee: '101', feeReceiver: sender }, 'fee must be at most 100 basis points'],
    [{ fee: '30' }, 'feeReceiver is required with fee'],
  ])('%o is a 400', async (change, message) => {
    const api = await startTestApi()
    const reply = await api.post('/shortcuts/route', { ...route, ...change })
    expect(reply.status).toBe(400)
    if (typeof message === 'string') expect(reply.body.message).toBe(message)
    else expect(reply.body.message).toMatch(message)
    expect(api.asked.routes).toEqual([])
  })

  test('in a batch it is one quote, and what is wrong with it is its own error', async () => {
    const api = await startTestApi()
    const quotes = [
      { tokenIn: weth, tokenOut: usdc, amountOut: '5' },
      { tokenIn: weth, tokenOut: usdc, amountOut: '5', amountIn: ['5', '6'] },
      { tokenIn: weth, tokenOut: usdc },
    ]
    const { body } = await api.post('/shortcuts/quotes', { quotes })
    expect(api.asked.quotes).toMatchObject([{ amountOut: 5n }])
    expect(body.quotes).toMatchObject([
      { gas: '150000' },
      { error: { code: 'INVALID_REQUEST', message: bothGiven } },
      { error: { code: 'INVALID_REQUEST', message: 'amountIn is required' } },
    ])
  })
})

test('a route into a position that has no token takes amountIn alone', async () => {
  const api = await startTestApi()
  const reply = await api.get(
    `/shortcuts/route/nontokenized?fromAddress=${sender}&receiver=${sender}&tokenIn=${weth}&positionOut=1:${usdc}:${usdc}&amountOut=5`,
  )
  expect(reply.body).toMatchObject({
    statusCode: 400,
    message: ['amountIn is required', 'Not known here: amountOut.'],
  })
})

test('a route into a position that has no token on another chain has the rules and the fields of a bridge', async () => {
  const api = await startTestApi()
  const path = `/shortcuts/route/nontokenized?fromAddress=${sender}&receiver=${sender}&tokenIn=${weth}&positionOut=8453:${usdc}:${usdc}&amountIn=5`
  const there = await api.get(
    `${path}&destinationChainId=8453&ignoreBridges=across&destinationBlockNumber=7`,
  )
  expect(there.body.destinationChainId).toBe(8453)
  expect(api.asked.nontokenized.at(-1)?.crosschain).toEqual({
    destinationChainId: 8453,
    destinationBlockNumber: 7n,
    mode: 'full',
    ignoreBridges: ['across'],
  })
  await api.get(`${path}&destinationChainId=1`)
  expect(api.asked.nontokenized.at(-1)).not.toHaveProperty('crosschain')
  expect((await api.get(`${path}&destinationBlockNumber=7`)).body).toMatchObject({
    statusCode: 400,
    message:
      'destinationBlockNumber must not be given without a destinationChainId other than chainId',
  })
})

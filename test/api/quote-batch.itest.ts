import { describe, expect, test } from 'vitest'
import { QuoteBatch } from '../../src/api/records/records.js'
import type { Engine } from '../../src/domain/engine.js'
import { ForkrouteError, toWireError } from '../../src/domain/errors.js'
import { pinOf } from '../support/pin.js'
import { answerTo, blockNumber, dai, startTestApi, usdc, weth } from './test-api.js'

const path = '/shortcuts/quotes'
const one = { tokenIn: weth, tokenOut: usdc, amountIn: '1000' }

function amounts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1))
}

describe('the body of POST /shortcuts/quotes', () => {
  test('quotes and ladders are answered where they were asked, in the documented form', async () => {
    const api = await startTestApi()
    const quotes = [
      one,
      { ...one, amountIn: ['5', '7'], fee: '30', feeReceiver: dai },
      { ...one, amountIn: 'x' },
      { tokenIn: [weth, dai], amountIn: [1, 2], tokenOut: usdc, priceImpact: false },
    ]
    const reply = await api.post(path, { quotes })
    expect(reply.status, reply.text).toBe(200)
    expect(QuoteBatch.parse(reply.body)).toEqual(reply.body)
    expect(reply.body).toMatchObject({ chainId: 1, blockNumber })
    const [quote, ladder, wrong, merged] = reply.body.quotes
    expect(quote).toEqual((await api.get(`/shortcuts/quote?${new URLSearchParams(one)}`)).body)
    expect(Object.keys(ladder)).toEqual(['ladder', 'blockNumber'])
    expect(ladder.ladder).toMatchObject([
      { amountIn: '5', feeAmount: ['30'] },
      { amountIn: '7', feeAmount: ['30'] },
    ])
    expect(wrong.error).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message: 'amountIn must be an amount in the smallest unit: a decimal string below 2^256',
      code: 'INVALID_REQUEST',
      details: { next: [{ parameter: 'amountIn' }] },
    })
    expect(merged).not.toHaveProperty('priceImpact')
    const amounts = api.asked.quotes
      .slice(0, 4)
      .map(({ inputs }) => inputs.map(({ amount }) => amount))
    expect(amounts).toEqual([[1_000n], [5n], [7n], [1n, 2n]])
  })

  test('chain, block and deadline of the call hold for all; an item cannot have others', async () => {
    const api = await startTestApi()
    const reply = await api.post(path, {
      chainId: 8453,
      blockNumber: 7,
      deadlineMs: 500,
      quotes: [
        one,
        { ...one, chainId: 8453, blockNumber: '7', deadlineMs: 900 },
        { ...one, chainId: null, blockNumber: '' },
        { ...one, chainId: 1 },
        { ...one, blockNumber: 8 },
        5,
      ],
    })
    expect(reply.body).toMatchObject({ chainId: 8453, blockNumber: 7 })
    expect(api.asked.batches).toEqual([{ chainId: 8453, blockNumber: 7n }])
    expect(api.asked.quotes.map(({ deadlineMs }) => deadlineMs)).toEqual([500, 900, 500])
    expect(
      reply.body.quotes.slice(3).map((item: { error: { message: string } }) => item.error.message),
    ).toEqual([
      'chainId must be that of the call (8453)',
      'blockNumber must be that of the call (7)',
      'A quote must be a JSON object.',
    ])
  })

  test.each([
    ['no quotes', {}, 'quotes is required'],
    ['an empty list', { quotes: [] }, 'quotes is required'],
    [
      '201 quotes',
      { quotes: amounts(201).map((amountIn) => ({ ...one, amountIn })) },
      'quotes must hold at most 200 values',
    ],
    [
      '201 rungs',
      { quotes: [one, { ...one, amountIn: amounts(200) }] },
      'quotes must hold at most 200 amounts in all (not 201)',
    ],
    [
      'an unknown chain',
      { chainId: 5, quotes: [one] },
      expect.stringMatching(/^chainId 5 is not configured here; configured: 1 \(Ethereum\)/),
    ],
    [
      'a bad block',
      { blockNumber: 'x', quotes: [one] },
      'blockNumber must be an integer of at least 0; without it the newest is taken',
    ],
  ])('%s: the call is a 400', async (_name, body, message) => {
    const api = await startTestApi()
    const reply = await api.post(path, body)
    expect(reply.body).toMatchObject({ statusCode: 400, message })
    expect(api.asked.quotes).toEqual([])
  })

  test.each([
    [{ amountIn: ['1', '2'], fee: ['1', '2'] }, 'fee must be one value for a ladder'],
    [
      { amountIn: ['1', '2'], tokenOut: [usdc, dai] },
      'amountIn must hold one amount per tokenIn (1, not 2)',
    ],
    [{ amountIn: ['1', '2'], tokenOut: weth }, 'tokenOut must differ from tokenIn'],
    [{ amountIn: ['1', '0'] }, 'amountIn[1] must be greater than zero'],
  ])('a ladder like %j is its own error', async (change, message) => {
    const api = await startTestApi()
    const reply = await api.post(path, { quotes: [{ ...one, ...change }] })
    expect(reply.status).toBe(200)
    expect(reply.body.quotes).toMatchObject([{ error: { code: 'INVALID_REQUEST', message } }])
  })

  test('errors of the engine stand in their places; what concerns all fails the call', async () => {
    const details = { tokenIn: weth }
    const change: Partial<Engine> = {
      async quotes({ requests, chainId }) {
        if (requests.length === 1) throw new ForkrouteError('CHAIN_NOT_READY', 'No block yet.')
        const errors = [
          new ForkrouteError('NO_ROUTE', 'No path.', details),
          new Error('boom at /secret/path'),
        ]
        const quotes = requests.map((request, index) => {
          const error = errors[index]
          return error
            ? { ok: false as const, error: toWireError(error) }
            : { ok: true as const, value: answerTo(request) }
        })
        return { block: pinOf(chainId, blockNumber), quotes }
      },
    }
    const api = await startTestApi({}, change)
    const reply = await api.post(path, { quotes: [one, { ...one, amountIn: ['1', '2'] }] })
    expect(reply.body.quotes[0].error).toEqual({
      statusCode: 422,
      error: 'Unprocessable Entity',
      message: 'No path.',
      code: 'NO_ROUTE',
      details,
    })
    expect(reply.body.quotes[1].ladder[0]).toEqual({
      amountIn: '1',
      error: {
        statusCode: 500,
        error: 'Internal Server Error',
        message: 'A fault of the service itself; its log has the cause.',
        code: 'INTERNAL',
      },
    })
    expect(reply.text).not.toContain('secret')
    expect(QuoteBatch.parse(reply.body)).toEqual(reply.body)
    expect((await api.post(path, { quotes: [one] })).body).toMatchObject({
      statusCode: 503,
      code: 'CHAIN_NOT_READY',
    })
  })
})

describe('what a batch counts as', () => {
  test('as many requests as it has quotes; one that is refused counts as one', async () => {
    const api = await startTestApi({ RATE_LIMIT_PER_MINUTE: '10' })
    const first = await api.post(path, { quotes: [one, { ...one, amountIn: amounts(6) }] })
    expect(first.status).toBe(200)
    expect(first.headers.get('ratelimit-remaining')).toBe('3')
    const second = await api.post(path, { quotes: [{ ...one, amountIn: amounts(4) }] })
    expect(second.body).toMatchObject({ statusCode: 429, code: 'RATE_LIMITED' })
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    const third = await api.post(path, { quotes: [{ ...one, amountIn: amounts(2) }] })
    expect(third.status).toBe(200)
    expect((await api.get('/networks')).status).toBe(429)
  })

  test('as many calculations as run of it at the same time, eight a thread', async () => {
    let inFlight = ''
    const change: Partial<Engine> = {
      async quotes({ chainId }) {
        inFlight = (await api.get('/metrics')).text
        return { block: pinOf(chainId, blockNumber), quotes: [] }
      },
    }
    const api = await startTestApi({ WORKERS: '2', MAX_IN_FLIGHT: '20' }, change)
    const seen = () => /^forkroute_calculations_in_flight (\d+)/m.exec(inFlight)?.[1]
    for (const [count, places] of [
      [3, '3'],
      [40, '16'],
    ] as const) {
      await api.post(path, { quotes: [{ ...one, amountIn: amounts(count) }] })
      expect(seen()).toBe(places)
    }
  })

  test('a bound below that admits one batch at a time', async () => {
    let arrive = () => {}
    let release = () => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const change: Partial<Engine> = {
      async quotes({ chainId }) {
        arrive()
        await released
        return { block: pinOf(chainId, blockNumber), quotes: [] }
      },
    }
    const api = await startTestApi({ WORKERS: '2', MAX_IN_FLIGHT: '4' }, change)
    const first = api.post(path, { quotes: [{ ...one, amountIn: amounts(40) }] })
    await arrived
    const second = await api.post(path, { quotes: [one] })
    expect(second.body).toMatchObject({ statusCode: 503, code: 'OVERLOADED' })
    release()
    expect((await first).status).toBe(200)
  })
})

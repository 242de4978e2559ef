/** Streams over real HTTP, with heads that the tests make. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Engine } from '../../src/domain/engine.js'
import { ForkrouteError } from '../../src/domain/errors.js'
import type { BlockPin } from '../../src/domain/primitives.js'
import { openStream } from '../support/event-stream.js'
import { pinOf } from '../support/pin.js'
import { answerTo, read, startTestApi, type TestApi, usdc, weth } from './test-api.js'

const one = { tokenIn: weth, tokenOut: usdc, amountIn: '1000' }
const query = new URLSearchParams(one)

/** An engine whose newest block the test sets. @param warning - makes events as long as it is. */
function chain(warning = '') {
  let head: BlockPin = pinOf(1, 100)
  let failure: Error | null = null
  const listeners = new Set<() => void>()
  const calculated: number[] = []
  const change: Partial<Engine> = {
    async quotes({ requests }) {
      calculated.push(Number(head.number))
      const block = head
      if (failure) throw failure
      const quotes = requests.map((request) => {
        const value = { ...answerTo(request), warnings: warning ? [warning] : [] }
        return { ok: true as const, value }
      })
      return { block, quotes }
    },
    headAfter: (_chainId, after, { signal }) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (head.hash === after) return
          listeners.delete(look)
          resolve(head)
        }
        listeners.add(look)
        signal.addEventListener('abort', () => {
          listeners.delete(look)
          reject(signal.reason)
        })
        look()
      }),
  }
  return {
    change,
    /** Blocks at which quotes were asked for. */
    calculated,
    /** Streams that wait for the next block. */
    waiting: () => listeners.size,
    mine(number: number, error: Error | null = null) {
      head = pinOf(1, number)
      failure = error
      for (const look of [...listeners]) look()
    },
  }
}

const streamUrl = (api: TestApi) => `${api.url}/api/v1/stream/quotes?${query}`

async function openStreams(api: TestApi): Promise<string | undefined> {
  return /^forkroute_streams (\d+)/m.exec((await api.get('/metrics')).text)?.[1]
}

describe('events', () => {
  test('a block that cannot be quoted is an error event, and the stream goes on', async () => {
    const blocks = chain()
    const api = await startTestApi({}, blocks.change)
    const stream = await openStream(streamUrl(api), { headers: { 'x-request-id': 'maker-1' } })
    expect(stream.response.headers.get('cache-control')).toBe('no-store')
    expect(await stream.next()).toMatchObject({ event: 'quotes', id: '100' })
    blocks.mine(101, new ForkrouteError('UPSTREAM_UNAVAILABLE', 'No node answers.'))
    expect(await stream.next()).toEqual({
      event: 'error',
      id: undefined,
      body: {
        statusCode: 503,
        error: 'Service Unavailable',
        message: 'No node answers.',
        code: 'UPSTREAM_UNAVAILABLE',
        requestId: 'maker-1',
      },
    })
    blocks.mine(102, new Error('boom at /secret/path'))
    expect((await stream.next()).body).toMatchObject({
      code: 'INTERNAL',
      message: 'A fault of the service itself; its log has the cause.',
    })
    expect(api.log()).toContain('boom')
    blocks.mine(103)
    expect(await stream.next()).toMatchObject({ event: 'quotes', id: '103' })
    stream.close()
  })

  test('blocks that come during a calculation are skipped for the newest', async () => {
    const blocks = chain()
    const gate = { release: () => {} }
    const { quotes } = blocks.change
    let isFirst = true
    const change: Partial<Engine> = {
      ...blocks.change,
      async quotes(batch, context) {
        const answer = quotes?.(batch, context)
        if (isFirst) {
          isFirst = false
          await new Promise<void>((resolve) => {
            gate.release = resolve
          })
        }
        return answer as never
      },
    }
    const api = await startTestApi({}, change)
    const stream = await openStream(streamUrl(api))
    await expect.poll(() => blocks.calculated).toEqual([100])
    for (const number of [101, 102, 103]) blocks.mine(number)
    gate.release()
    expect(await stream.next()).toMatchObject({ id: '100' })
    expect(await stream.next()).toMatchObject({ id: '103' })
    expect(blocks.calculated).toEqual([100, 103])
    stream.close()
  })

  test('each counts as a request for each of its quotes', async () => {
    const blocks = chain()
    const api = await startTestApi({ RATE_LIMIT_PER_MINUTE: '6' }, blocks.change)
    const quotes = [{ ...one, amountIn: ['1', '2'] }]
    const stream = await openStream(`${api.url}/v1/stream/quotes`, { body: { quotes } })
    expect((await stream.next()).body.quotes[0].ladder).toHaveLength(2)
    blocks.mine(101)
    expect(await stream.next()).toMatchObject({ event: 'quotes' })
    blocks.mine(102)
    expect((await stream.next()).body).toMatchObject({ code: 'RATE_LIMITED' })
    stream.close()
  })
})

describe('requests', () => {
  test.each([
    [`${query}&blockNumber=5`, 'blockNumber must not be given: a stream follows the newest block'],
    [
      'tokenIn=x',
      [
        'tokenIn must be an address: 0x and 40 hexadecimal digits',
        'tokenOut is required',
        'amountIn is required',
      ],
    ],
  ])('GET %s is a 400', async (search, message) => {
    const api = await startTestApi()
    const reply = await api.get(`/stream/quotes?${search}`)
    expect(reply.body).toMatchObject({ statusCode: 400, message })
  })

  test('POST with a block is a 400, and an item with one is its own error', async () => {
    const api = await startTestApi()
    const whole = await api.post('/stream/quotes', { blockNumber: 5, quotes: [one] })
    expect(whole.body).toMatchObject({ statusCode: 400, code: 'INVALID_REQUEST' })
    const body = { quotes: [{ ...one, blockNumber: 5 }] }
    const stream = await openStream(`${api.url}/api/v1/stream/quotes`, { body })
    expect((await stream.next()).body.quotes[0].error.message).toBe(
      'blockNumber must be that of the call (the newest)',
    )
    stream.close()
  })

  test('without a key it is a 401; other origins are allowed as elsewhere; HEAD opens nothing', async () => {
    const api = await startTestApi({ AUTH_MODE: 'key', CORS_ORIGINS: 'https://app.example' })
    expect((await read(await fetch(streamUrl(api)))).body).toMatchObject({ statusCode: 401 })
    const { key } = api.keys.createKey({ name: 'maker' })
    const headers = { authorization: `Bearer ${key}`, origin: 'https://app.example' }
    const stream = await openStream(streamUrl(api), { headers })
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('https://app.example')
    stream.close()
    await expect.poll(() => openStreams(api)).toBe('0')
    const head = await fetch(streamUrl(api), { method: 'HEAD', headers })
    expect(head.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(api.asked.quotes.length).toBeLessThan(2)
  })
})

describe('limits', () => {
  test('a key has so many streams, the service so many; who leaves makes room', async () => {
    const blocks = chain()
    const limits = { MAX_STREAMS: '3', MAX_STREAMS_PER_KEY: '2' }
    const api = await startTestApi({ AUTH_MODE: 'key', ...limits }, blocks.change)
    const [a, b] = ['a', 'b'].map((name) => ({
      headers: { authorization: `Bearer ${api.keys.createKey({ name }).key}` },
    }))
    const streams = [await openStream(streamUrl(api), a), await openStream(streamUrl(api), a)]
    const third = await read(await fetch(streamUrl(api), a ?? {}))
    expect(third.body).toMatchObject({ statusCode: 429, code: 'TOO_MANY_STREAMS' })
    expect(third.headers.get('retry-after')).toBe('1')
    streams.push(await openStream(streamUrl(api), b))
    const fourth = await fetch(streamUrl(api), b ?? {})
    expect((await read(fourth)).body).toMatchObject({ statusCode: 503, code: 'OVERLOADED' })

    for (const stream of streams) expect(await stream.next()).toMatchObject({ id: '100' })
    streams.shift()?.close()
    await expect.poll(() => openStreams(api)).toBe('2')
    await expect.poll(() => blocks.waiting()).toBe(2)
    streams.push(await openStream(streamUrl(api), a))
    expect(await streams.at(-1)?.next()).toMatchObject({ id: '100' })
    for (const stream of streams) stream.close()
    await expect.poll(() => openStreams(api)).toBe('0')
    expect(blocks.waiting()).toBe(0)
  })

  test.each(['at the next block, which is not calculated', 'while no block comes'])(
    'a key that is disabled ends its streams %s',
    async (when) => {
      const blocks = chain()
      const api = await startTestApi({ AUTH_MODE: 'key' }, blocks.change)
      const { key, record } = api.keys.createKey({ name: 'maker' })
      const stream = await openStream(streamUrl(api), {
        headers: { authorization: `Bearer ${key}` },
      })
      expect(await stream.next()).toMatchObject({ id: '100' })
      api.keys.disableKey(record.id)
      if (when !== 'while no block comes') blocks.mine(101)
      expect((await stream.next()).body).toMatchObject({ statusCode: 403, code: 'KEY_DISABLED' })
      await stream.end()
      expect(blocks.calculated).toEqual([100])
      await expect.poll(() => blocks.waiting()).toBe(0)
    },
  )

  test('a client that does not read is dropped, and another goes on', async () => {
    const blocks = chain('x'.repeat(2_000_000))
    const api = await startTestApi({ STREAM_BUFFER_BYTES: '65536' }, blocks.change)
    const slow = connect(Number(new URL(api.url).port), '127.0.0.1')
    slow.on('error', () => undefined)
    await once(slow, 'connect')
    slow.write(`GET /api/v1/stream/quotes?${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await expect.poll(() => openStreams(api)).toBe('1')
    const reader = await openStream(streamUrl(api))
    await reader.next()
    // The buffers of the two sockets take some; then the service would have to keep the rest.
    let number = 100
    const slowEnds = async () =>
      /^forkroute_stream_ends_total\{reason="slow"\} (\d+)/m.exec(
        (await api.get('/metrics')).text,
      )?.[1]
    const before = await slowEnds()
    while ((await openStreams(api)) === '2') {
      expect(number).toBeLessThan(150)
      number += 1
      blocks.mine(number)
      expect(await reader.next()).toMatchObject({ id: String(number) })
    }
    expect(Number(await slowEnds()) - Number(before ?? 0)).toBe(1)
    expect(api.log()).toContain('"end":"slow"')
    blocks.mine(number + 1)
    expect(await reader.next()).toMatchObject({ id: String(number + 1) })
    reader.close()
    slow.destroy()
  })

  test('a stop of the service ends streams in order, without waiting', async () => {
    const blocks = chain()
    const api = await startTestApi({ SHUTDOWN_TIMEOUT_MS: '600000' }, blocks.change)
    const stream = await openStream(streamUrl(api))
    expect(await stream.next()).toMatchObject({ id: '100' })
    const closed = api.server.close()
    await stream.end()
    await closed
    expect(blocks.waiting()).toBe(0)
  })
})

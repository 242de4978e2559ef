/** What the service does when it is asked for more than it may give, when clients leave, and when it shuts down. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Engine, RouteAnswer } from '../../src/domain/engine.js'
import { ForkrouteError } from '../../src/domain/errors.js'
import { quote } from './route-query.js'
import { bearer, startTestApi, weth } from './test-api.js'

/** An engine whose quotes wait until they are released, and that says when one has come. */
function waitingEngine() {
  const { promise: arrived, resolve: arrive } = withResolvers<AbortSignal>()
  const { promise: released, resolve: release } = withResolvers<void>()
  const change: Partial<Engine> = {
    async quote(_request, { signal }): Promise<RouteAnswer> {
      arrive(signal)
      await released
      throw new ForkrouteError('NO_ROUTE', 'No path.')
    },
  }
  return { change, arrived, release }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

describe('limits', () => {
  test('the rate is counted by key', async () => {
    const api = await startTestApi({ AUTH_MODE: 'key', RATE_LIMIT_PER_MINUTE: '2' })
    const one = bearer(api.keys.createKey({ name: 'one' }).key)
    const two = bearer(api.keys.createKey({ name: 'two' }).key)
    const first = await api.get('/networks', one)
    expect(first.headers.get('ratelimit-limit')).toBe('2')
    expect(first.headers.get('ratelimit-remaining')).toBe('1')
    expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(0)
    await api.get('/networks', one)
    const third = await api.get('/networks', one)
    expect(third.body).toMatchObject({ statusCode: 429, code: 'RATE_LIMITED' })
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(third.headers.get('ratelimit-remaining')).toBe('0')
    expect((await api.get('/networks', two)).status).toBe(200)
    expect((await api.get('/health')).status).toBe(200)
  })

  test('calculations over the bound are shed at once, others are not', async () => {
    const { change, arrived, release } = waitingEngine()
    const api = await startTestApi({ MAX_IN_FLIGHT: '1' }, change)
    const first = api.get(quote)
    await arrived
    const second = await api.get(quote)
    expect(second.body).toMatchObject({ statusCode: 503, code: 'OVERLOADED' })
    expect(second.headers.get('retry-after')).toBe('1')
    expect((await api.get('/networks')).status).toBe(200)
    release()
    expect((await first).status).toBe(422)
    expect((await api.get(quote)).status).toBe(422)
  })

  test('an answer that is not ready in time is a 504, and its work keeps its place until it ends', async () => {
    const { change, arrived, release } = waitingEngine()
    const api = await startTestApi({ REQUEST_TIMEOUT_MS: '1000', MAX_IN_FLIGHT: '1' }, change)
    const reply = await api.get(quote)
    expect(reply.body).toMatchObject({ statusCode: 504, code: 'DEADLINE_EXCEEDED' })
    expect((await arrived).aborted).toBe(true)
    expect((await api.get(quote)).body.code).toBe('OVERLOADED')
    release()
  })

  test('prices that are not ready by deadlineMs are a 504', async () => {
    const api = await startTestApi({}, { prices: () => new Promise(() => {}) })
    const reply = await api.get(`/prices/1/${weth}?deadlineMs=50`)
    expect(reply.body).toMatchObject({ statusCode: 504, code: 'DEADLINE_EXCEEDED' })
  })

  test('a client that leaves stops its calculation', async () => {
    const { change, arrived, release } = waitingEngine()
    const api = await startTestApi({}, change)
    const client = new AbortController()
    const reply = fetch(`${api.url}/api/v1${quote}`, { signal: client.signal })
    const signal = await arrived
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
    client.abort()
    await expect(reply).rejects.toThrow()
    await aborted
    expect(signal.aborted).toBe(true)
    release()
  })
})

describe('shutdown', () => {
  test('finishes what is in flight and accepts nothing more', async () => {
    const { change, arrived, release } = waitingEngine()
    const api = await startTestApi({}, change)
    const reply = api.get(quote)
    await arrived
    const closed = api.server.close()
    await expect(fetch(`${api.url}/health`)).rejects.toThrow()
    release()
    expect((await reply).body.code).toBe('NO_ROUTE')
    expect((await reply).headers.get('connection')).toBe('close')
    await closed
  })

  test('does not wait longer than configured: 503 for what still runs', async () => {
    const { change, arrived } = waitingEngine()
    const api = await startTestApi({ SHUTDOWN_TIMEOUT_MS: '50' }, change)
    const reply = api.get(quote)
    const signal = await arrived
    await api.server.close()
    expect((await reply).body).toMatchObject({ statusCode: 503, code: 'OVERLOADED' })
    expect(signal.aborted).toBe(true)
  })

  test('idle connections do not hold it up', async () => {
    // Longer than a test may take: a connection that is waited for fails it.
    const api = await startTestApi({ SHUTDOWN_TIMEOUT_MS: '600000' })
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
    const closed = once(socket, 'close')
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: keep-alive\r\n/)
    expect(socket.readyState).toBe('open')
    await api.server.close()
    await closed
    await expect(fetch(`${api.url}/health`)).rejects.toThrow('fetch failed')
    await expect(api.server.close()).resolves.toBeUndefined()
  })
})

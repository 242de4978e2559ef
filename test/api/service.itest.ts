import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ForkrouteError } from '../../src/domain/errors.js'
import { quote } from './route-query.js'
import { bearer, dai, read, sender, startTestApi, usdc, weth } from './test-api.js'

/** Sends one after the other on one connection, which the server closes; one entry per answer. */
async function sendRaw(url: string, ...requests: readonly string[]) {
  const text = await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const [first = '', ...later] = requests
    let received = ''
    socket.on('data', (data) => {
      received += data
      socket.write(later.shift() ?? '')
    })
    socket.on('close', () => resolve(received))
    socket.write(first)
  })
  return text.split(/(?=HTTP\/1\.1 )/).map((answer) => {
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    return { head, body, requestId: /x-request-id: (\S+)/.exec(head)?.[1] }
  })
}

describe('errors', () => {
  test('an unknown path, with the id that the client sent', async () => {
    const api = await startTestApi()
    const reply = await api.get('/nothing', { 'x-request-id': 'abc-1' })
    expect(reply.body).toEqual({
      statusCode: 404,
      error: 'Not Found',
      message: 'There is no path /api/v1/nothing. GET /docs lists all.',
      code: 'NOT_FOUND',
      requestId: 'abc-1',
      details: { next: [{ endpoint: 'GET /docs' }] },
    })
    expect(reply.headers.get('x-request-id')).toBe('abc-1')
  })

  test.each(['a'.repeat(129), 'a b', '<x>'])('a request id like %j is replaced', async (id) => {
    const api = await startTestApi()
    const reply = await api.get('/nothing', { 'x-request-id': id })
    expect(reply.body.requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(reply.headers.get('x-request-id')).toBe(reply.body.requestId)
  })

  test('another method of a path is a 405 that names the allowed ones', async () => {
    const api = await startTestApi()
    const reply = await api.post('/networks', {})
    expect(reply.body).toMatchObject({ statusCode: 405, code: 'METHOD_NOT_ALLOWED' })
    expect(reply.headers.get('allow')).toBe('GET, HEAD')
    const put = await read(await fetch(`${api.url}/v1/shortcuts/route`, { method: 'PUT' }))
    expect(put.headers.get('allow')).toBe('GET, HEAD, POST')
  })

  test.each([
    ...['/metrics', '/openapi.json', '/docs', '/docs/start.js', '/docs/guide', '/verify'],
    '/health',
  ])('another method of %s is a 405, not a 404', async (path) => {
    const api = await startTestApi()
    for (const method of ['PUT', 'OPTIONS']) {
      const reply = await read(await fetch(api.url + path, { method }))
      expect(reply.body).toMatchObject({ statusCode: 405, code: 'METHOD_NOT_ALLOWED' })
      expect(reply.headers.get('allow')).toBe('GET, HEAD')
    }
  })

  test.each([
    [
      'without a Host header',
      ['GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
      400,
      'INVALID_REQUEST',
    ],
    ['CONNECT', ['CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n'], 405, 'METHOD_NOT_ALLOWED'],
    [
      'nonsense after a good request on its connection',
      ['GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n', 'NONSENSE\r\n\r\n'],
      400,
      'INVALID_REQUEST',
    ],
  ])('%s has the one body, too', async (_name, requests, statusCode, code) => {
    const api = await startTestApi()
    const answers = await sendRaw(api.url, ...requests)
    expect(JSON.parse(answers.at(-1)?.body ?? '')).toEqual({
      statusCode,
      error: expect.any(String),
      message: expect.any(String),
      code,
      requestId: answers.at(-1)?.requestId,
    })
  })

  test('an expectation that nobody knows is ignored', async () => {
    const api = await startTestApi()
    const head = 'GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\nConnection: close\r\n\r\n'
    expect((await sendRaw(api.url, head)).at(-1)?.body).toBe('{"status":"ok"}')
  })

  test.each([
    ['not JSON', '{"a":', 400, 'INVALID_REQUEST', 'The request body is not valid JSON.'],
    ['an array', '[]', 400, 'INVALID_REQUEST', 'The request body must be a JSON object.'],
    ['a text', '"a"', 400, 'INVALID_REQUEST', 'The request body must be a JSON object.'],
    [
      'too large',
      `{"a":"${'a'.repeat(2_000)}"}`,
      413,
      'BODY_TOO_LARGE',
      'The request body is over the limit of 1024 bytes (BODY_LIMIT_BYTES). Divide it into several requests.',
    ],
  ])('a body that is %s', async (_name, body, statusCode, code, message) => {
    const api = await startTestApi({ BODY_LIMIT_BYTES: '1024' })
    const reply = await api.post('/shortcuts/route', body)
    expect(reply.body).toMatchObject({ statusCode, code, message })
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded'])(
    'a body of type %s is a 415',
    async (type) => {
      const api = await startTestApi()
      const reply = await api.post('/shortcuts/route', '{}', { 'content-type': type })
      expect(reply.body).toMatchObject({ statusCode: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
    },
  )

  test('a path that cannot be decoded is a 400', async () => {
    const api = await startTestApi()
    expect((await api.get('/prices/1/%zz')).body).toMatchObject({ statusCode: 400 })
  })

  test('what the HTTP parser refuses has the same body', async () => {
    const api = await startTestApi()
    const reply = await api.get(`/networks?x=${'a'.repeat(70_000)}`)
    expect(reply.body).toMatchObject({ statusCode: 431, code: 'INVALID_REQUEST' })
    const [raw] = await sendRaw(api.url, 'NONSENSE\r\n\r\n')
    expect(raw?.head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(JSON.parse(raw?.body ?? '')).toMatchObject({ code: 'INVALID_REQUEST' })
  })

  test('an error of the engine keeps its code, message and details', async () => {
    const details = { token: weth, owner: sender, spender: dai, required: '2', actual: '1' }
    const api = await startTestApi(
      {},
      {
        route: async () => {
          throw new ForkrouteError('INSUFFICIENT_BALANCE', 'Too little WETH.', details)
        },
      },
    )
    const reply = await api.get(
      `/shortcuts/route?fromAddress=${sender}&tokenIn=${weth}&tokenOut=${usdc}&amountIn=2`,
    )
    expect(reply.body).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message: 'Too little WETH.',
      code: 'INSUFFICIENT_BALANCE',
      requestId: reply.body.requestId,
      details,
    })
  })

  test.each([
    ['CHAIN_NOT_READY', 503, '1'],
    ['UPSTREAM_UNAVAILABLE', 503, '1'],
    ['DEADLINE_EXCEEDED', 504, '1'],
    ['NO_ROUTE', 422, null],
  ] as const)('%s is a %i', async (code, status, retryAfter) => {
    const api = await startTestApi(
      {},
      {
        quote: async () => {
          throw new ForkrouteError(code, 'Sorry.')
        },
      },
    )
    const reply = await api.get(quote)
    expect(reply.body).toMatchObject({ statusCode: status, code, message: 'Sorry.' })
    expect(reply.headers.get('retry-after')).toBe(retryAfter)
  })

  test('a fault of the service says nothing of itself, and is logged with its stack, without secrets', async () => {
    const api = await startTestApi(
      {},
      {
        quote: async () => {
          throw new Error('boom at https://user:hush@node.example/v2/SECRETKEY?x=1')
        },
      },
    )
    const reply = await api.get(quote)
    expect(reply.body).toEqual({
      statusCode: 500,
      error: 'Internal Server Error',
      message: 'A fault of the service itself; its log has the cause.',
      code: 'INTERNAL',
      requestId: reply.body.requestId,
    })
    expect(api.log()).toContain(reply.body.requestId)
    expect(api.log()).toContain('service.itest')
    expect(api.log()).toContain('node.example')
    expect(api.log()).not.toMatch(/hush|SECRETKEY/)
  })
})

describe('keys', () => {
  test('a key lives from its creation to its end', async () => {
    const api = await startTestApi({ AUTH_MODE: 'key' })
    const first = api.keys.createKey({ name: 'first' })
    const { accountId } = first.record
    const second = api.keys.createKey({ name: 'second', accountId })
    const other = api.keys.createKey({ name: 'other' })

    const id = await api.get('/account/accountId', bearer(first.key))
    expect(id.body).toBe(accountId)
    expect(id.body).toMatch(/^0x[0-9a-f]{64}$/)
    expect((await api.get('/account/accountId', bearer(second.key))).body).toBe(accountId)
    expect((await api.get('/account/accountId', bearer(other.key))).body).not.toBe(accountId)
    await api.get(quote, bearer(first.key))
    expect(api.asked.contexts[0]?.accountId).toBe(accountId)
    expect(api.keys.listKeys()[0]?.lastUsedAt).toBeGreaterThan(0)

    api.keys.disableKey(first.record.id)
    expect((await api.get('/networks', bearer(first.key))).body).toMatchObject({
      statusCode: 403,
      code: 'KEY_DISABLED',
      details: { next: [{ header: 'authorization', value: 'Bearer <key>' }] },
    })
    expect((await api.get('/networks', bearer(second.key))).status).toBe(200)
  })

  test.each([
    ['none', {}],
    ['another scheme', { authorization: 'Basic abc' }],
    ['an unknown key', bearer('fr_unknown')],
    ['an empty key', bearer('')],
  ])('%s is a 401', async (_name, headers) => {
    const api = await startTestApi({ AUTH_MODE: 'key' })
    const reply = await api.get('/networks', headers)
    expect(reply.body).toMatchObject({
      statusCode: 401,
      error: 'Unauthorized',
      code: 'UNAUTHORIZED',
    })
    expect(reply.headers.get('www-authenticate')).toBe('Bearer')
  })

  test.each(['/api/v1/nothing', '/v1/networks', '/api/x', '/API/V1/networks'])(
    '%s needs a key',
    async (path) => {
      const api = await startTestApi({ AUTH_MODE: 'key' })
      expect((await read(await fetch(api.url + path))).status).toBe(401)
    },
  )

  test.each(['/health', '/ready', '/metrics', '/docs', '/openapi.json'])(
    '%s needs none',
    async (path) => {
      const api = await startTestApi({ AUTH_MODE: 'key' })
      expect((await api.get(path)).status).toBe(200)
    },
  )

  test('neither key nor hash reach the log', async () => {
    const api = await startTestApi({ AUTH_MODE: 'key' })
    const { key, record } = api.keys.createKey({ name: 'a' })
    await api.get('/networks', bearer(key))
    await api.get('/networks', bearer('fr_wrongwrongwrong'))
    expect(api.log()).toContain(record.id)
    expect(api.log()).not.toContain(key)
    expect(api.log()).not.toContain('wrongwrong')
  })

  test('the account is zero in open mode', async () => {
    const api = await startTestApi()
    expect((await api.get('/account/accountId')).body).toBe(`0x${'0'.repeat(64)}`)
  })
})

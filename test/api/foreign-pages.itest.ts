/** Who may ask without a key, and what one request may hold: over real HTTP, as browsers and scripts send it. */
import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from './test-api.js'

async function ask(api: TestApi, path: string, headers: Record<string, string>, method = 'GET') {
  const { statusCode, body } = await request(`${api.url}${path}`, { method, headers } as object)
  const text = await body.text()
  return { status: statusCode, code: statusCode === 200 ? null : JSON.parse(text).code }
}

const refused = { status: 403, code: 'CALLER_NOT_ALLOWED' }
const answered = { status: 200, code: null }

describe('in open mode', () => {
  test.each([
    ['a name that leads here by a resolver of somebody else', { host: 'evil.example' }, refused],
    ['a page of another site', { origin: 'https://evil.example' }, refused],
    ['a page without an origin of its own', { origin: 'null' }, refused],
    [
      'an image on a page of another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      refused,
    ],
    [
      'a link on a page of another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      answered,
    ],
    ['another address of this machine', { host: '192.168.7.7:3000' }, answered],
    ['an address of version 6', { host: '[fd00::7]:3000' }, answered],
    ['a page of this service', { host: '10.0.0.7:3000', origin: 'http://10.0.0.7:3000' }, answered],
    ['a page of another port there', { host: '10.0.0.7', origin: 'http://10.0.0.7:81' }, refused],
    ['an allowed name', { host: 'desk.example', origin: 'https://desk.example' }, answered],
    ['a page whose origin may ask', { origin: 'https://app.example' }, answered],
  ])('%s', async (_name, headers: Record<string, string>, expected) => {
    const api = await startTestApi({
      ALLOWED_HOSTS: 'desk.example',
      CORS_ORIGINS: 'https://app.example',
    })
    for (const path of ['/api/v1/networks', '/openapi.json', '/metrics', '/health']) {
      const { status, code } = await ask(api, path, headers)
      expect({ path, status, code: status === 200 ? null : code }).toEqual({ path, ...expected })
    }
  })

  test('a page of another site starts no job by a POST without a body', async () => {
    const api = await startTestApi()
    const headers = { origin: 'https://evil.example', 'content-length': '0' }
    expect(await ask(api, '/api/v1/backtests/a/cancel', headers, 'POST')).toEqual(refused)
  })
})

test('with keys, other names and pages are let through to the check of the key', async () => {
  const api = await startTestApi({ AUTH_MODE: 'key' })
  const headers = { host: 'api.example', origin: 'https://evil.example' }
  expect(await ask(api, '/api/v1/networks', headers)).toMatchObject({ status: 401 })
  expect(await ask(api, '/mcp', headers, 'POST')).toEqual(refused)
})

test('messages of the Model Context Protocol count against the rate limit one by one', async () => {
  const api = await startTestApi({ RATE_LIMIT_PER_MINUTE: '5' })
  const message = { jsonrpc: '2.0', method: 'tools/list', id: 1 }
  const send = (messages: unknown) =>
    fetch(`${api.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(messages),
    })
  const many = await send(Array.from({ length: 3_000 }, () => message))
  expect(many.status).toBe(429)
  expect(await many.json()).toMatchObject({ code: 'RATE_LIMITED' })
  for (let left = 4; left > 0; left--) expect((await send(message)).status).toBe(200)
  expect((await send(message)).status).toBe(429)
})

test('the description is the same packed and plain, and is not sent again to who has it', async () => {
  const api = await startTestApi()
  const url = `${api.url}/openapi.json`
  const plain = await request(url)
  const packed = await request(url, { headers: { 'accept-encoding': 'gzip' } })
  const text = await plain.body.text()
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(Buffer.from(await packed.body.arrayBuffer())).toString()).toBe(text)
  const again = await request(url, { headers: { 'if-none-match': String(plain.headers.etag) } })
  expect(again.statusCode).toBe(304)
  expect(await again.body.text()).toBe('')
})

import { describe, expect, test } from 'vitest'
import { startTestApi } from './test-api.js'

describe('GET /', () => {
  test('leads to the console, also below the path of a proxy', async () => {
    const { url } = await startTestApi({ AUTH_MODE: 'key' })
    const { status, headers } = await fetch(url, { redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([302, 'console'])
    expect((await fetch(url)).url).toBe(`${url}/console`)
  })

  test('takes no other method', async () => {
    const { url } = await startTestApi()
    const { status, headers } = await fetch(url, { method: 'POST' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('GET /api/v1', () => {
  test.each(['/api/v1', '/api/v1/', '/v1'])(
    '%s lists every endpoint, without a key',
    async (path) => {
      const { url } = await startTestApi({ AUTH_MODE: 'key' })
      const answer = await fetch(`${url}${path}`)
      expect(answer.status).toBe(200)
      const body = JSON.parse(await answer.text())
      expect(body).toMatchObject({
        name: 'forkroute',
        reference: '/docs',
        openapi: '/openapi.json',
        console: '/console',
      })
      const document = JSON.parse(await (await fetch(`${url}/openapi.json`)).text())
      const documented = Object.entries<object>(document.paths).flatMap(([place, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${place}`),
      )
      const listed = body.endpoints.map(
        (one: { method: string; path: string }) => `${one.method} ${one.path}`,
      )
      expect([...listed, 'GET /api/v1'].sort()).toEqual(documented.sort())
      expect(body.endpoints).toContainEqual({
        method: 'GET',
        path: '/api/v1/keys',
        operationId: 'getKeys',
        summary: expect.any(String),
        scope: 'admin',
      })
    },
  )

  test('the endpoints below it still need a key', async () => {
    const { url } = await startTestApi({ AUTH_MODE: 'key' })
    expect((await fetch(`${url}/api/v1/networks`)).status).toBe(401)
    expect((await fetch(`${url}/api/v1/nothing`)).status).toBe(401)
  })
})

/** What operators and browsers see of the service: health, metrics, documentation, headers and CORS. */
import { describe, expect, test } from 'vitest'
import { Readiness } from '../../src/api/records/records.js'
import { collectMetric, observe } from '../../src/telemetry/metrics.js'
import { documented, startTestApi, type TestApi, weth } from './test-api.js'

describe('outside /api', () => {
  test('/health and /ready', async () => {
    const api = await startTestApi()
    expect((await api.get('/health')).body).toEqual({ status: 'ok' })
    expect(await documented(api, '/ready', Readiness)).toEqual({ ready: true, chains: [] })
  })

  test('/ready is a 503 that says which chain is late, and why', async () => {
    const late = {
      chainId: 1,
      ready: false,
      blockNumber: null,
      ageSeconds: null,
      capabilities: { logs: true },
      problem: 'node 1 of chain 1 gives no answer',
    }
    const readiness = () => ({ ready: false, chains: [late] })
    const api = await startTestApi({}, { readiness })
    const reply = await api.get('/ready')
    expect(reply.body).toMatchObject({
      statusCode: 503,
      code: 'CHAIN_NOT_READY',
      message: 'Not ready: no fresh block of chain 1. details.chains says why.',
      details: { chains: [late] },
    })
    expect(reply.headers.get('retry-after')).toBe('1')
  })

  test('/metrics counts by path of the contract, stage and gauge', async () => {
    const api = await startTestApi()
    await api.get(`/prices/1/${weth}`)
    await api.get('/secret-looking-path')
    const searches = async () => {
      const { text } = await api.get('/metrics')
      return Number(/^forkroute_stage_seconds_count\{stage="search"\} (\d+)$/m.exec(text)?.[1] ?? 0)
    }
    // The process counts for all files of tests that it runs.
    const before = await searches()
    observe('stage_seconds', { stage: 'search' }, 0.01)
    expect(await searches()).toBe(before + 1)
    collectMetric('head_number', () => [{ labels: { chain: 1 }, value: 2 }])
    const reply = await api.get('/metrics')
    expect(reply.headers.get('content-type')).toContain('text/plain')
    expect(reply.text).toContain(
      'forkroute_http_seconds_count{method="GET",route="/api/v1/prices/{chainId}/{address}",status="200"}',
    )
    expect(reply.text).toContain('forkroute_head_number{chain="1"} 2')
    expect(reply.text).toContain('forkroute_calculations_in_flight 0')
    expect(reply.text).toContain('process_resident_memory_bytes')
    expect(reply.text).not.toContain('secret-looking')
  })

  test('/docs needs no other host', async () => {
    const api = await startTestApi()
    const page = await api.get('/docs')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(links).toHaveLength(4)
    for (const link of links) {
      const file = await api.get(link)
      expect(file.status, link).toBe(200)
      expect(file.text.length).toBeGreaterThan(50)
    }
    expect(page.text).not.toMatch(/https?:|<script>|onload/)
  })

  test('security headers are set, and nothing tells what serves', async () => {
    const api = await startTestApi()
    const { headers } = await api.get('/networks')
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-powered-by')).toBeNull()
  })
})

describe('CORS', () => {
  const origin = 'https://app.example.org'

  function preflight(api: TestApi, from: string) {
    return fetch(`${api.url}/api/v1/shortcuts/route`, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-sdk-version,cookie',
      },
    })
  }

  test('is off by default', async () => {
    const api = await startTestApi()
    const reply = await api.get('/networks', { origin })
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
    expect((await preflight(api, origin)).headers.get('access-control-allow-origin')).toBeNull()
  })

  test('lets configured origins in, with authorization and x- headers, before any key is asked for', async () => {
    const api = await startTestApi({
      AUTH_MODE: 'key',
      CORS_ORIGINS: `${origin},http://localhost:5173`,
    })
    const asked = await preflight(api, origin)
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin)
    expect(asked.headers.get('access-control-allow-headers')).toBe(
      'authorization,content-type,x-sdk-version',
    )
    const reply = await api.get('/networks', { origin })
    expect(reply.status).toBe(401)
    expect(reply.headers.get('access-control-allow-origin')).toBe(origin)
    const exposed = reply.headers.get('access-control-expose-headers')?.split(',')
    expect(exposed).toEqual([
      ...['x-request-id', 'retry-after'],
      ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
    ])
    const other = await preflight(api, 'https://evil.example')
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
  })
})

/** Bad days that are short: a node that is down, too much at once, callers that leave. */
import { describe, expect, test } from 'vitest'
import { fast, quote, swap, withFaultyNode } from '../../support/service/faulty-service.js'
import { startService, type TestService } from '../../support/service/service.js'

const context = withFaultyNode()

describe('nodes', () => {
  test('a node that is down at the start makes the chain not ready, and ready when it comes', async () => {
    context().node.fail('broken')
    const service = await startService({
      RPC_URL_1: context().node.url,
      ...fast,
      FIRST_PIN_WAIT_MS: '0',
    })
    try {
      const early = await quote(service)
      expect(early.status).toBe(503)
      expect(early.body.code).toMatch(/CHAIN_NOT_READY|UPSTREAM_UNAVAILABLE/)
      expect((await service.get('/ready')).status).toBe(503)
      expect((await service.get('/health')).status).toBe(200)
      context().node.fail('none')
      await expect
        .poll(async () => (await service.get('/ready')).status, { timeout: 20_000 })
        .toBe(200)
      expect((await quote(service)).status).toBe(200)
    } finally {
      await service.stop()
    }
  })
})

describe('the service itself', () => {
  test('more calculations than MAX_IN_FLIGHT are refused with 503 and retry-after', async () => {
    const service = await startService({
      RPC_URL_1: context().sandbox.url,
      ...fast,
      MAX_IN_FLIGHT: '1',
    })
    try {
      const answers = await Promise.all(Array.from({ length: 6 }, () => quote(service)))
      const refused = answers.filter(({ status }) => status === 503)
      expect(refused.length).toBeGreaterThan(0)
      expect(refused[0]?.body.code).toBe('OVERLOADED')
      expect(refused[0]?.headers.get('retry-after')).not.toBeNull()
      expect(answers.some(({ status }) => status === 200)).toBe(true)
    } finally {
      await service.stop()
    }
  })

  test('an abandoned request stops its simulations', async () => {
    const service = await startService({
      RPC_URL_1: context().node.url,
      ...fast,
      UPSTREAM_TIMEOUT_MS: '20000',
    })
    try {
      const { blockNumber } = (await quote(service)).body
      context().node.fail('silent')
      const abort = new AbortController()
      const target = new URL('/api/v1/shortcuts/quote', service.url)
      target.search = new URLSearchParams({
        ...swap,
        blockNumber: String(blockNumber - 20),
      }).toString()
      const request = fetch(target, {
        headers: { authorization: `Bearer ${service.key}` },
        signal: abort.signal,
      })
      await expect.poll(() => inFlight(service), { timeout: 5_000 }).toBe(1)
      abort.abort()
      await expect(request).rejects.toThrow()
      await expect.poll(() => inFlight(service), { timeout: 5_000 }).toBe(0)
    } finally {
      context().node.fail('none')
      await service.stop()
    }
  })
})

async function inFlight(service: TestService): Promise<number> {
  const metrics = await service.get('/metrics')
  return Number(/^forkroute_calculations_in_flight (\d+)/m.exec(metrics.text)?.[1])
}

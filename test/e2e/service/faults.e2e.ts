/** Bad days that are short: a node that is down, too much at once, callers that leave. */
import { describe, expect, test } from 'vitest'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { askBundle, route as bundled } from '../../support/bundle.js'
import { dai, fast, quote, swap, withFaultyNode } from '../../support/service/faulty-service.js'
import { startService, type TestService } from '../../support/service/service.js'

const context = withFaultyNode()
/** A token that nothing else here asks for. */
const uni = sandboxToken('UNI').address

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
      await expect.poll(async () => (await service.get('/ready')).status).toBe(200)
      expect((await quote(service)).status).toBe(200)
    } finally {
      await service.stop()
    }
  })
})

describe('a node that takes requests and never answers', () => {
  test('with deadlineMs whatever is asked is answered, as documented, while it still hangs', async () => {
    const service = await startService({
      RPC_URL_1: context().node.url,
      ...fast,
      // Longer than a test may take: only the deadline ends what is asked.
      UPSTREAM_TIMEOUT_MS: '60000',
      REQUEST_TIMEOUT_MS: '600000',
    })
    try {
      const known = await quote(service)
      expect(known.status, known.text).toBe(200)
      const { node } = context()
      node.fail('silent')
      const deadlineMs = '1500'
      const late = { status: 504, body: { code: 'DEADLINE_EXCEEDED' } }
      const fromAddress = sandboxAccount('alice').address
      const [usdc, weth] = [swap.tokenOut, swap.tokenIn]
      const old = String(known.body.blockNumber - 20)
      const route = (more: Record<string, string>) =>
        service.get('/api/v1/shortcuts/route', {
          ...swap,
          fromAddress,
          executionMode: 'backend',
          deadlineMs,
          ...more,
        })
      const bundle = (more: Record<string, string>) =>
        askBundle(service, { fromAddress, deadlineMs, ...more }, [
          bundled(uni, usdc, swap.amountIn),
        ])
      const quotes = [{ tokenIn: weth, tokenOut: dai, amountIn: [swap.amountIn, '1000'] }]
      const batch = (more: object) =>
        service.post('/api/v1/shortcuts/quotes', { deadlineMs, quotes, ...more })
      const answers = await Promise.all([
        // A block that nobody has opened.
        quote(service, { blockNumber: old, deadlineMs }),
        route({ blockNumber: old }),
        bundle({ blockNumber: old }),
        batch({ blockNumber: Number(old) }),
        service.get(`/api/v1/prices/1/${dai}`, { blockNumber: old, deadlineMs }),
        // The newest, of which there is no more than was read before.
        quote(service, { tokenIn: dai, tokenOut: uni, deadlineMs }),
        route({ tokenIn: uni, tokenOut: usdc }),
        bundle({}),
      ])
      for (const answer of answers) expect(answer, answer.text).toMatchObject(late)
      const newest = await batch({ quotes: [...quotes, { ...quotes[0], tokenOut: uni }] })
      expect(newest.status, newest.text).toBe(200)
      expect(newest.text).toContain('DEADLINE_EXCEEDED')
      await expect.poll(() => inFlight(service), { timeout: 5_000 }).toBe(0)
    } finally {
      context().node.fail('none')
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

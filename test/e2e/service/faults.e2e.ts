/** Bad days: forks that die, nodes that fail, lie or fall silent. A correct answer or the documented error. */
import { execFileSync } from 'node:child_process'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { type FaultyNode, startFaultyNode } from '../../support/nodes/faulty-node.js'
import { startService, type TestService } from '../../support/service.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'

const fast = { HEAD_POLL_MS: '50' }
const swap = { chainId: '1', tokenIn: weth, tokenOut: usdc, amountIn: '1000000000000000000' }

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let node: FaultyNode

beforeAll(async () => {
  sandbox = await startSandbox({})
  node = await startFaultyNode(sandbox.url)
})
afterAll(async () => {
  await node.stop()
  await sandbox.stop()
})
afterEach(() => node.fail('none'))

const quote = (service: TestService, more: Record<string, string> = {}) =>
  service.get('/api/v1/shortcuts/quote', { ...swap, ...more })

/** Anvil processes that this process started as forks; the sandbox itself is not one. */
function forkPids(): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return rows.flatMap((row) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? []
    const isFork = Number(parent) === process.pid && command?.includes('--fork-url')
    return isFork ? [Number(pid)] : []
  })
}

describe('forks', () => {
  test('killed in the middle of requests: every answer is the right one, and the service goes on', async () => {
    const service = await startService({ RPC_URL_1: node.url, ...fast })
    try {
      const expected = await quote(service)
      expect(expected.status, expected.text).toBe(200)
      const running = Array.from({ length: 8 }, () => quote(service))
      const pids = forkPids()
      expect(pids.length).toBeGreaterThan(0)
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      for (const answer of await Promise.all(running)) {
        if (answer.status === 200) expect(answer.text).toBe(expected.text)
        else expect([503]).toContain(answer.status)
      }
      expect((await quote(service)).text).toBe(expected.text)
    } finally {
      await service.stop()
    }
    expect(forkPids()).toEqual([])
  })
})

describe('nodes', () => {
  test('a node that answers 429 and 502 for a while is asked again', async () => {
    const service = await startService({ RPC_URL_1: node.url, ...fast })
    try {
      node.fail('rate-limited', 3)
      expect((await quote(service, { tokenOut: dai })).status).toBe(200)
      node.fail('broken', 3)
      expect((await quote(service, { tokenIn: dai })).status).toBe(200)
    } finally {
      await service.stop()
    }
  })

  test('a silent node is 503 UPSTREAM_UNAVAILABLE, never "no route"; when it is back, the answer is right', async () => {
    // Longer than the well node takes on a busy machine.
    const patience = { UPSTREAM_TIMEOUT_MS: '2000' }
    const service = await startService({ RPC_URL_1: node.url, ...fast, ...patience })
    try {
      const past = String(Number((await quote(service)).body.blockNumber) - 30)
      node.fail('silent')
      const failed = await quote(service, { blockNumber: past })
      expect(failed.status, failed.text).toBe(503)
      expect(failed.body).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', statusCode: 503 })
      expect(failed.headers.get('retry-after')).not.toBeNull()
      expect(failed.text).not.toContain(new URL(node.url).port)
      node.fail('none')
      const back = await quote(service, { blockNumber: past })
      expect(back.status, back.text).toBe(200)
      expect(back.body.blockNumber).toBe(Number(past))
    } finally {
      await service.stop()
    }
  })

  test('a node that lies about a hash is not believed: 503 alone, the right answer beside an honest one', async () => {
    const honest = await startService({ RPC_URL_1: sandbox.url, ...fast, AUTH_MODE: 'open' })
    const expected = await quote(honest)
    await honest.stop()
    node.fail('lying')
    const both = await startService({
      RPC_URL_1: `${node.url},${sandbox.url}`,
      ...fast,
      AUTH_MODE: 'open',
    })
    try {
      expect((await quote(both)).text).toBe(expected.text)
    } finally {
      await both.stop()
    }
  })

  test('a node that is down at the start makes the chain not ready, and ready when it comes', async () => {
    node.fail('broken')
    const service = await startService({ RPC_URL_1: node.url, ...fast, FIRST_PIN_WAIT_MS: '0' })
    try {
      const early = await quote(service)
      expect(early.status).toBe(503)
      expect(early.body.code).toMatch(/CHAIN_NOT_READY|UPSTREAM_UNAVAILABLE/)
      expect((await service.get('/ready')).status).toBe(503)
      expect((await service.get('/health')).status).toBe(200)
      node.fail('none')
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
  test('two instances share a data folder', async () => {
    const first = await startService({ RPC_URL_1: sandbox.url, ...fast, AUTH_MODE: 'open' })
    try {
      const dataDir = first.dataDir
      const second = await startService({
        RPC_URL_1: sandbox.url,
        ...fast,
        AUTH_MODE: 'open',
        DATA_DIR: dataDir,
      })
      try {
        const [a, b] = await Promise.all([quote(first), quote(second)])
        expect(a.status, a.text).toBe(200)
        expect(b.text).toBe(a.text)
      } finally {
        await second.stop()
      }
      expect((await first.get('/metrics')).status).toBe(200)
    } finally {
      await first.stop()
    }
  })

  test('more calculations than MAX_IN_FLIGHT are refused with 503 and retry-after', async () => {
    const service = await startService({ RPC_URL_1: sandbox.url, ...fast, MAX_IN_FLIGHT: '1' })
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
      RPC_URL_1: node.url,
      ...fast,
      UPSTREAM_TIMEOUT_MS: '20000',
    })
    try {
      const { blockNumber } = (await quote(service)).body
      node.fail('silent')
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
      node.fail('none')
      await service.stop()
    }
  })
})

async function inFlight(service: TestService): Promise<number> {
  const metrics = await service.get('/metrics')
  return Number(/^forkroute_calculations_in_flight (\d+)/m.exec(metrics.text)?.[1])
}

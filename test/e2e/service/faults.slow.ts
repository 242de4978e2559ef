/** Bad days: forks that die, nodes that fail, lie or fall silent. A correct answer or the documented error. */
import { describe, expect, test } from 'vitest'
import { dai, fast, quote, withFaultyNode } from '../../support/service/faulty-service.js'
import { startService } from '../../support/service/service.js'
import { listProcesses, spawnerPid } from '../../support/spawner.js'

const context = withFaultyNode()

interface ForkProcess {
  readonly pid: number
  /** Where it reads its state: each service has an archive of its own. */
  readonly archive: string
}

/** Anvil processes that the spawner of this process started as forks; the sandbox itself is not one. */
function forkProcesses(): ForkProcess[] {
  const rows = listProcesses()
  const spawner = spawnerPid(rows)
  return rows.flatMap(({ pid, parent, args }) => {
    const [, url] = /--fork-url (\S+)/.exec(args) ?? []
    return parent === spawner && url ? [{ pid, archive: new URL(url).host }] : []
  })
}

describe('forks', () => {
  test('killed in the middle of requests: every answer is the right one, and the service goes on', async () => {
    // The service that other files of this worker share has forks, too.
    const others = new Set(forkProcesses().map(({ archive }) => archive))
    const ownPids = () =>
      forkProcesses().flatMap(({ pid, archive }) => (others.has(archive) ? [] : [pid]))
    const service = await startService({ RPC_URL_1: context().node.url, ...fast })
    try {
      const expected = await quote(service)
      expect(expected.status, expected.text).toBe(200)
      const running = Array.from({ length: 8 }, () => quote(service))
      const pids = ownPids()
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
    expect(ownPids()).toEqual([])
  })
})

describe('nodes', () => {
  test('a node that answers 429 and 502 for a while is asked again', async () => {
    const service = await startService({ RPC_URL_1: context().node.url, ...fast })
    try {
      context().node.fail('rate-limited', 3)
      expect((await quote(service, { tokenOut: dai })).status).toBe(200)
      context().node.fail('broken', 3)
      expect((await quote(service, { tokenIn: dai })).status).toBe(200)
    } finally {
      await service.stop()
    }
  })

  test('a silent node is 503 UPSTREAM_UNAVAILABLE, never "no route"; when it is back, the answer is right', async () => {
    // Longer than the well node takes on a busy machine.
    const patience = { UPSTREAM_TIMEOUT_MS: '2000' }
    const service = await startService({ RPC_URL_1: context().node.url, ...fast, ...patience })
    try {
      const past = String(Number((await quote(service)).body.blockNumber) - 30)
      context().node.fail('silent')
      const failed = await quote(service, { blockNumber: past })
      expect(failed.status, failed.text).toBe(503)
      expect(failed.body).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', statusCode: 503 })
      expect(failed.headers.get('retry-after')).not.toBeNull()
      expect(failed.text).not.toContain(new URL(context().node.url).port)
      context().node.fail('none')
      const back = await quote(service, { blockNumber: past })
      expect(back.status, back.text).toBe(200)
      expect(back.body.blockNumber).toBe(Number(past))
    } finally {
      await service.stop()
    }
  })

  test('a node that lies about a hash is not believed: 503 alone, the right answer beside an honest one', async () => {
    const honest = await startService({
      RPC_URL_1: context().sandbox.url,
      ...fast,
      AUTH_MODE: 'open',
    })
    const expected = await quote(honest)
    await honest.stop()
    context().node.fail('lying')
    const both = await startService({
      RPC_URL_1: `${context().node.url},${context().sandbox.url}`,
      ...fast,
      AUTH_MODE: 'open',
    })
    try {
      expect((await quote(both)).text).toBe(expected.text)
    } finally {
      await both.stop()
    }
  })
})

describe('the service itself', () => {
  test('two instances share a data folder', async () => {
    const first = await startService({
      RPC_URL_1: context().sandbox.url,
      ...fast,
      AUTH_MODE: 'open',
    })
    try {
      const dataDir = first.dataDir
      const second = await startService({
        RPC_URL_1: context().sandbox.url,
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
})

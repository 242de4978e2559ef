/** Anvil processes of the fork pool that wait, die, hang, or must not be left behind. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type BlockPin, bigintToString } from '../../../src/domain/primitives.js'
import type { ForkPoolOptions } from '../../../src/forks/pool.js'
import { startArchive } from '../../../src/rpc/archive/archive.js'
import { blockOf, exists, until, withForkPoolContext } from './pool-context.js'

const context = withForkPoolContext()
const pinAt = (index: number) => context().pinAt(index)
const makePool = (options: Partial<ForkPoolOptions> = {}) => context().makePool(options)

/** A pool whose spare processes wait at an archive; `given` lists the blocks that they were given. */
async function poolWithSpares() {
  const { chainId } = pinAt(0)
  const archive = await startArchive({
    dataDir: null,
    chains: [{ chainId, urls: [context().testChain.node.url] }],
  })
  onTestFinished(() => archive.close())
  const given: BlockPin[] = []
  const places: string[] = []
  const pool = makePool({
    archiveUrl: ({ number, hash }) => archive.url(chainId, number, hash),
    forksPerBlock: 1,
    standby() {
      const place = archive.standby()
      places.push(place.url)
      return {
        ...place,
        assign(pin, forkedAt) {
          given.push(pin)
          return place.assign(pin, forkedAt)
        },
      }
    },
  })
  return { pool, given, places }
}

/** The node of the chain, behind a server that answers nothing before it is opened. */
async function closedNode(): Promise<{ readonly url: string; open(): void }> {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const server = createServer(async (request, response) => {
    const body = await text(request)
    await opened
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(context().testChain.node.url, { method: 'POST', headers, body })
    response.writeHead(200, headers).end(await answer.text())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, open: () => open() }
}

/** Process ids of those that were started with the argument. */
function processesWith(argument: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(argument)
      } catch {
        return false
      }
    })
    .map(Number)
}

describe('spare forks', () => {
  test('a process that waited becomes the fork of whatever block is asked for next', async () => {
    const { pool, given, places } = await poolWithSpares()
    // The first one gets its block at once.
    await pool.acquire(pinAt(0))
    expect(given).toEqual([pinAt(0)])
    await until(() => places.length === 2 && processesWith(places[1] ?? '').length === 1)
    const [pid = 0] = processesWith(places[1] ?? '')
    const lease = await pool.acquire(pinAt(1))
    expect(given).toEqual([pinAt(0), pinAt(1)])
    expect(pool.stats().pids).toContain(pid)
    expect(await blockOf(lease.urls[0] ?? '')).toBe(pinAt(1).number)
    await until(() => places.length === 3 && processesWith(places[2] ?? '').length === 1)
    const spare = processesWith(places[2] ?? '')
    await pool.close()
    expect([pid, ...spare].filter(exists)).toEqual([])
  })

  test('a spare that died is not waited for', async () => {
    const { pool, given, places } = await poolWithSpares()
    await pool.acquire(pinAt(0))
    await until(() => places.length === 2 && processesWith(places[1] ?? '').length === 1)
    const [pid = 0] = processesWith(places[1] ?? '')
    process.kill(pid, 'SIGKILL')
    await until(() => !exists(pid))
    const lease = await pool.acquire(pinAt(1))
    expect(given.length).toBeLessThanOrEqual(3)
    expect(pool.stats().pids).not.toContain(pid)
    expect(await blockOf(lease.urls[0] ?? '')).toBe(pinAt(1).number)
  })
})

describe('forks that fail', () => {
  test('a fork that dies is replaced; reporting it twice starts one replacement', async () => {
    const pool = makePool()
    await pool.warm(pinAt(0))
    const lease = await pool.acquire(pinAt(0))
    const [lost = ''] = lease.urls
    const [first, second] = await Promise.all([lease.reportLost(lost), lease.reportLost(lost)])
    expect(first).toEqual(second)
    expect(first).toHaveLength(2)
    expect(first).not.toContain(lost)
    expect(pool.stats()).toMatchObject({ forks: 2, restarts: 1 })
    for (const url of first) expect(await blockOf(url)).toBe(pinAt(0).number)
  })

  test('a process that is killed while it starts is replaced, and nobody notices', async () => {
    const node = await closedNode()
    const pool = makePool({ archiveUrl: () => node.url, forksPerBlock: 1 })
    const acquiring = pool.acquire(pinAt(0))
    await until(() => processesWith(node.url).length === 1)
    const [pid = 0] = processesWith(node.url)
    process.kill(pid, 'SIGKILL')
    node.open()
    const lease = await acquiring
    expect(pool.stats()).toMatchObject({ forks: 1, restarts: 0 })
    expect(pool.stats().pids).not.toContain(pid)
    expect(await blockOf(lease.urls[0] ?? '')).toBe(pinAt(0).number)
  })

  test('a fork that is killed from outside is noticed and back at the next acquire', async () => {
    const pool = makePool({ forksPerBlock: 1 })
    await pool.warm(pinAt(0))
    const [pid = 0] = pool.stats().pids
    process.kill(pid, 'SIGKILL')
    await until(() => !pool.stats().pids.includes(pid))
    const lease = await pool.acquire(pinAt(0))
    expect(await blockOf(lease.urls[0] ?? '')).toBe(pinAt(0).number)
  })

  test('a fork that hangs is killed and replaced by the health probe', async () => {
    const pool = makePool({ forksPerBlock: 1, probeIntervalMs: 20, probeTimeoutMs: 1_000 })
    const lease = await pool.acquire(pinAt(0))
    const [pid = 0] = pool.stats().pids
    process.kill(pid, 'SIGSTOP')
    await until(() => pool.stats().pids.some((other) => other !== pid))
    await until(() => !exists(pid))
    expect(await blockOf(lease.urls[0] ?? '')).toBe(pinAt(0).number)
  })

  test('a fork over its limit is replaced, and ends when its last lease does', async () => {
    const pool = makePool({ forksPerBlock: 1, maxUses: 1, probeIntervalMs: 20 })
    const lease = await pool.acquire(pinAt(0))
    const [pid = 0] = pool.stats().pids
    await until(() => !pool.stats().pids.includes(pid) && pool.stats().forks === 1)
    expect(exists(pid)).toBe(true)
    lease.release()
    await until(() => !exists(pid))
  })

  test('a block whose hash is another one upstream is refused', async () => {
    const pool = makePool({ forksPerBlock: 1 })
    const reorged = { ...pinAt(0), hash: pinAt(1).hash }
    await expect(pool.acquire(reorged)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    expect(pool.stats()).toMatchObject({ blocks: 0, forks: 0, leases: 0 })
  })

  test('a node that is gone or answers errors is UPSTREAM_UNAVAILABLE', async () => {
    const broken = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"no"}}')
    }).listen(0, '127.0.0.1')
    await once(broken, 'listening')
    const { port } = broken.address() as AddressInfo
    const refuses = makePool({ archiveUrl: () => `http://127.0.0.1:${port}` })
    await expect(refuses.acquire(pinAt(0))).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    broken.close()
    broken.closeAllConnections()
    await once(broken, 'close')
    await expect(refuses.acquire(pinAt(0))).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    expect(refuses.stats().forks).toBe(0)
  })
})

describe('the end', () => {
  test('close ends every fork, those still starting included', async () => {
    const pool = makePool()
    await pool.acquire(pinAt(0))
    const { pids } = pool.stats()
    const late = pool.acquire(pinAt(1)).catch(() => null)
    await pool.close()
    await late
    expect(pids.filter(exists)).toEqual([])
    expect(pool.stats().forks).toBe(0)
    await expect(pool.acquire(pinAt(0))).rejects.toMatchObject({ code: 'FORK_UNAVAILABLE' })
  })

  test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'no fork outlives a service that ends by %s',
    async (signal) => {
      const script = fileURLToPath(
        new URL('../../support/service/forks-service.js', import.meta.url),
      )
      const pin = JSON.stringify(pinAt(0), bigintToString)
      // A group of its own, so that the signal reaches everything in it, as from a terminal.
      const service = spawn(
        process.execPath,
        ['--import', 'tsx', script, context().testChain.node.url, pin],
        {
          detached: true,
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      const ended = once(service, 'exit')
      const lines = createInterface({ input: service.stdout })
      const [line] = (await once(lines, 'line')) as [string]
      const pids = JSON.parse(line) as number[]
      expect(pids.filter(exists)).toHaveLength(2)
      process.kill(-(service.pid ?? 0), signal)
      await ended
      await until(() => !pids.some(exists))
    },
  )
})

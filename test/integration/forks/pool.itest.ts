/** Anvil processes of the fork pool: shared, counted, replaced, bounded, and never left behind. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type Address,
  type BlockPin,
  bigintToString,
  type Hex,
} from '../../../src/domain/primitives.js'
import { createForkPool, type ForkPoolOptions } from '../../../src/forks/fork-pool.js'
import { simulate } from '../../../src/forks/simulate.js'
import { backgroundPriority } from '../../../src/priority.js'
import { startArchive } from '../../../src/rpc/archive/archive.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { startWorld, type World } from '../../support/forks-world.js'

let world: World
/** Three blocks, oldest first. */
const pins: BlockPin[] = []

beforeAll(async () => {
  world = await startWorld()
  for (let count = 0; count < 3; count++) {
    await world.mine()
    pins.push(await world.pin())
  }
})

afterAll(() => world?.stop())

function pinAt(index: number): BlockPin {
  const pin = pins[index]
  if (!pin) throw new Error(`no block ${index}`)
  return pin
}

function makePool(options: Partial<ForkPoolOptions> = {}) {
  const pool = createForkPool({ archiveUrl: () => world.node.url, ...options })
  onTestFinished(() => pool.close())
  return pool
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Polls; the condition must come true, how fast is not asserted. */
async function until(condition: () => boolean): Promise<void> {
  for (let round = 0; round < 1_000; round++) {
    if (condition()) return
    await sleep(10)
  }
  throw new Error('the condition did not come true')
}

async function ask(url: string, method: string, params: readonly unknown[] = []): Promise<string> {
  const client = createRpcClient(url)
  try {
    return await client.request<string>(method, params)
  } finally {
    await client.close()
  }
}

async function blockOf(url: string): Promise<bigint> {
  return BigInt(await ask(url, 'eth_blockNumber'))
}

/** A pool whose spare processes wait at an archive; `given` lists the blocks that they were given. */
async function poolWithSpares() {
  const { chainId } = pinAt(0)
  const archive = await startArchive({
    dataDir: null,
    chains: [{ chainId, urls: [world.node.url] }],
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
        assign(pin) {
          given.push(pin)
          place.assign(pin)
        },
      }
    },
  })
  return { pool, given, places }
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
    await pool.acquire(pinAt(0))
    expect(given).toEqual([])
    await until(() => places.length === 1 && processesWith(places[0] ?? '').length === 1)
    const [pid = 0] = processesWith(places[0] ?? '')
    const lease = await pool.acquire(pinAt(1))
    expect(given).toEqual([pinAt(1)])
    expect(pool.stats().pids).toContain(pid)
    expect(await blockOf(lease.urls[0] ?? '')).toBe(pinAt(1).number)
    await until(() => places.length === 2 && processesWith(places[1] ?? '').length === 1)
    const spare = processesWith(places[1] ?? '')
    await pool.close()
    expect([pid, ...spare].filter(exists)).toEqual([])
  })

  test('a spare that died is not waited for', async () => {
    const { pool, given, places } = await poolWithSpares()
    await pool.acquire(pinAt(0))
    await until(() => places.length === 1 && processesWith(places[0] ?? '').length === 1)
    const [pid = 0] = processesWith(places[0] ?? '')
    process.kill(pid, 'SIGKILL')
    await until(() => !exists(pid))
    const lease = await pool.acquire(pinAt(1))
    expect(given.length).toBeLessThanOrEqual(1)
    expect(await blockOf(lease.urls[0] ?? '')).toBe(pinAt(1).number)
  })
})

describe('createForkPool', () => {
  test('forks give way to what answers requests', async () => {
    const pool = makePool({ forksPerBlock: 2 })
    await pool.warm(pinAt(0))
    const { pids } = pool.stats()
    expect(pids.map((pid) => getPriority(pid))).toEqual([backgroundPriority, backgroundPriority])
  })

  test('many acquires of a new block start its forks once, and share them', async () => {
    const pool = makePool()
    const leases = await Promise.all(Array.from({ length: 20 }, () => pool.acquire(pinAt(0))))
    expect(pool.stats()).toMatchObject({ blocks: 1, forks: 2, leases: 20, restarts: 0 })
    expect(new Set(leases.flatMap(({ urls }) => urls)).size).toBe(2)
    for (const url of leases[0]?.urls ?? []) expect(await blockOf(url)).toBe(pinAt(0).number)
  })

  test('a block that was not warmed has as many forks as leases at a time, up to the bound', async () => {
    const pool = makePool()
    const first = await pool.acquire(pinAt(0))
    expect(first.urls).toHaveLength(1)
    const [second, third] = await Promise.all([pool.acquire(pinAt(0)), pool.acquire(pinAt(0))])
    expect(pool.stats()).toMatchObject({ blocks: 1, forks: 2, leases: 3 })
    for (const lease of [first, second, third]) expect(lease.urls).toHaveLength(2)
  })

  test('a lease released twice counts once, and forks outlive it', async () => {
    const pool = makePool({ forksPerBlock: 1 })
    const [first, second] = await Promise.all([pool.acquire(pinAt(0)), pool.acquire(pinAt(0))])
    first.release()
    first.release()
    expect(pool.stats()).toMatchObject({ leases: 1, forks: 1 })
    second.release()
    expect(pool.stats()).toMatchObject({ leases: 0, forks: 1 })
  })

  test('a warmed block needs no start at its first lease', async () => {
    const pool = makePool({ forksPerBlock: 1 })
    await pool.warm(pinAt(1))
    const { pids } = pool.stats()
    const lease = await pool.acquire(pinAt(1))
    expect(pool.stats().pids).toEqual(pids)
    expect(lease.pin).toBe(pinAt(1))
  })

  test('over the bound, the block used longest ago ends first, never a leased one', async () => {
    const pool = makePool({ forksPerBlock: 1, maxBlocks: 1 })
    const old = await pool.acquire(pinAt(0))
    const [oldPid = 0] = pool.stats().pids
    const middle = await pool.acquire(pinAt(1))
    const middlePid = pool.stats().pids[1] ?? 0
    expect(pool.stats()).toMatchObject({ blocks: 2, forks: 2 })
    middle.release()
    await pool.warm(pinAt(2))
    expect(pool.stats()).toMatchObject({ blocks: 2, forks: 2 })
    await until(() => !exists(middlePid))
    expect(exists(oldPid)).toBe(true)
    old.release()
    expect(pool.stats()).toMatchObject({ blocks: 1, forks: 1 })
    await until(() => !exists(oldPid))
  })

  test('the block that was warmed last stays, however many others pass', async () => {
    const pool = makePool({ forksPerBlock: 1, maxBlocks: 1 })
    await pool.warm(pinAt(2))
    const [head = 0] = pool.stats().pids
    for (const index of [0, 1, 0]) {
      const lease = await pool.acquire(pinAt(index))
      lease.release()
      expect(exists(head)).toBe(true)
      expect(pool.stats()).toMatchObject({ blocks: 2 })
    }
    await pool.warm(pinAt(1))
    expect(pool.stats()).toMatchObject({ blocks: 1, forks: 1 })
  })

  test('a process serves one block after another, and nothing tells it from a fresh one', async () => {
    // BASEFEE, COINBASE, PREVRANDAO, NUMBER, TIMESTAMP, GASLIMIT, BLOBBASEFEE, the last two hashes, and slot 0.
    const operations = [
      '48',
      '41',
      '44',
      '43',
      '42',
      '45',
      '4a',
      '6001430340',
      '6002430340',
      '5f54',
    ]
    const stores = operations.map(
      (code, i) => `${code}61${(32 * i).toString(16).padStart(4, '0')}52`,
    )
    const size = (32 * operations.length).toString(16).padStart(4, '0')
    const teller: Address = '0x00000000000000000000000000000000beef0041'
    const contracts = { [teller]: `0x${stores.join('')}61${size}5ff3` as Hex }
    const written: Address = '0x00000000000000000000000000000000beef0042'
    const told = async (url: string, pin: BlockPin) => {
      const block = `0x${pin.number.toString(16)}`
      const request = { from: world.deployer, to: teller, data: '0x', value: 0n } as const
      const fork = { urls: [url], pin, blockTimeSeconds: 12 }
      return JSON.stringify(
        [
          await ask(url, 'eth_call', [{ to: teller }, block]),
          await ask(url, 'eth_call', [{ to: teller }, block, {}, { time: '0x7fffffff' }]),
          await ask(url, 'eth_getBlockByNumber', ['latest', false]),
          await ask(url, 'eth_getCode', [written, 'latest']),
          await simulate(fork, [{ ...request, overrides: {} }]),
        ],
        bigintToString,
      )
    }
    const expected: string[] = []
    for (const pin of pins) {
      const fresh = makePool({ forksPerBlock: 1, contracts })
      const { urls } = await fresh.acquire(pin)
      expected.push(await told(urls[0] ?? '', pin))
      await fresh.close()
    }
    const pool = makePool({ forksPerBlock: 1, maxBlocks: 1, contracts })
    const seen: (readonly number[])[] = []
    for (const index of [2, 0, 1, 2, 0, 1]) {
      const lease = await pool.acquire(pinAt(index))
      const [url = ''] = lease.urls
      expect(await told(url, pinAt(index))).toBe(expected[index])
      await ask(url, 'anvil_setCode', [written, '0x6001'])
      seen.push(pool.stats().pids)
      lease.release(true)
    }
    // What rules hold between the first two blocks is known once processes were started at both.
    expect(new Set(seen.flat()).size).toBe(2)
  })

  test('a process of which something may still be asked ends with its block', async () => {
    const pool = makePool({ forksPerBlock: 1, maxBlocks: 1 })
    for (const index of [2, 0]) (await pool.acquire(pinAt(index))).release(true)
    const left = await pool.acquire(pinAt(1))
    const [pid = 0] = pool.stats().pids
    left.release()
    await pool.warm(pinAt(2))
    await until(() => !exists(pid))
  })

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
    const pool = makePool({ forksPerBlock: 1, probeIntervalMs: 20, probeTimeoutMs: 100 })
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

  test('expected contracts stand on every fork; code of the chain itself is left alone', async () => {
    const absent: Address = '0x00000000000000000000000000000000beef0031'
    const present = await world.deploy('Ledger')
    const pin = await world.pin()
    // Returns 42.
    const code: Hex = '0x602a60005260206000f3'
    const pool = makePool({ contracts: { [absent]: code, [present]: code } })
    const lease = await pool.acquire(pin)
    const [lost = ''] = lease.urls
    for (const url of await lease.reportLost(lost)) {
      expect(await ask(url, 'eth_getCode', [absent, 'latest'])).toBe(code)
      expect(await ask(url, 'eth_getCode', [present, 'latest'])).not.toBe(code)
    }
    const request = {
      from: world.deployer,
      to: absent,
      data: '0x',
      value: 0n,
      overrides: {},
    } as const
    const [result] = await simulate({ urls: lease.urls, pin, blockTimeSeconds: 12 }, [request])
    expect(result?.status === 'success' && BigInt(result.returnData)).toBe(42n)
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
      const script = fileURLToPath(new URL('../../support/forks-service.js', import.meta.url))
      const pin = JSON.stringify(pinAt(0), bigintToString)
      // A group of its own, so that the signal reaches everything in it, as from a terminal.
      const service = spawn(process.execPath, ['--import', 'tsx', script, world.node.url, pin], {
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
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

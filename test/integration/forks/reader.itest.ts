/** Reads at a pinned block: storage from the archive, calls on forks, each failing alone. */

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { ForkrouteError } from '../../../src/domain/errors.js'
import type { Address, BlockPin } from '../../../src/domain/primitives.js'
import type { ForkLease } from '../../../src/forks/lease.js'
import { ForkPool } from '../../../src/forks/pool.js'
import { ForkReader } from '../../../src/forks/reader.js'
import { simulate } from '../../../src/forks/simulate.js'
import { startTestChain, type TestChain } from '../../support/test-chain.js'

const owner: Address = '0x00000000000000000000000000000000beef0021'
/** State that the node in front refuses. */
const refused: Address = '0x00000000000000000000000000000000beef0022'
/** State for which the node in front has no upstream. */
/** Returns the gas that is left. */
const gasLeft: Address = '0x00000000000000000000000000000000beef0099'
const unreached: Address = '0x00000000000000000000000000000000beef0023'

let testChain: TestChain
let front: Server
let frontUrl: string
let pool: ForkPool
let pin: BlockPin
let lease: ForkLease
let token: Address
let bench: Address
/** HTTP requests that asked for storage. */
let storageRequests = 0

interface Call {
  readonly id: number
  readonly method: string
  readonly params?: unknown[]
}

/** Stands before the node as the archive does: refuses some accounts, in the archive's words. */
async function answer(call: Call): Promise<object> {
  const { params = [] } = call
  const [subject] = params
  if (subject === refused || subject === unreached) {
    const words = subject === refused ? 'state unreadable:' : 'upstream unavailable:'
    const error = { code: -32001, message: `${words} account ${subject}` }
    return { jsonrpc: '2.0', id: call.id, error }
  }
  const result = own[call.method] ?? (await testChain.node.rpc(call.method, params))
  return { jsonrpc: '2.0', id: call.id, result }
}

/** What only an archive answers: a hint, and that no fork has asked for anything before. */
const own: Readonly<Record<string, unknown>> = {
  forkroute_foresee: true,
  forkroute_held: { requests: 0, slots: [] },
}

async function startFront(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body: Call | Call[] = JSON.parse(Buffer.concat(chunks).toString())
    if ([body].flat()[0]?.method === 'eth_getStorageAt') storageRequests += 1
    const replies = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(replies))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

beforeAll(async () => {
  testChain = await startTestChain()
  await testChain.node.rpc('anvil_setCode', [gasLeft, '0x5a5f5260205ff3'])
  token = await testChain.deploy('PlainToken')
  bench = await testChain.deploy('Bench')
  await testChain.send(token, 'PlainToken', 'mint', [owner, 500n])
  pin = await testChain.pin()
  front = await startFront()
  frontUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  pool = new ForkPool({ archiveUrl: () => frontUrl, forksPerBlock: 1 })
  lease = await pool.acquire(pin)
})

afterAll(async () => {
  await pool?.close()
  front?.close()
  front?.closeAllConnections()
  await testChain?.stop()
})

function reader(more: { archiveUrl?: string; signal?: AbortSignal } = {}) {
  return new ForkReader({ pin, archiveUrl: frontUrl, forkUrls: lease.urls, ...more })
}

function on(isFilled: boolean) {
  const forks = Promise.resolve({ forkUrls: lease.urls, isFilled })
  return new ForkReader({ pin, archiveUrl: frontUrl, forks })
}

const supplyWord = { ok: true, value: `0x${(500).toString(16).padStart(64, '0')}` }

describe('ForkReader', () => {
  test('storage comes in the order asked, as whole words, each slot once in one request', async () => {
    const reads = reader()
    storageRequests = 0
    const supply = { address: token, slot: '0x0' } as const
    const other = { address: token, slot: '0x5' } as const
    const same = { address: token, slot: `0x${'0'.repeat(64)}` } as const
    const results = await reads.storage([supply, other, same])
    expect(results).toEqual([supplyWord, { ok: true, value: `0x${'0'.repeat(64)}` }, supplyWord])
    expect(await reads.storage([supply])).toEqual([supplyWord])
    expect(storageRequests).toBe(1)
  })

  test.each([false, true])(
    'a call, a revert and refused state stand side by side, filled %j',
    async (isFilled) => {
      const results = await on(isFilled).call([
        { to: token, data: testChain.encode('PlainToken', 'balanceOf', [owner]) },
        { to: bench, data: testChain.encode('Bench', 'failError') },
        { to: refused, data: '0x' },
      ])
      expect(results).toEqual([
        supplyWord,
        { ok: false, reason: 'reverted', message: 'Error(too little)' },
        { ok: false, reason: 'unreadable', message: expect.stringContaining('state unreadable:') },
      ])
      const [word] = await reader().storage([{ address: refused, slot: '0x0' }])
      expect(word).toMatchObject({ ok: false, reason: 'unreadable' })
    },
  )

  test('a call may use what one transaction may, however much a block holds', async () => {
    const spacious = { ...pin, gasLimit: 2n ** 50n }
    const reads = new ForkReader({ pin: spacious, archiveUrl: frontUrl, forkUrls: lease.urls })
    const [left] = await reads.call([{ to: gasLeft, data: '0x' }])
    if (!left?.ok) throw new Error(left?.message)
    expect(BigInt(left.value)).toBeLessThan(16_777_216n)
    expect(BigInt(left.value)).toBeGreaterThan(16_000_000n)
  })

  test('of the calls to a filled fork one that no node answers fails alone', async () => {
    const reads = on(true)
    const balance = testChain.encode('PlainToken', 'balanceOf', [owner])
    const [lost, found] = await Promise.allSettled([
      reads.call([{ to: unreached, data: '0x' }]),
      reads.call([{ to: token, data: balance }]),
    ])
    expect(lost).toMatchObject({ reason: { code: 'UPSTREAM_UNAVAILABLE' } })
    expect(found).toMatchObject({ value: [supplyWord] })
  })

  test('forks that never come are an error of calls, not of words', async () => {
    const none = Promise.reject(new ForkrouteError('FORK_UNAVAILABLE', 'no fork'))
    none.catch(() => undefined)
    const reads = new ForkReader({ pin, archiveUrl: frontUrl, forks: none })
    expect(await reads.storage([{ address: token, slot: '0x0' }])).toEqual([supplyWord])
    const call = reads.call([{ to: token, data: '0x' }])
    await expect(call).rejects.toMatchObject({ code: 'FORK_UNAVAILABLE' })
  })

  test('an upstream that is gone is an error of the whole read, never a fact about it', async () => {
    const gone = { code: 'UPSTREAM_UNAVAILABLE' }
    await expect(reader().call([{ to: unreached, data: '0x' }])).rejects.toMatchObject(gone)
    const read = { address: unreached, slot: '0x0' } as const
    await expect(reader().storage([read])).rejects.toMatchObject(gone)
    const closed = reader({ archiveUrl: 'http://127.0.0.1:9/1/1' })
    await expect(closed.storage([read])).rejects.toMatchObject(gone)
  })

  test('an aborted signal ends a read with its reason', async () => {
    const signal = AbortSignal.abort(new Error('the client left'))
    await expect(reader({ signal }).call([{ to: token, data: '0x' }])).rejects.toThrow(
      'the client left',
    )
  })
})

describe('simulate', () => {
  test('refused state drops one candidate; an upstream that is gone fails the call', async () => {
    const fork = { urls: lease.urls, pin, chain: ethereum }
    const to = (address: Address) => {
      return { from: owner, to: address, data: '0x01', value: 0n, overrides: {} } as const
    }
    for (const warm of [false, true]) {
      const results = await simulate(fork, [to(refused), to(bench)], { warm })
      expect(results).toMatchObject([
        { status: 'unreadable', message: expect.stringContaining('state unreadable:') },
        { status: 'reverted' },
      ])
      await expect(simulate(fork, [to(bench), to(unreached)], { warm })).rejects.toMatchObject({
        code: 'UPSTREAM_UNAVAILABLE',
      })
    }
  })
})

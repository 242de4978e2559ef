import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Address, BlockPin, Hex } from '../../../src/domain/primitives.js'
import { freeListenAddress } from '../../../src/forks/listen-address.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import {
  type Archive,
  type ArchiveOptions,
  startArchive,
} from '../../../src/rpc/archive/archive.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import {
  count,
  type Fault,
  type FaultyNode,
  secretKey,
  startFaultyNode,
} from '../../support/nodes/rpc-node.js'

const bob = '0x0000000000000000000000000000000000000b0b'
const quoteSender: Address = '0x00000000000000000000000000000000000a11ce'
/** Without input returns the word in slot 0, else stores the first word of the input there. */
const cellCode = '0x36600c575f545f5260205ff35b5f355f5500'

let anvil: TestAnvil
let node: FaultyNode
let folder: string
let log: string[]
let open: { close(): Promise<void> }[]

beforeAll(async () => {
  anvil = await startAnvil(['--chain-id', '77', '--no-mining'])
  await anvil.rpc('anvil_setCode', [bob, cellCode])
  await mineWithSlot(7)
  await mineWithSlot(8)
})
afterAll(() => anvil.stop())

beforeEach(async () => {
  node = await startFaultyNode(anvil.url)
  folder = await mkdtemp(join(tmpdir(), 'forkroute-rpc-'))
  log = []
  open = [node]
})
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()))
  await rm(folder, { recursive: true })
  expect(log.join('\n')).not.toContain(secretKey)
})

async function mineWithSlot(value: number): Promise<void> {
  const [from] = await anvil.rpc<Address[]>('eth_accounts')
  await anvil.rpc('eth_sendTransaction', [{ from, to: bob, data: word(value), gas: '0x186a0' }])
  await anvil.rpc('evm_mine')
}

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

async function archiveOf(more: Partial<ArchiveOptions> = {}): Promise<Archive> {
  const write = (message: unknown) => log.push(String(message))
  const archive = await startArchive({
    dataDir: null,
    chains: [{ chainId: 77, urls: [node.url] }],
    pollIntervalMs: 20,
    logger: { info: write, warn: write, error: write } as NonNullable<ArchiveOptions['logger']>,
    ...more,
  })
  open.unshift(archive)
  return archive
}

/** What is written to disk is only worth reading where no cheat code changes a block's state. */
const notForDevelopment: Fault = {
  edit: (asked, reply) =>
    asked.method === 'web3_clientVersion' ? { id: asked.id, result: 'node/1' } : reply,
}

type Reply = { id?: number; result?: unknown; error?: { code: number; message: string } }

async function post(url: string, body: unknown): Promise<Reply & Reply[]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  return (await response.json()) as Reply & Reply[]
}

const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })

async function slot(archive: Archive, pin: BlockPin): Promise<unknown> {
  const url = archive.url(77, pin.number)
  const reply = await post(url, call('eth_getStorageAt', bob, '0x0', 'latest'))
  return reply.result ?? reply.error
}

/** Resolves with the first new head that fits. */
function headWhere(
  archive: Archive,
  fits: (pin: BlockPin, reorgOf?: Hex) => boolean,
): Promise<{ pin: BlockPin; reorgOf?: Hex }> {
  return new Promise((resolve) => {
    const stop = archive.onHead((pin, { reorgOf }) => {
      if (!fits(pin, reorgOf)) return
      stop()
      resolve({ pin, ...(reorgOf && { reorgOf }) })
    })
  })
}

describe('startArchive', () => {
  test('answers what a fork asks, for the block of the path', async () => {
    const archive = await archiveOf({ knownEmpty: [quoteSender] })
    const pin = await archive.pin(77, 1n)
    const url = archive.url(77, 1n)
    const asked = [
      call('eth_chainId'),
      call('net_version'),
      call('eth_blockNumber'),
      call('eth_getStorageAt', bob, '0x0', '0x1'),
      call('eth_getCode', bob, 'latest'),
      call('eth_getAccountInfo', bob, '0x1'),
      call('eth_getBlockByNumber', 'latest', false),
      call('eth_getBlockByNumber', '0x0', false),
      call('eth_getBlockByNumber', '0x2', false),
      call('eth_getBalance', quoteSender, 'latest'),
      call('eth_getStorageAt', bob, '0x0', '0x2'),
      call('eth_getTransactionByHash', pin.hash),
      call('eth_sendRawTransaction', '0x'),
    ].map((one, id) => ({ ...one, id }))
    const replies = await post(url, asked)
    expect(replies.map(({ id }) => id)).toEqual(asked.map(({ id }) => id))
    const results = replies.map(({ result, error }) => result ?? error?.message ?? null)
    expect(results).toMatchObject([
      '0x4d',
      '77',
      '0x1',
      word(7),
      cellCode,
      { balance: '0x0', nonce: '0x0', code: cellCode },
      { hash: pin.hash },
      { hash: pin.parentHash },
      null,
      '0x0',
      'state unreadable: block 2: it comes after the pinned block 1',
      null,
      'the method eth_sendRawTransaction does not exist here',
    ])
    expect(JSON.stringify(node.requests)).not.toContain(quoteSender.slice(2))
  })

  test('a fork is answered over one connection, for the block that was decided; a browser is not', async () => {
    const archive = await archiveOf()
    const pin = await archive.pin(77, 1n)
    const standby = archive.standby()
    const fork = new WebSocket(standby.url)
    open.unshift({ close: async () => fork.terminate() })
    await once(fork, 'open')
    const ask = async (text: string) => {
      const answered = once(fork, 'message')
      fork.send(text)
      return JSON.parse(String((await answered)[0])) as Reply & Reply[]
    }
    const slotNow = JSON.stringify(call('eth_getStorageAt', bob, '0x0', 'latest'))
    // It is asked before its block is decided, and waits.
    const first = ask(slotNow)
    await standby.assign(pin)
    expect((await first).result).toBe(word(7))
    await standby.assign(await archive.pin(77, 2n))
    expect((await ask(slotNow)).result).toBe(word(8))
    const batch = await ask(JSON.stringify([call('eth_blockNumber'), call('eth_chainId')]))
    expect(batch.map(({ result }) => result)).toEqual(['0x2', '0x4d'])
    expect((await ask('{')).error).toEqual({ code: -32700, message: 'parse error' })
    for (const [path, headers] of [
      [standby.url, { origin: 'http://localhost' }],
      [standby.url.replace('standby', 'elsewhere'), {}],
    ] as const) {
      const refused = new WebSocket(path, { headers })
      await expect(once(refused, 'open'), path).rejects.toThrow('socket hang up')
    }
    const closed = once(fork, 'close')
    await archive.close()
    await closed
  })

  test('an Anvil fork over the archive answers as a fork of the node itself', async () => {
    const archive = await archiveOf()
    await archive.pin(77, 1n)
    const flags = ['--fork-block-number', '1', '--no-mining', '--no-storage-caching']
    const over = await startAnvil(['--fork-url', archive.url(77, 1n), ...flags])
    const direct = await startAnvil(['--fork-url', anvil.url, ...flags])
    open.unshift({ close: () => over.stop() }, { close: () => direct.stop() })
    for (const [method, ...params] of [
      ['eth_call', { to: bob }, 'latest'],
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_simulateV1', { blockStateCalls: [{ calls: [{ to: bob }] }] }, 'latest'],
    ] as const) {
      const [a, b] = await Promise.all([over, direct].map((fork) => fork.rpc(method, params)))
      if (method === 'eth_simulateV1') expect(callsOf(a)).toEqual(callsOf(b))
      else expect(a).toEqual(b)
    }
    expect(await over.rpc('eth_call', [{ to: bob }, 'latest'])).toBe(word(7))
  })

  test('unreadable state and a lost node reach the caller of a fork under their own names', async () => {
    const archive = await archiveOf({ upstreamTimeoutMs: 500 })
    await archive.pin(77, 1n)
    const flags = ['--fork-block-number', '1', '--no-mining', '--no-storage-caching']
    const fork = await startAnvil(['--fork-url', archive.url(77, 1n), ...flags])
    open.unshift({ close: () => fork.stop() })
    node.behave = () => ({
      edit: ({ id }) => ({ id, error: { code: -32000, message: 'missing trie node ab' } }),
    })
    const read = () => fork.rpc('eth_call', [{ to: bob }, 'latest'])
    await expect(read()).rejects.toThrow(/state unreadable: 0x.* at block 1: missing trie node ab/)
    node.behave = () => ({ status: 502 })
    const lost = fork.rpc('eth_getBalance', [`0x${'12'.repeat(20)}`, 'latest'])
    await expect(lost).rejects.toThrow(/upstream unavailable: .*node 1 of chain 77/)
  })

  test('unknown chain, unknown block and unreachable node are different errors', async () => {
    const nobody = await freeListenAddress()
    const dead = `http://${nobody.host}:${nobody.port}/${secretKey}`
    const archive = await archiveOf({
      chains: [
        { chainId: 77, urls: [node.url] },
        { chainId: 5, urls: [dead] },
        { chainId: 6, urls: [node.url] },
      ],
    })
    const code = (chainId: number, block: bigint | 'latest') =>
      archive.pin(chainId, block).then(
        () => 'ok',
        (error) => error.code,
      )
    expect(await code(77, 'latest')).toBe('ok')
    expect(await code(77, 99n)).toBe('UNKNOWN_BLOCK')
    expect(await code(4, 'latest')).toBe('UNKNOWN_CHAIN')
    expect(await code(5, 'latest')).toBe('CHAIN_NOT_READY')
    expect(await code(6, 'latest')).toBe('UPSTREAM_UNAVAILABLE')
    expect(archive.status(77)).toMatchObject({ connected: true, problem: null })
    expect(archive.status(77).capabilities).toMatchObject({ ethCall: true, blockHash: true })
    expect(archive.status(5)).toMatchObject({ connected: false, headAgeSeconds: null })
    expect(archive.status(6).problem).toContain('answers for chain 77, not for chain 6')
  })

  test('a block whose state the node has dropped is an unknown block', async () => {
    const archive = await archiveOf()
    node.behave = () => ({
      edit: (asked, reply) =>
        asked.method === 'eth_getBalance'
          ? { id: asked.id, error: { code: -32000, message: 'missing trie node' } }
          : reply,
    })
    await expect(archive.pin(77, 1n)).rejects.toMatchObject({
      code: 'UNKNOWN_BLOCK',
      message:
        'The state of block 1 is not available: missing trie node. Blocks this old need an archive node.',
    })
  })

  test('blocks with events: ranges that the node refuses are halved; without events it is said', async () => {
    const question = { from: 0n, to: 2n, addresses: [bob] as Address[] }
    const ranges: unknown[] = []
    node.behave = () => ({
      edit(asked, reply) {
        const [range] = asked.params as { fromBlock?: string; toBlock?: string }[]
        if (asked.method !== 'eth_getLogs' || range?.fromBlock === undefined) return reply
        ranges.push([range.fromBlock, range.toBlock])
        const error = { code: -32005, message: 'query returned more than 10000 results' }
        return range.fromBlock === range.toBlock ? reply : { id: asked.id, error }
      },
    })
    const archive = await archiveOf()
    expect(await archive.changedBlocks(77, question)).toEqual([])
    expect(ranges).toEqual([
      ['0x0', '0x2'],
      ['0x0', '0x0'],
      ['0x1', '0x1'],
      ['0x2', '0x2'],
    ])
    expect(archive.status(77)).toMatchObject({ connected: true, problem: null })
    node.behave = () => ({
      edit: (asked, reply) =>
        asked.method === 'eth_getLogs'
          ? { id: asked.id, error: { code: -32601, message: 'method not found' } }
          : reply,
    })
    const without = await archiveOf()
    await expect(without.changedBlocks(77, question)).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      message: expect.stringMatching(/^No node of chain 77 gives events/),
    })
  })

  test('a node that comes up late makes its chain ready', async () => {
    const place = await freeListenAddress()
    const url = `http://${place.host}:${place.port}/`
    const archive = await archiveOf({ chains: [{ chainId: 77, urls: [url] }] })
    expect(archive.head(77)).toBeNull()
    const seen = headWhere(archive, () => true)
    open.push(await startFaultyNode(anvil.url, { place }))
    const { pin } = await seen
    expect(await archive.pin(77, 'latest')).toEqual(pin)
  })

  test('a new head is announced, and what the last block was asked for is read in bulk', async () => {
    const archive = await archiveOf()
    const before = await archive.pin(77, 'latest')
    await slot(archive, before)
    const seen = headWhere(archive, (pin) => pin.number === before.number + 1n)
    await mineWithSlot(9)
    const { pin, reorgOf } = await seen
    expect(reorgOf).toBeUndefined()
    expect(pin.parentHash).toBe(before.hash)
    expect(await archive.prefetch(pin)).toEqual({ items: 1, failed: 0 })
    const asked = count(node, 'eth_getStorageAt')
    expect(await slot(archive, pin)).toBe(word(9))
    expect(count(node, 'eth_getStorageAt')).toBe(asked)
  })

  test('a reorg is noticed by hash, and the old block is never answered with the new state', async () => {
    const chain = await startAnvil(['--chain-id', '77', '--no-mining'])
    const other = await startFaultyNode(chain.url)
    open.push(other, { close: () => chain.stop() })
    await chain.rpc('evm_mine')
    const undo = await chain.rpc('evm_snapshot')
    await chain.rpc('anvil_setStorageAt', [bob, word(0), word(1)])
    await chain.rpc('evm_mine')
    const archive = await archiveOf({ chains: [{ chainId: 77, urls: [other.url] }] })
    const old = await archive.pin(77, 'latest')
    const oldUrl = archive.url(77, old.number)
    await archive.pin(77, 1n)
    const seen = headWhere(archive, (_pin, reorgOf) => reorgOf === old.hash)
    await chain.rpc('evm_revert', [undo])
    await chain.rpc('anvil_setStorageAt', [bob, word(0), word(2)])
    await chain.rpc('evm_increaseTime', [50])
    await chain.rpc('evm_mine')
    const { pin } = await seen
    expect(pin).toMatchObject({ number: 2n, parentHash: old.parentHash })
    expect(await slot(archive, pin)).toBe(word(2))
    const stale = await post(oldUrl, call('eth_getStorageAt', bob, '0x0', 'latest'))
    expect(stale.error?.message).toMatch(/^state unreadable: /)
  })

  test('the cache on disk outlives the process that wrote it, code included', async () => {
    node.behave = () => notForDevelopment
    const first = await archiveOf({ dataDir: folder })
    const pin = await first.pin(77, 1n)
    const url = first.url(77, 1n)
    await post(url, [call('eth_getCode', bob, 'latest'), call('eth_getStorageAt', bob, '0x0')])
    await first.close()
    const asked = node.requests.length
    const second = await archiveOf({ dataDir: folder })
    expect(second.url(77, 1n)).toMatch(/\/77\/1$/)
    await second.pin(77, 1n)
    node.behave = () => ({ status: 500 })
    expect(await slot(second, pin)).toBe(word(7))
    const code = await post(second.url(77, 1n), call('eth_getCode', bob, 'latest'))
    expect(code.result).toBe(cellCode)
    const names = node.requests.slice(asked).flat()
    expect(names).not.toContain('eth_getStorageAt')
    expect(names).not.toContain('eth_getCode')
  })

  test('two archives on one folder at once answer alike', async () => {
    node.behave = () => notForDevelopment
    const [a, b] = await Promise.all([
      archiveOf({ dataDir: folder }),
      archiveOf({ dataDir: folder }),
    ])
    const pins = await Promise.all([a.pin(77, 1n), b.pin(77, 1n)])
    expect(await Promise.all([slot(a, pins[0]), slot(b, pins[1])])).toEqual([word(7), word(7)])
    await Promise.all([a.close(), b.close()])
    const db = openSqlite(join(folder, 'archive.sqlite'))
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    db.close()
  })

  test('a damaged row of the cache is read from the node again', async () => {
    node.behave = () => notForDevelopment
    const first = await archiveOf({ dataDir: folder })
    await slot(first, await first.pin(77, 1n))
    await first.close()
    const db = openSqlite(join(folder, 'archive.sqlite'))
    const changed = db.prepare("UPDATE answers SET value = '0x1' WHERE item LIKE 's%'").run()
    expect(changed.changes).toBeGreaterThan(0)
    db.close()
    const second = await archiveOf({ dataDir: folder })
    expect(await slot(second, await second.pin(77, 1n))).toBe(word(7))
    expect(log.join()).toContain('damaged row')
  })

  test('a cache that is no database, or cannot be written, costs a warning', async () => {
    await writeFile(join(folder, 'archive.sqlite'), 'not a database, but long enough to be read')
    const archive = await archiveOf({ dataDir: folder })
    expect(await slot(archive, await archive.pin(77, 1n))).toBe(word(7))
    expect(log.join()).toContain('The state cache on disk is not used: SQLITE_NOTADB.')
  })

  test('a write lock held by another process costs the cache, not the answer', async () => {
    node.behave = () => notForDevelopment
    const archive = await archiveOf({ dataDir: folder })
    const db = openSqlite(join(folder, 'archive.sqlite'))
    db.exec('BEGIN EXCLUSIVE')
    expect(await slot(archive, await archive.pin(77, 1n))).toBe(word(7))
    await archive.close()
    db.exec('ROLLBACK')
    db.close()
    expect(log.join()).toContain('SQLITE_BUSY')
  })
})

function callsOf(simulated: unknown): unknown {
  return (simulated as { calls: unknown }[]).map(({ calls }) => calls)
}

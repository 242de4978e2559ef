import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Archive, startArchive } from '../../src/rpc/archive.js'
import type { ArchiveMode } from '../../src/rpc/archive-messages.js'
import { startAnvil, type TestAnvil } from '../support/anvil.js'
import { type FaultyNode, startFaultyNode } from '../support/rpc-node.js'

const bob = '0x0000000000000000000000000000000000000b0b'
const unreadableSlot = '0x5'

const asked = [
  ['eth_getBlockByNumber', '0x1', false],
  ['eth_getBlockByNumber', '0x0', false],
  ['eth_getCode', bob, 'latest'],
  ['eth_getBalance', bob, 'latest'],
  ['eth_getTransactionCount', bob, 'latest'],
  ['eth_getStorageAt', bob, '0x0', 'latest'],
  ['eth_getStorageAt', bob, '0x1', 'latest'],
  ['eth_getStorageAt', bob, unreadableSlot, 'latest'],
].map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))

let anvil: TestAnvil
let node: FaultyNode
let folder: string
let file: string
let recorded: unknown
const open: Archive[] = []

beforeAll(async () => {
  anvil = await startAnvil(['--chain-id', '77', '--no-mining'])
  await anvil.rpc('anvil_setCode', [bob, '0x5f545f5260205ff3'])
  await anvil.rpc('anvil_setStorageAt', [bob, `0x${'0'.repeat(64)}`, `0x${'7'.padStart(64, '0')}`])
  await anvil.rpc('evm_mine')
  node = await startFaultyNode(anvil.url, {
    behave: () => ({
      edit: (call, reply) =>
        call.method === 'eth_getStorageAt' && BigInt(String(call.params[1])) === 5n
          ? { id: call.id, error: { code: -32001, message: 'state not recorded: slot 5' } }
          : reply,
    }),
  })
  folder = await mkdtemp(join(tmpdir(), 'forkroute-cassette-'))
  file = join(folder, 'one.cassette')
  const archive = await archiveOf({ kind: 'record', file })
  recorded = await ask(archive)
  await archive.close()
})
afterEach(() => Promise.all(open.splice(0).map((archive) => archive.close())))
afterAll(async () => {
  await node.close()
  await anvil.stop()
  await rm(folder, { recursive: true })
})

async function archiveOf(mode: ArchiveMode): Promise<Archive> {
  const urls = mode.kind === 'replay' ? [] : [node.url]
  const archive = await startArchive({ dataDir: null, chains: [{ chainId: 77, urls }], mode })
  open.push(archive)
  return archive
}

async function ask(archive: Archive, calls = asked): Promise<{ error?: { message: string } }[]> {
  const pin = await archive.pin(77, 'latest')
  const response = await fetch(archive.url(77, pin.number), {
    method: 'POST',
    body: JSON.stringify(calls),
  })
  return (await response.json()) as { error?: { message: string } }[]
}

describe('record and replay', () => {
  test('a replay answers exactly what was recorded, and asks no node', async () => {
    const archive = await archiveOf({ kind: 'replay', file })
    const before = node.requests.length
    expect(await ask(archive)).toEqual(recorded)
    expect(JSON.stringify(recorded)).toContain('state unreadable: 0x0')
    expect(node.requests.length).toBe(before)
    expect(archive.status(77)).toMatchObject({ connected: true, problem: null })
    expect((await archive.stats()).upstreamHttpRequests).toBe(0)
  })

  test('what was not recorded is an error that names it', async () => {
    const archive = await archiveOf({ kind: 'replay', file })
    const [reply] = await ask(archive, [
      { jsonrpc: '2.0', id: 1, method: 'eth_getStorageAt', params: [bob, '0x9', 'latest'] },
    ])
    expect(reply?.error?.message).toBe(
      `state unreadable: ${bob} slot 0x9 at block 1: not in the recording`,
    )
    await expect(archive.pin(77, 40n)).rejects.toMatchObject({
      code: 'UNKNOWN_BLOCK',
      message: 'Block 40 is not in the recording.',
    })
  })

  test('a changed value is noticed and named', async () => {
    const damaged = join(folder, 'damaged.cassette')
    const source = new Database(file)
    await source.backup(damaged)
    source.close()
    const db = new Database(damaged)
    db.prepare("UPDATE answers SET value = '0x8' WHERE item LIKE 's%' AND value = '0x7'").run()
    db.close()
    const archive = await archiveOf({ kind: 'replay', file: damaged })
    const replies = await ask(archive)
    expect(replies[5]?.error?.message).toBe(
      `upstream unavailable: The recording is damaged at ${bob} slot 0x0 at block 1.`,
    )
  })

  test('a file that is no cassette is refused', async () => {
    const nothing = archiveOf({ kind: 'replay', file: join(folder, 'absent.cassette') })
    await expect(nothing).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  })
})

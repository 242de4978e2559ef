import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { toHead } from '../../../src/cassette/contents.js'
import { mergeCassettes } from '../../../src/cassette/merge.js'
import { pruneCassette } from '../../../src/cassette/prune.js'
import { fromRequestText, keyOfRequest, toRequestText } from '../../../src/cassette/request-form.js'
import type { Hex } from '../../../src/domain/primitives.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { type Archive, startArchive } from '../../../src/rpc/archive/archive.js'
import type { ArchiveMode } from '../../../src/rpc/archive/archive-messages.js'
import { damagedRows } from '../../../src/rpc/cassette/cassette-check.js'
import { openCassetteFile } from '../../../src/rpc/cassette/cassette-file.js'
import type { CassetteHead, NumberedEntry } from '../../../src/rpc/cassette/cassette-requests.js'
import { CassetteState } from '../../../src/rpc/cassette/cassette-state.js'
import { Recorder } from '../../../src/rpc/cassette/recorder.js'
import type { BlockRef } from '../../../src/rpc/node/answer.js'
import { codeKey, storageKey } from '../../../src/rpc/node/state-item.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import { type FaultyNode, startFaultyNode } from '../../support/nodes/rpc-node.js'

const bob = '0x0000000000000000000000000000000000000b0b'
const compiled = (path: string) => new URL(`../../../dist/src/${path}`, import.meta.url).href
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
let changed: readonly bigint[]
const events = { from: 0n, to: 1n, addresses: [bob] as const }
const word: Hex = `0x${'ab'.repeat(32)}`
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
  changed = await archive.changedBlocks(77, events)
  await archive.changedBlocks(77, { ...events, indexed: [word] })
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
  test('headers and blocks with events are told as far as they were recorded', async () => {
    const archive = await archiveOf({ kind: 'replay', file })
    expect(await archive.header(77, 1n)).toEqual(archive.head(77))
    await expect(archive.header(77, 40n)).rejects.toMatchObject({ code: 'UNKNOWN_BLOCK' })
    expect(await archive.changedBlocks(77, events)).toEqual(changed)
    expect(await archive.changedBlocks(77, { ...events, indexed: [word] })).toEqual([])
    const other = archive.changedBlocks(77, { ...events, indexed: [`0x${'0'.repeat(64)}`] })
    await expect(other).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    await expect(archive.changedBlocks(77, { ...events, to: 0n })).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      message: 'The cassette lacks the blocks from 0 to 0 with events of these contracts.',
    })
  })

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
      `upstream unavailable: The cassette lacks ${bob} slot 0x9 at block 1 of chain 77.`,
    )
    await expect(archive.pin(77, 40n)).rejects.toMatchObject({
      code: 'UNKNOWN_BLOCK',
      message: 'Block 40 is not in the cassette.',
    })
  })

  test('a changed value is noticed and named', async () => {
    const damaged = join(folder, 'damaged.cassette')
    const source = openSqlite(file)
    await source.backup(damaged)
    source.close()
    const db = openSqlite(damaged)
    const changed = db.prepare("UPDATE cells SET value = x'08' WHERE value = x'07' RETURNING id")
    const { id } = changed.get() as { id: number }
    expect(damagedRows(db)).toEqual([`cells: row ${id}, ${bob} slot 0x0, block 1 of chain 77`])
    db.close()
    const archive = await archiveOf({ kind: 'replay', file: damaged })
    const replies = await ask(archive)
    expect(replies[5]?.error?.message).toBe(
      `upstream unavailable: The cassette is damaged at row ${id} of cells, ${bob} slot 0x0 at block 1 of chain 77.`,
    )
  })

  test('a file that cannot be used is refused, and why is said', async () => {
    const [absent, text, older] = ['absent', 'text', 'older'].map((name) => join(folder, name))
    const source = openSqlite(file)
    await source.backup(older ?? '')
    source.close()
    const db = openSqlite(older ?? '')
    db.pragma('user_version = 7')
    db.close()
    await writeFile(text ?? '', 'no database, but long enough to be looked at as if it were one')
    for (const [path, reason] of [
      [absent, 'there is no such file'],
      [text, 'the file is no cassette'],
      [older, 'it has format 7, and this version of forkroute reads format 1; record it again'],
    ] as const) {
      expect(() => openCassetteFile(path ?? '', 'read')).toThrow(
        `The cassette cannot be used: ${reason}.`,
      )
    }
    const opening = archiveOf({ kind: 'replay', file: text ?? '' })
    await expect(opening).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  })
})

const one: BlockRef = { number: 1n, hash: `0x${'1'.repeat(64)}` }
const two: BlockRef = { number: 2n, hash: `0x${'2'.repeat(64)}` }
const code = `0x${'60'.repeat(2_000)}` as const

/** A request at the blocks, with these values of bob's slots there. */
interface Written {
  readonly name: string
  readonly at: readonly BlockRef[]
  readonly slots: Readonly<Record<string, Hex>>
  readonly answer?: string
}

function entryOf({ name, at, answer = '{}' }: Written): NumberedEntry {
  const blocks = at.map((block) => ({ chainId: 77, ...block, isHead: false }))
  const text = toRequestText({ method: 'GET', path: `/${name}`, query: {}, accountId: '0x' })
  return {
    key: keyOfRequest(fromRequestText(text)),
    request: text,
    status: 200,
    answer,
    blocks,
    number: null,
  }
}

function write(recorder: Recorder, written: Written): number {
  for (const block of written.at) {
    recorder.state(77, codeKey(bob), block, { ok: true, value: code })
    for (const [slot, value] of Object.entries(written.slots)) {
      recorder.state(77, storageKey(bob, slot), block, { ok: true, value })
    }
  }
  return recorder.request(entryOf(written))
}

const head: CassetteHead = {
  ...toHead(
    {
      settings: {
        chainIds: [77],
        candidates: 1,
        maxHops: 1,
        liquidityFloorUsd: 0,
        serviceName: 'svc',
        proof: 'all',
        dataFee: 'ranked',
        cautions: true,
        apiDialect: 'specification' as const,
        disabledAggregators: [],
        marksAnswers: true,
        widensPools: true,
        countsHoldings: true,
        boundsPools: true,
        mergesInputs: true,
        narrowsSearches: true,
        findsRebases: true,
        runsBalancerHooks: true,
        runsHooksOfMany: true,
        countsFeeOrder: true,
        poolBlacklist: [],
        v4Hooks: 'run',
        v4HooksAllowlist: [],
        venues: [],
        poolIndex: false,
        priorityFeePerGas: {},
        acrossFeeBps: 5,
        acrossMaxUsd: null,
        protocols: [],
      },
      tokens: [],
      importedPools: {},
      sandboxPools: [],
    },
    { forkroute: '1', anvil: '1', contracts: {} },
  ),
}

function cassetteOf(name: string, written: readonly Written[]): string {
  const path = join(folder, name)
  const recorder = new Recorder(path, head, { isResumed: false, warn })
  for (const each of written) write(recorder, each)
  recorder.close()
  return path
}

function warn(message: string): never {
  throw new Error(message)
}

/** Everything in the file: slots by block, and how many codes and requests there are. */
function contentOf(path: string) {
  const db = openCassetteFile(path, 'read')
  const state = new CassetteState(db)
  const slots = state.blocks.list().map((block) => {
    const values = [...state.cells.stateOf(block).values].flatMap(([key, held]) =>
      key.startsWith('s') && held.kind === 'value'
        ? [`${key.slice(41)}=${held.bytes.toString('hex')}`]
        : [],
    )
    return [block.number, values.sort().join()]
  })
  const count = (table: string) =>
    (db.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count
  const facts = {
    slots: Object.fromEntries(slots),
    cells: count('cells'),
    codes: count('codes'),
    requests: count('requests'),
  }
  expect(damagedRows(db)).toEqual([])
  db.close()
  return facts
}

describe('Recorder', () => {
  const first: Written = { name: 'a', at: [one], slots: { '0x1': '0x7', '0x2': '0x8' } }
  const second: Written = { name: 'b', at: [one, two], slots: { '0x1': '0x7', '0x3': '0x9' } }

  test('values that blocks share are held once, and recording again changes nothing', () => {
    const path = cassetteOf('shared', [first, second])
    const content = contentOf(path)
    expect(content).toEqual({
      slots: { 1: '1=07,2=08,3=09', 2: '1=07,3=09' },
      cells: 4,
      codes: 1,
      requests: 2,
    })
    cassetteOf('shared', [second, first])
    expect(contentOf(path)).toEqual(content)
  })

  test('a value that contradicts the cassette is named, and its request is not recorded', () => {
    const path = cassetteOf('contradicted', [first])
    const recorder = new Recorder(path, head, { isResumed: false, warn })
    const other = { ...second, slots: { '0x1': '0x6' } } as const
    expect(() => write(recorder, other)).toThrow(
      `The answer is not recorded: the cassette has another value of ${bob} slot 0x1 at block 1 of chain 77.`,
    )
    recorder.close()
    expect(contentOf(path)).toMatchObject({ requests: 1, slots: { 1: '1=07,2=08' } })
  })

  test('what was read before the archive was started again is missed, so nothing is recorded', () => {
    const recorder = new Recorder(join(folder, 'resumed'), head, { isResumed: true, warn })
    expect(() => write(recorder, first)).toThrow('the archive was started again')
    recorder.close()
  })

  test('one recorder at a time', () => {
    const path = cassetteOf('locked', [first])
    const recorder = new Recorder(path, head, { isResumed: false, warn })
    const inUse = 'another process records into it'
    expect(() => openCassetteFile(path, 'write')).toThrow(inUse)
    expect(() => contentOf(path)).toThrow(inUse)
    recorder.close()
  })

  /** Runs as a process of its own: it ends, or cannot write, without harm to the test. */
  function inProcess(path: string, before: string, body: string) {
    const text = `
      import { Recorder } from '${compiled('rpc/cassette/recorder.js')}'
      const recorder = new Recorder(${JSON.stringify(path)}, ${JSON.stringify(head)}, { isResumed: false, warn() {} })
      const at = { number: 1n, hash: '${one.hash}' }
      const read = (from, to) => {
        for (let slot = from; slot < to; slot++) {
          recorder.state(77, 's${bob.slice(2)}' + slot.toString(16), at, { ok: true, value: '0x' + slot.toString(16).padStart(64, '7') })
        }
      }
      const blocks = [{ chainId: 77, ...at, isHead: false }]
      const request = (name) => recorder.request({ key: '0x' + name.repeat(32), request: '{"path":"/x"}', status: 200, answer: '{}', blocks })
      ${body}`
    const shell = `${before}; exec ${process.execPath} --input-type=module -e "$1"`
    return promisify(execFile)('bash', ['-c', shell, 'bash', text])
  }

  test('killed in the middle: the file holds what was finished, and nothing else', async () => {
    const path = join(folder, 'killed')
    const body = `read(1, 50); request('01'); read(50, 90); process.kill(process.pid, 'SIGKILL')`
    await expect(inProcess(path, 'true', body)).rejects.toMatchObject({ signal: 'SIGKILL' })
    expect(contentOf(path)).toMatchObject({ cells: 49, requests: 1 })
  })

  test('a disk that takes no more: the answer is refused, and the file stays as it was', async () => {
    const path = join(folder, 'full')
    const body = `read(1, 50); request('01'); read(50, 9_000)
      try { request('02') } catch (error) { console.log(error.code, error.message) }`
    const { stdout } = await inProcess(path, 'ulimit -f 300', body)
    expect(stdout).toMatch(/^STORAGE_UNAVAILABLE The cassette cannot be used: the disk/)
    expect(contentOf(path)).toMatchObject({ cells: 49, requests: 1 })
  })

  describe('mergeCassettes', () => {
    test('the union, whatever the order', () => {
      const [a, b] = [cassetteOf('a', [first]), cassetteOf('b', [second])]
      for (const files of [
        [a, b, a],
        [b, a],
      ]) {
        const out = join(folder, `merged-${files.length}`)
        mergeCassettes(files, out)
        expect(contentOf(out)).toEqual({
          slots: { 1: '1=07,2=08,3=09', 2: '1=07,3=09' },
          cells: 4,
          codes: 1,
          requests: 2,
        })
      }
    })

    test('what contradicts is named, and no file is left', () => {
      const a = cassetteOf('left', [first, second])
      const slots = { '0x1': '0x6', '0x3': '0x9' } as const
      const b = cassetteOf('right', [{ ...second, slots, answer: '[]' }])
      const out = join(folder, 'contradictory')
      expect(() => mergeCassettes([a, b], out)).toThrow(
        `right has another value of ${bob} slot 0x1 at block 1 of chain 77; ` +
          `right has another value of ${bob} slot 0x1 at block 2 of chain 77; ` +
          'right has another answer of GET /b (request 1)',
      )
      expect(existsSync(out)).toBe(false)
      expect(() => mergeCassettes([a], b)).toThrow('right is there already')
    })
  })

  describe('pruneCassette', () => {
    test('takes out a request, and the state that only it needs', () => {
      const path = cassetteOf('pruned', [first, second])
      expect(pruneCassette(path, { numbers: [2] })).toEqual([2])
      expect(contentOf(path)).toEqual({
        slots: { 1: '1=07,2=08,3=09' },
        cells: 4,
        codes: 1,
        requests: 1,
      })
      expect(pruneCassette(path, { path: '/b' })).toEqual([])
      expect(pruneCassette(path, { blocks: [1] })).toEqual([1])
      expect(contentOf(path)).toEqual({ slots: {}, cells: 0, codes: 0, requests: 0 })
    })
  })
})

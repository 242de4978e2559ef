/** Answers of the sandbox recorded over HTTP, and the same answers with no chain running. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pruneCassette } from '../../../src/cassette/prune.js'
import { type CassetteSummary, summarise } from '../../../src/cassette/summary.js'
import { verify } from '../../../src/cli/replay.js'
import { loadConfig } from '../../../src/config.js'
import { type Hex, nativeToken } from '../../../src/domain/primitives.js'
import {
  type LocalRequest,
  type LocalService,
  openLocalService,
} from '../../../src/local-service.js'
import { createLogger } from '../../../src/log.js'
import type { ArchiveMode } from '../../../src/rpc/archive/archive-messages.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { runCli } from '../../support/cli.js'

const [weth, usdc, dai] = ['WETH', 'USDC', 'DAI'].map((symbol) => sandboxToken(symbol).address)
const [uni, link] = ['UNI', 'LINK'].map((symbol) => sandboxToken(symbol).address)
const from = sandboxAccount('alice').address
const ether = (10n ** 18n).toString()

/** Names no block: answered at the newest one. */
const atHead: LocalRequest = {
  path: '/shortcuts/route',
  query: { fromAddress: from, tokenIn: nativeToken, amountIn: ether, tokenOut: `${usdc}` },
}

function requests(past: number): LocalRequest[] {
  const trade = { tokenIn: `${uni}`, amountIn: ether, tokenOut: `${link}` }
  const swap = { tokenIn: weth, amountIn: ether, tokenOut: dai, slippage: '100' }
  return [
    atHead,
    {
      path: '/shortcuts/route',
      query: { ...trade, fromAddress: from, blockNumber: past, executionMode: 'backend' },
    },
    {
      path: '/shortcuts/quotes',
      body: { quotes: [{ ...trade, amountIn: ['5', ether] }, { tokenIn: 'x' }] },
    },
    {
      path: '/shortcuts/bundle',
      query: { fromAddress: from, blockNumber: past },
      body: [{ protocol: 'svc', action: 'route', args: swap }],
    },
    { path: '/prices/1', query: { addresses: [`${weth}`, `${uni}`] } },
    // A refusal is an answer, too.
    { path: '/shortcuts/route', query: { ...trade, fromAddress: `0x${'12'.repeat(20)}` } },
  ]
}

interface Recorded {
  readonly request: LocalRequest
  readonly status: number
  readonly text: string
  readonly number: number
}

let sandbox: Sandbox
let folder: string
let file: string
let recorded: Recorded[]
let head: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-tape-'))
  file = join(folder, 'one.cassette')
  sandbox = await startSandbox({})
  const service = await open({ kind: 'record', file }, { RPC_URL_1: sandbox.url, WORKERS: '2' })
  try {
    head = service.service.engine.networks()[0]?.blockNumber ?? 0
    recorded = []
    for (const request of requests(head - 2)) {
      const { status, text, recording } = await service.ask(request)
      recorded.push({ request, status, text, number: recording ?? 0 })
    }
    // What may pass, or is no calculation, is no fact about a block.
    expect((await service.ask({ path: '/networks' })).recording).toBeNull()
    const unknown = { ...atHead, query: { ...atHead.query, blockNumber: head + 9 } }
    expect(await service.ask(unknown)).toMatchObject({ status: 400, recording: null })
  } finally {
    await service.close()
  }
  await addByCommand()
  await sandbox.stop()
})

/** The same again one block later, by the command line. */
async function addByCommand(): Promise<void> {
  const { createRpcClient } = await import('../../../src/rpc/node/json-rpc.js')
  const client = createRpcClient(sandbox.url)
  const { timestamp } = (await client.request('eth_getBlockByNumber', ['latest', false])) as {
    timestamp: Hex
  }
  await client.request('anvil_mine', ['0x1'])
  await client.close()
  const list = join(folder, 'requests.yaml')
  await writeFile(list, JSON.stringify([atHead, { ...atHead, blocks: `@${BigInt(timestamp)}` }]))
  const env = { RPC_URL_1: sandbox.url, DATA_DIR: join(folder, 'data') }
  const { code, out, err } = await runCli(['record', file, '--requests', list, '--json'], env)
  expect(code, err).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ recorded: 2, notKept: [], requests: 8 })
}

afterAll(async () => {
  await sandbox.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Nothing of the environment: what a replay needs is in its cassette. */
function open(mode: ArchiveMode, env: Record<string, string> = {}): Promise<LocalService> {
  const config = loadConfig({
    DATA_DIR: join(folder, 'data'),
    MAX_HOPS: mode.kind === 'replay' ? '1' : '3',
    ...env,
  })
  return openLocalService(config, { logger: createLogger('silent'), mode })
}

/** The answer of a recording; of a refusal without the id of its request. */
async function again(service: LocalService, { request, number }: Recorded) {
  const { status, text } = await service.ask(request, { 'x-forkroute-recording': String(number) })
  return `${status} ${withoutId(text)}`
}

function withoutId(text: string): string {
  return text.replace(/,"requestId":"[^"]*"/, '')
}

function expectedOf({ status, text }: Recorded): string {
  return `${status} ${withoutId(text)}`
}

async function copyOf(name: string): Promise<string> {
  const copy = join(folder, name)
  const db = new Database(file, { readonly: true })
  await db.backup(copy)
  db.close()
  return copy
}

describe('a cassette of the sandbox', () => {
  test('every request got its number, and what it was answered', () => {
    expect(recorded.map(({ number, status }) => [number, status])).toEqual([
      [1, 200],
      [2, 200],
      [3, 200],
      [4, 200],
      [5, 200],
      [6, 400],
    ])
  })

  test.each([0, 1, 2, 3, 4, 5])(
    'request %i alone, in a fresh service of one thread',
    async (index) => {
      const one = recorded[index] as Recorded
      const service = await open({ kind: 'replay', file }, { WORKERS: '1', FORKS_PER_BLOCK: '1' })
      try {
        expect(await again(service, one)).toBe(expectedOf(one))
      } finally {
        await service.close()
      }
    },
  )

  test('all at once, the last first, by two threads; the newest block is the newest that was asked at', async () => {
    const service = await open({ kind: 'replay', file }, { WORKERS: '2' })
    try {
      const backwards = recorded.toReversed()
      const answers = await Promise.all(backwards.map((one) => again(service, one)))
      expect(answers).toEqual(backwards.map(expectedOf))
      const newest = JSON.parse((await service.ask(atHead)).text)
      expect(newest.blockNumber).toBe(head + 1)
      const { status, text } = await service.ask(atHead, { 'x-forkroute-recording': '5' })
      expect([status, JSON.parse(text).message]).toEqual([
        404,
        'Recording 5 is none of this request.',
      ])
      // Nobody has read what this sender holds.
      const query = { ...atHead.query, tokenIn: `${uni}`, fromAddress: `0x${'34'.repeat(20)}` }
      const other = await service.ask({ ...atHead, query: { ...query, blockNumber: head - 2 } })
      expect(other.status).toBe(503)
      expect(JSON.parse(other.text).message).toMatch(
        new RegExp(`^The cassette lacks ${uni} slot 0x[0-9a-f]+ at block ${head - 2} of chain 1.$`),
      )
    } finally {
      await service.close()
    }
  })

  test('verify runs all of them; the second head does not hide the first', async () => {
    const result = await verify(file, null, () => undefined)
    expect(result).toEqual({ verified: 8, damaged: [], mismatches: [] })
  })

  test('list says what is there, and its size', async () => {
    const { code, out } = await runCli(['cassette', 'list', file, '--json'])
    const summary = JSON.parse(out) as CassetteSummary
    expect(code).toBe(0)
    expect(summary).toMatchObject({
      format: 1,
      settings: { chainIds: [1], maxHops: 3 },
      chains: [{ chainId: 1, blocks: 3, firstBlock: head - 2, lastBlock: head + 1 }],
    })
    expect(summary.requests.map(({ blocks }) => blocks)).toEqual([
      [{ chainId: 1, number: head, head: true }],
      [{ chainId: 1, number: head - 2, head: false }],
      [{ chainId: 1, number: head, head: true }],
      [{ chainId: 1, number: head - 2, head: false }],
      [{ chainId: 1, number: head, head: true }],
      [{ chainId: 1, number: head, head: true }],
      [{ chainId: 1, number: head + 1, head: true }],
      [{ chainId: 1, number: head, head: false }],
    ])
    expect(summary.bytesPerRequest).toBeLessThan(150_000)
  })

  test('a damaged answer and damaged state are named, by row and by path', async () => {
    const copy = await copyOf('damaged')
    const db = new Database(copy)
    const row = db
      .prepare<[number], { id: number }>(
        `SELECT cells.id FROM cells JOIN reads ON reads.cell = cells.id JOIN blocks ON blocks.id = reads.block
         WHERE number = ? AND length(key) = 53 AND length(value) > 8 ORDER BY cells.id LIMIT 1`,
      )
      .get(head - 2)
    db.prepare("UPDATE cells SET value = x'01' WHERE id = ?").run(row?.id)
    db.prepare('UPDATE requests SET status = 422 WHERE id = 5').run()
    db.close()
    const { code, out } = await runCli(['verify', copy, '--only', '2,5', '--json'])
    expect(code).toBe(1)
    const { damaged, mismatches, verified } = JSON.parse(out)
    expect(verified + mismatches.length).toBe(1)
    expect(damaged).toHaveLength(2)
    expect(damaged[0]).toMatch(
      new RegExp(
        `^cells: row ${row?.id}, 0x[0-9a-f]{40} slot 0x[0-9a-f]+, block ${head - 2} of chain 1`,
      ),
    )
    expect(damaged[1]).toBe('requests: row 5')
  })

  test('pruned, what is left still answers the same', async () => {
    const copy = await copyOf('pruned')
    const before = summarise(copy)
    expect(pruneCassette(copy, { blocks: [head, head + 1] })).toEqual([1, 3, 5, 6, 7, 8])
    const after = summarise(copy)
    expect(after.rows.reads).toBeLessThan(before.rows.reads / 2)
    expect(after.bytes).toBeLessThan(before.bytes)
    expect(await verify(copy, null, () => undefined)).toMatchObject({ verified: 2, mismatches: [] })
  })

  test('another configuration does not add to it', async () => {
    const mode = { kind: 'record', file } as const
    const env = { RPC_URL_1: 'http://127.0.0.1:1', MAX_HOPS: '2', FIRST_PIN_WAIT_MS: '0' }
    await expect(open(mode, env)).rejects.toThrow('maxHops is 3 there, 2 here')
  })
})

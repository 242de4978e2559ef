/**
 * The first answer at a block that was never asked for: how often the node is asked, one request after the other,
 * and that what was learnt before decides only that.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type LatencyNode,
  sequentialRounds,
  startLatencyNode,
} from '../../../bench/latency-node.js'
import { openCatalog } from '../../../src/catalog/store.js'
import { openAnswerDb } from '../../../src/rpc/disk/answer-db.js'
import { layout } from '../../../src/rpc/disk/layout.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const ether = 10n ** 18n
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const uni = '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984'
const link = '0x514910771af9ca656af840dff83e8264ecf986ca'
const known = { tokenIn: weth, tokenOut: usdc, amountIn: `${ether}` }
const other = { tokenIn: uni, tokenOut: link, amountIn: `${100n * ether}` }
/** Far enough that what is asked at once overlaps, and what waits for an answer does not. */
const latencyMs = 750
/** So far that nothing else takes as long, however busy the machine is. */
const farMs = 2_500

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let node: LatencyNode
let head: number
const folders: string[] = []

beforeAll(async () => {
  sandbox = await startSandbox({})
  node = await startLatencyNode(sandbox.url, latencyMs)
})
afterAll(async () => {
  await node?.stop()
  await sandbox?.stop()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-cold-'))
  folders.push(folder)
  const catalog = openCatalog(folder)
  catalog.importPools(1, sandboxPools())
  catalog.close()
  return folder
}

async function serviceOn(folder: string, url = node.url): Promise<TestService> {
  const service = await startService({
    DATA_DIR: folder,
    RPC_URL_1: url,
    HEAD_POLL_MS: '600000',
    WORKERS: '1',
    // The account of a key is part of the transaction.
    AUTH_MODE: 'open',
  })
  const newest = async () => (await service.get('/api/v1/networks')).body[0].blockNumber
  await vi.waitFor(async () => expect(await newest()).toBeTypeOf('number'), { timeout: 60_000 })
  head = await newest()
  return service
}

/** One quote, and what it cost at the node. */
async function quote(
  service: TestService,
  asked: Readonly<Record<string, string>>,
  back: number,
  at = node,
) {
  at.reset()
  const query = { chainId: '1', ...asked, blockNumber: String(head - back) }
  const { status, text } = await service.get('/api/v1/shortcuts/quote', query)
  expect(status, text).toBe(200)
  const calls = at.requests.flatMap(({ body }) => JSON.parse(body) as { readonly method: string })
  const methods = calls.map(({ method }) => method)
  const requests = at.requests.length
  const rounds = sequentialRounds(at.requests)
  return { text, requests, methods, calls: calls.length, rounds }
}

describe('the first answer at a new block', () => {
  /** Answer of a service that knew nothing before. */
  let fresh: string
  let folder: string

  beforeAll(async () => {
    const service = await serviceOn(await newFolder(), sandbox.url)
    fresh = (await quote(service, known, 1)).text
    await service.stop()
    folder = await newFolder()
  })

  test('known pools: at most 4 round trips one after the other; another pair: at most 10', async () => {
    const service = await serviceOn(folder)
    try {
      await quote(service, known, 0)
      for (const back of [1, 2, 3]) {
        const cost = await quote(service, known, back)
        expect(cost.rounds).toBeLessThanOrEqual(4)
        // Each call in bulk is a request of its own: more requests than of batches, and a fiftieth of the calls.
        expect(cost.requests).toBeLessThanOrEqual(24)
        expect(cost.calls).toBeLessThanOrEqual(80)
        if (back === 1) expect(cost.text).toBe(fresh)
      }
      const cost = await quote(service, other, 4)
      expect(cost.rounds).toBeLessThanOrEqual(10)
      expect(cost.requests).toBeLessThanOrEqual(60)
    } finally {
      await service.stop()
    }
  })

  test('so far away that waiting is all that counts, another pair takes at most 5 round trips and the first answer of all 9', async () => {
    const far = await startLatencyNode(sandbox.url, farMs)
    const own = await newFolder()
    try {
      const first = await serviceOn(own, far.url)
      const cost = await quote(first, other, 1, far)
      await first.stop()
      // Eight or nine, by whose state of two simulations is known first.
      expect(cost.rounds).toBeLessThanOrEqual(9)
      const second = await serviceOn(await newFolder(), far.url)
      await quote(second, known, 0, far)
      const again = await quote(second, other, 1, far)
      await second.stop()
      expect(again.rounds).toBeLessThanOrEqual(5)
      expect(again.text).toBe(cost.text)
    } finally {
      await far.stop()
    }
  })

  test('the first answer of all: the more nodes tell of what calls touch, the fewer rounds it takes, and it is the same', async () => {
    const listing = await startLatencyNode(sandbox.url, latencyMs, {
      refused: ['debug_traceCall'],
    })
    const silent = await startLatencyNode(sandbox.url, latencyMs, {
      refused: ['debug_traceCall', 'eth_createAccessList'],
    })
    const asked = async (at: LatencyNode) => {
      const service = await serviceOn(await newFolder(), at.url)
      try {
        return await quote(service, other, 1, at)
      } finally {
        await service.stop()
      }
    }
    try {
      const traced = await asked(node)
      const listed = await asked(listing)
      const untold = await asked(silent)
      expect(traced.text).toBe(untold.text)
      expect(listed.text).toBe(untold.text)
      expect(traced.methods).not.toContain('eth_createAccessList')
      expect(listed.methods).toContain('eth_createAccessList')
      expect(traced.rounds).toBeLessThan(listed.rounds)
      expect(listed.rounds).toBeLessThan(untold.rounds)
      expect(traced.calls).toBeLessThan(listed.calls)
    } finally {
      await listing.stop()
      await silent.stop()
    }
  })

  test('after a restart, a block that was never asked for takes no more', async () => {
    const service = await serviceOn(folder)
    try {
      const cost = await quote(service, known, 1)
      expect(cost.rounds).toBeLessThanOrEqual(4)
      expect(cost.text).toBe(fresh)
    } finally {
      await service.stop()
    }
  })

  test('a block near the head and one that no reorg reaches are opened in one round, header included', async () => {
    const service = await serviceOn(await newFolder())
    try {
      await quote(service, known, 0)
      for (const back of [1, 100]) {
        await quote(service, known, back)
        const [first] = node.requests.toSorted((a, b) => a.from - b.from)
        const opening = node.requests.filter(({ from }) => from < (first?.to ?? 0))
        const calls = opening.flatMap(({ body }) => JSON.parse(body) as { method: string }[])
        const methods = new Set(calls.map(({ method }) => method))
        expect(methods).toContain('eth_call')
        expect([...methods].some((method) => method.startsWith('eth_getBlockBy'))).toBe(true)
      }
    } finally {
      await service.stop()
    }
  })

  test.each([
    ['wrong slots for every token and pool', poison],
    ['rows of no form at all', garble],
    ['no file', (at: string) => rm(join(at, 'archive.sqlite'))],
    [
      'a file that is no database',
      (at: string) => writeFile(join(at, 'archive.sqlite'), 'x'.repeat(9_999)),
    ],
  ])('%s: the same bytes', async (_name, spoil) => {
    await spoil(folder)
    const service = await serviceOn(folder, sandbox.url)
    try {
      expect((await quote(service, known, 1)).text).toBe(fresh)
    } finally {
      await service.stop()
    }
  })
})

/** After the others, which count from the head. */
describe('a block that came since the service looked for a head, named by its number', () => {
  test('its header first, and then everything at once: known pools take 2 round trips, another pair there 4', async () => {
    const far = await startLatencyNode(sandbox.url, farMs)
    const seer = await serviceOn(await newFolder(), sandbox.url)
    const service = await serviceOn(await newFolder(), far.url)
    try {
      await quote(service, known, 0, far)
      const miner = createRpcClient(sandbox.url)
      await miner.request('evm_mine', [])
      await miner.close()
      const cost = await quote(service, known, -1, far)
      expect(cost.rounds).toBeLessThanOrEqual(2)
      expect(cost.text).toBe((await quote(seer, known, -1, node)).text)
      const more = await quote(service, other, -1, far)
      expect(more.rounds).toBeLessThanOrEqual(4)
      expect(more.text).toBe((await quote(seer, other, -1, node)).text)
      const unborn = { ...known, chainId: '1', blockNumber: String(head + 9) }
      const refusal = await service.get('/api/v1/shortcuts/quote', unborn)
      expect(refusal.body).toMatchObject({ statusCode: 400, code: 'UNKNOWN_BLOCK' })
    } finally {
      await service.stop()
      await seer.stop()
      await far.stop()
    }
  })
})

/** Rewrites what was learnt, with checksums that hold. */
function rewrite(folder: string, change: (value: string) => string): void {
  const db = openAnswerDb(join(folder, 'archive.sqlite'))
  const scope = layout.learnedScope(1)
  const rows = db.all(scope)
  expect(rows.length).toBeGreaterThan(10)
  db.put(rows.map(({ item, value }) => ({ scope, item, value: change(value) })))
  db.close()
}

async function poison(folder: string): Promise<void> {
  rewrite(folder, (value) => value.replaceAll('a', 'b').replaceAll('1', '2'))
}

async function garble(folder: string): Promise<void> {
  rewrite(folder, (value) => value.slice(0, value.length / 2))
}

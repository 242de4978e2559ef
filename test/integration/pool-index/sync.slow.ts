/** `forkroute pools sync` against nodes of every kind: the same index, whatever the node takes and whatever happens. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { sourcesOf } from '../../../src/pool-index/sources.js'
import { openIndexStore } from '../../../src/pool-index/store.js'
import { syncChain } from '../../../src/pool-index/sync.js'
import { createUpstream } from '../../../src/rpc/node/upstream.js'
import { cliEntry, runCli } from '../../support/cli.js'
import {
  type ScriptedNode,
  type ScriptedPool,
  scriptedPools,
  startScriptedNode,
} from '../../support/nodes/scripted-chain.js'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'forkroute-index-'))
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function nodeOf(pools: readonly ScriptedPool[], head: number): Promise<ScriptedNode> {
  const node = await startScriptedNode(pools, head)
  cleanups.push(() => node.close())
  return node
}

const environment = (node: ScriptedNode, dataDir: string) => ({
  DATA_DIR: dataDir,
  RPC_URL_1: node.url,
  HEADER_HASH_CHECK: 'off',
})

const sync = (node: ScriptedNode, dataDir: string) =>
  runCli(['pools', 'sync', '--json'], environment(node, dataDir))

interface Row {
  readonly block: number
  readonly protocol: string
  readonly id: string
}

/** Every pool, every pair and link by the addresses of their tokens, every cursor, as the file holds them. */
function contentsOf(dataDir: string) {
  const db = openSqlite(join(dataDir, 'pool-index.sqlite'), { readonly: true })
  const all = (sql: string) => db.prepare(sql).all()
  try {
    return {
      pools: all(
        "SELECT block, protocol, '0x' || lower(hex(pool)) AS id FROM pools ORDER BY block, protocol, pool",
      ) as Row[],
      pairs: all(
        `SELECT hex(a.address) AS a, hex(b.address) AS b, pairs.block, hex(pools.pool) AS pool FROM pairs
         JOIN tokens a ON a.id = token JOIN tokens b ON b.id = other JOIN pools ON pools.id = pairs.pool
         ORDER BY 1, 2, 3, 4`,
      ),
      links: all(
        `SELECT hex(a.address) AS a, hex(b.address) AS b, block FROM links
         JOIN tokens a ON a.id = token JOIN tokens b ON b.id = other ORDER BY 1, 2`,
      ),
      cursors: all('SELECT source, block FROM cursors ORDER BY source'),
    }
  } finally {
    db.close()
  }
}

const rowsOf = (pools: readonly ScriptedPool[]): Row[] =>
  pools
    .map(({ block, protocol, id }) => ({ block, protocol, id }))
    .sort((a, b) => a.block - b.block || (a.protocol + a.id < b.protocol + b.id ? -1 : 1))

const pools = scriptedPools(3_000, 250_000)
const head = 250_100

describe('pools sync', () => {
  test.each([
    ['takes everything at once', {}],
    [
      'answers at most 500 events',
      {
        mostLogs: 500,
        refusal: { code: -32005, message: 'query returned more than 10000 results' },
      },
    ],
    [
      'answers at most 3,000 blocks',
      { mostBlocks: 3_000, refusal: { code: -32600, message: 'block range too large' } },
    ],
    [
      'answers at most 2,000 blocks, by another text',
      { mostBlocks: 2_000, refusal: { code: -32000, message: 'exceed maximum block range: 2000' } },
    ],
  ])('finds every pool with a node that %s', async (_name, limits) => {
    const node = Object.assign(await nodeOf(pools, head), limits)
    const dataDir = folder()
    const done = await sync(node, dataDir)
    expect(done.code, done.err).toBe(0)
    expect(JSON.parse(done.out)).toMatchObject({ head, pools: 3_000, found: 3_000, rolledBack: 0 })
    expect(contentsOf(dataDir).pools).toEqual(rowsOf(pools))
    // Each block once: refused ranges are asked again in halves. Only late answers are asked for twice, a few of them.
    const asked = new Map(node.ranges.map((range) => [`${range.from} ${range.to}`, range]))
    const blocks = [...asked.values()].reduce((sum, { from, to }) => sum + to - from + 1, 0)
    expect(blocks - head - 1).toBeLessThanOrEqual(2)
    expect(node.ranges.length - asked.size).toBeLessThanOrEqual(8 + node.ranges.length / 10)
  })

  test('says that a node has no events, and leaves nothing behind', async () => {
    const node = Object.assign(await nodeOf(pools, head), { hasLogs: false })
    const dataDir = folder()
    const done = await sync(node, dataDir)
    expect(done.code).toBe(1)
    expect(JSON.parse(done.out)).toMatchObject({
      code: 'STATE_UNAVAILABLE',
      message:
        'No node of chain 1 (Ethereum) gives events (eth_getLogs), by which pools are found; routes use look-ups alone, as without an index.',
    })
    expect(contentsOf(dataDir)).toMatchObject({ pools: [], cursors: [] })
  })

  test('a node that is not there is an error that says so', async () => {
    const node = await nodeOf(pools, head)
    await node.close()
    const done = await sync(node, folder())
    expect(done.code).toBe(1)
    expect(JSON.parse(done.out)).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
  })

  test('killed at any time, it goes on where it stood, and ends with the same index', async () => {
    const node = Object.assign(await nodeOf(pools, head), { mostBlocks: 4_000, delayMs: 15 })
    const whole = folder()
    expect((await sync(node, whole)).code).toBe(0)
    const dataDir = folder()
    for (const answers of [3, 20, 45]) {
      node.ranges.length = 0
      const child = spawn(process.execPath, [cliEntry, 'pools', 'sync'], {
        env: { PATH: process.env.PATH, ...environment(node, dataDir) },
      })
      await vi.waitFor(() => expect(node.ranges.length).toBeGreaterThanOrEqual(answers), {
        timeout: 60_000,
        interval: 3,
      })
      child.kill('SIGKILL')
      await new Promise((resolve) => child.once('exit', resolve))
      const { pools: kept, cursors, pairs, links } = contentsOf(dataDir)
      const [cursor] = cursors as { block: number }[]
      const stood = cursor?.block ?? -1
      // What is there is the chain up to the cursor, no more and no less, and of the ranges answered at most two are lost.
      expect(kept).toEqual(rowsOf(pools).filter(({ block }) => block <= stood))
      expect(node.ranges.filter(({ from }) => from > stood).length).toBeLessThanOrEqual(2)
      expect(pairs).toHaveLength(2 * kept.length)
      expect(links.length).toBeLessThanOrEqual(pairs.length)
    }
    expect((await sync(node, dataDir)).code).toBe(0)
    expect(contentsOf(dataDir)).toEqual(contentsOf(whole))
  })

  test('two at the same time in one folder end with the same index', async () => {
    const node = Object.assign(await nodeOf(pools, head), { mostBlocks: 4_000, delayMs: 5 })
    const dataDir = folder()
    const both = await Promise.all([sync(node, dataDir), sync(node, dataDir)])
    expect(both.map(({ code, err }) => [code, err])).toEqual([
      [0, expect.any(String)],
      [0, expect.any(String)],
    ])
    const alone = folder()
    await sync(node, alone)
    expect(contentsOf(dataDir)).toEqual(contentsOf(alone))
  })

  test('a reorg is taken back to the last block in common, and the new branch is read', async () => {
    const recent = scriptedPools(40, 50, { from: head - 49, name: 'old branch' })
    const node = await nodeOf([...pools, ...recent], head)
    const dataDir = folder()
    await sync(node, dataDir)
    expect(contentsOf(dataDir).pools).toHaveLength(3_040)
    const kept = recent.filter(({ block }) => block < head - 20)
    const others = scriptedPools(7, 20, { from: head - 20, name: 'new branch' })
    node.branch(head - 20, others)
    node.ranges.length = 0
    const done = await sync(node, dataDir)
    expect(JSON.parse(done.out)).toMatchObject({ rolledBack: 21, pools: 3_000 + kept.length + 7 })
    expect(contentsOf(dataDir).pools).toEqual(rowsOf([...pools, ...kept, ...others]))
    expect(Math.min(...node.ranges.map(({ from }) => from))).toBe(head - 20)
    const anew = folder()
    await sync(node, anew)
    expect(contentsOf(dataDir)).toEqual(contentsOf(anew))
  })

  test('another chain in the place of the old one is read from its beginning', async () => {
    const node = await nodeOf(pools, head)
    const dataDir = folder()
    await sync(node, dataDir)
    const others = scriptedPools(100, 1_000, { name: 'other chain' })
    node.branch(0, others)
    node.head = 1_200
    const done = await sync(node, dataDir)
    expect(JSON.parse(done.out)).toMatchObject({ head: 1_200, pools: 100 })
    expect(contentsOf(dataDir).pools).toEqual(rowsOf(others))
  })

  test('a venue that is added later is read from the beginning, alone', async () => {
    const node = await nodeOf(pools, head)
    const dataDir = folder()
    const { 'uniswap-v2': _left, ...venues } = ethereum.venues
    const upstream = createUpstream({ chainId: 1, urls: [node.url], verifyHeaderHash: false })
    const store = openIndexStore(dataDir)
    cleanups.push(() => upstream.close())
    const parts = { chain: ethereum, store, upstream }
    await syncChain({ ...parts, sources: sourcesOf({ ...ethereum, venues }) })
    expect(store.counts(1).map(({ protocol }) => protocol)).toEqual(['uniswap-v3', 'uniswap-v4'])
    await syncChain({ ...parts, sources: sourcesOf(ethereum) })
    store.close()
    const alone = folder()
    await sync(node, alone)
    expect(contentsOf(dataDir)).toEqual(contentsOf(alone))
  })
})

/** Backtests over real HTTP and SQLite, with a small engine behind them; what routes they find does not matter here. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/backtest/stores/sqlite-store.js'
import type { Engine } from '../../src/domain/engine.js'
import { sampleJob, sampleResults } from '../support/backtest/backtest-results.js'
import { openStream } from '../support/event-stream.js'
import {
  bearer,
  blockNumber,
  openTestApi,
  type Reply,
  startTestApi,
  type TestApi,
  usdc,
  weth,
} from './test-api.js'

/** While set, the engine does not answer. */
let isHeld = false
const held = new Set<() => void>()

/** The engine behind the API, whose backtests the tests can hold back. */
function holding(engine: Engine): Pick<Engine, 'executions'> {
  return {
    executions: (chainId, block, requests, context) =>
      new Promise((resolve, reject) => {
        const go = () => resolve(engine.executions(chainId, block, requests, context))
        if (!isHeld) return go()
        held.add(go)
        context.signal.addEventListener('abort', () => reject(context.signal.reason))
      }),
  }
}

function release(): void {
  isHeld = false
  for (const go of held) go()
  held.clear()
}

const plain: Pick<Engine, 'executions'> = {
  executions: async (_chainId, _block, requests) =>
    requests.map((_request, index) =>
      index % 2
        ? { status: 'reverted', reason: 'too little', gas: 50_000n }
        : { status: 'filled', outputs: [{ token: usdc, amount: 5n }], gas: 100_000n },
    ),
}

let api: TestApi & { close(): Promise<void> }
beforeAll(async () => {
  api = await openTestApi({}, holding(plain as Engine))
})
afterAll(() => api.close())

const body = {
  name: 'ten blocks',
  blocks: { from: blockNumber - 9, to: 'latest' },
  requests: [
    { name: 'a', tokenIn: weth, tokenOut: usdc, amountIn: '1000' },
    { name: 'b', tokenIn: usdc, tokenOut: weth, amountIn: '5' },
  ],
  variants: [{ name: 'all' }, { name: 'short', maxHops: 1 }],
  delays: 1,
}

async function create(change: object = {}): Promise<string> {
  const { status, body: job } = await api.post('/backtests', { ...body, ...change })
  expect(status).toBe(200)
  return job.id
}

/** The progress until the job is over. */
async function follow(id: string) {
  const stream = await openStream(`${api.url}/api/v1/backtests/${id}/events`)
  const seen = []
  for (;;) {
    const event = await stream.next()
    seen.push(event)
    if (['finished', 'cancelled', 'failed'].includes(event.body.state)) break
  }
  await stream.end()
  return seen
}

async function remove(id: string): Promise<Reply> {
  const response = await fetch(`${api.url}/api/v1/backtests/${id}`, { method: 'DELETE' })
  return {
    status: response.status,
    headers: response.headers,
    text: '',
    body: await response.json(),
  }
}

describe('a job', () => {
  test('is created, followed by events to its end, shown and listed', async () => {
    const created = await api.post('/backtests', body)
    expect(created.body).toMatchObject({
      name: 'ten blocks',
      chainId: 1,
      blocksTotal: 10,
      problem: null,
      finishedAt: null,
      plan: {
        range: { kind: 'step', from: String(blockNumber - 9), to: String(blockNumber), step: '1' },
        baseline: 'all',
        delays: [1],
      },
    })
    const { id } = created.body
    const seen = await follow(id)
    expect(new Set(seen.map(({ event }) => event))).toEqual(new Set(['progress']))
    expect(seen.at(-1)).toMatchObject({
      id: '10',
      body: { state: 'finished', blocksDone: 10, blocksTotal: 10, etaSeconds: 0, problem: null },
    })
    const shown = await api.get(`/backtests/${id}`)
    expect(shown.body).toMatchObject({ id, state: 'finished', blocksDone: 10 })
    expect(new Date(shown.body.finishedAt).getTime()).toBeGreaterThan(1_700_000_000_000)
    const { plan: _, ...entry } = shown.body
    expect((await api.get('/backtests')).body).toEqual([entry])
  })

  test('is cancelled while it runs, resumed and removed', async () => {
    isHeld = true
    const id = await create()
    const stream = await openStream(`${api.url}/api/v1/backtests/${id}/events`)
    while ((await stream.next()).body.state !== 'running');
    const cancelled = await api.post(`/backtests/${id}/cancel`, {})
    expect(cancelled).toMatchObject({ status: 200, body: { state: 'cancelled', blocksDone: 0 } })
    expect(await stream.next()).toMatchObject({ body: { state: 'cancelled' } })
    await stream.end()
    release()
    expect((await api.post(`/backtests/${id}/resume`, {})).status).toBe(200)
    expect((await follow(id)).at(-1)).toMatchObject({ body: { state: 'finished' } })
    expect(await remove(id)).toMatchObject({ status: 200, body: { id, state: 'finished' } })
    expect(await api.get(`/backtests/${id}`)).toMatchObject({ status: 404 })
  })

  test('that nobody knows is a 404 everywhere', async () => {
    const gets = ['', '/results', '/results?format=csv', '/summary', '/events']
    const answers = await Promise.all([
      ...gets.map((path) => api.get(`/backtests/nobody${path}`)),
      ...['cancel', 'resume'].map((path) => api.post(`/backtests/nobody/${path}`, {})),
      remove('nobody'),
    ])
    for (const { status, body } of answers) {
      expect(status).toBe(404)
      expect(body).toMatchObject({ code: 'NOT_FOUND', message: 'There is no backtest nobody.' })
    }
  })

  test('of a wrong plan is refused with every mistake', async () => {
    const wrong = { ...body, blocks: { from: 'x' }, variants: [{ maxHop: 1 }], chainId: 99 }
    expect(await api.post('/backtests', wrong)).toMatchObject({
      status: 400,
      body: {
        code: 'INVALID_REQUEST',
        message: [
          'variants[0].maxHop is no field',
          expect.stringMatching(/^blocks\.from must be a block number, latest/),
        ],
      },
    })
    expect(await api.post('/backtests', { ...body, chainId: 99 })).toMatchObject({
      status: 400,
      body: { code: 'UNKNOWN_CHAIN' },
    })
    expect(await api.post('/backtests', [])).toMatchObject({ status: 400 })
    expect(await api.get('/backtests/x?format=json', { 'x-request-id': 'r' })).toMatchObject({
      status: 404,
      body: { requestId: 'r' },
    })
  })
})

describe('results', () => {
  let id = ''
  beforeAll(async () => {
    id = await create()
    await follow(id)
  })
  const results = (query: string) => api.get(`/backtests/${id}/results?${query}`)

  test('come in pages of blocks, with the rows in the order of the plan', async () => {
    const first = (await results('limit=4')).body
    expect(first.next).toBe(blockNumber - 5)
    const second = (await results(`limit=4&from=${first.next}`)).body
    const third = (await results(`limit=4&from=${second.next}`)).body
    expect(third.next).toBeNull()
    const blocks = [first, second, third].flatMap((page) => page.blocks)
    expect(blocks.map((block) => block.blockNumber)).toEqual(
      Array.from({ length: 10 }, (_block, index) => blockNumber - 9 + index),
    )
    expect((await results('')).body).toEqual({ blocks, next: null })
    const [block] = blocks
    expect(block.rows.map(({ request, variant }: never) => [request, variant])).toEqual([
      ['a', 'all'],
      ['a', 'short'],
      ['b', 'all'],
      ['b', 'short'],
    ])
    expect(block.rows[0]).toMatchObject({
      amountsOut: [expect.stringMatching(/^\d+$/)],
      executions: [{ delay: 1, status: 'filled', amountsOut: ['5'], gas: '100000' }],
    })
    expect(block.rows[2].executions).toEqual([
      { delay: 1, status: 'reverted', gas: '50000', reason: 'too little' },
    ])
  })

  test.each([
    ['format=jsonl', 'application/x-ndjson', 'results.jsonl', 40],
    ['format=csv', 'text/csv; charset=utf-8', 'routes.csv', 41],
    ['format=csv&table=executions', 'text/csv; charset=utf-8', 'executions.csv', 41],
  ])('%s is a file with a line per row', async (query, type, name, lines) => {
    const { status, headers, text } = await results(query)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('content-disposition')).toBe(`inline; filename="${name}"`)
    expect(text.trim().split('\n')).toHaveLength(lines)
  })

  test('are a page of its own, Parquet and SQLite as well', async () => {
    const page = await results('format=html')
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    )
    expect(page.text).toMatch(/^<!doctype html>/i)
    expect((await results('format=parquet')).text.slice(0, 4)).toBe('PAR1')
    expect((await results('format=sqlite')).text.slice(0, 15)).toBe('SQLite format 3')
  })

  test('have a summary per variant', async () => {
    const { status, body: summary } = await api.get(`/backtests/${id}/summary`)
    expect(status).toBe(200)
    expect(summary).toMatchObject({ blocks: 10, variants: [{ variant: 'all', rows: 20 }, {}] })
  })

  test.each([
    ['format=xml', 'format must be one of json, jsonl, csv, parquet, sqlite, html'],
    [
      'format=csv&table=transactions',
      'table must be routes, executions or deliveries: the job is a backtest',
    ],
    ['limit=0', 'limit must be an integer from 1 to 200'],
  ])('%s is refused', async (query, message) => {
    expect(await results(query)).toMatchObject({ status: 400, body: { message } })
  })
})

describe('large results', () => {
  let id: string
  let large: TestApi
  const closing: (() => Promise<void>)[] = []

  /** 9,000 rows in three blocks, as a service stores them. */
  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-large-'))
    const store = openSqliteStore(dataDir)
    const job = sampleJob({ blocks: 3, requests: 100, variants: 30, delays: [] })
    const { range } = job.plan
    const blocks = [0n, 1n, 2n].map((index) => range.from + index)
    id = (await store.add(job.plan, blocks, `0x${'12'.repeat(32)}`, { open: 1, stored: 1 })).id
    await store.setState(id, 'cancelled')
    for await (const block of sampleResults(job)) await store.put(id, block)
    await store.close()
    const opened = await openTestApi({ DATA_DIR: dataDir })
    large = opened
    closing.push(opened.close, async () => rmSync(dataDir, { recursive: true, force: true }))
  }, 60_000)
  afterAll(async () => {
    for (const close of closing) await close()
  })

  test('a page of JSON ends with the block that has its 5,000th row', async () => {
    const { body: page } = await large.get(`/backtests/${id}/results?limit=200`)
    expect(page.blocks).toHaveLength(2)
    expect(page.next).toBe(page.blocks[1].blockNumber + 1)
  })
})

describe('jobs of others', () => {
  const small = { ...body, blocks: { from: blockNumber, to: blockNumber } }

  /** Keys of two accounts, and one of an admin; a job of the first. */
  async function start(env: Record<string, string> = {}) {
    const own = await startTestApi({ AUTH_MODE: 'key', ...env })
    const key = (name: string, isAdmin = false) => bearer(own.keys.createKey({ name, isAdmin }).key)
    const [owner, other, admin] = [key('owner'), key('other'), key('admin', true)]
    const { body: job } = await own.post('/backtests', small, owner)
    const ask = async (method: string, path: string, headers: Record<string, string>) => {
      const { status } = await fetch(`${own.url}/api/v1/backtests${path}`, { method, headers })
      return status
    }
    return { own, owner, other, admin, ask, id: job.id as string }
  }

  const changes = [
    ['POST', '/cancel'],
    ['POST', '/resume'],
    ['DELETE', ''],
  ] as const

  test('are cancelled, continued and removed by the account that created them and by admins alone', async () => {
    const { own, owner, other, admin, ask, id } = await start()
    for (const [method, path] of changes)
      expect(await ask(method, `/${id}${path}`, other)).toBe(403)
    expect(await ask('GET', `/${id}`, other)).toBe(200)
    expect((await own.get('/backtests', other)).body).toHaveLength(1)
    expect(await ask('POST', `/${id}/cancel`, owner)).toBe(200)
    expect(await ask('DELETE', `/${id}`, admin)).toBe(200)
    expect(await ask('GET', `/${id}`, owner)).toBe(404)
  })

  test('are not there for others where BACKTESTS_PRIVATE is on', async () => {
    const { own, owner, other, admin, ask, id } = await start({ BACKTESTS_PRIVATE: 'on' })
    const reads = ['', '/results', '/results?format=csv', '/summary', '/events'].map(
      (path) => ['GET', path] as const,
    )
    for (const [method, path] of [...reads, ...changes]) {
      expect(await ask(method, `/${id}${path}`, other), path).toBe(404)
    }
    const listed = await Promise.all(
      [owner, other, admin].map(async (key) => (await own.get('/backtests', key)).body.length),
    )
    expect(listed).toEqual([1, 0, 1])
    expect(await ask('GET', `/${id}/summary`, owner)).toBe(200)
    expect(await ask('GET', `/${id}/summary`, admin)).toBe(200)
  })

  test('an account that has as many as it may is refused, and others are not', async () => {
    const { own, owner, other } = await start({ BACKTESTS_MAX_STORED: '1' })
    const refused = await own.post('/backtests', small, owner)
    expect([refused.status, refused.body.code]).toEqual([429, 'TOO_MANY_BACKTESTS'])
    expect((await own.post('/backtests', small, other)).status).toBe(200)
  })
})

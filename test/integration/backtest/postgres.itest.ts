/** The store of backtests on a real PostgreSQL, by itself and shared by coordinators and workers. */
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createBullmqEngine } from '../../../src/backtest/engines/bullmq-engine.js'
import { startQueueWorker } from '../../../src/backtest/engines/queue-worker.js'
import { createBacktests } from '../../../src/backtest/jobs.js'
import { openPostgresStore } from '../../../src/backtest/stores/postgres-store.js'
import type { BacktestStore } from '../../../src/backtest/stores/store.js'
import type { BacktestBlock } from '../../../src/domain/backtest.js'
import type { Engine } from '../../../src/domain/engine.js'
import { createLogger } from '../../../src/log.js'
import { blockOf, planOf } from '../../support/backtest/backtests.js'
import { startPostgres, type TestPostgres } from '../../support/backtest/postgres.js'
import { startRedis, type TestRedis } from '../../support/backtest/redis.js'
import { storeContract } from '../../support/backtest/store-contract.js'

let postgres: TestPostgres
let redis: TestRedis
const lines: string[] = []
const logger = createLogger('debug', { write: (line) => void lines.push(line) })

beforeAll(async () => {
  ;[postgres, redis] = await Promise.all([startPostgres(), startRedis()])
})
afterAll(async () => {
  await Promise.all([postgres?.stop(), redis?.stop()])
  expect(lines.join('')).not.toContain(postgres.password)
})

function open(serviceName = 'svc', databaseUrl = postgres.url): BacktestStore {
  return openPostgresStore({ databaseUrl, serviceName })
}

function opened(serviceName?: string, databaseUrl?: string) {
  const store = open(serviceName, databaseUrl)
  onTestFinished(() => store.close())
  return store
}

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(postgres.url)
  await client.connect()
  onTestFinished(() => client.end())
  return (await client.query(text)).rows
}

storeContract('openPostgresStore', async () => open())

test('several that find no tables make them once, also in a schema that somebody made for them', async () => {
  await query('CREATE SCHEMA forkroute_fresh')
  const stores = Array.from({ length: 4 }, () => opened('fresh'))
  expect(await Promise.all(stores.map((store) => store.jobs()))).toEqual([[], [], [], []])
})

test('installations with different names do not see each other', async () => {
  const [one, other] = [opened('one'), opened('other')]
  const { id } = await one.add(planOf(), [1n])
  expect(await other.job(id)).toBeNull()
})

test('the tables can be read with SQL: amounts as numbers that lose nothing', async () => {
  const store = opened('sql')
  const { id } = await store.add(planOf(), [10n])
  await store.put(id, blockOf(10n))
  const [row] = await query(
    `SELECT (amounts_out[1] - 10 = 2::numeric ^ 200) AS is_exact, path->0->>'protocol' AS protocol
     FROM forkroute_sql.routes WHERE variant = 'default'`,
  )
  expect(row).toEqual({ is_exact: true, protocol: 'uniswap-v2' })
})

test('what Postgres takes for no text is stored with a replacement', async () => {
  const store = opened('text')
  const { id } = await store.add(planOf(), [10n])
  const [found, ...others] = blockOf(10n).rows
  if (!found) throw new Error('no row')
  const reverted = (reason: string) => ({
    ...blockOf(10n),
    rows: [
      { ...found, executions: [{ delay: 1, status: 'reverted' as const, reason, gas: 1n }] },
      ...others,
    ],
  })
  await store.put(id, reverted('a\0b\ud800c \ud83d\ude00'))
  const stored: BacktestBlock[] = []
  for await (const block of store.results(id)) stored.push(block)
  expect(stored).toEqual([reverted('a\ufffdb\ufffdc \ud83d\ude00')])
})

test('a database that crashes and starts again: who waits for it goes on', async () => {
  const store = opened('crash')
  const { id } = await store.add(planOf(), [10n, 11n])
  await store.put(id, blockOf(10n))
  await postgres.kill()
  const put = store.put(id, blockOf(11n))
  await postgres.start()
  expect(await put).toBe(true)
  expect(await store.pending(id)).toEqual([])
})

test('a later schema is left alone', async () => {
  await opened('later').jobs()
  await query('UPDATE forkroute_later.schema_version SET version = 9')
  await expect(opened('later').jobs()).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: 'The backtests in Postgres have schema version 9; this forkroute knows 1.',
  })
})

test('a wrong password is an error without it', async () => {
  const url = postgres.url.replace(postgres.password, 'wrong-and-secret')
  const problem = await opened('svc', url)
    .jobs()
    .catch((error: unknown) => error)
  expect(problem).toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: 'The backtests in Postgres cannot be read or written (28P01).',
  })
  expect(JSON.stringify(problem)).not.toContain('secret')
})

/** A worker and coordinators on one Redis and one Postgres. */
function company(serviceName: string) {
  const queue = { redisUrl: redis.url, serviceName, kind: 'test', logger }
  const engine = {
    networks: () => [{ id: 1 }],
    changedBlocks: () => Promise.reject(new Error('nobody asked')),
  } as unknown as Engine
  return {
    coordinator() {
      const store = open(serviceName)
      const jobEngine = createBullmqEngine({ ...queue, pending: (job) => store.pending(job) })
      const backtests = createBacktests({
        store,
        jobEngine,
        engine,
        maxBytes: 1e9,
        takesUp: true,
        logger,
      })
      onTestFinished(() => backtests.close())
      return backtests
    },
    worker(store: BacktestStore | null, onCalculate: (block: bigint) => unknown) {
      const worker = startQueueWorker({
        ...queue,
        ...(store && { store }),
        chainIds: [1],
        concurrency: 2,
        lockMs: 2_000,
        async calculate(_plan, block) {
          await onCalculate(block)
          return blockOf(block)
        },
      })
      onTestFinished(() => worker.close(0))
    },
  }
}

const untilOver = async (states: AsyncIterable<{ state: string }>) => {
  let last = ''
  for await (const { state } of states) last = state
  return last
}
const range = { kind: 'step', from: 1n, to: 40n, step: 1n } as const
const wanted = Array.from({ length: 40 }, (_block, index) => blockOf(BigInt(index + 1)))

async function resultsOf(blocks: AsyncIterable<unknown>): Promise<unknown[]> {
  const found = []
  for await (const block of blocks) found.push(block)
  return found
}

test('a worker writes to Postgres itself; Redis emptied in the middle, no stored block is calculated again', async () => {
  const { coordinator, worker } = company('shared')
  const store = opened('shared')
  const twice: bigint[] = []
  let calculated = 0
  const backtests = coordinator()
  const { id } = await backtests.create(planOf({ range }))
  worker(store, async (block) => {
    if (!(await store.pending(id)).includes(block)) twice.push(block)
    calculated += 1
    if (calculated !== 15) return
    await redis.kill()
    await redis.start(false)
  })
  expect(await untilOver(backtests.watch(id, new AbortController().signal))).toBe('finished')
  expect(await resultsOf(store.results(id))).toEqual(wanted)
  expect(twice).toEqual([])
})

test('a worker with another database, or none, hands its results to the coordinator', async () => {
  const { coordinator, worker } = company('apart')
  worker(opened('another'), () => {})
  worker(null, () => {})
  const backtests = coordinator()
  const { id } = await backtests.create(planOf({ range }))
  expect(await untilOver(backtests.watch(id, new AbortController().signal))).toBe('finished')
  expect(await resultsOf(backtests.results(id))).toEqual(wanted)
})

test('of two coordinators one has the job; when it goes, the other goes on, and each can cancel it', async () => {
  const { coordinator, worker } = company('several')
  const store = opened('several')
  const [one, other] = [coordinator(), coordinator()]
  const calculated: bigint[] = []
  let cancelAt = 30
  const { id } = await one.create(planOf({ range }))
  worker(store, async (block) => {
    calculated.push(block)
    if (calculated.length === 10) await one.close()
    if (calculated.length === cancelAt) await other.cancel(id)
  })
  expect(await untilOver(other.watch(id, new AbortController().signal))).toBe('cancelled')
  cancelAt = -1
  await other.resume(id)
  expect(await untilOver(other.watch(id, new AbortController().signal))).toBe('finished')
  expect(await resultsOf(store.results(id))).toEqual(wanted)
})

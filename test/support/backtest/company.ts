/** The store of backtests on a real PostgreSQL, by itself, or with workers and coordinators that share it and a Redis. */
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { createBullmqEngine } from '../../../src/backtest/engines/bullmq-engine.js'
import { startQueueWorker } from '../../../src/backtest/engines/queue-worker.js'
import { createResultFiles } from '../../../src/backtest/files/result-files.js'
import { createBacktests } from '../../../src/backtest/jobs.js'
import { openPostgresStore } from '../../../src/backtest/stores/postgres-store.js'
import type { BacktestStore } from '../../../src/backtest/stores/store.js'
import type { Engine } from '../../../src/domain/engine.js'
import { createLogger } from '../../../src/telemetry/log.js'
import { blockOf, many } from './backtests.js'
import { startPostgres, type TestPostgres } from './postgres.js'
import { startRedis, type TestRedis } from './redis.js'

/** Call in a file; PostgreSQL is there when its tests run. */
export function withPostgres() {
  let postgres: TestPostgres

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.stop())

  function open(serviceName = 'svc', databaseUrl = postgres.url): BacktestStore {
    return openPostgresStore({ databaseUrl, serviceName })
  }

  function opened(serviceName?: string, databaseUrl?: string) {
    const store = open(serviceName, databaseUrl)
    onTestFinished(() => store.close())
    return store
  }

  return { open, opened, postgres: () => postgres }
}

/** Call in a file; PostgreSQL and Redis are there when its tests run. */
export function withCompany() {
  const { open, opened, postgres } = withPostgres()
  let redis: TestRedis
  const lines: string[] = []
  const logger = createLogger('debug', { write: (line) => void lines.push(line) })

  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(async () => {
    await redis?.stop()
    expect(lines.join('')).not.toContain(postgres().password)
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
          files: createResultFiles({ dataDir: '', databaseUrl: postgres().url, serviceName }),
          engine,
          maxBytes: 1e9,
          limits: many,
          isPrivate: false,
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

  return { opened, company, postgres, redis: () => redis }
}

export const untilOver = async (states: AsyncIterable<{ state: string }>) => {
  let last = ''
  for await (const { state } of states) last = state
  return last
}
export const range = { kind: 'step', from: 1n, to: 40n, step: 1n } as const
export const wanted = Array.from({ length: 40 }, (_block, index) => blockOf(BigInt(index + 1)))

export async function resultsOf(blocks: AsyncIterable<unknown>): Promise<unknown[]> {
  const found = []
  for await (const block of blocks) found.push(block)
  return found
}

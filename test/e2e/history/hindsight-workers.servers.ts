/** A job of hindsight by `forkroute worker` processes over Redis: what they find is what a service without them finds. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { startRedis, type TestRedis } from '../../support/backtest/redis.js'
import { startWorkerProcess, type WorkerProcess } from '../../support/backtest/worker-process.js'
import { startService, type TestService } from '../../support/service/service.js'

/** What decides answers has to be the same everywhere. */
const settings = { AUTH_MODE: 'open', WORKERS: '1', FORKS_PER_BLOCK: '1', CANDIDATES: '4' }
/** Traders swap in each of them. */
const blocks = { chainId: 1, fromBlock: 362, toBlock: 363 }

let sandbox: Sandbox
let redis: TestRedis
let alone: TestService
let coordinator: TestService
let folder: string
const workers: WorkerProcess[] = []

beforeAll(async () => {
  ;[sandbox, redis, folder] = await Promise.all([
    startSandbox(),
    startRedis(),
    mkdtemp(join(tmpdir(), 'forkroute-hindsight-workers-')),
  ])
  const node = { ...settings, RPC_URL_1: sandbox.url }
  const queue = { ...node, REDIS_URL: redis.url }
  alone = await startService(node)
  coordinator = await startService(queue)
  for (const name of ['one', 'two']) {
    workers.push(startWorkerProcess({ ...queue, DATA_DIR: join(folder, name) }))
  }
  await Promise.all(workers.map(({ ready }) => ready))
}, 600_000)

afterAll(async () => {
  for (const { child } of workers) child.kill('SIGKILL')
  await coordinator?.stop()
  await alone?.stop()
  await Promise.all([sandbox?.stop(), redis?.stop()])
  if (folder) await rm(folder, { recursive: true, force: true })
})

/** What a job tells of the transactions: it has no deadline that a busy machine could miss. */
async function transactionsOf(service: TestService) {
  const started = await service.post('/api/v1/hindsight', { ...blocks, job: true })
  expect(started.status, started.text).toBeLessThan(300)
  const path = `/api/v1/backtests/${started.body.job.id}`
  await service.get(`${path}/events`)
  const { body: job } = await service.get(path)
  expect(job).toMatchObject({ state: 'finished', blocksDone: 2, problem: null })
  const { body: page } = await service.get(`${path}/results`)
  return page.blocks.flatMap((block: { transactions: object[] }) => block.transactions)
}

test('two workers find what a service alone finds, and theirs calculates nothing itself', async () => {
  const transactions = await transactionsOf(alone)
  const results = transactions.map(
    ({ atItsPlace }: { atItsPlace: { result?: string } | null }) => atItsPlace?.result,
  )
  expect(results.filter(Boolean).length).toBeGreaterThanOrEqual(2)
  expect(await transactionsOf(coordinator)).toEqual(transactions)

  const done = workers.flatMap(({ said }) => said.filter((line) => line.includes('block done')))
  expect(done).toHaveLength(2)
  expect(workers.flatMap(({ said }) => said).join('\n')).not.toContain(redis.password)
}, 600_000)

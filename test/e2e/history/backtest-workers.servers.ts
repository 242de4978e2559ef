/** A backtest by `forkroute worker` processes, of which one is killed in the middle: the same results as by the service alone. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { startPostgres, type TestPostgres } from '../../support/backtest/postgres.js'
import { startRedis, type TestRedis } from '../../support/backtest/redis.js'
import { startWorkerProcess, type WorkerProcess } from '../../support/backtest/worker-process.js'
import { runCli } from '../../support/cli.js'
import { startService, type TestService } from '../../support/service/service.js'

/** What decides answers has to be the same everywhere. */
const settings = { WORKERS: '1', FORKS_PER_BLOCK: '1', CANDIDATES: '4' }
const plan = {
  name: 'three workers',
  blocks: { from: 'latest-9', to: 'latest-2' },
  requests: [
    {
      name: '1 WETH',
      tokenIn: [sandboxToken('WETH').address],
      tokenOut: [sandboxToken('USDC').address],
      amountIn: [`${10n ** 18n}`],
    },
  ],
  variants: [{ name: 'default' }, { name: 'one hop', maxHops: 1, splits: false }],
  delays: [1],
}

let sandbox: Sandbox
let redis: TestRedis
let postgres: TestPostgres
let alone: TestService
let coordinator: TestService
let folder: string
const workers: WorkerProcess[] = []

beforeAll(async () => {
  ;[sandbox, redis, postgres, folder] = await Promise.all([
    startSandbox(),
    startRedis(),
    startPostgres(),
    mkdtemp(join(tmpdir(), 'forkroute-workers-')),
  ])
  const node = { ...settings, RPC_URL_1: sandbox.url }
  alone = await startService(node)
  coordinator = await startService({ ...node, REDIS_URL: redis.url, DATABASE_URL: postgres.url })
  workers.push(...[1, 2, 3].map(startWorker))
  await Promise.all(workers.map(({ ready }) => ready))
})

afterAll(async () => {
  for (const { child } of workers) child.kill('SIGKILL')
  await coordinator?.stop()
  await alone?.stop()
  await Promise.all([sandbox?.stop(), redis?.stop(), postgres?.stop()])
  if (folder) await rm(folder, { recursive: true, force: true })
})

function startWorker(number: number): WorkerProcess {
  return startWorkerProcess({
    ...settings,
    RPC_URL_1: sandbox.url,
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    DATA_DIR: join(folder, String(number)),
  })
}

async function start(service: TestService): Promise<string> {
  const { status, body, text } = await service.post('/api/v1/backtests', plan)
  expect(status, text).toBeLessThan(300)
  return body.id
}

/** Rows of a finished job, without what each run measures anew. */
async function rowsOf(service: TestService, id: string): Promise<string> {
  await service.get(`/api/v1/backtests/${id}/events`)
  const { body: job } = await service.get(`/api/v1/backtests/${id}`)
  expect(job).toMatchObject({ state: 'finished', blocksDone: 8, problem: null })
  const { text } = await service.get(`/api/v1/backtests/${id}/results`)
  return text.replaceAll(/"milliseconds":[\d.]+/g, '"milliseconds":0')
}

test('three workers, one killed in the middle: the same rows as by the service alone; SIGTERM ends the others in order', async () => {
  const expected = await rowsOf(alone, await start(alone))
  expect(expected.match(/"status":"filled"/g)).toHaveLength(16)

  const id = await start(coordinator)
  const killed = await Promise.race(workers.map(({ firstBlock }) => firstBlock))
  killed.child.kill('SIGKILL')
  const others = workers.filter((worker) => worker !== killed)
  expect(await rowsOf(coordinator, id)).toBe(expected)

  const ends = others.map(({ child }) => once(child, 'exit'))
  for (const { child } of others) child.kill('SIGTERM')
  expect(await Promise.all(ends)).toEqual(others.map(() => [0, null]))
  const log = workers.flatMap(({ said }) => said).join('\n')
  expect(log).toContain('stopped')
  for (const secret of [redis.password, postgres.password]) expect(log).not.toContain(secret)
})

test('a worker without a queue, or with a wrong URL, says so and never shows it', async () => {
  const missing = await runCli(['worker'])
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('REDIS_URL: must be set') })
  const wrong = await runCli(['worker'], { REDIS_URL: 'http://:hush@queue.example' })
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('REDIS_URL: must be a URL') })
  expect(wrong.err).not.toContain('hush')
})

/** Jobs through a real Redis, with workers and coordinators of the test's own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { createBullmqEngine } from '../../../src/backtest/engines/bullmq-engine.js'
import type { CalculateBlock, OnBlock } from '../../../src/backtest/engines/job-engine.js'
import { type QueueWorker, startQueueWorker } from '../../../src/backtest/engines/queue-worker.js'
import type { BacktestJob, JobBlock } from '../../../src/domain/backtest.js'
import { createLogger } from '../../../src/telemetry/log.js'
import { account, blockOf, planOf } from './backtests.js'
import { startRedis, type TestRedis } from './redis.js'

/** Call in a file; Redis is there when its tests run. */
export function withQueue() {
  let redis: TestRedis
  const lines: string[] = []
  const logger = createLogger('debug', { write: (line) => void lines.push(line) })
  let kinds = 0

  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(async () => {
    await redis?.stop()
    const log = lines.join('')
    expect(log).not.toContain(redis.password)
  })

  /** Every test has a kind of its own, so that none meets what another left. */
  function context(redisUrl = redis.url) {
    kinds += 1
    const options = { redisUrl, serviceName: `svc${kinds}`, kind: 'test', logger }
    const workers: QueueWorker[] = []
    const pending = async () => blocks(1, 1_000)
    const engines: ReturnType<typeof createBullmqEngine>[] = []
    onTestFinished(async () => {
      for (const engine of engines) await engine.close()
      for (const worker of workers) await worker.close(0)
    })
    return {
      options,
      engine() {
        const engine = createBullmqEngine({ ...options, pending, retryMs: 10 })
        engines.push(engine)
        return engine
      },
      worker(calculate: CalculateBlock = async (_plan, block) => blockOf(block)) {
        const worker = startQueueWorker({
          ...options,
          calculate,
          chainIds: [1],
          concurrency: 2,
          lockMs: 2_000,
        })
        workers.push(worker)
        return worker
      },
      process: (blockMs: number) => startProcess(redis.url, options.serviceName, blockMs),
    }
  }

  return { context, redis: () => redis, log: () => lines.join('') }
}

interface WorkerProcess {
  readonly child: ChildProcess
  go(): void
  readonly begun: string[]
  readonly ended: string[]
  /** Resolves at the next line that says so. */
  next(what: 'begin' | 'end'): Promise<void>
}

/** It is there, and takes no work before `go`. */
async function startProcess(
  redisUrl: string,
  serviceName: string,
  blockMs: number,
): Promise<WorkerProcess> {
  const entry = fileURLToPath(new URL('./cheap-worker.js', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', entry], {
    env: {
      PATH: process.env.PATH,
      REDIS_URL: redisUrl,
      SERVICE_NAME: serviceName,
      LOCK_MS: '1000',
      BLOCK_MS: String(blockMs),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = createInterface({ input: child.stdout })
  const begun: string[] = []
  const ended: string[] = []
  said.on('line', (line) => {
    const [word, block = ''] = line.split(' ')
    if (word === 'begin') begun.push(block)
    if (word === 'end') ended.push(block)
    said.emit(`said-${word}`)
  })
  await once(said, 'said-ready')
  return {
    child,
    go: () => void child.stdin.write('go\n'),
    begun,
    ended,
    next: async (what) => void (await once(said, `said-${what}`)),
  }
}

export function blocks(from: number, to: number): bigint[] {
  return Array.from({ length: to - from + 1 }, (_none, index) => BigInt(from + index))
}

export function jobOf(blocksTotal: number): BacktestJob {
  const times = { createdAt: 0, finishedAt: null }
  const state = { state: 'running', problem: null, blocksTotal, blocksDone: 0 } as const
  const { name, chainId } = planOf()
  return { id: 'job', plan: planOf(), name, chainId, accountId: account, ...state, ...times }
}

/** What a store would hold. */
export function memory(onPut?: (count: number) => void | Promise<void>) {
  const stored = new Map<bigint, JobBlock>()
  const put: OnBlock = async (block) => {
    if ('isStored' in block) throw new Error('nobody else stores')
    expect(stored.has(block.blockNumber)).toBe(false)
    stored.set(block.blockNumber, block)
    await onPut?.(stored.size)
  }
  return {
    stored,
    put,
    check(wanted: readonly bigint[]) {
      expect([...stored.keys()].toSorted((a, b) => Number(a - b))).toEqual(wanted)
      for (const block of wanted) expect(stored.get(block)).toEqual(blockOf(block))
    },
  }
}

export const never: AbortSignal = new AbortController().signal

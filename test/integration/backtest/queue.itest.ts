/** Jobs through a real Redis: what becomes of them when workers, coordinators and Redis itself go away and come back. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleepUntilAborted } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createBullmqEngine } from '../../../src/backtest/engines/bullmq-engine.js'
import type { CalculateBlock, OnBlock } from '../../../src/backtest/engines/job-engine.js'
import { type QueueWorker, startQueueWorker } from '../../../src/backtest/engines/queue-worker.js'
import { queueNames } from '../../../src/backtest/engines/redis.js'
import type { BacktestBlock, BacktestJob } from '../../../src/domain/backtest.js'
import { ForkrouteError } from '../../../src/domain/errors.js'
import { createLogger } from '../../../src/log.js'
import { blockOf, planOf } from '../../support/backtest/backtests.js'
import { startRedis, type TestRedis } from '../../support/backtest/redis.js'

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
function scene(redisUrl = redis.url) {
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
    process: (blockMs: number) => startProcess(options.serviceName, blockMs),
  }
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
async function startProcess(serviceName: string, blockMs: number): Promise<WorkerProcess> {
  const entry = fileURLToPath(new URL('../../support/backtest/cheap-worker.js', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', entry], {
    env: {
      PATH: process.env.PATH,
      REDIS_URL: redis.url,
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

function blocks(from: number, to: number): bigint[] {
  return Array.from({ length: to - from + 1 }, (_none, index) => BigInt(from + index))
}

function jobOf(blocksTotal: number): BacktestJob {
  const times = { createdAt: 0, finishedAt: null }
  const state = { state: 'running', problem: null, blocksTotal, blocksDone: 0 } as const
  return { id: 'job', plan: planOf(), ...state, ...times }
}

/** What a store would hold. */
function memory(onPut?: (count: number) => void | Promise<void>) {
  const stored = new Map<bigint, BacktestBlock>()
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

function deferred<T>() {
  let resolve: (value: T | PromiseLike<T>) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

const never = new AbortController().signal

describe('jobs on a queue', () => {
  test('300 blocks by two workers arrive as they were calculated, each once', async () => {
    const { engine, worker } = scene()
    worker()
    worker()
    const results = memory()
    await engine().run(jobOf(300), blocks(1, 300), results.put, never)
    results.check(blocks(1, 300))
  })

  test('what workers are slow with is calculated by nobody else', async () => {
    const { engine, worker } = scene()
    const calculated: bigint[] = []
    for (let count = 0; count < 4; count += 1) {
      worker(async (_plan, block) => {
        calculated.push(block)
        // The coordinator looks what is missing meanwhile.
        if (block % 4n === 2n && block < 32n) await sleepUntilAborted(1_500)
        return blockOf(block)
      })
    }
    const results = memory()
    await engine().run(jobOf(64), blocks(1, 64), results.put, never)
    results.check(blocks(1, 64))
    expect(calculated).toHaveLength(64)
  })

  test('a worker killed in the middle: another takes up its chunk, and only the block it was at is calculated again', async () => {
    const { engine, process } = scene()
    const [first, second] = await Promise.all([process(100), process(0)])
    first.go()
    const results = memory()
    const run = engine().run(jobOf(64), blocks(1, 64), results.put, never)
    await first.next('end')
    await first.next('begin')
    first.child.kill('SIGKILL')
    second.go()
    await run
    results.check(blocks(1, 64))
    const interrupted = first.begun.filter((block) => !first.ended.includes(block))
    expect(interrupted).toHaveLength(1)
    const twice = second.begun.filter((block) => first.begun.includes(block))
    expect(twice).toEqual(interrupted)
  })

  test.each([true, false])(
    'Redis killed and started again in the middle, its data kept: %s',
    async (keep) => {
      const { engine, worker } = scene()
      worker(async (_plan, block, signal) => {
        await sleepUntilAborted(5, undefined, { signal })
        return blockOf(block)
      })
      const results = memory(async (count) => {
        if (count !== 20) return
        await redis.kill()
        await redis.start(keep)
      })
      await engine().run(jobOf(60), blocks(1, 60), results.put, never)
      results.check(blocks(1, 60))
    },
  )

  test('Redis is not there at the start: the job waits for it', async () => {
    const { engine, worker } = scene()
    await redis.kill()
    worker()
    const results = memory()
    const run = engine().run(jobOf(5), blocks(1, 5), results.put, never)
    await redis.start(true)
    await run
    results.check(blocks(1, 5))
    expect(lines.join('')).toContain('Redis does not answer; waiting for it')
  })

  test('a job is cancelled while Redis is away', async () => {
    const { engine } = scene()
    await redis.kill()
    const cancelling = new AbortController()
    const run = engine().run(jobOf(5), blocks(1, 5), memory().put, cancelling.signal)
    cancelling.abort(new Error('cancelled'))
    await expect(run).rejects.toThrow('cancelled')
    await redis.start(true)
  })

  test('a password that Redis refuses: the job fails and says so', async () => {
    const { engine } = scene(redis.url.replace(redis.password, 'another'))
    await expect(engine().run(jobOf(5), blocks(1, 5), memory().put, never)).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: expect.stringMatching(/^Redis refuses the request \((NOAUTH|WRONGPASS)\)\.$/),
    })
  })

  test('cancelling gives up what workers are at; resumed, the job does what is left', async () => {
    const { engine, worker } = scene()
    const given = deferred<bigint>()
    let isSlow = true
    worker(async (_plan, block, signal) => {
      if (isSlow && block > 4n) {
        await sleepUntilAborted(600_000, undefined, { signal }).catch((error) => {
          given.resolve(block)
          throw error
        })
      }
      return blockOf(block)
    })
    const cancelling = new AbortController()
    const results = memory((count) => {
      if (count === 4) cancelling.abort(new Error('cancelled'))
    })
    const one = engine()
    const run = one.run(jobOf(20), blocks(1, 20), results.put, cancelling.signal)
    await expect(run).rejects.toThrow('cancelled')
    expect(await given.promise).toBeGreaterThan(4n)
    results.check(blocks(1, 4))
    isSlow = false
    await one.run(jobOf(20), blocks(5, 20), results.put, never)
    results.check(blocks(1, 20))
  })

  test('a coordinator that died: workers go on, the next one takes what they found', async () => {
    const { engine, worker } = scene()
    const calculated: bigint[] = []
    const all = deferred<void>()
    const dead = engine()
    worker(async (_plan, block) => {
      calculated.push(block)
      if (block === 1n) await dead.close()
      if (calculated.length === 24) all.resolve()
      return blockOf(block)
    })
    void dead.run(jobOf(24), blocks(1, 24), memory().put, never).catch(() => {})
    await all.promise
    const results = memory()
    await engine().run(jobOf(24), blocks(1, 24), results.put, never)
    results.check(blocks(1, 24))
    expect(calculated).toHaveLength(24)
  })

  test('a block that cannot be calculated is tried three times, then the job fails with the reason, and can be resumed', async () => {
    const { engine, worker } = scene()
    let tries = 0
    let isBroken = true
    worker(async (_plan, block) => {
      if (block === 6n && isBroken) {
        tries += 1
        throw new ForkrouteError('UNKNOWN_BLOCK', 'The block 6 needs an archive node.', {
          block: 6,
        })
      }
      return blockOf(block)
    })
    const results = memory()
    const one = engine()
    await expect(one.run(jobOf(12), blocks(1, 12), results.put, never)).rejects.toMatchObject({
      code: 'UNKNOWN_BLOCK',
      message: 'The block 6 needs an archive node.',
      details: { block: 6 },
    })
    expect(tries).toBe(3)
    isBroken = false
    const left = blocks(1, 12).filter((block) => !results.stored.has(block))
    await one.run(jobOf(12), left, results.put, never)
    results.check(blocks(1, 12))
  })

  test('a worker that is stopped finishes its blocks and gives back what it has not begun', async () => {
    const { engine, worker } = scene()
    const calculated: bigint[] = []
    const closing = deferred<void>()
    const stopped = worker(async (_plan, block) => {
      calculated.push(block)
      if (block === 2n) closing.resolve(stopped.close(600_000))
      return blockOf(block)
    })
    const results = memory()
    const run = engine().run(jobOf(64), blocks(1, 64), results.put, never)
    await closing.promise
    expect(stopped.blocksDone).toBe(calculated.length)
    expect(calculated).not.toContain(4n)
    worker(async (_plan, block) => {
      calculated.push(block)
      return blockOf(block)
    })
    await run
    results.check(blocks(1, 64))
    expect(calculated).toHaveLength(64)
  })

  test('a worker of another kind leaves the job alone and says so', async () => {
    const { engine, options, worker } = scene()
    const results = memory()
    const run = engine().run(jobOf(4), blocks(1, 4), results.put, never)
    const client = new Redis(redis.url)
    const { kinds: known } = queueNames(options)
    while ((await client.zscore(known, options.kind)) === null);
    client.disconnect()
    const refused = deferred<void>()
    const other = startQueueWorker({
      ...options,
      kind: 'other',
      logger: createLogger('warn', {
        write: (line) => {
          if (line.includes('refusing jobs') && line.includes(options.kind)) refused.resolve()
        },
      }),
      chainIds: [1],
      concurrency: 1,
      calculate: () => Promise.reject(new Error('nobody asked')),
    })
    await refused.promise
    worker()
    await run
    expect(other.blocksDone).toBe(0)
    await other.close(0)
    results.check(blocks(1, 4))
  })

  test('results that are none fail the job and are named', async () => {
    const { engine, options } = scene()
    const client = new Redis(redis.url)
    await client.xadd(queueNames(options).results('job'), '*', 'block', '{"blockNumber":1}')
    client.disconnect()
    await expect(engine().run(jobOf(4), blocks(1, 4), memory().put, never)).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('not results of a block (blockNumber'),
    })
  })
})

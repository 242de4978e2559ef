/** Jobs through a real Redis: what becomes of them when workers and coordinators go away and come back. */
import { setTimeout as sleepUntilAborted } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { startQueueWorker } from '../../../src/backtest/engines/queue-worker.js'
import { queueNames } from '../../../src/backtest/engines/redis.js'
import { ForkrouteError } from '../../../src/domain/errors.js'
import { createLogger } from '../../../src/telemetry/log.js'
import { blockOf } from '../../support/backtest/backtests.js'
import { blocks, jobOf, memory, never, withQueue } from '../../support/backtest/queue.js'

const { context, redis } = withQueue()

function deferred<T>() {
  let resolve: (value: T | PromiseLike<T>) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

describe('jobs on a queue', () => {
  test('300 blocks by two workers arrive as they were calculated, each once', async () => {
    const { engine, worker } = context()
    worker()
    worker()
    const results = memory()
    await engine().run(jobOf(300), blocks(1, 300), results.put, never)
    results.check(blocks(1, 300))
  })

  test('what workers are slow with is calculated by nobody else', async () => {
    const { engine, worker } = context()
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

  test('a password that Redis refuses: the job fails and says so', async () => {
    const { engine } = context(redis().url.replace(redis().password, 'another'))
    await expect(engine().run(jobOf(5), blocks(1, 5), memory().put, never)).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: expect.stringMatching(/^Redis refuses the request \((NOAUTH|WRONGPASS)\)\.$/),
    })
  })

  test('cancelling gives up what workers are at; resumed, the job does what is left', async () => {
    const { engine, worker } = context()
    const given = deferred<bigint>()
    const [stored, begun] = [deferred<void>(), deferred<void>()]
    let isSlow = true
    worker(async (_plan, block, signal) => {
      if (isSlow && block > 4n) {
        begun.resolve()
        await sleepUntilAborted(600_000, undefined, { signal }).catch((error) => {
          given.resolve(block)
          throw error
        })
      }
      return blockOf(block)
    })
    const cancelling = new AbortController()
    // A worker that has not begun a further block by then would have nothing to give up.
    void Promise.all([stored.promise, begun.promise]).then(() =>
      cancelling.abort(new Error('cancelled')),
    )
    const results = memory((count) => {
      if (count === 4) stored.resolve()
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
    const { engine, worker } = context()
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
    const { engine, worker } = context()
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
    const { engine, worker } = context()
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
    const { engine, options, worker } = context()
    const results = memory()
    const run = engine().run(jobOf(4), blocks(1, 4), results.put, never)
    const client = new Redis(redis().url)
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
    const { engine, options } = context()
    const client = new Redis(redis().url)
    await client.xadd(queueNames(options).results('job'), '*', 'block', '{"blockNumber":1}')
    client.disconnect()
    await expect(engine().run(jobOf(4), blocks(1, 4), memory().put, never)).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('not results of a block (blockNumber'),
    })
  })
})

/** Jobs through a Redis that is killed and comes back, and workers that are killed. */
import { setTimeout as sleepUntilAborted } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { blockOf } from '../../support/backtest/backtests.js'
import { blocks, jobOf, memory, never, withQueue } from '../../support/backtest/queue.js'

const { context, redis, log } = withQueue()

describe('jobs on a queue', () => {
  test('a worker killed in the middle: another takes up its chunk, and only the block it was at is calculated again', async () => {
    const { engine, process } = context()
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
      const { engine, worker } = context()
      worker(async (_plan, block, signal) => {
        await sleepUntilAborted(5, undefined, { signal })
        return blockOf(block)
      })
      const results = memory(async (count) => {
        if (count !== 20) return
        await redis().kill()
        await redis().start(keep)
      })
      await engine().run(jobOf(60), blocks(1, 60), results.put, never)
      results.check(blocks(1, 60))
    },
  )

  test('Redis is not there at the start: the job waits for it', async () => {
    const { engine, worker } = context()
    await redis().kill()
    worker()
    const results = memory()
    const run = engine().run(jobOf(5), blocks(1, 5), results.put, never)
    await redis().start(true)
    await run
    results.check(blocks(1, 5))
    expect(log()).toContain('Redis does not answer; waiting for it')
  })

  test('a job is cancelled while Redis is away', async () => {
    const { engine } = context()
    await redis().kill()
    const cancelling = new AbortController()
    const run = engine().run(jobOf(5), blocks(1, 5), memory().put, cancelling.signal)
    cancelling.abort(new Error('cancelled'))
    await expect(run).rejects.toThrow('cancelled')
    await redis().start(true)
  })
})

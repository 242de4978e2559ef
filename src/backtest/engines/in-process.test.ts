import { describe, expect, test } from 'vitest'
import type { BacktestBlock, BacktestJob } from '../../domain/backtest.js'
import { createInProcessEngine } from './in-process.js'

const job = { id: 'a', plan: {} } as BacktestJob
const blockOf = (blockNumber: bigint) => ({ blockNumber }) as BacktestBlock
const never = new AbortController().signal

describe('createInProcessEngine', () => {
  test('blocks are begun in ascending order, so many at a time', async () => {
    let running = 0
    let most = 0
    const begun: bigint[] = []
    const done: bigint[] = []
    const engine = createInProcessEngine(
      async (_plan, number) => {
        begun.push(number)
        most = Math.max(most, ++running)
        await new Promise(setImmediate)
        running -= 1
        return blockOf(number)
      },
      { blocksAtOnce: 3 },
    )
    const blocks = Array.from({ length: 10 }, (_block, index) => BigInt(index))
    await engine.run(job, blocks, async ({ blockNumber }) => void done.push(blockNumber), never)
    expect(begun).toEqual(blocks)
    expect(done.sort((a, b) => Number(a - b))).toEqual(blocks)
    expect(most).toBe(3)
  })

  test('the first block that fails ends the others, and no more are begun', async () => {
    const begun: bigint[] = []
    const engine = createInProcessEngine(
      (_plan, number, signal) => {
        begun.push(number)
        if (number === 1n) return Promise.reject(new Error('no such state'))
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        })
      },
      { blocksAtOnce: 2 },
    )
    const run = engine.run(job, [0n, 1n, 2n, 3n], async () => {}, never)
    await expect(run).rejects.toThrow('no such state')
    expect(begun).toEqual([0n, 1n])
  })

  test('an abort gives up what is under way, with its reason', async () => {
    const stop = new AbortController()
    const engine = createInProcessEngine(
      (_plan, _number, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
          stop.abort(new Error('enough'))
        }),
      { blocksAtOnce: 1 },
    )
    await expect(engine.run(job, [0n, 1n], async () => {}, stop.signal)).rejects.toThrow('enough')
  })
})

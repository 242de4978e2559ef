/**
 * A worker in a process of its own, whose blocks cost nothing but time. Writes a line when it is there, and at the begin
 * and end of each block; begins when it reads anything.
 */
import { setTimeout } from 'node:timers/promises'
import { startQueueWorker } from '../../../src/backtest/engines/queue-worker.js'
import { createLogger } from '../../../src/telemetry/log.js'
import { blockOf } from './backtests.js'

const { REDIS_URL = '', SERVICE_NAME = '', LOCK_MS, BLOCK_MS } = process.env

process.stdin.once('data', () => {
  startQueueWorker({
    redisUrl: REDIS_URL,
    serviceName: SERVICE_NAME,
    kind: 'test',
    logger: createLogger('warn'),
    chainIds: [1],
    concurrency: 1,
    lockMs: Number(LOCK_MS),
    async calculate(_plan, block, signal) {
      console.log(`begin ${block}`)
      await setTimeout(Number(BLOCK_MS), undefined, { signal })
      return blockOf(block)
    },
    onBlock: (_job, block) => console.log(`end ${block.blockNumber}`),
  })
})
console.log('ready')

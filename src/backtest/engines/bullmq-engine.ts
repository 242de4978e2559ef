/**
 * Calculates the blocks of jobs by workers anywhere (`queue-worker.ts`), through BullMQ on Redis; this is the side of the
 * coordinator. Redis holds nothing that could not be lost: what is missing is known from the coordinator's own list of
 * blocks, and every second chunks of blocks that are in nobody's hands are added again, be it for the first time,
 * because Redis was emptied, or because a worker gave them up.
 *
 *   plan:<job>      the plan, for as long as somebody coordinates the job; without it workers leave the job alone
 *   chunks          BullMQ jobs of a few blocks, by id `<job>.<first>.<last>`, so that adding twice adds once
 *   results:<job>   a stream of calculated blocks; each is removed when the coordinator has stored it
 */
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { untilAborted } from '../../domain/abort.js'
import type { JobEngine } from './job-engine.js'
import { blocksPerChunkOf } from './queue-chunks.js'
import { coordinate, type QueueRun } from './queue-run.js'
import { connectRedis, type QueueOptions, queueName, queueNames } from './redis.js'
import { encodePlan } from './wire.js'

const firstRetryMs = 1_000

/**
 * @param pending - blocks of a job that the store lacks: asked before blocks are calculated again, since workers may have
 *   written to the store themselves.
 * @param retryMs - before the second attempt at a chunk.
 */
export function createBullmqEngine(
  options: QueueOptions & {
    pending(job: string): Promise<readonly bigint[]>
    readonly retryMs?: number
  },
): JobEngine {
  const names = queueNames(options)
  const queues = new Map<number, Queue>()
  let connected: Redis | undefined
  /** Not before there is a job: most services and all workers coordinate none. */
  function link(): Redis {
    connected ??= connectRedis(options)
    return connected
  }
  /** Of the runs: waiting for results occupies a connection. */
  const readers = new Set<Redis>()

  function queueOf(chainId: number): Queue {
    const known = queues.get(chainId)
    if (known) return known
    const queue = new Queue(queueName(chainId), { connection: link(), prefix: names.prefix })
    // Said by the connection already.
    queue.on('error', () => {})
    queues.set(chainId, queue)
    return queue
  }

  /** In the background: Redis may be away, and what is left there expires. */
  function forget(key: string): void {
    link()
      .del(key)
      .catch(() => {})
  }

  return {
    async run(job, blocks, onBlock, signal) {
      const queue = queueOf(job.plan.chainId)
      const redis = link()
      const encodedPlan = encodePlan(job.plan)
      const reader = redis.duplicate()
      // Said by the other connection already.
      reader.on('error', () => {})
      readers.add(reader)
      const run: QueueRun = {
        job,
        queue,
        names,
        redis,
        reader,
        encodedPlan,
        missing: new Set(blocks),
        blocksPerChunk: blocksPerChunkOf(blocks.length),
        pending: options.pending,
        retryMs: options.retryMs ?? firstRetryMs,
        kind: options.kind,
        logger: options.logger,
        onBlock,
        signal,
        asked: new Set(),
        storing: Promise.resolve(),
      }
      const work = coordinate(run)
      // It may end later than this run, with an error that concerns nobody.
      work.catch(() => {})
      try {
        await untilAborted(work, signal)
        forget(names.results(job.id))
      } finally {
        forget(names.plan(job.id))
        readers.delete(reader)
        reader.disconnect()
        await run.storing.catch(() => {})
      }
    },
    async close() {
      for (const reader of readers) reader.disconnect()
      for (const queue of queues.values()) await queue.close().catch(() => {})
      connected?.disconnect()
    },
  }
}

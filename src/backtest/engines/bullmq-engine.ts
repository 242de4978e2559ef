/**
 * The coordinator's engine: has blocks of jobs calculated by workers anywhere (`queue-worker.ts`), through BullMQ on
 * Redis. Everything in Redis may be lost: the coordinator has its own list of missing blocks, and every second adds
 * chunks for blocks that nobody holds, whether they are new, Redis was emptied, or a worker gave them back.
 *
 *   plan:<job>      the plan, as long as somebody coordinates the job; without it workers skip the job
 *   chunks          BullMQ jobs of a few blocks; the id `<job>.<first>.<last>` makes adding one idempotent
 *   results:<job>   a stream of calculated blocks; each is removed once the coordinator has stored it
 */
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { untilAborted } from '../../domain/abort.js'
import type { JobEngine } from './job-engine.js'
import { encodePlan } from './messages.js'
import { blocksPerChunkOf } from './queue-chunks.js'
import { coordinate, type QueueRun } from './queue-run.js'
import { connectRedis, type QueueOptions, queueName, queueNames } from './redis.js'

const firstRetryMs = 1_000

/**
 * @param pending - blocks of a job without a stored result: read before blocks are calculated again, since workers may
 *   have written to the store themselves.
 * @param retryMs - pause before the second attempt at a chunk.
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
  /** Connects only when there is a job: most services and all workers coordinate none. */
  function link(): Redis {
    connected ??= connectRedis(options)
    return connected
  }
  /** Connections of the runs: waiting for results occupies one each. */
  const readers = new Set<Redis>()

  function queueOf(chainId: number): Queue {
    const known = queues.get(chainId)
    if (known) return known
    const queue = new Queue(queueName(chainId), { connection: link(), prefix: names.prefix })
    // The connection reports it already.
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
      // The other connection reports it already.
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

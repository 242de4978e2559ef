/**
 * The coordinator's side of one job in the queue: adds chunks for blocks that nobody holds, and takes results and hands
 * them on, until no block is missing.
 */
import type { JobType, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { z } from 'zod'
import type { JobBlock, PlannedJob } from '../../domain/backtest.js'
import { ForkrouteError, fromWireError } from '../../domain/errors.js'
import { inTrace, traceparent } from '../../telemetry/tracing.js'
import { wireError } from '../../wire/parts.js'
import { chunkFacts, type OnBlock, type StoredBlock } from './job-engine.js'
import { decodeBlock, read } from './messages.js'
import { chunkId, divideBlocks, rangeOf } from './queue-chunks.js'
import {
  assertTransient,
  coordinatorMs,
  type QueueOptions,
  type queueNames,
  reasonOf,
} from './redis.js'

/** Chunks of one job in the queue: enough for a hundred workers, and other jobs do not wait behind all of it. */
const maxChunks = 256
/** Attempts at a chunk, possibly by other workers with other nodes; the pause doubles with each. */
const attempts = 3
const reconcileMs = 1_000
/** Longest single wait for results, which also bounds how long a cancel takes. */
const waitMs = 500
const resultsAtOnce = 8
/** BullMQ states of a chunk that a worker holds or will get. */
const inQueue = ['waiting', 'active', 'delayed', 'prioritized'] as const satisfies JobType[]
/** After this long without results, checks whether there are any workers. */
const idleMs = 15_000

export interface QueueRun extends Pick<QueueOptions, 'kind' | 'logger'> {
  readonly job: PlannedJob
  readonly queue: Queue
  readonly names: ReturnType<typeof queueNames>
  readonly redis: Redis
  /** A connection of its own: waiting for results occupies it. */
  readonly reader: Redis
  readonly encodedPlan: string
  /** Blocks without a result. */
  readonly missing: Set<bigint>
  readonly blocksPerChunk: number
  /** Blocks of a job that the store lacks. */
  readonly pending: (job: string) => Promise<readonly bigint[]>
  /** Pause before the second attempt at a chunk. */
  readonly retryMs: number
  readonly onBlock: OnBlock
  readonly signal: AbortSignal
  /** Blocks that were in the queue at some time. */
  readonly asked: Set<bigint>
  /** What is being handed to `onBlock`. */
  storing: Promise<void>
}

/** Until every block has its result. @throws ForkrouteError for a block that cannot be calculated; the signal's reason. */
export async function coordinate(run: QueueRun): Promise<void> {
  let reconciledAt = Number.NEGATIVE_INFINITY
  let heardAt = performance.now()
  while (run.missing.size > 0) {
    run.signal.throwIfAborted()
    try {
      if (performance.now() - reconciledAt >= reconcileMs) {
        await reconcile(run)
        reconciledAt = performance.now()
      }
      if (run.missing.size > 0 && (await takeResults(run, waitMs))) {
        heardAt = performance.now()
      }
      if (performance.now() - heardAt > idleMs) {
        heardAt = performance.now()
        await sayIdle(run)
      }
    } catch (error) {
      assertTransient(error)
      run.logger.warn({ reason: reasonOf(error) }, 'Redis cannot be used; waiting')
      await new Promise((resolve) => setTimeout(resolve, reconcileMs))
    }
  }
}

/** Publishes the plan and the kind of this coordinator, and keeps both from expiring. */
async function announce({ job, encodedPlan, redis, names, kind }: QueueRun): Promise<void> {
  await redis
    .multi()
    .set(names.plan(job.id), encodedPlan, 'PX', coordinatorMs)
    .zadd(names.kinds, Date.now(), kind)
    .zremrangebyscore(names.kinds, 0, Date.now() - coordinatorMs)
    .exec()
}

/** Takes the errors of failed chunks of the job out of the queue. */
async function takeFailures({ job, queue }: QueueRun): Promise<ForkrouteError[]> {
  const failed = await queue.getJobs(['failed'])
  const own = failed.filter((chunk) => rangeOf(job.id, chunk?.id ?? ''))
  for (const chunk of own) await chunk.remove()
  return own.map(({ id, failedReason }) => failureOf(id ?? '', failedReason ?? ''))
}

/** Adds chunks for blocks that nobody holds. */
async function reconcile(run: QueueRun): Promise<void> {
  await announce(run)
  const [failure] = await takeFailures(run)
  // Chunks that failed before this run began are tried again.
  if (failure && run.asked.size > 0) throw failure
  const ids = await run.queue.getRanges([...inQueue], 0, -1)
  const held = ids.flatMap((id) => rangeOf(run.job.id, id) ?? [])
  // A chunk that has left the queue handed over its results first, so they are all there to take.
  while ((await takeResults(run, null)) > 0) run.signal.throwIfAborted()
  const room = Math.max(0, maxChunks - held.length)
  const free: bigint[] = []
  for (const block of run.missing) {
    if (free.length >= room * run.blocksPerChunk) break
    if (!held.some(({ first, last }) => block >= first && block <= last)) free.push(block)
  }
  await handStored(free, run)
  const blocks = free.filter((block) => run.missing.has(block))
  const chunks = divideBlocks(blocks, held, run.blocksPerChunk).slice(0, room)
  for (const block of chunks.flat()) run.asked.add(block)
  await run.queue.addBulk(await Promise.all(chunks.map((chunk) => toQueued(chunk, run))))
}

/** Blocks that were in the queue before may be in the store by now: workers write there themselves. */
async function handStored(free: readonly bigint[], run: QueueRun): Promise<void> {
  if (!free.some((block) => run.asked.has(block))) return
  const pending = new Set(await run.pending(run.job.id))
  for (const block of free) {
    if (!pending.has(block)) await hand(run, { blockNumber: block, isStored: true })
  }
}

/** With the span that it begins: the worker goes on with its trace. */
function toQueued(chunk: readonly bigint[], run: QueueRun) {
  const facts = chunkFacts(run.job.id, run.job.plan.chainId, chunk.length)
  const queued = async () => toJob(chunk, run, traceparent())
  return inTrace('backtest chunk', queued, { kind: 'producer', facts })
}

function toJob(chunk: readonly bigint[], { job, retryMs }: QueueRun, parent: string | undefined) {
  return {
    name: 'blocks',
    data: { job: job.id, blocks: chunk.map(String), ...(parent && { traceparent: parent }) },
    opts: {
      jobId: chunkId(job.id, chunk),
      attempts,
      backoff: { type: 'exponential', delay: retryMs },
      removeOnComplete: true,
      // Until the coordinator has read why.
      removeOnFail: { age: 86_400, count: 1_000 },
      stackTraceLimit: 0,
    },
  }
}

/** @param wait - milliseconds; null: only what is there. @returns how many there were. */
async function takeResults(run: QueueRun, wait: number | null): Promise<number> {
  const { reader, redis } = run
  const key = run.names.results(run.job.id)
  const found = await (wait === null
    ? reader.xread('COUNT', resultsAtOnce, 'STREAMS', key, '0')
    : reader.xread('COUNT', resultsAtOnce, 'BLOCK', wait, 'STREAMS', key, '0'))
  const entries = found?.[0]?.[1] ?? []
  for (const [id, fields] of entries) {
    run.signal.throwIfAborted()
    await take(run, fields)
    await redis.xdel(key, id)
  }
  return entries.length
}

async function take(run: QueueRun, fields: readonly string[]): Promise<void> {
  const [form, text = ''] = fields
  if (form === 'stored') {
    const stored = read(z.bigint(), text, 'the number of a block')
    if (run.missing.has(stored)) await hand(run, { blockNumber: stored, isStored: true })
    return
  }
  const block = decodeBlock(text)
  if (run.missing.has(block.blockNumber)) await hand(run, block)
}

async function hand(run: QueueRun, block: JobBlock | StoredBlock): Promise<void> {
  run.storing = run.onBlock(block)
  await run.storing
  run.missing.delete(block.blockNumber)
}

async function sayIdle({ job, queue, kind, logger }: QueueRun): Promise<void> {
  if ((await queue.getWorkersCount()) > 0) return
  logger.warn(
    { job: job.id, chainId: job.plan.chainId, kind },
    'a backtest waits: no worker of this version, with these settings and with this chain is there',
  )
}

function failureOf(chunk: string, reason: string): ForkrouteError {
  try {
    return fromWireError(read(wireError, reason, 'an error'))
  } catch {
    // BullMQ's own words: the workers that had the chunk were lost, one after the other.
    const [, first, last] = chunk.split('.')
    return new ForkrouteError(
      'INTERNAL',
      `The blocks ${first} to ${last} were given up: the workers that calculated them were lost.`,
    )
  }
}

/**
 * Calculates the blocks of jobs by workers anywhere (`queue-worker.ts`), through BullMQ on Redis; this is the side of the
 * coordinator. Redis holds nothing that could not be lost: what is missing is told by the coordinator's own list of
 * blocks, and every second chunks of blocks that are in nobody's hands are added again, be it for the first time,
 * because Redis was emptied, or because a worker gave them up.
 *
 *   plan:<job>      the plan, for as long as somebody coordinates the job; without it workers leave the job alone
 *   chunks          BullMQ jobs of a few blocks, by id `<job>.<first>.<last>`, so that adding twice adds once
 *   results:<job>   a stream of calculated blocks; each is removed when the coordinator has stored it
 */
import { type JobType, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { z } from 'zod'
import { untilAborted } from '../../domain/abort.js'
import type { BacktestBlock, BacktestJob } from '../../domain/backtest.js'
import { ForkrouteError, fromWireError } from '../../domain/errors.js'
import type { JobEngine, OnBlock, StoredBlock } from './job-engine.js'
import {
  assertPassing,
  connectRedis,
  coordinatorMs,
  type QueueOptions,
  queueName,
  queueNames,
  reasonOf,
} from './redis.js'
import { decodeBlock, encodePlan, read, wireError } from './wire.js'

/** Neighbours share forks; more of them in a chunk would leave workers idle at the end of a job. */
const maxBlocksPerChunk = 4
/** A small job is cut into so many at least, so that every worker gets a part. */
const minChunks = 16
/** Chunks of one job in the queue: enough for a hundred workers, and other jobs do not wait behind all of it. */
const maxChunks = 256
/** Attempts at a chunk, maybe by other workers, which may have other nodes; each comes twice as late as the one before. */
const attempts = 3
const firstRetryMs = 1_000
const reconcileMs = 1_000
/** One wait for results; a job that is cancelled waits no longer either. */
const waitMs = 500
const resultsAtOnce = 8
/** Where a chunk is that somebody has or will get. */
const inQueue = ['waiting', 'active', 'delayed', 'prioritized'] as const satisfies JobType[]
/** Without results for so long, it is looked whether there are workers at all. */
const idleMs = 15_000

interface Run {
  readonly job: BacktestJob
  readonly queue: Queue
  readonly encodedPlan: string
  /** Blocks without a result. */
  readonly missing: Set<bigint>
  readonly blocksPerChunk: number
  readonly onBlock: OnBlock
  readonly signal: AbortSignal
  /** Blocks that were in the queue at some time. */
  readonly asked: Set<bigint>
  /** What is being handed to `onBlock`. */
  storing: Promise<void>
}

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
  const { logger } = options
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

  /** Says that the job is wanted, and who does. */
  async function announce({ job, encodedPlan }: Run): Promise<void> {
    await link()
      .multi()
      .set(names.plan(job.id), encodedPlan, 'PX', coordinatorMs)
      .zadd(names.kinds, Date.now(), options.kind)
      .zremrangebyscore(names.kinds, 0, Date.now() - coordinatorMs)
      .exec()
  }

  /** Why attempts at chunks of the job were given up; they are forgotten by that. */
  async function takeFailures({ job, queue }: Run): Promise<ForkrouteError[]> {
    const failed = await queue.getJobs(['failed'])
    const own = failed.filter((chunk) => rangeOf(job.id, chunk?.id ?? ''))
    for (const chunk of own) await chunk.remove()
    return own.map(({ id, failedReason }) => failureOf(id ?? '', failedReason ?? ''))
  }

  /** Adds what is in nobody's hands. */
  async function reconcile(run: Run, reader: Redis): Promise<void> {
    await announce(run)
    const [failure] = await takeFailures(run)
    // What failed before this run began is tried again.
    if (failure && run.asked.size > 0) throw failure
    const ids = await run.queue.getRanges([...inQueue], 0, -1)
    const held = ids.flatMap((id) => rangeOf(run.job.id, id) ?? [])
    // A chunk that is gone by now had handed over its results before.
    while ((await takeResults(run, reader, null)) > 0) run.signal.throwIfAborted()
    const room = Math.max(0, maxChunks - held.length)
    const free: bigint[] = []
    for (const block of run.missing) {
      if (free.length >= room * run.blocksPerChunk) break
      if (!held.some(({ first, last }) => block >= first && block <= last)) free.push(block)
    }
    if (free.some((block) => run.asked.has(block))) {
      const pending = new Set(await options.pending(run.job.id))
      for (const block of free) {
        if (!pending.has(block)) await hand(run, { blockNumber: block, isStored: true })
      }
    }
    const blocks = free.filter((block) => run.missing.has(block))
    const chunks = chunksOf(blocks, held, run.blocksPerChunk).slice(0, room)
    for (const block of chunks.flat()) run.asked.add(block)
    await run.queue.addBulk(
      chunks.map((chunk) => ({
        name: 'blocks',
        data: { job: run.job.id, blocks: chunk.map(String) },
        opts: {
          jobId: `${run.job.id}.${chunk[0]}.${chunk.at(-1)}`,
          attempts,
          backoff: { type: 'exponential', delay: options.retryMs ?? firstRetryMs },
          removeOnComplete: true,
          // Until the coordinator has read why.
          removeOnFail: { age: 86_400, count: 1_000 },
          stackTraceLimit: 0,
        },
      })),
    )
  }

  /** @param wait - milliseconds; null: only what is there. @returns how many there were. */
  async function takeResults(run: Run, reader: Redis, wait: number | null): Promise<number> {
    const key = names.results(run.job.id)
    const found = await (wait === null
      ? reader.xread('COUNT', resultsAtOnce, 'STREAMS', key, '0')
      : reader.xread('COUNT', resultsAtOnce, 'BLOCK', wait, 'STREAMS', key, '0'))
    const entries = found?.[0]?.[1] ?? []
    for (const [id, fields] of entries) {
      run.signal.throwIfAborted()
      await take(run, fields)
      await link().xdel(key, id)
    }
    return entries.length
  }

  async function take(run: Run, fields: readonly string[]): Promise<void> {
    const [form, text = ''] = fields
    if (form === 'stored') {
      const stored = read(z.bigint(), text, 'the number of a block')
      if (run.missing.has(stored)) await hand(run, { blockNumber: stored, isStored: true })
      return
    }
    const block = decodeBlock(text)
    if (run.missing.has(block.blockNumber)) await hand(run, block)
  }

  async function hand(run: Run, block: BacktestBlock | StoredBlock): Promise<void> {
    run.storing = run.onBlock(block)
    await run.storing
    run.missing.delete(block.blockNumber)
  }

  async function sayIdle({ job, queue }: Run): Promise<void> {
    if ((await queue.getWorkersCount()) > 0) return
    logger.warn(
      { job: job.id, chainId: job.plan.chainId, kind: options.kind },
      'a backtest waits: no worker of this version, with these settings and with this chain is there',
    )
  }

  async function coordinate(run: Run, reader: Redis): Promise<void> {
    let reconciledAt = Number.NEGATIVE_INFINITY
    let heardAt = performance.now()
    while (run.missing.size > 0) {
      run.signal.throwIfAborted()
      try {
        if (performance.now() - reconciledAt >= reconcileMs) {
          await reconcile(run, reader)
          reconciledAt = performance.now()
        }
        if (run.missing.size > 0 && (await takeResults(run, reader, waitMs))) {
          heardAt = performance.now()
        }
        if (performance.now() - heardAt > idleMs) {
          heardAt = performance.now()
          await sayIdle(run)
        }
      } catch (error) {
        assertPassing(error)
        logger.warn({ reason: reasonOf(error) }, 'Redis cannot be used; waiting')
        await new Promise((resolve) => setTimeout(resolve, reconcileMs))
      }
    }
  }

  /** In the background: Redis may be away, and what is left there expires. */
  function forget(key: string): void {
    link()
      .del(key)
      .catch(() => {})
  }

  return {
    async run(job, blocks, onBlock, signal) {
      const run: Run = {
        job,
        queue: queueOf(job.plan.chainId),
        encodedPlan: encodePlan(job.plan),
        missing: new Set(blocks),
        blocksPerChunk: Math.min(maxBlocksPerChunk, Math.ceil(blocks.length / minChunks)),
        onBlock,
        signal,
        asked: new Set(),
        storing: Promise.resolve(),
      }
      const reader = link().duplicate()
      // Said by the other connection already.
      reader.on('error', () => {})
      readers.add(reader)
      const work = coordinate(run, reader)
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

/** The blocks that a chunk stands for: those of its job within its ends. Null: a chunk of another job. */
function rangeOf(job: string, id: string): { first: bigint; last: bigint } | null {
  const [owner, first, last] = id.split('.')
  if (owner !== job || !/^\d+$/.test(first ?? '') || !/^\d+$/.test(last ?? '')) return null
  return { first: BigInt(first ?? 0), last: BigInt(last ?? 0) }
}

/** @param held - ranges that no chunk may enclose: what lies in them is somebody's already. */
function chunksOf(
  blocks: readonly bigint[],
  held: readonly { readonly first: bigint }[],
  blocksPerChunk: number,
): bigint[][] {
  const starts = held.map(({ first }) => first)
  const chunks: bigint[][] = []
  for (const block of blocks.toSorted((a, b) => (a < b ? -1 : 1))) {
    const open = chunks.at(-1)
    const before = open?.at(-1)
    const isJoined =
      open &&
      before !== undefined &&
      open.length < blocksPerChunk &&
      !starts.some((first) => first > before && first < block)
    if (isJoined) open.push(block)
    else chunks.push([block])
  }
  return chunks
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

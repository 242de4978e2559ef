/**
 * Calculates blocks for coordinators anywhere (`bullmq-engine.ts`): takes chunks from the queue, delivers block after
 * block, and gives back what it cannot finish. When a worker dies, only the block in progress is lost: the lock on its
 * chunk expires, and another worker continues with the rest.
 */
import { type Job, WaitingError, Worker } from 'bullmq'
import { z } from 'zod'
import type { BacktestBlock, BacktestPlan } from '../../domain/backtest.js'
import { ForkrouteError, toWireError } from '../../domain/errors.js'
import { inSpan, inTrace } from '../../telemetry/tracing.js'
import { toJson } from '../../wire/json.js'
import { retryPolicy, withRetries } from '../retry.js'
import type { BacktestStore } from '../stores/store.js'
import { type CalculateBlock, chunkFacts } from './job-engine.js'
import { decodePlan, encodeBlock } from './messages.js'
import {
  connectRedis,
  coordinatorMs,
  lockMs,
  maxWaitingResults,
  type QueueOptions,
  queueName,
  queueNames,
  reasonOf,
  resultsSeconds,
} from './redis.js'

/** Times a chunk may lose its worker; after that it fails, since the fault is probably the chunk's own. */
const maxLosses = 3
/** Time between two checks whether a job was cancelled. */
const watchMs = 500
const roomMs = 100
const kindsMs = 10_000
const plansKept = 16

export interface QueueWorker {
  /** Blocks handed over so far. */
  readonly blocksDone: number
  /**
   * Ends after the blocks under way; what is left of their chunks goes back to the queue.
   * @param graceMs - a block that takes longer goes back too.
   */
  close(graceMs: number): Promise<void>
}

const chunkData = z.object({
  job: z.string().min(1).max(100),
  blocks: z
    .array(
      z
        .string()
        .regex(/^\d{1,20}$/)
        .transform(BigInt),
    )
    .max(1_000),
  traceparent: z.string().max(100).optional(),
})

/**
 * @param store - where results go if it has the job; else they go to the coordinator, through Redis.
 * @param concurrency - chunks of a chain at the same time.
 * @param onBlock - receives what was done.
 */
export function startQueueWorker(
  options: QueueOptions & {
    readonly calculate: CalculateBlock
    readonly store?: Pick<BacktestStore, 'put' | 'job'>
    readonly chainIds: readonly number[]
    readonly concurrency: number
    readonly lockMs?: number
    onBlock?(job: string, block: BacktestBlock, milliseconds: number): void
  },
): QueueWorker {
  const { logger, store } = options
  const names = queueNames(options)
  const redis = connectRedis(options)
  const plans = new Map<string, BacktestPlan>()
  /** Chunks under way, with their jobs. */
  const running = new Map<Job, string>()
  let isClosing = false
  let blocksDone = 0

  async function planOf(job: string): Promise<BacktestPlan | null> {
    const known = plans.get(job)
    if (known) return (await redis.exists(names.plan(job))) ? known : null
    const text = await redis.get(names.plan(job))
    if (text === null) return null
    const plan = decodePlan(text)
    const [oldest] = plans.keys()
    if (plans.size >= plansKept && oldest !== undefined) plans.delete(oldest)
    plans.set(job, plan)
    return plan
  }

  /** Waits while the coordinator is behind. */
  async function room(job: string, signal: AbortSignal): Promise<void> {
    while ((await redis.xlen(names.results(job))) >= maxWaitingResults) {
      signal.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, roomMs))
    }
  }

  /** False: this worker has no store, or its store does not have the job. */
  async function putIn(job: string, block: BacktestBlock): Promise<boolean> {
    if (!store) return false
    return (await store.put(job, block)) || (await store.job(job)) !== null
  }

  async function handOver(job: string, block: BacktestBlock, signal: AbortSignal): Promise<void> {
    const isStored = await withRetries(() => putIn(job, block), signal, retryPolicy)
    const fields = isStored ? ['stored', toJson(block.blockNumber)] : ['block', encodeBlock(block)]
    const results = names.results(job)
    const replies = await redis
      .multi()
      .xadd(results, '*', ...fields)
      .expire(results, resultsSeconds)
      .exec()
    const problem = replies?.find(([error]) => error)?.[0]
    if (problem) throw problem
  }

  async function calculate(
    plan: BacktestPlan,
    chunk: Job,
    data: z.infer<typeof chunkData>,
    signal: AbortSignal,
  ): Promise<boolean> {
    for (const [index, number] of data.blocks.entries()) {
      if (isClosing) return false
      await room(data.job, signal)
      const start = performance.now()
      const block = await options.calculate(plan, number, signal)
      signal.throwIfAborted()
      await inSpan('hand over', () => handOver(data.job, block, signal))
      blocksDone += 1
      options.onBlock?.(data.job, block, performance.now() - start)
      const rest = data.blocks.slice(index + 1)
      if (rest.length > 0) await chunk.updateData({ ...data, blocks: rest.map(String) })
    }
    return true
  }

  async function work(chunk: Job, token: string | undefined, signal: AbortSignal | undefined) {
    const aborted = signal ?? new AbortController().signal
    try {
      const data = chunkData.parse(chunk.data)
      const plan = await planOf(data.job)
      // Nobody coordinates the job. The coordinator that resumes it adds its blocks again.
      if (!plan) return
      running.set(chunk, data.job)
      const facts = chunkFacts(data.job, plan.chainId, data.blocks.length)
      const isDone = await inTrace('backtest chunk', () => calculate(plan, chunk, data, aborted), {
        kind: 'consumer',
        parent: data.traceparent,
        facts,
      })
      if (isDone) return
    } catch (error) {
      if (!aborted.aborted) throw asReason(error)
      // Cancelled, or another worker has the chunk.
      if (!isClosing) return
    } finally {
      running.delete(chunk)
    }
    await chunk.moveToWait(token)
    throw new WaitingError()
  }

  /** The error as text for the coordinator; the stack of a bug stays here. */
  function asReason(error: unknown): Error {
    const { stack, ...wire } = toWireError(error)
    const reason = error instanceof ForkrouteError ? error.code : reasonOf(error)
    logger.warn({ reason, ...(stack && { err: error }) }, 'a block could not be calculated')
    return new Error(toJson(wire))
  }

  const workers = options.chainIds.map((chainId) => {
    const worker = new Worker(queueName(chainId), work, {
      connection: redis,
      prefix: names.prefix,
      concurrency: options.concurrency,
      lockDuration: options.lockMs ?? lockMs,
      stalledInterval: (options.lockMs ?? lockMs) / 2,
      maxStalledCount: maxLosses,
      removeOnComplete: { count: 0 },
    })
    worker.on('error', (error) => logger.debug({ reason: reasonOf(error) }, 'queue'))
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) worker.cancelJob(id)
    })
    return worker
  })
  const giveUp = (chunk: Job) => {
    for (const worker of workers) worker.cancelJob(chunk.id ?? '')
  }

  const watching = setInterval(() => {
    if (redis.status !== 'ready') return
    for (const [chunk, job] of running) {
      redis.exists(names.plan(job)).then(
        (isWanted) => isWanted || giveUp(chunk),
        () => {},
      )
    }
  }, watchMs)

  const warned = new Set<string>()
  const warnOfKinds = async () => {
    const kinds = await redis.zrangebyscore(names.kinds, Date.now() - coordinatorMs, '+inf')
    for (const kind of kinds) {
      if (kind === options.kind || warned.has(kind)) continue
      warned.add(kind)
      logger.warn(
        { coordinator: kind, worker: options.kind },
        'refusing jobs of a coordinator of another version or with other settings: the answers could differ',
      )
    }
  }
  const comparing = setInterval(() => void warnOfKinds().catch(() => {}), kindsMs)
  void warnOfKinds().catch(() => {})

  return {
    get blocksDone() {
      return blocksDone
    },
    async close(graceMs) {
      isClosing = true
      const impatient = setTimeout(() => [...running.keys()].forEach(giveUp), graceMs)
      await Promise.all(workers.map((worker) => worker.close()))
      clearTimeout(impatient)
      clearInterval(watching)
      clearInterval(comparing)
      redis.disconnect()
    },
  }
}

/**
 * Calculates blocks for coordinators anywhere (`bullmq-engine.ts`): takes chunks from the queue, delivers block after
 * block, and gives back what it cannot finish. When a worker dies, only the block in progress is lost: the lock on its
 * chunk expires, and another worker continues with the rest.
 */
import { type Job, WaitingError, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { z } from 'zod'
import type { JobBlock, JobPlan } from '../../domain/backtest.js'
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

export interface QueueWorkerOptions extends QueueOptions {
  readonly calculate: CalculateBlock
  /** Where results go if it has the job; else they go to the coordinator, through Redis. */
  readonly store?: Pick<BacktestStore, 'put' | 'job'>
  readonly chainIds: readonly number[]
  /** Chunks of a chain at the same time. */
  readonly concurrency: number
  readonly lockMs?: number
  /** Receives what was done. */
  onBlock?(job: string, block: JobBlock, milliseconds: number): void
}

export function startQueueWorker(options: QueueWorkerOptions): QueueWorker {
  return new RedisQueueWorker(options)
}

class RedisQueueWorker implements QueueWorker {
  readonly #options: QueueWorkerOptions
  readonly #names: ReturnType<typeof queueNames>
  readonly #redis: Redis
  readonly #plans: QueuedPlans
  /** Chunks under way, with their jobs. */
  readonly #running = new Map<Job, string>()
  readonly #workers: readonly Worker[]
  readonly #timers: readonly NodeJS.Timeout[]
  readonly #warnedOf = new Set<string>()
  #isClosing = false
  #blocksDone = 0

  constructor(options: QueueWorkerOptions) {
    this.#options = options
    this.#names = queueNames(options)
    this.#redis = connectRedis(options)
    this.#plans = new QueuedPlans(this.#redis, this.#names)
    this.#workers = options.chainIds.map((chainId) => this.#open(chainId))
    const warn = () => void this.#warnOfKinds().catch(() => {})
    this.#timers = [setInterval(() => this.#watch(), watchMs), setInterval(warn, kindsMs)]
    warn()
  }

  get blocksDone(): number {
    return this.#blocksDone
  }

  async close(graceMs: number): Promise<void> {
    this.#isClosing = true
    const giveUpAll = () => {
      for (const chunk of this.#running.keys()) this.#giveUp(chunk)
    }
    const impatient = setTimeout(giveUpAll, graceMs)
    await Promise.all(this.#workers.map((worker) => worker.close()))
    clearTimeout(impatient)
    for (const timer of this.#timers) clearInterval(timer)
    this.#redis.disconnect()
  }

  /** Takes chunks of one chain from now on. */
  #open(chainId: number): Worker {
    const { concurrency, logger, lockMs: lockDuration = lockMs } = this.#options
    const worker = new Worker(
      queueName(chainId),
      (chunk, token, signal) => this.#work(chunk, token, signal),
      {
        connection: this.#redis,
        prefix: this.#names.prefix,
        concurrency,
        lockDuration,
        stalledInterval: lockDuration / 2,
        maxStalledCount: maxLosses,
        removeOnComplete: { count: 0 },
      },
    )
    worker.on('error', (error) => logger.debug({ reason: reasonOf(error) }, 'queue'))
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) worker.cancelJob(id)
    })
    return worker
  }

  async #work(
    chunk: Job,
    token: string | undefined,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    try {
      const data = chunkData.parse(chunk.data)
      const plan = await this.#plans.of(data.job)
      // Nobody coordinates the job. The coordinator that resumes it adds its blocks again.
      if (!plan) return
      this.#running.set(chunk, data.job)
      const facts = chunkFacts(data.job, plan.chainId, data.blocks.length)
      const calculate = () => this.#calculate(plan, chunk, data, signal)
      const isDone = await inTrace('backtest chunk', calculate, {
        kind: 'consumer',
        parent: data.traceparent,
        facts,
      })
      if (isDone) return
    } catch (error) {
      if (!signal.aborted) throw this.#asReason(error)
      // Cancelled, or another worker has the chunk.
      if (!this.#isClosing) return
    } finally {
      this.#running.delete(chunk)
    }
    await chunk.moveToWait(token)
    throw new WaitingError()
  }

  /** @returns whether all blocks are done; false where the worker is closing. */
  async #calculate(
    plan: JobPlan,
    chunk: Job,
    data: z.infer<typeof chunkData>,
    signal: AbortSignal,
  ): Promise<boolean> {
    for (const [index, number] of data.blocks.entries()) {
      if (this.#isClosing) return false
      await this.#room(data.job, signal)
      const start = performance.now()
      const block = await this.#options.calculate(plan, number, signal)
      signal.throwIfAborted()
      await inSpan('hand over', () => this.#handOver(data.job, block, signal))
      this.#blocksDone += 1
      this.#options.onBlock?.(data.job, block, performance.now() - start)
      const rest = data.blocks.slice(index + 1)
      if (rest.length > 0) await chunk.updateData({ ...data, blocks: rest.map(String) })
    }
    return true
  }

  /** Waits while the coordinator is behind. */
  async #room(job: string, signal: AbortSignal): Promise<void> {
    while ((await this.#redis.xlen(this.#names.results(job))) >= maxWaitingResults) {
      signal.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, roomMs))
    }
  }

  async #handOver(job: string, block: JobBlock, signal: AbortSignal): Promise<void> {
    const isStored = await withRetries(() => this.#putIn(job, block), signal, retryPolicy)
    const fields = isStored ? ['stored', toJson(block.blockNumber)] : ['block', encodeBlock(block)]
    const results = this.#names.results(job)
    const replies = await this.#redis
      .multi()
      .xadd(results, '*', ...fields)
      .expire(results, resultsSeconds)
      .exec()
    const problem = replies?.find(([error]) => error)?.[0]
    if (problem) throw problem
  }

  /** False: this worker has no store, or its store does not have the job. */
  async #putIn(job: string, block: JobBlock): Promise<boolean> {
    const { store } = this.#options
    if (!store) return false
    return (await store.put(job, block)) || (await store.job(job)) !== null
  }

  /** The error as text for the coordinator; the stack of a bug stays here. */
  #asReason(error: unknown): Error {
    const { stack, ...wire } = toWireError(error)
    const reason = error instanceof ForkrouteError ? error.code : reasonOf(error)
    const facts = { reason, ...(stack && { err: error }) }
    this.#options.logger.warn(facts, 'a block could not be calculated')
    return new Error(toJson(wire))
  }

  #giveUp(chunk: Job): void {
    for (const worker of this.#workers) worker.cancelJob(chunk.id ?? '')
  }

  /** Gives up chunks of jobs that nobody coordinates any more. */
  #watch(): void {
    if (this.#redis.status !== 'ready') return
    for (const [chunk, job] of this.#running) {
      this.#redis.exists(this.#names.plan(job)).then(
        (isWanted) => isWanted || this.#giveUp(chunk),
        () => {},
      )
    }
  }

  async #warnOfKinds(): Promise<void> {
    const { kind: own, logger } = this.#options
    const since = Date.now() - coordinatorMs
    for (const kind of await this.#redis.zrangebyscore(this.#names.kinds, since, '+inf')) {
      if (kind === own || this.#warnedOf.has(kind)) continue
      this.#warnedOf.add(kind)
      logger.warn(
        { coordinator: kind, worker: own },
        'refusing jobs of a coordinator of another version or with other settings: the answers could differ',
      )
    }
  }
}

/** The plans of jobs in the queue, the newest of them remembered. */
class QueuedPlans {
  readonly #redis: Redis
  readonly #names: Pick<ReturnType<typeof queueNames>, 'plan'>
  readonly #plans = new Map<string, JobPlan>()

  constructor(redis: Redis, names: Pick<ReturnType<typeof queueNames>, 'plan'>) {
    this.#redis = redis
    this.#names = names
  }

  /** Null: nobody coordinates the job. */
  async of(job: string): Promise<JobPlan | null> {
    const name = this.#names.plan(job)
    const known = this.#plans.get(job)
    if (known) return (await this.#redis.exists(name)) ? known : null
    const text = await this.#redis.get(name)
    if (text === null) return null
    const plan = decodePlan(text)
    const [oldest] = this.#plans.keys()
    if (this.#plans.size >= plansKept && oldest !== undefined) this.#plans.delete(oldest)
    this.#plans.set(job, plan)
    return plan
  }
}

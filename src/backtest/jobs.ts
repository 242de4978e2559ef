/**
 * The jobs of this service, worked on one at a time, oldest first. A job that a process left unfinished, by a shutdown
 * or a crash, is continued by the next process that looks: stored blocks are never calculated again.
 */
import type {
  AccountLimits,
  AskedFile,
  BacktestEntry,
  Backtests,
  JobBlock,
  JobPlan,
  JobProgress,
  ListQuery,
  PlannedJob,
  ResultStream,
} from '../domain/backtest.js'
import { notFound, shuttingDown } from '../domain/common-errors.js'
import { type CallContext, type Engine, noAccount } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Hex } from '../domain/primitives.js'
import type { Logger } from '../telemetry/log.js'
import { blocksOf } from './blocks-of.js'
import type { JobEngine } from './engines/job-engine.js'
import type { ResultFiles } from './files/result-files.js'
import { createJobDesk, type JobDesk } from './job-desk.js'
import { createJobNews } from './job-news.js'
import { createJobPaces, overStates } from './job-progress.js'
import { createLeaseHolder } from './lease-holder.js'
import { type RunJobParts, runJob, watchMs } from './run-job.js'
import { type BacktestStore, refuseTooMany } from './stores/store.js'
import { createUnsavedFailures } from './unsaved-failures.js'

export interface BacktestsArgs {
  readonly store: BacktestStore
  readonly jobEngine: JobEngine
  readonly files: ResultFiles
  readonly engine: Pick<Engine, 'block' | 'changedBlocks' | 'networks'>
  /** Bytes that the store may take on disk. */
  readonly maxBytes: number
  readonly limits: AccountLimits
  readonly isPrivate: boolean
  /** False: only jobs that were created or resumed here are worked on. */
  readonly takesUp: boolean
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

export function createBacktests(args: BacktestsArgs): Backtests {
  return new ServiceBacktests(args)
}

class ServiceBacktests implements Backtests {
  readonly isPrivate: boolean
  readonly #args: BacktestsArgs
  readonly #leaseHolder = createLeaseHolder()
  readonly #unsaved = createUnsavedFailures()
  readonly #paces = createJobPaces()
  readonly #news = createJobNews()
  readonly #closing = new AbortController()
  readonly #desk: JobDesk

  constructor(args: BacktestsArgs) {
    this.isPrivate = args.isPrivate
    this.#args = args
    const { store, logger } = args
    const parts: RunJobParts = {
      store,
      jobEngine: args.jobEngine,
      leaseHolder: this.#leaseHolder.name,
      paces: this.#paces,
      news: this.#news,
      unsaved: this.#unsaved,
      logger,
      show: (id) => this.show(id),
      refuseFull: () => refuseFullStore(store, args.maxBytes),
    }
    this.#desk = createJobDesk({
      store,
      leaseHolder: this.#leaseHolder,
      unsaved: this.#unsaved,
      takesUp: args.takesUp,
      chainIds: () => args.engine.networks().map(({ id }) => id),
      logger,
      run: (id, controller) => runJob(id, controller, parts),
    })
  }

  async create(plan: JobPlan, accountId: Hex): Promise<PlannedJob> {
    const { store, engine, limits, maxBytes } = this.#args
    await refuseFullStore(store, maxBytes)
    const context: CallContext = {
      accountId: noAccount,
      signal: this.#closing.signal,
      isBackground: true,
    }
    const blocks = await blocksOf(engine, plan, context)
    const job = await store.add(plan, blocks, accountId, limits)
    this.#desk.adopt(job.id)
    return job
  }

  async list(query: ListQuery): Promise<BacktestEntry[]> {
    return (await this.#args.store.entries(query)).map(this.#unsaved.appliedTo)
  }

  async entry(id: string): Promise<BacktestEntry> {
    return this.#unsaved.appliedTo(found(id, await this.#args.store.entry(id)))
  }

  async show(id: string): Promise<PlannedJob> {
    return this.#unsaved.appliedTo(found(id, await this.#args.store.job(id)))
  }

  async cancel(id: string): Promise<PlannedJob> {
    const { state } = await this.entry(id)
    if (overStates.includes(state)) return this.show(id)
    await this.#args.store.setState(id, 'cancelled', null, ['queued', 'running'])
    await this.#desk.cancel(id)
    this.#news.notify(id)
    return this.show(id)
  }

  async resume(id: string): Promise<PlannedJob> {
    const { state, accountId } = await this.entry(id)
    if (state === 'finished') return this.show(id)
    if (overStates.includes(state)) await this.#refuseOpen(accountId)
    await this.#args.store.setState(id, 'queued', null, ['cancelled', 'failed'])
    this.#unsaved.forget(id)
    this.#news.notify(id)
    this.#desk.adopt(id)
    return this.show(id)
  }

  async remove(id: string): Promise<void> {
    await this.cancel(id)
    await this.#args.store.remove(id)
    this.#unsaved.forget(id)
    this.#paces.forget(id)
    this.#news.notify(id)
  }

  async *results(id: string, from?: bigint): AsyncGenerator<JobBlock> {
    await this.entry(id)
    yield* this.#args.store.results(id, from)
  }

  async file(id: string, asked: AskedFile): Promise<ResultStream> {
    await this.entry(id)
    return this.#args.files.open({ id, ...asked })
  }

  async *watch(id: string, signal: AbortSignal): AsyncGenerator<JobProgress> {
    for (let last = ''; !signal.aborted; await this.#news.next(id, watchMs, signal)) {
      const progress = this.#paces.progressOf(await this.entry(id))
      const { etaSeconds: _, ...facts } = progress
      const now = JSON.stringify(facts)
      if (now !== last) yield progress
      last = now
      if (overStates.includes(progress.state)) return
    }
  }

  async close(): Promise<void> {
    const { files, jobEngine, store } = this.#args
    const reason = shuttingDown()
    this.#closing.abort(reason)
    await this.#desk.close(reason)
    this.#leaseHolder.retire()
    await files.close()
    await jobEngine.close()
    await store.close()
  }

  /** A job that goes on is one more that is open. */
  async #refuseOpen(accountId: Hex | null): Promise<void> {
    const { store, limits } = this.#args
    const open = (await store.open()).filter((one) => one.accountId === accountId).length
    if (accountId !== null) refuseTooMany({ open, stored: 0 }, limits)
  }
}

/** @throws ForkrouteError NOT_FOUND. */
function found<Job extends BacktestEntry>(id: string, job: Job | null): Job {
  if (job) return job
  throw notFound(`backtest ${id.slice(0, 64)}`)
}

/** @throws ForkrouteError STORAGE_UNAVAILABLE when the store has reached its limit. */
async function refuseFullStore(store: BacktestStore, maxBytes: number): Promise<void> {
  const size = await store.size()
  if (size < maxBytes) return
  throw new ForkrouteError(
    'STORAGE_UNAVAILABLE',
    `Backtests take ${size} bytes, and BACKTESTS_MAX_BYTES is ${maxBytes}: remove old ones, or raise it.`,
  )
}

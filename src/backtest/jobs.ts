/**
 * The jobs of this service, worked on one at a time, oldest first. A job that a process left unfinished, by a shutdown
 * or a crash, is continued by the next process that looks: stored blocks are never calculated again.
 */
import type { AccountLimits, BacktestEntry, Backtests } from '../domain/backtest.js'
import { notFound, shuttingDown } from '../domain/common-errors.js'
import { type CallContext, type Engine, noAccount } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Hex } from '../domain/primitives.js'
import type { Logger } from '../telemetry/log.js'
import { blocksOf } from './blocks-of.js'
import type { JobEngine } from './engines/job-engine.js'
import type { ResultFiles } from './files/result-files.js'
import { createJobDesk } from './job-desk.js'
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
  readonly engine: Pick<Engine, 'changedBlocks' | 'networks'>
  /** Bytes that the store may take on disk. */
  readonly maxBytes: number
  readonly limits: AccountLimits
  readonly isPrivate: boolean
  /** False: only jobs that were created or resumed here are worked on. */
  readonly takesUp: boolean
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

export function createBacktests(args: BacktestsArgs): Backtests {
  const { store, jobEngine, files, engine, logger } = args
  const leaseHolder = createLeaseHolder()
  const unsaved = createUnsavedFailures()
  const paces = createJobPaces()
  const news = createJobNews()
  const closing = new AbortController()
  const show = async (id: string) => unsaved.appliedTo(found(id, await store.job(id)))
  const entry = async (id: string) => unsaved.appliedTo(found(id, await store.entry(id)))
  const refuseFull = () => refuseFullStore(store, args.maxBytes)
  /** A job that goes on is one more that is open. */
  async function refuseOpen(accountId: Hex | null): Promise<void> {
    const open = (await store.open()).filter((one) => one.accountId === accountId).length
    if (accountId !== null) refuseTooMany({ open, stored: 0 }, args.limits)
  }

  const parts: RunJobParts = {
    store,
    jobEngine,
    leaseHolder: leaseHolder.name,
    paces,
    news,
    unsaved,
    logger,
    show,
    refuseFull,
  }
  const desk = createJobDesk({
    store,
    leaseHolder,
    unsaved,
    takesUp: args.takesUp,
    chainIds: () => engine.networks().map(({ id }) => id),
    logger,
    run: (id, controller) => runJob(id, controller, parts),
  })

  const backtests: Backtests = {
    isPrivate: args.isPrivate,

    async create(plan, accountId) {
      await refuseFull()
      const context: CallContext = {
        accountId: noAccount,
        signal: closing.signal,
        isBackground: true,
      }
      const blocks = await blocksOf(engine, plan, context)
      const job = await store.add(plan, blocks, accountId, args.limits)
      desk.adopt(job.id)
      return job
    },

    list: async (query) => (await store.entries(query)).map(unsaved.appliedTo),
    entry,
    show,

    async cancel(id) {
      const { state } = await entry(id)
      if (overStates.includes(state)) return show(id)
      await store.setState(id, 'cancelled', null, ['queued', 'running'])
      await desk.cancel(id)
      news.notify(id)
      return show(id)
    },

    async resume(id) {
      const { state, accountId } = await entry(id)
      if (state === 'finished') return show(id)
      if (overStates.includes(state)) await refuseOpen(accountId)
      await store.setState(id, 'queued', null, ['cancelled', 'failed'])
      unsaved.forget(id)
      news.notify(id)
      desk.adopt(id)
      return show(id)
    },

    async remove(id) {
      await backtests.cancel(id)
      await store.remove(id)
      unsaved.forget(id)
      paces.forget(id)
      news.notify(id)
    },

    async *results(id, from) {
      await entry(id)
      yield* store.results(id, from)
    },

    async file(id, asked) {
      await entry(id)
      return files.open({ id, ...asked })
    },

    async *watch(id, signal) {
      for (let last = ''; !signal.aborted; await news.next(id, watchMs, signal)) {
        const progress = paces.progressOf(await entry(id))
        const { etaSeconds: _, ...facts } = progress
        const now = JSON.stringify(facts)
        if (now !== last) yield progress
        last = now
        if (overStates.includes(progress.state)) return
      }
    },

    async close() {
      const reason = shuttingDown()
      closing.abort(reason)
      await desk.close(reason)
      leaseHolder.retire()
      await files.close()
      await jobEngine.close()
      await store.close()
    },
  }
  return backtests
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

/** Works on one job that this process has claimed, to its end: finished, failed, or given up. */
import { setTimeout } from 'node:timers/promises'
import type { PlannedJob } from '../domain/backtest.js'
import { errorCodes, ForkrouteError } from '../domain/errors.js'
import type { Logger } from '../telemetry/log.js'
import { quietly } from '../telemetry/quietly.js'
import type { JobEngine } from './engines/job-engine.js'
import type { JobNews } from './job-news.js'
import type { JobPaces } from './job-progress.js'
import { type BacktestStore, claimMs } from './stores/store.js'
import type { UnsavedFailures } from './unsaved-failures.js'

/** Time between two checks whether another process has cancelled the running job; a cancel takes a second at most. */
export const watchMs = 250

export interface RunJobParts {
  readonly store: BacktestStore
  readonly jobEngine: JobEngine
  /** Name of this process as the owner of claims. */
  readonly leaseHolder: string
  readonly paces: JobPaces
  readonly news: JobNews
  readonly unsaved: UnsavedFailures
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** @throws ForkrouteError NOT_FOUND. */
  readonly show: (id: string) => Promise<PlannedJob>
  /** @throws ForkrouteError STORAGE_UNAVAILABLE when backtests take all the room that they may. */
  readonly refuseFull: () => Promise<void>
}

/**
 * Never rejects.
 * @param controller - ends the work when aborted; aborted here when the job was ended, or taken, elsewhere.
 */
export async function runJob(
  id: string,
  controller: AbortController,
  parts: RunJobParts,
): Promise<void> {
  const { store, news } = parts
  const { signal } = controller
  const over = new AbortController()
  try {
    if (!(await store.setState(id, 'running', null, ['queued', 'running']))) return
    const job = await parts.show(id)
    parts.paces.begin(job)
    news.notify(id)
    void keepClaim(id, controller, over.signal, parts)
    await calculate(job, signal, parts)
    await store.setState(id, 'finished', null, ['running'])
  } catch (error) {
    if (!signal.aborted) await fail(id, error, parts)
  } finally {
    over.abort()
    await store.release(id, parts.leaseHolder).catch((error) => warn(id, error, parts))
    news.notify(id)
  }
}

/** All blocks of the job that have no result yet. */
async function calculate(job: PlannedJob, signal: AbortSignal, parts: RunJobParts): Promise<void> {
  const { id } = job
  const blocks = await parts.store.pending(id)
  parts.logger.info({ job: id, blocks: blocks.length }, 'backtest runs')
  if (!blocks.length) return
  await parts.jobEngine.run(
    job,
    blocks,
    async (block) => {
      await parts.refuseFull()
      if (!('isStored' in block)) await parts.store.put(id, block)
      parts.news.notify(id)
    },
    signal,
  )
}

/** Keeps the claim while the job runs, and ends the work when somebody else has ended the job. */
async function keepClaim(
  id: string,
  controller: AbortController,
  over: AbortSignal,
  parts: RunJobParts,
): Promise<void> {
  const { store, leaseHolder } = parts
  let keptAt = performance.now()
  const stop = (why: string) => controller.abort(new ForkrouteError('OVERLOADED', why))
  for (;;) {
    const slept = setTimeout(watchMs, undefined, { signal: over, ref: false })
    await quietly(slept, 'The pause between two looks at a claim ends with the job.')
    if (over.aborted || controller.signal.aborted) return
    try {
      const job = await store.entry(id)
      if (job?.state !== 'running') stop('The backtest was ended.')
      else if (performance.now() - keptAt > claimMs / 5) {
        if (await store.claim(id, leaseHolder)) keptAt = performance.now()
        else stop('Another process has taken the backtest.')
      }
    } catch (error) {
      warn(id, error, parts)
    }
  }
}

async function fail(id: string, error: unknown, parts: RunJobParts): Promise<void> {
  const { store, unsaved, logger } = parts
  const isKnown = error instanceof ForkrouteError && error.code !== 'INTERNAL'
  if (!isKnown) logger.error({ err: error, job: id }, 'backtest failed: a fault of the service')
  const problem = isKnown
    ? `${error.message} (${error.code})`
    : `${errorCodes.INTERNAL.title} (INTERNAL)`
  logger.warn({ job: id, problem }, 'backtest failed')
  try {
    await store.setState(id, 'failed', problem, ['running'])
  } catch (unwritten) {
    unsaved.keep(id, problem)
    warn(id, unwritten, parts)
  }
}

function warn(id: string, error: unknown, { logger }: RunJobParts): void {
  logger.warn({ err: error, job: id }, 'backtest: the store did not take a note')
}

/**
 * Works on jobs one at a time, oldest first: those created or resumed here, and, if the service is set to do so, those
 * that no process works on.
 */
import { setTimeout } from 'node:timers/promises'
import type { BacktestEntry } from '../domain/backtest.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Logger } from '../telemetry/log.js'
import type { LeaseHolder } from './lease-holder.js'
import type { BacktestStore } from './stores/store.js'
import type { UnsavedFailures } from './unsaved-failures.js'

export interface JobDesk {
  /** Makes the job this process's own: it is worked on here even if jobs of other processes are not. */
  adopt(id: string): void
  /** Gives the job up, and waits briefly for its blocks in progress. */
  cancel(id: string): Promise<void>
  /** Gives up the work in progress and starts nothing more. */
  close(reason: unknown): Promise<void>
}

/** Time between two searches for a job that nobody works on. */
const lookMs = 2_000
/** How long a cancel waits for the blocks in progress. */
const giveUpMs = 900

export function createJobDesk(parts: {
  readonly store: BacktestStore
  readonly leaseHolder: LeaseHolder
  readonly unsaved: UnsavedFailures
  /** False: works only on adopted jobs. */
  readonly takesUp: boolean
  /** Ids of the chains that this service calculates. */
  readonly chainIds: () => readonly number[]
  readonly logger: Pick<Logger, 'warn'>
  /** Works on a claimed job until it is over or the controller is aborted. Never rejects. */
  readonly run: (id: string, controller: AbortController) => Promise<void>
}): JobDesk {
  const { store, leaseHolder, unsaved, takesUp, logger } = parts
  const own = new Set<string>()
  let current: { id: string; controller: AbortController; done: Promise<void> } | null = null
  let isLooking = false
  let isClosed = false

  async function look(): Promise<void> {
    if (current || isLooking || isClosed) return
    if (!takesUp && !own.size) return
    isLooking = true
    try {
      for (const { id } of await openJobs()) {
        if (isClosed || !(await store.claim(id, leaseHolder.name, leaseHolder.isGone))) continue
        begin(id)
        return
      }
    } catch (error) {
      logger.warn({ err: error }, 'backtests cannot be looked for')
    } finally {
      isLooking = false
    }
  }

  /** That may be worked on here, oldest first. */
  async function openJobs(): Promise<BacktestEntry[]> {
    const chains = new Set(parts.chainIds())
    return (await store.open()).filter(
      ({ id, chainId }) => (takesUp || own.has(id)) && !unsaved.has(id) && chains.has(chainId),
    )
  }

  function begin(id: string): void {
    const controller = new AbortController()
    const done = parts.run(id, controller).finally(() => {
      current = null
      void look()
    })
    current = { id, controller, done }
  }

  const looking = setInterval(() => void look(), lookMs)
  looking.unref()
  void look()

  return {
    adopt(id) {
      own.add(id)
      void look()
    },
    async cancel(id) {
      own.delete(id)
      if (current?.id !== id) return
      current.controller.abort(new ForkrouteError('OVERLOADED', 'The backtest was cancelled.'))
      await Promise.race([current.done, setTimeout(giveUpMs, undefined, { ref: false })])
    },
    async close(reason) {
      isClosed = true
      clearInterval(looking)
      current?.controller.abort(reason)
      await current?.done
    },
  }
}

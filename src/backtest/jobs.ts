/**
 * The jobs of this service: one is worked on at a time, the oldest first. What a process leaves behind, by its end or its
 * death, is taken up by the next that looks: blocks that are in the store are never calculated again.
 */
import { EventEmitter } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { BacktestJob, Backtests, JobProgress, JobState } from '../domain/backtest.js'
import { notFound, shuttingDown } from '../domain/common-errors.js'
import { type CallContext, type Engine, noAccount } from '../domain/engine.js'
import { errorCodes, ForkrouteError } from '../domain/errors.js'
import type { Logger } from '../log.js'
import { blocksOf } from './blocks-of.js'
import type { JobEngine } from './engines/job-engine.js'
import { streamOutput } from './outputs/index.js'
import { createOwner } from './owner.js'
import { type BacktestStore, claimMs } from './stores/store.js'

/** Between two looks for a job that nobody works on. */
const lookMs = 2_000
/** Between two looks whether another process has cancelled the job that runs; a cancel takes a second at most. */
const watchMs = 250
/** A cancel waits so long for what is given up. */
const giveUpMs = 900

const overStates: readonly JobState[] = ['finished', 'cancelled', 'failed']

export interface BacktestsArgs {
  readonly store: BacktestStore
  readonly jobEngine: JobEngine
  readonly engine: Pick<Engine, 'changedBlocks' | 'networks'>
  /** Bytes that the store may take on disk. */
  readonly maxBytes: number
  /** False: only jobs that were created or resumed here are worked on. */
  readonly takesUp: boolean
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

export function createBacktests(args: BacktestsArgs): Backtests {
  const { store, jobEngine, engine, logger } = args
  const owner = createOwner()
  const own = new Set<string>()
  /** Failures that the store could not take, because it was what failed. */
  const unsaved = new Map<string, string>()
  /** Since when this process sees a job run, and how many blocks were done then. */
  const paces = new Map<string, { readonly at: number; readonly done: number }>()
  const news = new EventEmitter().setMaxListeners(0)
  const closing = new AbortController()
  let current: { id: string; controller: AbortController; done: Promise<void> } | null = null
  let isLooking = false

  const changed = (id: string) => news.emit(id)
  const warn = (id: string) => (error: unknown) =>
    logger.warn({ err: error, job: id }, 'backtest: the store did not take a note')

  async function show(id: string): Promise<BacktestJob> {
    const job = await store.job(id)
    if (!job) throw notFound(`backtest ${id.slice(0, 64)}`)
    return withUnsaved(job)
  }

  function withUnsaved(job: BacktestJob): BacktestJob {
    const problem = unsaved.get(job.id)
    return problem === undefined ? job : { ...job, state: 'failed', problem }
  }

  async function look(): Promise<void> {
    if (current || isLooking || closing.signal.aborted) return
    if (!args.takesUp && !own.size) return
    isLooking = true
    try {
      const chains = new Set(engine.networks().map(({ id }) => id))
      const open = (await store.jobs()).filter(
        ({ id, state, plan }) =>
          !overStates.includes(state) &&
          (args.takesUp || own.has(id)) &&
          !unsaved.has(id) &&
          chains.has(plan.chainId),
      )
      for (const { id } of open.reverse()) {
        if (closing.signal.aborted || !(await store.claim(id, owner.name, owner.isGone))) continue
        const controller = new AbortController()
        const done = work(id, controller).finally(() => {
          current = null
          void look()
        })
        current = { id, controller, done }
        return
      }
    } catch (error) {
      logger.warn({ err: error }, 'backtests cannot be looked for')
    } finally {
      isLooking = false
    }
  }

  /** Never rejects. */
  async function work(id: string, controller: AbortController): Promise<void> {
    const { signal } = controller
    const over = new AbortController()
    try {
      if (!(await store.setState(id, 'running', null, ['queued', 'running']))) return
      const job = await show(id)
      paces.set(id, { at: performance.now(), done: job.blocksDone })
      changed(id)
      void keep(id, controller, over.signal)
      const blocks = await store.pending(id)
      logger.info({ job: id, blocks: blocks.length }, 'backtest runs')
      if (blocks.length) {
        await jobEngine.run(
          job,
          blocks,
          async (block) => {
            await refuseFull()
            if (!('isStored' in block)) await store.put(id, block)
            changed(id)
          },
          signal,
        )
      }
      await store.setState(id, 'finished', null, ['running'])
    } catch (error) {
      if (!signal.aborted) await fail(id, error)
    } finally {
      over.abort()
      await store.release(id, owner.name).catch(warn(id))
      changed(id)
    }
  }

  /** Keeps the claim while the job runs, and ends the work when somebody else has ended the job. */
  async function keep(id: string, controller: AbortController, over: AbortSignal): Promise<void> {
    let keptAt = performance.now()
    const stop = (why: string) => controller.abort(new ForkrouteError('OVERLOADED', why))
    for (;;) {
      await setTimeout(watchMs, undefined, { signal: over, ref: false }).catch(() => undefined)
      if (over.aborted || controller.signal.aborted) return
      try {
        const job = await store.job(id)
        if (job?.state !== 'running') stop('The backtest was ended.')
        else if (performance.now() - keptAt > claimMs / 5) {
          if (await store.claim(id, owner.name)) keptAt = performance.now()
          else stop('Another process has taken the backtest.')
        }
      } catch (error) {
        warn(id)(error)
      }
    }
  }

  async function fail(id: string, error: unknown): Promise<void> {
    const isKnown = error instanceof ForkrouteError && error.code !== 'INTERNAL'
    if (!isKnown) logger.error({ err: error, job: id }, 'backtest failed: a fault of the service')
    const problem = isKnown
      ? `${error.message} (${error.code})`
      : `${errorCodes.INTERNAL.title} (INTERNAL)`
    logger.warn({ job: id, problem }, 'backtest failed')
    try {
      await store.setState(id, 'failed', problem, ['running'])
    } catch (unwritten) {
      unsaved.set(id, problem)
      warn(id)(unwritten)
    }
  }

  async function refuseFull(): Promise<void> {
    const size = await store.size()
    if (size < args.maxBytes) return
    throw new ForkrouteError(
      'STORAGE_UNAVAILABLE',
      `Backtests take ${size} bytes, and BACKTESTS_MAX_BYTES is ${args.maxBytes}: remove old ones, or raise it.`,
    )
  }

  function toProgress(job: BacktestJob): JobProgress {
    const { id, state, blocksTotal, blocksDone, problem } = job
    if (state === 'running' && !paces.has(id)) {
      paces.set(id, { at: performance.now(), done: blocksDone })
    }
    const pace = paces.get(id)
    const seconds = pace ? (performance.now() - pace.at) / 1_000 : 0
    const done = pace ? blocksDone - pace.done : 0
    const etaSeconds =
      state === 'finished'
        ? 0
        : state === 'running' && done > 0
          ? Math.round((seconds / done) * (blocksTotal - blocksDone))
          : null
    if (overStates.includes(state)) paces.delete(id)
    return { state, blocksTotal, blocksDone, problem, etaSeconds }
  }

  /** Until something is known to have happened, or another process may have done something. */
  function nextNews(id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        news.off(id, end)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = globalThis.setTimeout(end, watchMs)
      news.on(id, end)
      signal.addEventListener('abort', end, { once: true })
    })
  }

  const looking = setInterval(() => void look(), lookMs)
  looking.unref()
  void look()

  const backtests: Backtests = {
    async create(plan) {
      await refuseFull()
      const context: CallContext = {
        accountId: noAccount,
        signal: closing.signal,
        isBackground: true,
      }
      const job = await store.add(plan, await blocksOf(engine, plan, context))
      own.add(job.id)
      void look()
      return job
    },

    list: async () => (await store.jobs()).map(withUnsaved),
    show,

    async cancel(id) {
      const { state } = await show(id)
      if (overStates.includes(state)) return show(id)
      await store.setState(id, 'cancelled', null, ['queued', 'running'])
      own.delete(id)
      if (current?.id === id) {
        current.controller.abort(new ForkrouteError('OVERLOADED', 'The backtest was cancelled.'))
        await Promise.race([current.done, setTimeout(giveUpMs, undefined, { ref: false })])
      }
      changed(id)
      return show(id)
    },

    async resume(id) {
      const { state } = await show(id)
      if (state === 'finished') return show(id)
      await store.setState(id, 'queued', null, ['cancelled', 'failed'])
      unsaved.delete(id)
      own.add(id)
      changed(id)
      void look()
      return show(id)
    },

    async remove(id) {
      await backtests.cancel(id)
      await store.remove(id)
      unsaved.delete(id)
      paces.delete(id)
      changed(id)
    },

    async *results(id, from) {
      await show(id)
      yield* store.results(id, from)
    },

    file: async (id, file, options) =>
      streamOutput(file, await show(id), store.results(id), options),

    async *watch(id, signal) {
      for (let last = ''; !signal.aborted; await nextNews(id, signal)) {
        const progress = toProgress(await show(id))
        const { etaSeconds: _, ...facts } = progress
        const now = JSON.stringify(facts)
        if (now !== last) yield progress
        last = now
        if (overStates.includes(progress.state)) return
      }
    },

    async close() {
      clearInterval(looking)
      closing.abort(shuttingDown())
      current?.controller.abort(closing.signal.reason)
      await current?.done
      owner.retire()
      await jobEngine.close()
      await store.close()
    },
  }
  return backtests
}

/**
 * Several quotes at one block in one thread: they share what is read of the block, and their simulations go out together.
 */
import { performance } from 'node:perf_hooks'
import { runWithin } from '../../domain/abort.js'
import type { QuoteOutcome, RouteRequest } from '../../domain/engine.js'
import { toWireError } from '../../domain/errors.js'
import type { Hex } from '../../domain/primitives.js'
import { atBorder, ForkLostError } from '../../forks/faults.js'
import type { TaskRun } from '../context/task-context.js'
import { nothingInTime } from '../proof/failures.js'
import { gather } from './gather.js'
import { runRoute } from './route-task.js'

export interface QuotesArgs {
  readonly requests: readonly RouteRequest[]
  readonly accountId: Hex
  /** Milliseconds since the epoch from which deadlines count. */
  readonly begunAt: number
}

/**
 * Each quote by itself, in the order asked; its deadline counts from `begunAt`.
 * @throws ForkLostError, since the whole task may succeed on another fork; the signal's reason.
 */
export async function runQuotes(
  run: TaskRun,
  { requests, accountId, begunAt }: QuotesArgs,
): Promise<readonly QuoteOutcome[]> {
  const begun = performance.now() - (Date.now() - begunAt)
  run.share(requests.length)
  const simulator = gather((all) => run.simulate(all))
  return Promise.all(
    requests.map(async (request): Promise<QuoteOutcome> => {
      const start = performance.now()
      const late = () => {
        run.isCut = true
        return nothingInTime(request)
      }
      const taken = () => ({ milliseconds: performance.now() - start })
      const deadline = request.deadlineMs === undefined ? null : begun + request.deadlineMs
      let part: TaskRun | undefined
      const find = (signal: AbortSignal) => {
        part = run.part(deadline, simulator, signal)
        if (part.isLate()) throw nothingInTime(request)
        return runRoute(part, { mode: 'quote', request, accountId })
      }
      try {
        const value =
          deadline === null
            ? await find(run.signal)
            : await runWithin({ timeoutMs: deadline - start, outer: run.signal, late }, find)
        return { ok: true, value, ...taken() }
      } catch (error) {
        if (error instanceof ForkLostError || run.signal.aborted) throw error
        return { ok: false, error: toWireError(atBorder(error, run.pin)), ...taken() }
      } finally {
        for (const [stage, seconds] of Object.entries(part?.stages ?? {})) {
          run.stages[stage] = (run.stages[stage] ?? 0) + seconds
        }
        for (const [protocol, n] of Object.entries(part?.reverts ?? {})) {
          run.reverts[protocol] = (run.reverts[protocol] ?? 0) + n
        }
        run.improvementsBps.push(...(part?.improvementsBps ?? []))
        run.isCut ||= part?.isCut ?? false
      }
    }),
  )
}

/**
 * Several quotes at one block in one thread: they share what is read of the block, and their simulations go out together.
 */
import { performance } from 'node:perf_hooks'
import { runWithin } from '../../domain/abort.js'
import type { QuoteOutcome, RouteRequest } from '../../domain/engine.js'
import { toWireError } from '../../domain/errors.js'
import type { Hex } from '../../domain/primitives.js'
import { atBorder, ForkLostError } from '../../forks/faults.js'
import { addPart, partOf, type Task } from '../block/task.js'
import { nothingInTime } from '../route/failures.js'
import { runRoute } from '../route/route.js'
import { gather } from './gather.js'

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
  task: Task,
  { requests, accountId, begunAt }: QuotesArgs,
): Promise<readonly QuoteOutcome[]> {
  const begun = performance.now() - (Date.now() - begunAt)
  task.simulator.share(requests.length)
  const batch = gather((all) => task.simulator.simulate(all))
  return Promise.all(
    requests.map(async (request): Promise<QuoteOutcome> => {
      const start = performance.now()
      const late = () => {
        task.report.isCut = true
        return nothingInTime(request)
      }
      const taken = () => ({ milliseconds: performance.now() - start })
      const deadline = request.deadlineMs === undefined ? null : begun + request.deadlineMs
      let part: Task | undefined
      const find = (signal: AbortSignal) => {
        part = partOf(task, { deadline, batch, signal })
        if (part.clock.isLate()) throw nothingInTime(request)
        return runRoute(part, { mode: 'quote', request, accountId })
      }
      try {
        const value =
          deadline === null
            ? await find(task.signal)
            : await runWithin({ timeoutMs: deadline - start, outer: task.signal, late }, find)
        return { ok: true, value, ...taken() }
      } catch (error) {
        if (error instanceof ForkLostError || task.signal.aborted) throw error
        return { ok: false, error: toWireError(atBorder(error, task.pin)), ...taken() }
      } finally {
        if (part) addPart(task, part)
      }
    }),
  )
}

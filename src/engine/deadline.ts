/** The time that a request leaves for its answer, over everything that is done for it. */
import { runWithin } from '../domain/abort.js'
import type { CallContext, RouteRequest } from '../domain/engine.js'
import { nothingInTime } from '../routing/route/failures.js'

/**
 * Ends the work at the deadline, whatever it waits for just then; threads are told it, and stop earlier with what they
 * have found.
 *
 * @param request.deadlineMs - absent: no deadline.
 * @param begunAt - milliseconds since the epoch, from which it counts.
 * @throws ForkrouteError DEADLINE_EXCEEDED; the reason of the context's signal.
 */
export async function withinDeadline<T>(
  request: Pick<RouteRequest, 'deadlineMs'>,
  context: CallContext,
  work: (context: CallContext) => Promise<T>,
  begunAt = Date.now(),
): Promise<T> {
  const { deadlineMs } = request
  if (deadlineMs === undefined) return work(context)
  const deadline = begunAt + deadlineMs
  const timeoutMs = deadline - Date.now()
  const late = () => nothingInTime(request)
  if (timeoutMs <= 0) throw late()
  return runWithin({ timeoutMs, outer: context.signal, late }, (signal) =>
    work({ ...context, signal, deadline }),
  )
}

/** A request's time limit over all tasks of its answer: each is given what remains. */
import type { RouteRequest } from '../../domain/engine.js'
import { nothingInTime } from '../../routing/proof/failures.js'

export interface TimeLimit {
  /** The request with what remains. @throws ForkrouteError DEADLINE_EXCEEDED, which names the whole limit. */
  applied<T extends Pick<RouteRequest, 'deadlineMs'>>(request: T): T
}

/**
 * @param args.begunAt - milliseconds since the epoch, from which it counts.
 * @param args.deadlineMs - absent: no limit.
 */
export function createTimeLimit(args: {
  readonly begunAt: number
  readonly deadlineMs?: number | undefined
  readonly now?: () => number
}): TimeLimit {
  const { begunAt, deadlineMs, now = Date.now } = args
  return {
    applied(request) {
      if (deadlineMs === undefined) return request
      const left = deadlineMs - (now() - begunAt)
      if (left <= 0) throw nothingInTime({ deadlineMs })
      return { ...request, deadlineMs: left }
    },
  }
}

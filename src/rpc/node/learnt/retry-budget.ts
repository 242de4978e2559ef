/**
 * How many requests may be sent again: a share of those that are sent for the first time, whatever happens (a token
 * bucket, as in Finagle and Envoy). Copies of late requests count as well. So a node that fails is never burdened with a
 * multiple of what it is asked when it is well. No I/O.
 */

export interface RetryBudget {
  /** A request is sent for the first time. */
  earn(): void
  /** A request is about to be sent again. @returns false: it may not be. */
  spend(): boolean
  /** Milliseconds until one may be, if nothing is earned meanwhile; 0 = at once. */
  waitMs(): number
}

/** Requests again for each request: a node that fails half of them needs as many. */
const earnings = 0.75
/** Where little is asked, some may be sent again all the same. */
const perSecond = 4
/** What was not spent; a burst of failures. */
const most = 48

/** @param now - milliseconds of any clock that never goes back. */
export function createRetryBudget(now: () => number = () => performance.now()): RetryBudget {
  let left = most
  let at = now()

  function refill(): void {
    const time = now()
    left = Math.min(most, left + ((time - at) / 1_000) * perSecond)
    at = time
  }

  return {
    earn() {
      left = Math.min(most, left + earnings)
    },
    spend() {
      refill()
      if (left < 1) return false
      left -= 1
      return true
    },
    waitMs() {
      refill()
      return Math.ceil((Math.max(0, 1 - left) / perSecond) * 1_000)
    },
  }
}

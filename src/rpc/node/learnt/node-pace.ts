/**
 * How much a node takes at once: learnt from what it refuses. After a refusal half as many requests are on their
 * way, of half the size, and more with the answers, as TCP does with a line. A failure that says nothing of its cause
 * counts only where noise hardly gives so many in a row.
 * No I/O.
 */
import { createNoise, type Noise } from './noise.js'

/** What the service learnt of a node while using it. */
export interface NodeLimits {
  /** Calls in one request at most; null: no batch was refused. */
  readonly batch: number | null
  /** Requests at the same time while the node refuses more; null: it does not. */
  readonly requests: number | null
  /** Median of its latest answers; null before the first. */
  readonly medianMs: number | null
}

export interface NodePace {
  /** Calls in one HTTP request at most. */
  batch(): number
  /** HTTP requests at the same time. */
  requests(): number
  /** A request is on its way, until the function that is returned is called. */
  sent(): () => void
  /** The node answered so many calls of one request. */
  answered(calls: number): void
  /**
   * The node has too much to do: 429, or a limit in an answer.
   * @param startedAt - of the request, milliseconds since the epoch. Of requests that were in flight together the
   *   first counts.
   */
  limited(calls: number, startedAt: number): void
  /** The node does not take batches of so many calls. */
  refused(calls: number): void
  /** A batch of so many calls failed in a way that says nothing of its size. */
  failed(calls: number): void
  /** Largest batch that is taken; null: none was refused. */
  knownBatch(): number | null
  /** Requests at the same time while the node refuses more; null: it does not. */
  knownRequests(): number | null
}

/** Least failed batches in a row before their size is doubted: nodes that drop what is too large say nothing of it. */
const failuresUntilDoubt = 3
/** And how likely noise alone may give so many. */
const chanceOfNoise = 1e-4
/** Answers after which a doubted size is tried again. */
const answersUntilTrust = 20
/** A size that the node refused in so many words is tried again, twice as large: nodes behind an address change. */
const statedMs = 600_000

/** @param now - milliseconds since the epoch. */
export function createNodePace(
  most: { readonly batch: number; readonly requests: number },
  noise: Noise = createNoise(),
  now: () => number = Date.now,
): NodePace {
  const row = noise.row()
  /** Calls of the smallest batch of the row. */
  let failedCalls = Number.POSITIVE_INFINITY
  let statedAt = 0
  let requests = most.requests
  let inFlight = 0
  let limitedAt = 0
  /** What the node said that it takes. */
  let stated = most.batch
  /** What it seems to take. */
  let doubted = most.batch
  /** Calls of a batch that it took, and has not failed at since. */
  let proven = 0
  let limits = 0
  let answers = 0

  /** A size that the node took before is not the reason, unless it fails again before the next is taken. */
  function suspect(calls: number): void {
    const half = Math.floor(calls / 2)
    if (calls > 1 && calls > proven) {
      answers = 0
      doubted = Math.max(1, Math.min(doubted, half))
    }
    proven = Math.min(proven, half)
  }

  function isRefused(): boolean {
    if (stated < most.batch && now() - statedAt >= statedMs) {
      stated = Math.min(most.batch, stated * 2)
      statedAt = now()
    }
    return stated < most.batch
  }

  return {
    batch: () => (isRefused() ? Math.min(stated, doubted) : doubted),
    requests: () => Math.floor(requests),
    sent() {
      inFlight += 1
      return () => {
        inFlight -= 1
      }
    },
    answered(calls) {
      requests = Math.min(most.requests, requests + 1 / 4)
      if (calls > 1) limits = 0
      // One that is smaller says nothing of those that failed.
      if (calls >= failedCalls) {
        row.ended()
        failedCalls = Number.POSITIVE_INFINITY
      }
      proven = Math.max(proven, calls)
      answers += 1
      if (answers % answersUntilTrust === 0) doubted = Math.min(most.batch, doubted * 2)
    },
    limited(calls, startedAt) {
      if (startedAt < limitedAt) return
      limitedAt = now()
      requests = Math.max(1, Math.min(requests, inFlight) / 2)
      limits += 1
      // Of one that is much smaller than what it takes, the number of requests is the reason.
      if (2 * calls > proven || limits >= failuresUntilDoubt) suspect(calls)
    },
    refused(calls) {
      stated = Math.max(1, Math.min(stated, Math.floor(calls / 2)))
      statedAt = now()
    },
    failed(calls) {
      if (calls === 1) return
      failedCalls = Math.min(failedCalls, calls)
      const { count, chance } = row.failed()
      if (count < failuresUntilDoubt || chance > chanceOfNoise) return
      row.ended()
      suspect(failedCalls)
      failedCalls = Number.POSITIVE_INFINITY
    },
    knownBatch: () => (isRefused() ? stated : null),
    knownRequests: () => (requests < most.requests ? Math.floor(requests) : null),
  }
}

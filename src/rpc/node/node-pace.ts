/**
 * How much a node takes at once: learnt from what it refuses. After a refusal half as many requests are on their
 * way, of half the size, and more with the answers, as TCP does with a line.
 * No I/O.
 */

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

/** Failed batches in a row before their size is doubted: nodes that drop what is too large say nothing of it. */
const failuresUntilDoubt = 3
/** Answers after which a doubted size is tried again. */
const answersUntilTrust = 20

export function createNodePace(most: {
  readonly batch: number
  readonly requests: number
}): NodePace {
  let requests = most.requests
  let inFlight = 0
  let limitedAt = 0
  /** What the node said that it takes. */
  let stated = most.batch
  /** What it seems to take. */
  let doubted = most.batch
  let failures = 0
  let answers = 0

  function doubt(calls: number): void {
    answers = 0
    if (calls > 1) doubted = Math.max(1, Math.min(doubted, Math.floor(calls / 2)))
  }

  return {
    batch: () => Math.min(stated, doubted),
    requests: () => Math.floor(requests),
    sent() {
      inFlight += 1
      return () => {
        inFlight -= 1
      }
    },
    answered(calls) {
      requests = Math.min(most.requests, requests + 1 / 4)
      if (calls > 1) failures = 0
      answers += 1
      if (answers % answersUntilTrust === 0) doubted = Math.min(most.batch, doubted * 2)
    },
    limited(calls, startedAt) {
      if (startedAt < limitedAt) return
      limitedAt = Date.now()
      requests = Math.max(1, Math.min(requests, inFlight) / 2)
      doubt(calls)
    },
    refused(calls) {
      stated = Math.max(1, Math.min(stated, Math.floor(calls / 2)))
    },
    failed(calls) {
      if (calls === 1) return
      failures += 1
      if (failures < failuresUntilDoubt) return
      failures = 0
      doubt(calls)
    },
    knownBatch: () => (stated < most.batch ? stated : null),
    knownRequests: () => (requests < most.requests ? Math.floor(requests) : null),
  }
}

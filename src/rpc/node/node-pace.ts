/**
 * How much a node takes at once: learnt from what it refuses. Half of what was on its way at a refusal is sent
 * next, and more with each answer, as TCP does with a line.
 * No I/O.
 */

export interface NodePace {
  /** Calls in one HTTP request at most. */
  batch(): number
  /** HTTP requests at the same time. */
  requests(): number
  /** A request with so many calls is on its way, until the function that is returned is called. */
  sent(calls: number): () => void
  /** The node answered so many calls of one request. */
  answered(calls: number): void
  /**
   * The node has too much to do: 429, or a limit in an answer.
   * @param startedAt - of the request, milliseconds since the epoch. Of requests that were in flight together the
   *   first counts.
   */
  limited(startedAt: number): void
  /** The node does not take batches of so many calls. */
  refused(calls: number): void
  /** A batch of so many calls failed in a way that says nothing of its size. */
  failed(calls: number): void
  /** Largest batch that is taken, null: none was refused. */
  knownBatch(): number | null
  /** Calls at the same time, null: no limit was met. */
  knownWindow(): number | null
}

/** Failed batches in a row before their size is doubted: nodes that drop what is too large say nothing of it. */
const failuresUntilDoubt = 3
/** Answered batches after which a doubted size is tried again. */
const answersUntilTrust = 20

export function createNodePace(limits: {
  readonly batch: number
  readonly requests: number
}): NodePace {
  const widest = limits.batch * limits.requests
  /** Calls at the same time. */
  let window = widest
  let inFlight = 0
  let limitedAt = 0
  /** What the node said that it takes. */
  let stated = limits.batch
  /** What it seems to take. */
  let doubted = limits.batch
  let failures = 0
  let answers = 0

  const batch = () => Math.max(1, Math.min(stated, doubted, Math.floor(window)))

  return {
    batch,
    requests: () => Math.max(1, Math.min(limits.requests, Math.floor(window / batch()))),
    sent(calls) {
      inFlight += calls
      return () => {
        inFlight -= calls
      }
    },
    answered(calls) {
      window = Math.min(widest, window + Math.max(calls, window / 4))
      if (calls > 1) failures = 0
      answers += 1
      if (answers % answersUntilTrust === 0) doubted = Math.min(limits.batch, doubted * 2)
    },
    limited(startedAt) {
      if (startedAt < limitedAt) return
      limitedAt = Date.now()
      window = Math.max(1, Math.min(window, inFlight) / 2)
    },
    refused(calls) {
      stated = Math.max(1, Math.min(stated, Math.floor(calls / 2)))
    },
    failed(calls) {
      if (calls === 1) return
      failures += 1
      if (failures < failuresUntilDoubt) return
      failures = 0
      answers = 0
      doubted = Math.max(1, Math.min(doubted, Math.floor(calls / 2)))
    },
    knownBatch: () => (stated < limits.batch ? stated : null),
    knownWindow: () => (window < widest ? Math.floor(window) : null),
  }
}

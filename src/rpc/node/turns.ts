/**
 * The turns of requests to one node: a few at the same time, none while the node asks for a pause, none again without
 * the budget for it, and none for longer than an answer may take. Owned by `upstream-node.ts`.
 */
import type { LimitFunction } from 'p-limit'
import { TransportError } from './json-rpc.js'
import type { Latencies } from './learnt/latencies.js'
import type { NodePace } from './learnt/node-pace.js'
import type { RetryBudget } from './learnt/retry-budget.js'

/** The request was never sent: the node asked for a pause while it waited for its turn, or it may not be sent again. */
export class NotSent extends TransportError {
  constructor() {
    super(notSent, null)
  }
}

/** The problem of a request that was never sent. */
export const notSent = 'waits'

export interface Turn {
  readonly method: string
  readonly calls: number
  /** It was sent before. */
  readonly isAgain: boolean
  readonly signal: AbortSignal | undefined
  readonly onLate: ((isLost: boolean) => void) | undefined
}

export interface TurnParts {
  readonly limit: LimitFunction
  readonly pace: NodePace
  readonly latencies: Latencies
  readonly budget: RetryBudget
  readonly timeoutMs: number
  readonly isPausing: () => boolean
  readonly onSent: (turn: Turn) => void
}

/**
 * @returns a function that waits for the turn, asks, and gives the answer. A late answer holds up nobody else's turn, as
 *   long as no more are late than are in time.
 * @throws NotSent, the reason of the signal, TransportError when there is no answer in time, and what `ask` throws.
 */
export function createTurns(
  parts: TurnParts,
): <T>(turn: Turn, ask: (signal: AbortSignal) => Promise<T>) => Promise<T> {
  const { limit, pace, latencies, budget } = parts
  /** On their way without a place. */
  let late = 0

  function send<T>(turn: Turn, ask: (signal: AbortSignal) => Promise<T>) {
    const { method, calls, signal, onLate } = turn
    const begun = performance.now()
    const arrived = pace.sent()
    const ending = new AbortController()
    const abort = () => ending.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const sent = ask(ending.signal)
    const place = new Promise<void>((resolve) => {
      let isLate = false
      const becomeLate = () => {
        onLate?.(false)
        if (late >= limit.concurrency) return
        isLate = true
        late += 1
        resolve()
      }
      const timers = [
        setTimeout(becomeLate, latencies.late(method, calls)),
        setTimeout(() => onLate?.(true), latencies.lost(method, calls)),
        setTimeout(() => {
          ending.abort(new TransportError('The node gave no answer in time.', null))
        }, parts.timeoutMs),
      ]
      const end = () => {
        for (const timer of timers) clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        if (isLate) late -= 1
        // Only once the answer was looked at: what was on its way counts where the node refuses it.
        setImmediate(arrived)
        resolve()
      }
      sent.then(
        () => {
          latencies.note(method, calls, performance.now() - begun)
          end()
        },
        () => {
          if (ending.signal.aborted) latencies.givenUp(method, calls, performance.now() - begun)
          end()
        },
      )
    })
    return { sent, place }
  }

  return async (turn, ask) => {
    limit.concurrency = pace.requests()
    const { answer } = await limit(async () => {
      turn.signal?.throwIfAborted()
      if (parts.isPausing()) throw new NotSent()
      if (!turn.isAgain) budget.earn()
      else if (!budget.spend()) throw new NotSent()
      parts.onSent(turn)
      const { sent, place } = send(turn, ask)
      await place
      return { answer: sent }
    })
    return answer
  }
}

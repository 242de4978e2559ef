/**
 * The turns of requests to one node: a few at the same time, none while the node asks for a pause, none again without
 * the budget for it, and none for longer than an answer may take. Owned by `upstream-node.ts`.
 */
import pLimit, { type LimitFunction } from 'p-limit'
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

export interface NodeTurnsParts {
  readonly pace: NodePace
  readonly latencies: Latencies
  readonly budget: RetryBudget
  readonly timeoutMs: number
  readonly isPausing: () => boolean
  readonly onSent: (turn: Turn) => void
}

/** The one line in which requests wait for a node: so many are on their way as its pace allows. */
export class NodeTurns {
  readonly #parts: NodeTurnsParts
  readonly #limit: LimitFunction
  /** On their way without a place. */
  #late = 0

  constructor(parts: NodeTurnsParts) {
    this.#parts = parts
    this.#limit = pLimit(parts.pace.requests())
  }

  /**
   * Waits for the turn, asks, and gives the answer. A late answer holds up nobody else's turn, as long as no more are
   * late than are in time.
   *
   * @throws NotSent, the reason of the signal, TransportError when there is no answer in time, and what `ask` throws.
   */
  async run<T>(turn: Turn, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { budget, isPausing, onSent } = this.#parts
    this.keepPace()
    const { answer } = await this.#limit(async () => {
      turn.signal?.throwIfAborted()
      if (isPausing()) throw new NotSent()
      if (!turn.isAgain) budget.earn()
      else if (!budget.spend()) throw new NotSent()
      onSent(turn)
      const { sent, place } = this.#send(turn, ask)
      await place
      return { answer: sent }
    })
    return answer
  }

  /** From now on as many requests are on their way as the node's pace allows at present. */
  keepPace(): void {
    this.#limit.concurrency = this.#parts.pace.requests()
  }

  /** @returns the answer, and when the place of the request in the line is free again. */
  #send<T>(turn: Turn, ask: (signal: AbortSignal) => Promise<T>) {
    const { pace, latencies, timeoutMs } = this.#parts
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
        if (this.#late >= this.#limit.concurrency) return
        isLate = true
        this.#late += 1
        resolve()
      }
      const timers = [
        setTimeout(becomeLate, latencies.late(method, calls)),
        setTimeout(() => onLate?.(true), latencies.lost(method, calls)),
        setTimeout(() => {
          ending.abort(new TransportError('The node gave no answer in time.', null))
        }, timeoutMs),
      ]
      const end = () => {
        for (const timer of timers) clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        if (isLate) this.#late -= 1
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
}

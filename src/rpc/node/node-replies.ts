/**
 * What the replies of one node mean: for the reads that were sent, their outcomes; for the node, whether it is healthy,
 * noisy or asked too much. Owned by `upstream-node.ts`.
 */
import { type RpcClient, type RpcResult, TransportError } from './json-rpc.js'
import type { NodeHealth } from './learnt/node-health.js'
import type { NodePace } from './learnt/node-pace.js'
import type { Noise } from './learnt/noise.js'
import { meaningOf } from './node-answers.js'
import type { NodeRequest, Outcome } from './node-request.js'
import type { NodeCounters } from './node-status.js'
import { NotSent } from './turns.js'

export interface NodeReplyParts {
  readonly client: RpcClient
  readonly health: NodeHealth
  readonly pace: NodePace
  readonly noise: Noise
  readonly counters: NodeCounters
  readonly redact: (text: string) => string
  /** The node takes fewer requests at a time from now on. */
  readonly onLimited: () => void
}

/** A request that was not answered as one. */
export interface FailedRequest {
  readonly error: unknown
  readonly calls: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly signal: AbortSignal | undefined
}

export class NodeReplies {
  readonly #parts: NodeReplyParts
  #answeredAt = 0

  constructor(parts: NodeReplyParts) {
    this.#parts = parts
  }

  /** When the last answer came; monotonic, milliseconds. */
  get answeredAt(): number {
    return this.#answeredAt
  }

  /** Outcomes of the calls of one request that was answered, in their order. */
  async outcomesOf(
    requests: readonly NodeRequest[],
    results: readonly RpcResult[],
    startedAt: number,
  ): Promise<Outcome[]> {
    const { pace, health, noise } = this.#parts
    const all = requests.map((request, index) => this.#judged(request, results[index] as RpcResult))
    const isOdd = all.some((one) => one !== 'busy' && 'kind' in one && one.kind === 'odd')
    if (all.includes('busy')) this.#limited(requests.length, startedAt, 'limits requests', null)
    else {
      pace.answered(requests.length)
      health.recordSuccess()
      if (isOdd) noise.failed()
      else noise.answered()
      this.#answeredAt = performance.now()
    }
    return Promise.all(
      all.map((one, index) => {
        if (one === 'busy') return { kind: 'failed', message: 'limits requests' }
        return 'lie' in one ? this.#askLiar(requests[index] as NodeRequest) : one
      }),
    )
  }

  /** The outcome of each call of a request that failed as a whole. @throws what is no failure of a node. */
  failureOf({ error, calls, startedAt, signal }: FailedRequest): Outcome {
    const { pace, health, noise, redact } = this.#parts
    if (signal?.aborted) {
      // Nobody waits for it any more, but that it did not come tells of the node.
      if (signal.reason === 'lost') noise.failed()
      return { kind: 'failed', message: String(signal.reason) }
    }
    if (!(error instanceof TransportError)) throw error
    const { status, retryAfterSeconds } = error
    const message = status === 429 ? 'limits requests (HTTP 429)' : redact(error.message)
    if (error instanceof NotSent) return { kind: 'failed', message }
    if (status === 429 || retryAfterSeconds !== null) {
      this.#limited(calls, startedAt, message, retryAfterSeconds)
    } else {
      noise.failed()
      pace.failed(calls)
      health.recordFailure(startedAt, message)
    }
    return { kind: 'failed', message }
  }

  #judged(request: NodeRequest, result: RpcResult): Outcome | 'busy' | { lie: string } {
    if (result.ok) {
      const judgement = request.judge(result.value)
      if (judgement.kind === 'value') return judgement
      const { kind, message } = judgement
      return kind === 'lie' ? { lie: message } : { kind, message }
    }
    const meaning = meaningOf(result.error)
    if (meaning === 'busy') return meaning
    return { kind: meaning, message: this.#parts.redact(result.error.message) }
  }

  /** A false answer may be a mishap on the way. Told again, it is the node's. */
  async #askLiar(request: NodeRequest): Promise<Outcome> {
    const { client, health } = this.#parts
    const { method, params } = request.call
    try {
      const value = await client.request(method, params)
      const again = this.#judged(request, { ok: true, value })
      if (again === 'busy') return { kind: 'failed', message: 'limits requests' }
      if (!('lie' in again)) return again
      health.setAside(again.lie)
      return { kind: 'failed', message: again.lie }
    } catch {
      return { kind: 'failed', message: 'a false answer' }
    }
  }

  /** Among other failures one that speaks of a limit is no more than they are: then it is not its number. */
  #limited(calls: number, startedAt: number, message: string, after: number | null): void {
    const { pace, health, noise, counters, onLimited } = this.#parts
    counters.limited += 1
    noise.limited()
    if (!noise.isLimiting()) {
      health.recordFailure(startedAt, message)
      return
    }
    pace.limited(calls, startedAt)
    onLimited()
    health.recordLimit(startedAt, message, after)
  }
}

/**
 * One node of a chain: sends single calls and batches, keeps track of whether the node is verified, pausing or set
 * aside, and adapts to how much it takes at once. Never throws for what a node does: every call has an outcome.
 * Owned by `upstream.ts`; the node's URL never leaves this file.
 */
import { setMaxListeners } from 'node:events'
import type { Address } from '../../domain/primitives.js'
import {
  createRpcClient,
  JsonRpcError,
  type RpcClient,
  type RpcResult,
  TransportError,
} from './json-rpc.js'
import { createLatencies } from './learnt/latencies.js'
import { NodeHealth } from './learnt/node-health.js'
import { createNodePace, type NodePace } from './learnt/node-pace.js'
import type { NodeAbilities } from './learnt/node-probe.js'
import { createNoise, type Noise } from './learnt/noise.js'
import type { RetryBudget } from './learnt/retry-budget.js'
import { isBatchRefusal } from './node-answers.js'
import { NodeReplies } from './node-replies.js'
import type { NodeRequest, Outcome } from './node-request.js'
import type { NodeCounters, NodeStatus, UpstreamCounters } from './node-status.js'
import { NodeVerification } from './node-verification.js'
import { mostBytesOf } from './response-caps.js'
import { NodeTurns, type Turn } from './turns.js'

/** With more requests than this at once, the first ones are sent ahead in a batch of their own. */
const many = 128
const firstOfMany = 32

export interface SendOptions {
  /** Aborted with the reason, which is the outcome of what it ends: `answered` elsewhere, `given up` or `lost`. */
  readonly signal?: AbortSignal
  /** The requests were sent before, or are on their way: the budget for such pays for them. */
  readonly isAgain?: boolean
  /**
   * Called when the answer of a request is later than nearly all before it, and again when it is so late that it is
   * most likely lost.
   */
  onLate?(isLost: boolean): void
}

export interface NodeOptions {
  readonly name: string
  readonly chainId: number
  readonly url: string
  /** Whether it is of no use without proofs. */
  readonly needsProofs: boolean
  readonly anchor: Address | null
  readonly timeoutMs: number
  readonly verifyHeaderHash: boolean
  readonly maxBatch: number
  /** HTTP requests at the same time: a limit per node, since one that hangs must not hold up the others. */
  readonly connections: number
  readonly counters: UpstreamCounters
  /** The budget is shared by all nodes of the chain. */
  readonly budget: RetryBudget
  readonly redact: (text: string) => string
  /** Called with one sentence when the node is set aside or fails to answer, and with null when it is back. */
  readonly onChange: (problem: string | null) => void
}

export class UpstreamNode {
  readonly name: string
  /** How many of its requests fail for no stated reason. */
  readonly noise: Noise = createNoise()
  readonly #counters: NodeCounters = { requests: 0, limited: 0 }
  readonly #client: RpcClient
  readonly #health: NodeHealth
  readonly #pace: NodePace
  readonly #latencies = createLatencies()
  readonly #replies: NodeReplies
  readonly #verification: NodeVerification
  readonly #turns: NodeTurns
  readonly #redact: (text: string) => string

  constructor(options: NodeOptions) {
    const { name, chainId, redact, timeoutMs, connections, verifyHeaderHash } = options
    this.name = name
    this.#redact = redact
    this.#client = createRpcClient(options.url, {
      timeoutMs,
      // Late requests keep their connections.
      connections: 2 * connections,
      mostBytes: mostBytesOf,
      peer: { name: 'node', facts: { 'forkroute.chain_id': chainId, 'forkroute.node': name } },
    })
    this.#health = new NodeHealth(name, options.onChange, this.noise)
    this.#pace = createNodePace({ batch: options.maxBatch, requests: connections }, this.noise)
    this.#replies = new NodeReplies({
      client: this.#client,
      health: this.#health,
      pace: this.#pace,
      noise: this.noise,
      counters: this.#counters,
      redact,
      onLimited: () => this.#turns.keepPace(),
    })
    this.#verification = new NodeVerification({
      rules: { chainId, verifyHeaderHash },
      anchor: options.anchor,
      health: this.#health,
      takesBatches: () => this.#pace.knownBatch() !== 1,
      needsProofs: options.needsProofs,
      send: (requests, isAgain) => this.#sendInTime(requests, isAgain),
    })
    this.#turns = new NodeTurns({
      pace: this.#pace,
      latencies: this.#latencies,
      budget: options.budget,
      timeoutMs,
      isPausing: () => this.#health.isPausing(),
      onSent: ({ calls }) => {
        options.counters.httpRequests += 1
        this.#counters.requests += 1
        options.counters.calls += calls
      },
    })
  }

  get counters(): Readonly<NodeCounters> {
    return this.#counters
  }

  /** Milliseconds until it may be asked again; 0 = at once; null = set aside or down, do not wait for it. */
  waitMs(): number | null {
    return this.#health.waitMs()
  }

  /** It is verified: it may be asked without waiting for that. */
  isVerified(): boolean {
    return this.#health.trust() === 'verified'
  }

  /** Others are better asked first. */
  isSlow(): boolean {
    return this.#health.isSlow()
  }

  /** Whether some of its latest requests failed. */
  isFlaky(): boolean {
    return this.#health.isFlaky()
  }

  /** Verifies the node if that has not been done; false when it may not be used. */
  ready(): Promise<boolean> {
    return this.#verification.ready()
  }

  abilities(): NodeAbilities | null {
    return this.#verification.abilities()
  }

  /** Why it is not usable, or failed at the last attempt; null: it answered. */
  problem(): string | null {
    return this.#health.problem()
  }

  /** When the last of its answers came; monotonic, milliseconds. */
  answeredAt(): number {
    return this.#replies.answeredAt
  }

  /** The requests in parts, of which each is one HTTP request as this node takes it. */
  parts<T>(requests: readonly T[]): readonly (readonly T[])[] {
    const size = this.#pace.batch()
    // The first requests are the most urgent: a block's header comes before everything read ahead with it.
    const first = requests.length > many ? Math.min(firstOfMany, size) : size
    const all = [requests.slice(0, first)]
    for (let start = first; start < requests.length; start += size) {
      all.push(requests.slice(start, start + size))
    }
    return all
  }

  /** Outcomes in the order of the requests. */
  async send(requests: readonly NodeRequest[], options: SendOptions = {}): Promise<Outcome[]> {
    this.#verification.refresh()
    if (!options.signal) return this.#sendInTime(requests)
    const onLate = (isLost: boolean) => {
      if (!isLost) this.#health.recordLate()
      options.onLate?.(isLost)
    }
    return this.#sendParts(requests, { ...options, onLate })
  }

  status(): NodeStatus {
    return {
      name: this.name,
      usable: this.#health.isUsable(),
      isSetAside: this.#health.trust() === 'aside',
      problem: this.#health.trouble(),
      latencyMs: this.#verification.latencyMs,
      abilities: this.abilities(),
      limits: {
        batch: this.#pace.knownBatch(),
        requests: this.#pace.knownRequests(),
        medianMs: this.#latencies.median(),
      },
    }
  }

  /** Asks it no more until the service is restarted. @param why - a sentence. */
  leaveOut(why: string): void {
    this.#health.setAside(why, true)
  }

  /** Milliseconds of each answer since it was last asked. */
  takeAnswerTimes(): readonly number[] {
    return this.#latencies.take()
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  /** Does not wait for answers that are lost on the way. */
  async #sendInTime(requests: readonly NodeRequest[], isAgain = false): Promise<Outcome[]> {
    const lost = new AbortController()
    setMaxListeners(0, lost.signal)
    const onLate = (isLost: boolean) => isLost && lost.abort('lost')
    return this.#sendParts(requests, { signal: lost.signal, onLate, isAgain })
  }

  async #sendParts(requests: readonly NodeRequest[], options: SendOptions): Promise<Outcome[]> {
    const sent = this.parts(requests).map((part) => {
      const [only] = part
      return only && part.length === 1
        ? this.#sendOne(only, options)
        : this.#sendBatch(part, options)
    })
    return (await Promise.all(sent)).flat()
  }

  async #sendOne(request: NodeRequest, options: SendOptions): Promise<Outcome[]> {
    const { method, params } = request.call
    const startedAt = Date.now()
    let result: RpcResult
    try {
      const value = await this.#turns.run(turnOf([request], options), (signal) =>
        this.#client.request(method, params, signal),
      )
      result = { ok: true, value }
    } catch (error) {
      // Whoever asked for so much at once asks for less.
      if (error instanceof TransportError && isBatchRefusal(error)) {
        return [{ kind: 'refused', message: this.#redact(error.message) }]
      }
      if (!(error instanceof JsonRpcError)) {
        const { signal } = options
        return [this.#replies.failureOf({ error, calls: 1, startedAt, signal })]
      }
      result = { ok: false, error }
    }
    return this.#replies.outcomesOf([request], [result], startedAt)
  }

  async #sendBatch(requests: readonly NodeRequest[], options: SendOptions): Promise<Outcome[]> {
    const startedAt = Date.now()
    const calls = requests.map((request) => request.call)
    let results: RpcResult[]
    try {
      results = await this.#turns.run(turnOf(requests, options), (signal) =>
        this.#client.batch(calls, signal),
      )
    } catch (error) {
      if (error instanceof TransportError && isBatchRefusal(error)) {
        this.#pace.refused(calls.length)
        return this.#sendParts(requests, options)
      }
      const { signal } = options
      const outcome = this.#replies.failureOf({ error, calls: calls.length, startedAt, signal })
      return requests.map(() => outcome)
    }
    return this.#replies.outcomesOf(requests, results, startedAt)
  }
}

function turnOf(
  [first, ...more]: readonly NodeRequest[],
  { signal, onLate, isAgain = false }: SendOptions,
): Turn {
  return { method: first?.call.method ?? '', calls: 1 + more.length, signal, onLate, isAgain }
}

/**
 * One node of a chain: sends single calls and batches, keeps track of whether the node is verified, pausing or set
 * aside, and adapts to how much it takes at once. Never throws for what a node does: every call has an outcome.
 * Owned by `upstream.ts`; the node's URL never leaves this file.
 */
import { setMaxListeners } from 'node:events'
import type { LimitFunction } from 'p-limit'
import type { Address } from '../../domain/primitives.js'
import type { VerifiedBlock } from './block-check.js'
import { insist } from './insist.js'
import { createRpcClient, JsonRpcError, type RpcResult, TransportError } from './json-rpc.js'
import { createLatencies } from './learnt/latencies.js'
import { createNodeHealth } from './learnt/node-health.js'
import { createNodePace, type NodeLimits } from './learnt/node-pace.js'
import { type NodeAbilities, probeAbilities } from './learnt/node-probe.js'
import { createNoise, type Noise } from './learnt/noise.js'
import { createProbedAbilities } from './learnt/probed-abilities.js'
import type { RetryBudget } from './learnt/retry-budget.js'
import { isBatchRefusal, meaningOf } from './node-answers.js'
import type { NodeRequest, Outcome } from './node-request.js'
import { chainIdRequest, latestRequest } from './read-requests.js'
import { mostBytesOf } from './response-caps.js'
import { createTurns, NotSent, type Turn } from './turns.js'

/** With more requests than this at once, the first ones are sent ahead in a batch of their own. */
const many = 128
const firstOfMany = 32
/** Attempts at what is asked of a node before it is used. */
const verifyAttempts = 4

/** Counts of one chain, all nodes together. */
export interface UpstreamCounters {
  httpRequests: number
  calls: number
  retries: number
  /** Requests that were sent a second time because their answer was late. */
  hedges: number
  coalesced: number
}

/** Counts of one node since the start. */
export interface NodeCounters {
  requests: number
  /** Requests that it refused for their number. */
  limited: number
}

export interface NodeStatus {
  /** `node 1 of chain 1` */
  readonly name: string
  readonly usable: boolean
  /** The node is of another chain, or gave a false answer. */
  readonly isSetAside: boolean
  /** Why the node is not usable, or pauses; null: no problem. */
  readonly problem: string | null
  /** Latency of the first verification. */
  readonly latencyMs: number | null
  readonly abilities: NodeAbilities | null
  readonly limits: NodeLimits
}

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

export interface UpstreamNode {
  readonly name: string
  /** Milliseconds until it may be asked again; 0 = at once; null = set aside or down, do not wait for it. */
  waitMs(): number | null
  /** It is verified: it may be asked without waiting for that. */
  isVerified(): boolean
  /** Others are better asked first. */
  isSlow(): boolean
  /** Whether some of its latest requests failed. */
  isFlaky(): boolean
  /** Verifies the node if that has not been done; false when it may not be used. */
  ready(): Promise<boolean>
  abilities(): NodeAbilities | null
  /** How many of its requests fail for no stated reason. */
  readonly noise: Noise
  /** When the last of its answers came; monotonic, milliseconds. */
  answeredAt(): number
  readonly counters: Readonly<NodeCounters>
  /** The requests in parts, of which each is one HTTP request as this node takes it. */
  parts<T>(requests: readonly T[]): readonly (readonly T[])[]
  /** Outcomes in the order of the requests. */
  send(requests: readonly NodeRequest[], options?: SendOptions): Promise<Outcome[]>
  status(): NodeStatus
  /** Why it is not usable, or failed at the last attempt; null: it answered. */
  problem(): string | null
  /** Milliseconds of each answer since it was last asked. */
  takeAnswerTimes(): readonly number[]
  close(): Promise<void>
}

export interface NodeOptions {
  readonly name: string
  readonly chainId: number
  readonly url: string
  readonly anchor: Address | null
  readonly timeoutMs: number
  readonly verifyHeaderHash: boolean
  readonly maxBatch: number
  readonly connections: number
  readonly limit: LimitFunction
  readonly counters: UpstreamCounters
  /** Of all nodes of the chain. */
  readonly budget: RetryBudget
  readonly redact: (text: string) => string
  /** Called with one sentence when the node is set aside or fails to answer, and with null when it is back. */
  readonly onChange: (problem: string | null) => void
}

export function createUpstreamNode(options: NodeOptions): UpstreamNode {
  const { name, chainId, counters, limit, redact } = options
  const client = createRpcClient(options.url, {
    timeoutMs: options.timeoutMs,
    // Those that are late keep theirs.
    connections: 2 * options.connections,
    mostBytes: mostBytesOf,
    peer: { name: 'node', facts: { 'forkroute.chain_id': chainId, 'forkroute.node': name } },
  })
  const noise = createNoise()
  const health = createNodeHealth(name, options.onChange, noise)
  const pace = createNodePace({ batch: options.maxBatch, requests: options.connections }, noise)
  const latencies = createLatencies()
  const own: NodeCounters = { requests: 0, limited: 0 }
  const abilities = createProbedAbilities()
  const rules = { chainId, verifyHeaderHash: options.verifyHeaderHash }
  let verifying: Promise<boolean> | null = null
  let latencyMs: number | null = null
  let answeredAt = 0
  const inTurn = createTurns({
    limit,
    pace,
    latencies,
    budget: options.budget,
    timeoutMs: options.timeoutMs,
    isPausing: health.isPausing,
    onSent({ calls }) {
      counters.httpRequests += 1
      own.requests += 1
      counters.calls += calls
    },
  })

  const turnOf = (
    [first, ...more]: readonly NodeRequest[],
    { signal, onLate, isAgain = false }: SendOptions,
  ): Turn => ({ method: first?.call.method ?? '', calls: 1 + more.length, signal, onLate, isAgain })

  function judged(request: NodeRequest, result: RpcResult): Outcome | 'busy' | { lie: string } {
    if (result.ok) {
      const judgement = request.judge(result.value)
      if (judgement.kind === 'value') return judgement
      const { kind, message } = judgement
      return kind === 'lie' ? { lie: message } : { kind, message }
    }
    const meaning = meaningOf(result.error)
    return meaning === 'busy' ? meaning : { kind: meaning, message: redact(result.error.message) }
  }

  /** Outcomes of the calls of one request that was answered. */
  async function outcomesOf(
    requests: readonly NodeRequest[],
    results: readonly RpcResult[],
    startedAt: number,
  ): Promise<Outcome[]> {
    const all = requests.map((request, index) => judged(request, results[index] as RpcResult))
    const isOdd = all.some((one) => one !== 'busy' && 'kind' in one && one.kind === 'odd')
    if (all.includes('busy')) limited(requests.length, startedAt, 'limits requests', null)
    else {
      pace.answered(requests.length)
      health.recordSuccess()
      if (isOdd) noise.failed()
      else noise.answered()
      answeredAt = performance.now()
    }
    return Promise.all(
      all.map((one, index) => {
        if (one === 'busy') return { kind: 'failed', message: 'limits requests' }
        return 'lie' in one ? askLiar(requests[index] as NodeRequest) : one
      }),
    )
  }

  /** A false answer may be a mishap on the way. Told again, it is the node's. */
  async function askLiar(request: NodeRequest): Promise<Outcome> {
    const { method, params } = request.call
    try {
      const again = judged(request, { ok: true, value: await client.request(method, params) })
      if (again === 'busy') return { kind: 'failed', message: 'limits requests' }
      if (!('lie' in again)) return again
      health.setAside(again.lie)
      return { kind: 'failed', message: again.lie }
    } catch {
      return { kind: 'failed', message: 'a false answer' }
    }
  }

  /** Among other failures one that speaks of a limit is no more than they are: then it is not its number. */
  function limited(calls: number, startedAt: number, message: string, after: number | null): void {
    own.limited += 1
    noise.limited()
    if (!noise.isLimiting()) {
      health.recordFailure(startedAt, message)
      return
    }
    pace.limited(calls, startedAt)
    limit.concurrency = pace.requests()
    health.recordLimit(startedAt, message, after)
  }

  /** A request that was not answered as one. */
  function broken(error: unknown, calls: number, startedAt: number, signal?: AbortSignal): Outcome {
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
      limited(calls, startedAt, message, retryAfterSeconds)
    } else {
      noise.failed()
      pace.failed(calls)
      health.recordFailure(startedAt, message)
    }
    return { kind: 'failed', message }
  }

  async function sendOne(request: NodeRequest, options: SendOptions): Promise<Outcome[]> {
    const { method, params } = request.call
    const startedAt = Date.now()
    let result: RpcResult
    try {
      const value = await inTurn(turnOf([request], options), (signal) =>
        client.request(method, params, signal),
      )
      result = { ok: true, value }
    } catch (error) {
      // Whoever asked for so much at once asks for less.
      if (error instanceof TransportError && isBatchRefusal(error)) {
        return [{ kind: 'refused', message: redact(error.message) }]
      }
      if (!(error instanceof JsonRpcError)) return [broken(error, 1, startedAt, options.signal)]
      result = { ok: false, error }
    }
    return outcomesOf([request], [result], startedAt)
  }

  async function sendBatch(
    requests: readonly NodeRequest[],
    options: SendOptions,
  ): Promise<Outcome[]> {
    const startedAt = Date.now()
    const calls = requests.map((request) => request.call)
    let results: RpcResult[]
    try {
      results = await inTurn(turnOf(requests, options), (signal) => client.batch(calls, signal))
    } catch (error) {
      if (error instanceof TransportError && isBatchRefusal(error)) {
        pace.refused(calls.length)
        return send(requests, options)
      }
      const outcome = broken(error, calls.length, startedAt, options.signal)
      return requests.map(() => outcome)
    }
    return outcomesOf(requests, results, startedAt)
  }

  function parts<T>(requests: readonly T[]): readonly (readonly T[])[] {
    const size = pace.batch()
    // The first requests are the most urgent: a block's header comes before everything read ahead with it.
    const first = requests.length > many ? Math.min(firstOfMany, size) : size
    const all = [requests.slice(0, first)]
    for (let start = first; start < requests.length; start += size) {
      all.push(requests.slice(start, start + size))
    }
    return all
  }

  async function send(
    requests: readonly NodeRequest[],
    options: SendOptions = {},
  ): Promise<Outcome[]> {
    const sent = parts(requests).map((part) => {
      const [only] = part
      return only && part.length === 1 ? sendOne(only, options) : sendBatch(part, options)
    })
    return (await Promise.all(sent)).flat()
  }

  /** Does not wait for answers that are lost on the way. */
  async function sendInTime(requests: readonly NodeRequest[], isAgain = false): Promise<Outcome[]> {
    const lost = new AbortController()
    setMaxListeners(0, lost.signal)
    const onLate = (isLost: boolean) => isLost && lost.abort('lost')
    return send(requests, { signal: lost.signal, onLate, isAgain })
  }

  const ask = (requests: readonly NodeRequest[]) =>
    insist(requests, {
      send: sendInTime,
      attempts: verifyAttempts,
      mayGoOn: () => health.waitMs() === 0,
    })

  async function verify(): Promise<boolean> {
    const startedAt = Date.now()
    const [[chain], [latest]] = await Promise.all([
      ask([chainIdRequest]),
      ask([latestRequest(rules)]),
    ])
    if (chain?.kind === 'refused' || latest?.kind === 'refused') {
      health.setAside(`it does not tell its chain or its newest block.`)
      return false
    }
    if (chain?.kind !== 'value') return false
    if (chain.value !== chainId) {
      health.setAside(`it answers for chain ${chain.value}, not for chain ${chainId}.`)
      return false
    }
    if (latest?.kind !== 'value') return false
    latencyMs = Date.now() - startedAt
    await probe(latest.value as VerifiedBlock)
    return health.verified()
  }

  async function probe(latest: VerifiedBlock): Promise<void> {
    const takesBatches = () => pace.knownBatch() !== 1
    abilities.take(await probeAbilities(ask, latest, options.anchor, takesBatches))
  }

  /** What the node lacked may have been there all the time: its answers fail, or another one stands behind its address. */
  async function probeAgain(): Promise<void> {
    const [latest] = await ask([latestRequest(rules)])
    if (latest?.kind === 'value') await probe(latest.value as VerifiedBlock)
    else abilities.postpone()
  }

  return {
    name,
    waitMs: health.waitMs,
    isVerified: () => health.trust() === 'verified',
    isSlow: health.isSlow,
    isFlaky: health.isFlaky,
    ready() {
      const trust = health.trust()
      if (trust !== 'unverified') return Promise.resolve(trust === 'verified')
      verifying ??= verify().finally(() => {
        verifying = null
      })
      return verifying
    },
    abilities: abilities.current,
    noise,
    problem: health.problem,
    answeredAt: () => answeredAt,
    counters: own,
    parts,
    async send(requests, options = {}) {
      if (abilities.isDue()) void probeAgain()
      if (!options.signal) return sendInTime(requests)
      const onLate = (isLost: boolean) => {
        if (!isLost) health.recordLate()
        options.onLate?.(isLost)
      }
      return send(requests, { ...options, onLate })
    },
    status: () => ({
      name,
      usable: health.isUsable(),
      isSetAside: health.trust() === 'aside',
      problem: health.trouble(),
      latencyMs,
      abilities: abilities.current(),
      limits: {
        batch: pace.knownBatch(),
        requests: pace.knownRequests(),
        medianMs: latencies.median(),
      },
    }),
    takeAnswerTimes: latencies.take,
    close: () => client.close(),
  }
}

/**
 * One node of a chain: sends single calls and batches, keeps track of whether the node is verified, pausing or set
 * aside, and adapts to how much it takes at once. Never throws for what a node does: every call has an outcome.
 * Owned by `upstream.ts`; the node's URL never leaves this file.
 */
import { setMaxListeners } from 'node:events'
import type { LimitFunction } from 'p-limit'
import type { Address } from '../../domain/primitives.js'
import { judgeBlock, type VerifiedBlock } from './block-check.js'
import { insist } from './insist.js'
import { createRpcClient, JsonRpcError, type RpcResult, TransportError } from './json-rpc.js'
import { createLatencies } from './latencies.js'
import { isBatchRefusal, meaningOf } from './node-answers.js'
import { createNodeHealth } from './node-health.js'
import { createNodePace, type NodeLimits } from './node-pace.js'
import { type NodeAbilities, probeAbilities } from './node-probe.js'
import { type Judgement, type NodeRequest, type Outcome, plain } from './node-request.js'

/** With more requests than this at once, the first ones are sent ahead in a batch of their own. */
const many = 128
const firstOfMany = 32
/** An answer that takes so many times longer than nearly all before it will hardly come. */
const lostFactor = 4
const leastLostMs = 1_500
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
  /** Why the node is not usable, or failed at the last attempt; null: no problem. */
  readonly problem: string | null
  /** Latency of the first verification. */
  readonly latencyMs: number | null
  readonly abilities: NodeAbilities | null
  readonly limits: NodeLimits
}

export interface SendOptions {
  /** Aborted with the reason, which is the outcome of what it ends: `answered` elsewhere, `given up` or `lost`. */
  readonly signal?: AbortSignal
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
  readonly counters: Readonly<NodeCounters>
  /** The requests in parts, of which each is one HTTP request as this node takes it. */
  parts<T>(requests: readonly T[]): readonly (readonly T[])[]
  /** Outcomes in the order of the requests. */
  send(requests: readonly NodeRequest[], options?: SendOptions): Promise<Outcome[]>
  status(): NodeStatus
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
  readonly redact: (text: string) => string
  /** Called with one sentence when the node is set aside or fails to answer, and with null when it is back. */
  readonly onChange: (problem: string | null) => void
}

/** The request was never sent: the node asked for a pause while it waited for its turn. */
class Pausing extends TransportError {}

export function createUpstreamNode(options: NodeOptions): UpstreamNode {
  const { name, chainId, counters, limit, redact } = options
  const client = createRpcClient(options.url, {
    timeoutMs: options.timeoutMs,
    connections: options.connections,
    peer: { name: 'node', facts: { 'forkroute.chain_id': chainId, 'forkroute.node': name } },
  })
  const health = createNodeHealth(name, options.onChange)
  const pace = createNodePace({ batch: options.maxBatch, requests: options.connections })
  const latencies = createLatencies()
  const own: NodeCounters = { requests: 0, limited: 0 }
  let verifying: Promise<boolean> | null = null
  let abilities: NodeAbilities | null = null
  let latencyMs: number | null = null

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
    if (all.includes('busy')) limited(requests.length, startedAt, 'limits requests', null)
    else {
      pace.answered(requests.length)
      health.recordSuccess()
    }
    if (all.some((one) => one !== 'busy' && 'kind' in one && one.kind === 'odd')) health.recordOdd()
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

  function limited(calls: number, startedAt: number, message: string, after: number | null): void {
    own.limited += 1
    pace.limited(calls, startedAt)
    limit.concurrency = pace.requests()
    health.recordLimit(startedAt, message, after)
  }

  /** A request that was not answered as one. */
  function broken(error: unknown, calls: number, startedAt: number, signal?: AbortSignal): Outcome {
    if (signal?.aborted) return { kind: 'failed', message: String(signal.reason) }
    if (!(error instanceof TransportError)) throw error
    const { status, retryAfterSeconds } = error
    const message = status === 429 ? 'limits requests (HTTP 429)' : redact(error.message)
    if (error instanceof Pausing) return { kind: 'failed', message }
    if (status === 429 || retryAfterSeconds !== null) {
      limited(calls, startedAt, message, retryAfterSeconds)
    } else {
      pace.failed(calls)
      health.recordFailure(startedAt, message)
    }
    return { kind: 'failed', message }
  }

  /**
   * Waits for its turn. A request is not sent if the node began to refuse requests while it waited. A late answer
   * holds up nobody else's turn.
   */
  async function inTurn<T>(
    [first, ...more]: readonly NodeRequest[],
    { signal, onLate }: SendOptions,
    ask: () => Promise<T>,
  ): Promise<T> {
    const method = first?.call.method ?? ''
    const calls = 1 + more.length
    limit.concurrency = pace.requests()
    const { answer } = await limit(async () => {
      signal?.throwIfAborted()
      if (health.isPausing()) throw new Pausing('waits', null)
      counters.httpRequests += 1
      own.requests += 1
      counters.calls += calls
      const late = latencies.late(method, calls)
      const begun = performance.now()
      const arrived = pace.sent()
      const sent = ask()
      await new Promise<void>((resolve) => {
        const timers = [
          setTimeout(() => {
            onLate?.(false)
            resolve()
          }, late),
          setTimeout(() => onLate?.(true), Math.max(leastLostMs, late * lostFactor)),
        ]
        const end = () => {
          for (const timer of timers) clearTimeout(timer)
          // Only once the answer was looked at: what was on its way counts where the node refuses it.
          setImmediate(arrived)
          resolve()
        }
        sent.then(() => {
          latencies.note(method, calls, performance.now() - begun)
          end()
        }, end)
      })
      return { answer: sent }
    })
    return answer
  }

  async function sendOne(request: NodeRequest, options: SendOptions): Promise<Outcome[]> {
    const { method, params } = request.call
    const startedAt = Date.now()
    let result: RpcResult
    try {
      const value = await inTurn([request], options, () =>
        client.request(method, params, options.signal),
      )
      result = { ok: true, value }
    } catch (error) {
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
      results = await inTurn(requests, options, () => client.batch(calls, options.signal))
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
  async function sendInTime(requests: readonly NodeRequest[]): Promise<Outcome[]> {
    const lost = new AbortController()
    setMaxListeners(0, lost.signal)
    return send(requests, { signal: lost.signal, onLate: (isLost) => isLost && lost.abort('lost') })
  }

  const ask = (requests: readonly NodeRequest[]) =>
    insist(requests, {
      send: sendInTime,
      attempts: verifyAttempts,
      mayGoOn: () => health.waitMs() === 0,
    })

  async function verify(): Promise<boolean> {
    const startedAt = Date.now()
    const rules = { chainId, verifyHeaderHash: options.verifyHeaderHash }
    const [[chain], [latest]] = await Promise.all([
      ask([{ ...plain('eth_chainId', []), judge: toNumber }]),
      ask([
        {
          ...plain('eth_getBlockByNumber', ['latest', false]),
          judge: (value) => judgeBlock(value, rules),
        },
      ]),
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
    abilities = await probeAbilities(
      ask,
      latest.value as VerifiedBlock,
      options.anchor,
      () => pace.knownBatch() !== 1,
    )
    return health.verified()
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
    abilities: () => abilities,
    counters: own,
    parts,
    async send(requests, options = {}) {
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
      problem: health.problem(),
      latencyMs,
      abilities,
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

function toNumber(value: unknown): Judgement {
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)
    ? { kind: 'value', value: Number(value) }
    : { kind: 'odd', message: 'the answer of the node is no number' }
}

/**
 * One node of a chain: sends single calls and batches, keeps track of whether the node is verified, cooling down or set
 * aside, and adapts the batch size to what the node accepts. Never throws for what a node does: every call has an
 * outcome. Owned by `upstream.ts`; the node's URL never leaves this file.
 */
import type { LimitFunction } from 'p-limit'
import { judgeBlock, type VerifiedBlock } from './block-check.js'
import { createRpcClient, JsonRpcError, type RpcResult, TransportError } from './json-rpc.js'
import { isBatchRefusal, meaningOf } from './node-answers.js'
import { createNodeHealth } from './node-health.js'
import { type NodeAbilities, probeAbilities } from './node-probe.js'
import { type NodeRequest, type Outcome, plain } from './node-request.js'

/** With more requests than this at once, the first ones are sent ahead in a batch of their own. */
const many = 128
const firstOfMany = 32

/** Counts of one chain, all nodes together. */
export interface UpstreamCounters {
  httpRequests: number
  calls: number
  retries: number
  coalesced: number
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
}

export interface UpstreamNode {
  readonly name: string
  /** Milliseconds until it may be asked again; 0 = at once; null = set aside or down, do not wait for it. */
  waitMs(): number | null
  /** Verifies the node if that has not been done; false when it may not be used. */
  ready(): Promise<boolean>
  abilities(): NodeAbilities | null
  /** In the order of the requests. */
  send(requests: readonly NodeRequest[]): Promise<Outcome[]>
  status(): NodeStatus
  close(): Promise<void>
}

export interface NodeOptions {
  readonly name: string
  readonly chainId: number
  readonly url: string
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
class CoolingDown extends TransportError {}

export function createUpstreamNode(options: NodeOptions): UpstreamNode {
  const { name, chainId, counters, limit, redact } = options
  const client = createRpcClient(options.url, {
    timeoutMs: options.timeoutMs,
    connections: options.connections,
  })
  const health = createNodeHealth(name, options.onChange)
  let verifying: Promise<boolean> | null = null
  let abilities: NodeAbilities | null = null
  let latencyMs: number | null = null
  let maxBatch = options.maxBatch

  function judged(request: NodeRequest, result: RpcResult, startedAt: number): Outcome {
    if (result.ok) {
      const judgement = request.judge(result.value)
      if (judgement.kind === 'value') return judgement
      const { kind, message } = judgement
      if (kind === 'refused') return { kind, message }
      health.setAside(message)
      return { kind: 'failed', message }
    }
    const message = redact(result.error.message)
    const meaning = meaningOf(result.error)
    if (meaning !== 'busy') return { kind: meaning, message }
    health.recordFailure(startedAt, 'limits requests', null)
    return { kind: 'failed', message: 'limits requests' }
  }

  function broken(error: unknown, startedAt: number): Outcome {
    if (!(error instanceof TransportError)) throw error
    const message = error.status === 429 ? 'limits requests (HTTP 429)' : redact(error.message)
    if (!(error instanceof CoolingDown))
      health.recordFailure(startedAt, message, error.retryAfterSeconds)
    return { kind: 'failed', message }
  }

  /** Waits for its turn. A request is not sent if the node began to refuse requests while it waited. */
  function inTurn<T>(calls: number, ask: () => Promise<T>): Promise<T> {
    return limit(() => {
      if (health.isCoolingDown()) throw new CoolingDown('waits', null)
      counters.httpRequests += 1
      counters.calls += calls
      return ask()
    })
  }

  async function sendOne(request: NodeRequest): Promise<Outcome> {
    const { method, params } = request.call
    const startedAt = Date.now()
    let result: RpcResult
    try {
      const value = await inTurn(1, () => client.request(method, params))
      result = { ok: true, value }
    } catch (error) {
      if (!(error instanceof JsonRpcError)) return broken(error, startedAt)
      result = { ok: false, error }
    }
    const outcome = judged(request, result, startedAt)
    if (outcome.kind !== 'failed') health.recordSuccess()
    return outcome
  }

  async function sendBatch(requests: readonly NodeRequest[]): Promise<Outcome[]> {
    const startedAt = Date.now()
    const calls = requests.map((request) => request.call)
    let results: RpcResult[]
    try {
      results = await inTurn(calls.length, () => client.batch(calls))
    } catch (error) {
      if (error instanceof TransportError && isBatchRefusal(error)) {
        maxBatch = Math.max(1, Math.min(maxBatch, Math.floor(requests.length / 2)))
        return send(requests)
      }
      const outcome = broken(error, startedAt)
      return requests.map(() => outcome)
    }
    const outcomes = requests.map((request, index): Outcome => {
      const result = results[index]
      return result ? judged(request, result, startedAt) : { kind: 'fault', message: 'no answer' }
    })
    if (outcomes.every((outcome) => outcome.kind !== 'failed')) health.recordSuccess()
    return outcomes
  }

  async function send(requests: readonly NodeRequest[]): Promise<Outcome[]> {
    const size = maxBatch
    if (size === 1 || requests.length === 1) return Promise.all(requests.map(sendOne))
    // The first requests are the most urgent: a block's header comes before everything read ahead with it.
    const first = requests.length > many ? Math.min(firstOfMany, size) : size
    const chunks = [sendBatch(requests.slice(0, first))]
    for (let start = first; start < requests.length; start += size) {
      chunks.push(sendBatch(requests.slice(start, start + size)))
    }
    return (await Promise.all(chunks)).flat()
  }

  async function verify(): Promise<boolean> {
    const startedAt = Date.now()
    const [chain, latest] = await Promise.all([
      sendOne(plain('eth_chainId', [])),
      sendOne(plain('eth_getBlockByNumber', ['latest', false])),
    ])
    if (chain.kind === 'failed' || latest.kind === 'failed' || latest.kind === 'fault') return false
    const answered = chain.kind === 'value' ? toNumber(chain.value) : null
    if (answered !== chainId) {
      health.setAside(`it answers for chain ${answered ?? 'unknown'}, not for chain ${chainId}.`)
      return false
    }
    const judgement =
      latest.kind === 'value'
        ? judgeBlock(latest.value, { chainId, verifyHeaderHash: options.verifyHeaderHash })
        : latest
    if (judgement.kind !== 'value') {
      health.setAside(judgement.message)
      return false
    }
    latencyMs = Date.now() - startedAt
    maxBatch = options.maxBatch
    abilities = await probeAbilities(send, judgement.value as VerifiedBlock, () => maxBatch > 1)
    return health.verified()
  }

  return {
    name,
    waitMs: health.waitMs,
    ready() {
      const trust = health.trust()
      if (trust !== 'unverified') return Promise.resolve(trust === 'verified')
      verifying ??= verify().finally(() => {
        verifying = null
      })
      return verifying
    },
    abilities: () => abilities,
    send,
    status: () => ({
      name,
      usable: health.isUsable(),
      isSetAside: health.trust() === 'aside',
      problem: health.problem(),
      latencyMs,
      abilities,
    }),
    close: () => client.close(),
  }
}

function toNumber(value: unknown): number | null {
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? Number(value) : null
}

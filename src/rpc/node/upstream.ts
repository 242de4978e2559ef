/**
 * The nodes of one chain as one source: verified, with failover, retry, coalescing of equal requests in flight,
 * grouping of single reads into batches, and a cap on requests in flight. Caches nothing: `archive-chain.ts` does.
 *
 * A node's answer about a state that it does not have is a fact about that read (`ok: false`), tried on every
 * node once. When no node answers at all the read throws ForkrouteError UPSTREAM_UNAVAILABLE.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, Hex } from '../../domain/primitives.js'
import { judgeBlock, type VerifiedBlock } from './block-check.js'
import { type ChangesQuestion, changesRequest } from './changed-blocks.js'
import { createRedactor } from './node-answers.js'
import type { NodeRequest, Outcome } from './node-request.js'
import { balanceKey, callOf, type ItemKey, nonceKey, toStored } from './state-item.js'
import {
  createUpstreamNode,
  type NodeStatus,
  type UpstreamCounters,
  type UpstreamNode,
} from './upstream-node.js'

export interface BlockRef {
  readonly number: bigint
  readonly hash: Hex
}

/** `ok: false`: every node that answers says that it does not have this. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string }

/** Of one account at one block: root of its storage, balance in wei and nonce, in their stored form. */
export interface AccountProof {
  readonly storageHash: Hex
  readonly balance: Hex
  readonly nonce: Hex
}

export interface UpstreamOptions {
  readonly chainId: number
  /** In the order of preference. */
  readonly urls: readonly string[]
  /** False for chains whose headers do not hash in the standard way. Default true. */
  readonly verifyHeaderHash?: boolean
  /** Of one HTTP request. */
  readonly timeoutMs?: number
  readonly onLog?: (level: 'info' | 'warn', message: string) => void
}

export interface Upstream {
  readonly counters: Readonly<UpstreamCounters>
  /** A value in its stored form (`state-item.ts`). @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  state(key: ItemKey, block: BlockRef): Promise<Answer<Hex>>
  /** The same of a block whose hash is not known yet and that no reorg can replace. */
  finalState(key: ItemKey, number: bigint): Promise<Answer<Hex>>
  /** True for blocks so far below the newest that their number names them. */
  isFinal(number: bigint): boolean
  /** eth_getProof without slots, at a block or at a number that no reorg can replace. @throws as `state`. */
  proof(address: Address, block: BlockRef | bigint): Promise<Answer<AccountProof>>
  /** Whether some node that may be asked gives proofs. */
  givesProofs(): boolean
  /** eth_call; `ok: false` also when it reverts. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  call(to: Address, data: Hex, block: BlockRef): Promise<Answer<Hex>>
  /** By number or hash. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  block(ref: bigint | Hex, options?: { full?: boolean }): Promise<Answer<VerifiedBlock>>
  /** Blocks of a range with events of contracts; `ok: false` also for too large a range. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  changes(question: ChangesQuestion): Promise<Answer<readonly bigint[]>>
  /** Newest block of one node, for polling: null when that node gives none. Never throws. */
  latestOf(node: number): Promise<VerifiedBlock | null>
  /** True when a node is a development node: there, state may change without a new block. */
  isDevelopment(): boolean
  /** One per URL, in their order. */
  nodes(): NodeStatus[]
  close(): Promise<void>
}

const defaultTimeoutMs = 10_000
/** HTTP requests to one node. */
const maxInFlight = 16
/** Calls in one HTTP request at most; halved for a node that refuses. */
const maxBatch = 300
/** Times that all nodes are gone through for one read. */
const maxRounds = 5
const firstPauseMs = 100
/** Answers of one node saying "internal error" after which it counts as not having the state. */
const maxFaults = 2
/** How a node says that it does not know a block (yet): behind a load balancer that may pass at the newest block. */
const unknownBlock =
  /header not found|unknown block|block not found|resource not found|no such block/i
/** Reads that come within this time travel together. */
const groupingMs = 1
/** Blocks this far below the newest are taken as final where they are read by number. */
const reorgWindow = 64n

interface Ask {
  readonly request: (node: UpstreamNode) => NodeRequest
  /** State block; null for asks that are not state. */
  readonly block: BlockRef | null
  readonly refusedBy: Map<UpstreamNode, string>
  readonly faults: Map<UpstreamNode, number>
  settle: ((answer: Answer<unknown>) => void) | null
  readonly fail: (error: ForkrouteError) => void
}

export function createUpstream(options: UpstreamOptions): Upstream {
  const { chainId, timeoutMs = defaultTimeoutMs, verifyHeaderHash = true } = options
  const totalTimeoutMs = 2 * timeoutMs
  const counters: UpstreamCounters = { httpRequests: 0, calls: 0, retries: 0, coalesced: 0 }
  const redact = createRedactor(options.urls)
  const closing = new AbortController()
  const nodes = options.urls.map((url, index) =>
    createUpstreamNode({
      name: `node ${index + 1} of chain ${chainId}`,
      chainId,
      url,
      timeoutMs,
      verifyHeaderHash,
      maxBatch,
      connections: maxInFlight,
      // Of each node its own: one that hangs must not hold up the others.
      limit: pLimit(maxInFlight),
      counters,
      redact,
      onChange: (problem) =>
        problem
          ? options.onLog?.('warn', problem)
          : options.onLog?.('info', `node ${index + 1} of chain ${chainId} is usable.`),
    }),
  )
  const inFlight = new Map<string, Promise<Answer<unknown>>>()
  let waiting: Ask[] = []
  let newest = 0n

  function ask<T>(id: string, block: BlockRef | null, request: Ask['request']): Promise<Answer<T>> {
    const running = inFlight.get(id)
    if (running) {
      counters.coalesced += 1
      return running as Promise<Answer<T>>
    }
    const promise = new Promise<Answer<unknown>>((settle, fail) => {
      if (waiting.length === 0) {
        if (inFlight.size === 0) setImmediate(flush)
        else setTimeout(flush, groupingMs)
      }
      const refusedBy = new Map<UpstreamNode, string>()
      waiting.push({ request, block, refusedBy, faults: new Map(), settle, fail })
    }).finally(() => inFlight.delete(id))
    inFlight.set(id, promise)
    return promise as Promise<Answer<T>>
  }

  function flush(): void {
    const asks = waiting
    waiting = []
    void serve(asks).catch((cause) => {
      const error = new ForkrouteError('INTERNAL', 'Reading from the nodes failed.', undefined, {
        cause,
      })
      for (const one of asks) one.fail(error)
    })
  }

  async function serve(asks: readonly Ask[]): Promise<void> {
    const deadline = Date.now() + totalTimeoutMs
    let open = asks
    for (let round = 1; ; round += 1) {
      for (const node of nodes) {
        if (node.waitMs() !== 0) continue
        const todo = open.filter((one) => !one.refusedBy.has(node))
        if (todo.length === 0 || !(await node.ready())) continue
        await askNode(node, todo)
        open = open.filter((one) => one.settle)
      }
      for (const one of open) settleRefused(one, round)
      open = open.filter((one) => one.settle)
      if (open.length === 0) return
      const pause = Math.max(shortestWait() ?? 0, firstPauseMs * 2 ** (round - 1) * jitter())
      const isOver = round === maxRounds || Date.now() + pause > deadline
      if (shortestWait() === null || isOver || closing.signal.aborted) {
        const error = unavailable()
        for (const one of open) one.fail(error)
        return
      }
      counters.retries += 1
      // Timers may fire early, and clocks be set: a round in which no node may be asked would be none.
      for (let left = pause; left > 0; left = shortestWait() ?? 0) {
        await sleep(left, undefined, { signal: closing.signal }).catch(() => undefined)
        if (closing.signal.aborted || Date.now() > deadline) break
      }
    }
  }

  /** Milliseconds until some node may be asked; null: none is worth waiting for. */
  function shortestWait(): number | null {
    const waits = nodes.map((node) => node.waitMs()).filter((ms) => ms !== null)
    return waits.length ? Math.min(...waits) : null
  }

  async function askNode(node: UpstreamNode, asks: readonly Ask[]): Promise<void> {
    const outcomes = await send(node, asks)
    asks.forEach((one, index) => {
      const outcome = outcomes[index]
      if (outcome?.kind === 'value') {
        one.settle?.({ ok: true, value: outcome.value })
        one.settle = null
      } else if (outcome?.kind === 'refused' && !mayPass(one, outcome.message)) {
        one.refusedBy.set(node, outcome.message)
      } else if (outcome?.kind === 'refused' || outcome?.kind === 'fault') {
        const faults = (one.faults.get(node) ?? 0) + 1
        one.faults.set(node, faults)
        if (faults >= maxFaults) one.refusedBy.set(node, outcome.message)
      }
    })
  }

  function mayPass(one: Ask, message: string): boolean {
    return one.block !== null && one.block.number >= newest && unknownBlock.test(message)
  }

  /**
   * Where a node cannot read by block hash, the header of each block that may still be replaced is read after
   * its state, so that values of another fork are refused instead of mixed in.
   */
  async function send(node: UpstreamNode, asks: readonly Ask[]): Promise<Outcome[]> {
    const requests = asks.map((one) => one.request(node))
    if (node.abilities()?.blockHash) return node.send(requests)
    const blocks = new Map<Hex, BlockRef>()
    for (const { block } of asks) {
      if (block && !isFinal(block.number)) blocks.set(block.hash, block)
    }
    const guarded = [...blocks.values()]
    const outcomes = await node.send(requests)
    if (guarded.length === 0) return outcomes
    const guards = await node.send(guarded.map((block) => blockRequest(block.number, false)))
    const stable = new Map(
      guarded.map((block, index) => {
        const guard = guards[index]
        if (guard?.kind !== 'value')
          return [block.hash, guard?.kind === 'refused' ? 'gone' : 'unsure']
        const found = guard.value as VerifiedBlock
        return [block.hash, found.pin.hash === block.hash ? 'same' : 'gone']
      }),
    )
    return outcomes.map((outcome, index) => {
      const block = asks[index]?.block
      const state = block ? (stable.get(block.hash) ?? 'same') : 'same'
      if (outcome.kind !== 'value' || state === 'same') return outcome
      if (state === 'unsure') return { kind: 'failed', message: 'no header' }
      return { kind: 'refused', message: `the node has another block ${block?.number}` }
    })
  }

  /** A read is given up as unreadable once every node that answers has refused it. */
  function settleRefused(one: Ask, round: number): void {
    if (one.refusedBy.size === 0) return
    const others = nodes.filter((node) => !one.refusedBy.has(node) && node.waitMs() !== null)
    if (others.length > 0 && round < 2) return
    const message = [...one.refusedBy.values()].join('; ')
    one.settle?.({ ok: false, message })
    one.settle = null
  }

  function unavailable(): ForkrouteError {
    const problems = nodes.map((node) => node.status().problem).filter((text) => text !== null)
    const reason = problems.join(' ') || 'no answer in time.'
    return new ForkrouteError(
      'UPSTREAM_UNAVAILABLE',
      `No node of chain ${chainId} gives an answer: ${reason}`,
      { chainId },
    )
  }

  function paramOf(node: UpstreamNode, block: BlockRef): string | { blockHash: Hex } {
    return node.abilities()?.blockHash ? { blockHash: block.hash } : quantity(block.number)
  }

  function blockRequest(ref: bigint | Hex, full: boolean): NodeRequest {
    const isNumber = typeof ref === 'bigint'
    const method = isNumber ? 'eth_getBlockByNumber' : 'eth_getBlockByHash'
    const expected = isNumber ? { number: ref } : { hash: ref }
    return {
      call: { method, params: [isNumber ? quantity(ref) : ref, full] },
      judge: (value) => judgeBlock(value, { chainId, verifyHeaderHash, ...expected }),
    }
  }

  function isFinal(number: bigint): boolean {
    return number + reorgWindow <= newest
  }

  function stateRequest(key: ItemKey, block: unknown): NodeRequest {
    return {
      call: callOf(key, block),
      judge: (answer) => {
        const value = toStored(key, answer)
        return value === null
          ? { kind: 'refused', message: 'the answer of the node is not a value' }
          : { kind: 'value', value }
      },
    }
  }

  return {
    counters,
    call: (to, data, block) =>
      ask(`${block.hash} call ${to} ${data}`, block, (node) => ({
        call: { method: 'eth_call', params: [{ to, data }, paramOf(node, block)] },
        judge: (answer) =>
          typeof answer === 'string' && /^0x([0-9a-f]{2})*$/i.test(answer)
            ? { kind: 'value', value: answer }
            : { kind: 'refused', message: 'the answer of the node is not a value' },
      })),
    state: (key, block) =>
      ask(`${block.hash}${key}`, block, (node) => stateRequest(key, paramOf(node, block))),
    finalState: (key, number) =>
      ask(`${number}${key}`, null, () => stateRequest(key, quantity(number))),
    proof: (address, block) =>
      typeof block === 'bigint'
        ? ask(`${block} proof ${address}`, null, () => proofRequest(address, quantity(block)))
        : ask(`${block.hash} proof ${address}`, block, (node) =>
            proofRequest(address, paramOf(node, block)),
          ),
    givesProofs: () =>
      nodes.some((node) => node.waitMs() !== null && node.abilities()?.proofs === true),
    isFinal,
    block: (ref, { full = false } = {}) =>
      ask(`block ${ref} ${full}`, null, () => blockRequest(ref, full)),
    changes(question) {
      const { from, to, addresses } = question
      const request = changesRequest(question)
      return ask(`changes ${from} ${to} ${addresses}`, null, () => request)
    },
    async latestOf(index) {
      const node = nodes[index]
      if (!node || !(await node.ready())) return null
      const [outcome] = await node.send([
        {
          call: { method: 'eth_getBlockByNumber', params: ['latest', false] },
          judge: (value) => judgeBlock(value, { chainId, verifyHeaderHash }),
        },
      ])
      if (outcome?.kind !== 'value') return null
      const block = outcome.value as VerifiedBlock
      if (block.pin.number > newest) newest = block.pin.number
      return block
    },
    isDevelopment: () => nodes.some((node) => node.abilities()?.devNode),
    nodes: () => nodes.map((node) => node.status()),
    async close() {
      closing.abort()
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}

function proofRequest(address: Address, block: unknown): NodeRequest {
  return {
    call: { method: 'eth_getProof', params: [address, [], block] },
    judge: (answer) => {
      const value = toProof(address, answer)
      return value
        ? { kind: 'value', value }
        : { kind: 'refused', message: 'the answer of the node is not a proof' }
    },
  }
}

function toProof(address: Address, answer: unknown): AccountProof | null {
  if (typeof answer !== 'object' || answer === null) return null
  const { address: of, storageHash, ...account } = answer as Record<string, unknown>
  if (String(of).toLowerCase() !== address) return null
  if (typeof storageHash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(storageHash)) return null
  const balance = toStored(balanceKey(address), account.balance)
  const nonce = toStored(nonceKey(address), account.nonce)
  if (balance === null || nonce === null) return null
  return { storageHash: storageHash.toLowerCase() as Hex, balance, nonce }
}

/** Between a half and one, so that clients which failed together do not come back together. */
function jitter(): number {
  return 0.5 + Math.random() / 2
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`
}

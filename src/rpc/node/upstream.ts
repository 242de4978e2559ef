/**
 * The nodes of one chain as one source: verified, with failover, retry, coalescing of equal requests in flight,
 * grouping of single reads into batches, and a cap on requests in flight. Caches nothing: `state-book.ts` and
 * `block-index.ts` of the archive do.
 *
 * A read that every answering node refuses gives `ok: false`: state that nobody has is a fact, not a failure. When no
 * node answers at all, the read throws ForkrouteError UPSTREAM_UNAVAILABLE.
 *
 * The folder owns everything that is said to nodes: JSON-RPC, failover, heads and reorgs. In: reads of state, blocks and
 * events. Out: checked answers in their stored form. It keeps nothing but what it learns of the nodes.
 */
import { setMaxListeners } from 'node:events'
import { numberToHex } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import type { TickPlaces } from '../../domain/state.js'
import { anchored } from './anchor.js'
import type { AccountProof, Answer, BlockRef } from './answer.js'
import { type AskQueue, createAskQueue } from './ask-queue.js'
import type { VerifiedBlock } from './block-check.js'
import { touchedRequest } from './bulk/access-list.js'
import type { MadeCall } from './bulk/bulk-code.js'
import { BulkReader } from './bulk/bulk-read.js'
import { prestateRequest, type State } from './bulk/prestate.js'
import { ticksRequest } from './bulk/tick-read.js'
import { createChainTip } from './chain-tip.js'
import { type ChangesQuestion, changesRequest } from './changed-blocks.js'
import { Dispatch } from './dispatch.js'
import { sendGuarded } from './guarded-send.js'
import { createRetryBudget, type RetryBudget } from './learnt/retry-budget.js'
import { type EventLog, type LogsQuestion, logsRequest } from './mined/event-logs.js'
import { type Receipt, receiptRequest, transactionRequest } from './mined/transaction.js'
import { createRedactor } from './node-answers.js'
import type { NodeCounters, NodeStatus, UpstreamCounters } from './node-status.js'
import { provenReads } from './proof/proven-reads.js'
import { createProvenValues } from './proof/proven-values.js'
import { createSampling, type FalseValue } from './proof/sampling.js'
import {
  type BlockRules,
  blockRequest,
  callRequest,
  latestRequest,
  paramOf,
  proofNodesRequest,
  proofRequest,
  stateRequest,
} from './read-requests.js'
import type { ItemKey } from './state-item.js'
import { UpstreamNode } from './upstream-node.js'

export interface UpstreamOptions {
  readonly chainId: number
  /** In the order of preference. */
  readonly urls: readonly string[]
  /** False for chains whose headers do not hash in the standard way. Default true. */
  readonly verifyHeaderHash?: boolean
  /** A contract that is there at every block that is asked for. Without it, zeros of a node are taken as they are. */
  readonly anchor?: Address
  /** Bounds one HTTP request. */
  readonly timeoutMs?: number
  /** Which values are checked by proof; absent: none. */
  readonly verifyState?: StateCheck
  /** A node gave another value than is proven; it is asked no more. */
  readonly onFalseState?: (found: FalseValue) => void
  readonly onLog?: (level: 'info' | 'warn', message: string) => void
}

/** `all`: nothing but what is proven is answered. A share, from 0 to 1: so much is checked after the answer. */
export type StateCheck = 'all' | { readonly share: number }

export interface Upstream {
  readonly counters: Readonly<UpstreamCounters>
  /** A value in its stored form (`state-item.ts`). @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  state(key: ItemKey, block: BlockRef): Promise<Answer<Hex>>
  /** The same for a block that no reorg can replace and whose hash is not known yet. */
  finalState(key: ItemKey, number: bigint): Promise<Answer<Hex>>
  /** True for blocks so far below the newest that their number names them. */
  isFinal(number: bigint): boolean
  /** eth_getProof without slots, at a block or at a number that no reorg can replace. @throws as `state`. */
  proof(address: Address, block: BlockRef | bigint): Promise<Answer<AccountProof>>
  /** Nodes of the tries that prove the account and these slots of it at the block. @throws as `state`. */
  proofNodes(
    address: Address,
    slots: readonly Hex[],
    block: BlockRef,
  ): Promise<Answer<readonly Hex[]>>
  /** Whether some usable node gives proofs. */
  givesProofs(): boolean
  /** eth_call; `ok: false` also when it reverts. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  call(to: Address, data: Hex, block: BlockRef): Promise<Answer<Hex>>
  /** What the call touches, by keys of state. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  touched(to: Address, data: Hex, block: BlockRef): Promise<Answer<readonly ItemKey[]>>
  /** Whether some usable node tells what calls touch. */
  tellsTouched(): boolean
  /** The state that the calls touch, as far as a node tells it. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  prestate(
    calls: readonly MadeCall[],
    block: BlockRef,
    from: Address | undefined,
  ): Promise<Answer<State>>
  /** Whether some usable node tells the state that calls touch. */
  tellsPrestates(): boolean
  /** The words of pools with ticks. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  ticks(pools: readonly TickPlaces[], block: BlockRef): Promise<Answer<State>>
  /** Finds a block by number or hash. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  block(ref: bigint | Hex, options?: { full?: boolean }): Promise<Answer<VerifiedBlock>>
  /**
   * Blocks of a range with events of the contracts; `ok: false` also for a range that is too large.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE.
   */
  changes(question: ChangesQuestion): Promise<Answer<readonly bigint[]>>
  /**
   * Events of a range; `ok: false` also for a range that is too large.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE.
   */
  logs(question: LogsQuestion): Promise<Answer<readonly EventLog[]>>
  /** `ok: false`: no node has a receipt. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  receipt(hash: Hex): Promise<Answer<Receipt>>
  /** Whether some node knows it, mined or not. @throws as `receipt`. */
  transaction(hash: Hex): Promise<Answer<true>>
  /** Whether some usable node reads many values of the block by few calls. */
  readsInBulk(number: bigint): boolean
  /** Newest block of one node, for polling: null when that node gives none. Never throws. */
  latestOf(node: number): Promise<VerifiedBlock | null>
  /** True when one of the nodes is a development node, whose state may change without a new block. */
  isDevelopment(): boolean
  /** One per URL, in their order. */
  nodes(): NodeStatus[]
  /** One for each URL, in their order. */
  nodeCounters(): NodeCounters[]
  /** Gives for each URL the milliseconds of each answer since it was last asked. */
  takeAnswerTimes(): (readonly number[])[]
  close(): Promise<void>
}

const defaultTimeoutMs = 10_000
/** HTTP requests to one node. */
const maxInFlight = 16
/** Calls in one HTTP request at most. */
const maxBatch = 300

export function createUpstream(options: UpstreamOptions): Upstream {
  const { chainId, timeoutMs = defaultTimeoutMs, verifyHeaderHash = true, verifyState } = options
  const { onFalseState = () => undefined } = options
  const rules: BlockRules = { chainId, verifyHeaderHash }
  const counters: UpstreamCounters = {
    httpRequests: 0,
    calls: 0,
    retries: 0,
    hedges: 0,
    coalesced: 0,
    stateChecked: 0,
    stateFalse: 0,
    stateUnproven: 0,
  }
  const budget = createRetryBudget()
  const nodes = createNodes(options, { ...rules, timeoutMs, counters, budget })
  const tip = createChainTip()
  const sendPlainly = anchored((node, requests, how) => node.send(requests, how), {
    anchor: options.anchor ?? null,
    tip,
  })
  const bulk = new BulkReader(tip, sendPlainly)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const dispatch = new Dispatch({
    chainId,
    nodes,
    tip,
    split: (node, asks) => bulk.split(node, asks),
    async send(node, asks, how) {
      const headerRequest = (number: bigint) => blockRequest(rules, number, false)
      const outcomes = await sendGuarded(node, asks, { tip, bulk, headerRequest }, how)
      sampling?.observe(node, asks, outcomes)
      return outcomes
    },
    budget,
    totalTimeoutMs: 2 * timeoutMs,
    closing: closing.signal,
    onRetry: () => {
      counters.retries += 1
    },
    onHedge: () => {
      counters.hedges += 1
    },
  })
  const queue = createAskQueue({
    serve: (asks) => dispatch.serve(asks),
    onCoalesced: () => {
      counters.coalesced += 1
    },
  })

  const reads = readsOf(queue, rules)
  const proven = createProvenValues({
    ask: queue.ask,
    block: reads.block,
    isStrict: verifyState === 'all',
  })
  const sampling =
    verifyState && verifyState !== 'all'
      ? createSampling({
          share: verifyState.share,
          proven,
          counters,
          isFinal: tip.isFinal,
          onFalse: onFalseState,
        })
      : null

  return {
    counters,
    ...reads,
    ...(verifyState === 'all' && provenReads(reads, proven)),
    isFinal: tip.isFinal,
    givesProofs: () =>
      nodes.some((node) => node.waitMs() !== null && node.abilities()?.proofs === true),
    tellsTouched: () =>
      nodes.some((node) => node.waitMs() !== null && node.abilities()?.accessLists === true),
    tellsPrestates: () =>
      nodes.some((node) => node.waitMs() !== null && node.abilities()?.prestates === true),
    readsInBulk: (number) =>
      verifyState !== 'all' &&
      nodes.some((node) => node.waitMs() !== null && bulk.mayRead(node, number)),
    async latestOf(index) {
      const node = nodes[index]
      if (!node || !(await node.ready())) return null
      const [outcome] = await node.send([latestRequest(rules)])
      if (outcome?.kind !== 'value') return null
      const block = outcome.value as VerifiedBlock
      tip.see(block.pin.number)
      return block
    },
    isDevelopment: () => nodes.some((node) => node.abilities()?.devNode),
    nodes: () => nodes.map((node) => node.status()),
    nodeCounters: () => nodes.map((node) => ({ ...node.counters })),
    takeAnswerTimes: () => nodes.map((node) => node.takeAnswerTimes()),
    async close() {
      sampling?.close()
      closing.abort()
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}

/** The reads that any of the nodes may answer; equal reads have equal ids. */
function readsOf(
  { ask }: AskQueue,
  rules: BlockRules,
): Pick<
  Upstream,
  | 'state'
  | 'finalState'
  | 'proof'
  | 'proofNodes'
  | 'call'
  | 'touched'
  | 'prestate'
  | 'ticks'
  | 'block'
  | 'changes'
  | 'logs'
  | 'receipt'
  | 'transaction'
> {
  return {
    state: (key, block) =>
      ask(`${block.hash}${key}`, block, (node) =>
        stateRequest(key, paramOf(node, block), block.number),
      ),
    finalState: (key, number) =>
      ask(`${number}${key}`, number, () => stateRequest(key, numberToHex(number), number)),
    proof: (address, block) =>
      typeof block === 'bigint'
        ? ask(`${block} proof ${address}`, block, () => proofRequest(address, numberToHex(block)))
        : ask(`${block.hash} proof ${address}`, block, (node) =>
            proofRequest(address, paramOf(node, block)),
          ),
    proofNodes: (address, slots, block) =>
      ask(`${block.hash} nodes ${address} ${slots}`, block, (node) =>
        proofNodesRequest(address, slots, paramOf(node, block)),
      ),
    call: (to, data, block) =>
      ask(`${block.hash} call ${to} ${data}`, block, (node) =>
        callRequest(to, data, paramOf(node, block)),
      ),
    touched: (to, data, block) =>
      ask(`${block.hash} touched ${to} ${data}`, block, (node) =>
        touchedRequest(to, data, paramOf(node, block)),
      ),
    prestate(calls, block, from) {
      const made = calls.map(({ to, data }) => `${to} ${data}`)
      return ask(`${block.hash} prestate ${from} ${made}`, block, (node) =>
        prestateRequest(calls, { block: paramOf(node, block), number: block.number }, from),
      )
    },
    ticks(pools, block) {
      const asked = pools.map(({ address, slot0 }) => `${address} ${slot0}`)
      return ask(`${block.hash} ticks ${asked}`, block, (node) =>
        ticksRequest(pools, { block: paramOf(node, block), number: block.number }),
      )
    },
    block: (ref, { full = false } = {}) =>
      ask(`block ${ref} ${full}`, typeof ref === 'bigint' ? ref : null, () =>
        blockRequest(rules, ref, full),
      ),
    changes(question) {
      const { from, to, addresses, indexed = '' } = question
      const request = changesRequest(question)
      return ask(`changes ${from} ${to} ${addresses} ${indexed}`, null, () => request)
    },
    logs(question) {
      const { from, to, address, topics, blockHash = '' } = question
      const request = logsRequest(question)
      return ask(`logs ${from} ${to} ${address} ${topics} ${blockHash}`, to, () => request)
    },
    receipt: (hash) => ask(`receipt ${hash}`, null, () => receiptRequest(hash)),
    transaction: (hash) => ask(`transaction ${hash}`, null, () => transactionRequest(hash)),
  }
}

function createNodes(
  { urls, onLog, ...options }: UpstreamOptions,
  common: BlockRules & {
    readonly timeoutMs: number
    readonly counters: UpstreamCounters
    readonly budget: RetryBudget
  },
): UpstreamNode[] {
  const redact = createRedactor(urls)
  return urls.map((url, index) => {
    const name = `node ${index + 1} of chain ${common.chainId}`
    return new UpstreamNode({
      ...common,
      name,
      url,
      anchor: options.anchor ?? null,
      needsProofs: options.verifyState === 'all',
      maxBatch,
      connections: maxInFlight,
      redact,
      onChange: (problem) =>
        problem ? onLog?.('warn', problem) : onLog?.('info', `${name} is usable.`),
    })
  })
}

/**
 * A chain read from its nodes: memory, then SQLite, then upstream; follows the head and learns what to prefetch.
 * Everything is kept by block hash, so that a reorg cannot mix states. This file only connects the parts.
 */
import type { LRUCache } from 'lru-cache'
import { defined } from '../../domain/defined.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { Recorder } from '../cassette/recorder.js'
import type { DiskCache } from '../disk/disk-cache.js'
import { layout } from '../disk/layout.js'
import { createForkReads } from '../hints/fork-reads.js'
import { createHotSet, type HotSet } from '../hints/hot-set.js'
import { createLearned } from '../hints/learned.js'
import { createPoolSets } from '../hints/pool-sets.js'
import type { BlockRef } from '../node/answer.js'
import { findChangedBlocks } from '../node/changed-blocks.js'
import { createHeadTracker, type HeadTracker, startHeadPolling } from '../node/heads.js'
import { findLogs } from '../node/mined/event-logs.js'
import { findTransaction } from '../node/mined/transaction.js'
import type { NodeCounters, UpstreamCounters } from '../node/node-status.js'
import type { FalseValue } from '../node/proof/sampling.js'
import { createUpstream, type Upstream } from '../node/upstream.js'
import type { ArchiveChain } from './archive-messages.js'
import { type BlockIndex, createBlockIndex } from './block-index.js'
import { BlockOpener } from './block-opener.js'
import { type ChainCounters, createChainCounters } from './chain-counters.js'
import { createChainHealth } from './chain-health.js'
import type { ChainSource, TransactionFate } from './chain-source.js'
import { type CodeIndex, type CodeStore, createCodeIndex } from './code-index.js'
import { createForesight } from './foresight.js'
import { pinBlock } from './pin-block.js'
import { createProvenState } from './proven-state.js'
import { createStateBook, type StateBook } from './state-book.js'
import { StateReader } from './state-reader.js'
import { createTrustedChain } from './trusted-chain.js'

export interface LiveChainOptions {
  readonly chain: ArchiveChain
  readonly disk: DiskCache
  readonly codes: CodeStore
  /** For all chains: `<block hash><key>` to the stored value, or for code to its id. */
  readonly memory: LRUCache<string, Hex>
  readonly knownEmpty: ReadonlySet<Address>
  readonly recorder: Recorder | null
  readonly pollIntervalMs: number
  readonly upstreamTimeoutMs?: number
  readonly onHead: (head: BlockPin, replaced: readonly BlockRef[]) => void
  readonly onLog: (level: 'info' | 'warn', message: string) => void
}

export interface LiveChain extends ChainSource {
  readonly counters: Readonly<ChainCounters>
  readonly upstreamCounters: Readonly<UpstreamCounters>
  nodeCounters(): readonly NodeCounters[]
  /** Gives for each node the milliseconds of each answer since it was last asked. */
  takeAnswerTimes(): readonly (readonly number[])[]
}

export function createLiveChain(options: LiveChainOptions): LiveChain {
  const { chain, recorder } = options
  const { chainId } = chain
  const parts = createParts(options)
  const { upstream, blocks, tracker, opener, reader, counters } = parts
  const polling = pollHeads(options, parts)
  const health = createChainHealth({ chain, nodes: upstream.nodes, tracker })
  const { trustedBlock } = chain
  const trusted =
    trustedBlock && createTrustedChain({ chainId, trusted: trustedBlock, block: blocks.find })

  async function newest(): Promise<BlockPin> {
    await polling.first
    const head = tracker.head()
    if (head) return head
    throw health.notReady()
  }

  return {
    chainId,
    counters,
    upstreamCounters: upstream.counters,
    nodeCounters: upstream.nodeCounters,
    takeAnswerTimes: upstream.takeAnswerTimes,
    learned: parts.learned,
    poolSets: parts.poolSets,
    forkReads: createForkReads(),
    firstAnswers: polling.first,
    async pin(at, options = {}) {
      const pin =
        at === 'latest'
          ? await newest()
          : await pinBlock(at, options, { chainId, opener, tracker, reader })
      await trusted?.tie(pin)
      return pin
    },
    block: blocks.find,
    read: (key, at, isForks) => reader.read(key, at, isForks),
    ahead: (key, at) => reader.ahead(key, at),
    ...createForesight({ upstream, states: parts.states, reader }),
    assumeEmpty: (accounts, at) => reader.assumeEmpty(accounts, at),
    held: (slots, at) => reader.held(slots, at),
    heldAccounts: (accounts, at) => reader.heldAccounts(accounts, at),
    proofNodes: upstream.proofNodes,
    async call(to, data, at) {
      const answer = await upstream.call(to, data, at)
      if (answer.ok) recorder?.call(chainId, { to, data }, at, answer.value)
      return answer
    },
    async changedBlocks(question) {
      await polling.first
      health.requireEvents()
      const numbers = await findChangedBlocks(question, upstream.changes)
      recorder?.changes(chainId, question, numbers)
      return numbers
    },
    async logs(question) {
      await polling.first
      return health.givesEvents() ? findLogs(question, upstream.logs) : null
    },
    async transaction(hash) {
      await polling.first
      return fateOf(hash, chainId, parts)
    },
    note: (name, text, at) => recorder?.note(chainId, name, text, at),
    noted: () => null,
    async prefetch(at) {
      const found = await prefetch(at, parts)
      counters.prefetched += found.items
      return found
    },
    status: health.status,
    async close() {
      await upstream.close()
      await polling.stop()
      parts.hot.save()
    },
  }
}

interface Parts {
  readonly upstream: Upstream
  readonly blocks: BlockIndex
  readonly codeBook: CodeIndex
  readonly states: StateBook
  readonly tracker: HeadTracker
  readonly opener: BlockOpener
  readonly reader: StateReader
  readonly hot: HotSet
  readonly learned: ReturnType<typeof createLearned>
  readonly poolSets: ReturnType<typeof createPoolSets>
  readonly counters: ChainCounters
}

function createParts(options: LiveChainOptions): Parts {
  const { chain, disk, codes, memory, knownEmpty, recorder } = options
  const { chainId } = chain
  const upstream = upstreamOf(options, ({ key, block, proven }) => states.keep(key, block, proven))
  const proven = createProvenState()
  const counters = createChainCounters(proven.hits)
  const codeBook = createCodeIndex(chainId, disk)
  const hot = createHotSet(chainId, disk)
  const learned = createLearned(layout.learnedScope(chainId), disk)
  const poolSets = createPoolSets(learned)
  const blocks = createBlockIndex({
    chainId,
    upstream,
    disk,
    recorder,
    onNumber: (block) => tracker.meet(block),
  })
  const states = createStateBook({
    chainId,
    disk,
    memory,
    codes,
    codeBook,
    proven,
    knownEmpty,
    blocks,
    isDevelopment: upstream.isDevelopment,
    counters,
  })
  const tracker = createHeadTracker(
    (number) => hashAt(number, upstream),
    (head, replaced) => takeHead(head, replaced, options, { codeBook, blocks, states }),
  )
  const reader = new StateReader({
    chainId,
    states,
    upstream,
    pending: (key, hash) => opener.pending(key, hash),
    hot,
    poolSets,
    knownEmpty,
    recorder,
    counters,
  })
  const opener = new BlockOpener({
    blocks,
    tracker,
    upstream,
    // Lasting values are known at this block already.
    keys: (number) => hot.keys().filter((key) => !states.isLasting(key, number)),
    proven,
    held: states.find,
    fetch: (key, at) => reader.fetch(key, at),
  })
  return {
    upstream,
    blocks,
    codeBook,
    states,
    tracker,
    opener,
    reader,
    hot,
    learned,
    poolSets,
    counters,
  }
}

/** @param onFalseState - receives what is proven where a node said something else. */
function upstreamOf(
  { chain, onLog, upstreamTimeoutMs }: LiveChainOptions,
  onFalseState: (found: FalseValue) => void,
): Upstream {
  const { chainId, urls, verifyHeaderHash, verifyState, anchor } = chain
  return createUpstream({
    chainId,
    urls,
    onLog,
    onFalseState,
    ...defined({ verifyHeaderHash, verifyState, anchor, timeoutMs: upstreamTimeoutMs }),
  })
}

/** Hash of the block that the nodes have at the height; null when none says. */
async function hashAt(number: bigint, upstream: Pick<Upstream, 'block'>): Promise<Hex | null> {
  try {
    const answer = await upstream.block(number)
    return answer.ok ? answer.value.pin.hash : null
  } catch {
    return null
  }
}

/** A receipt of a block that the chain does not have at that height is of a branch that was left. */
async function fateOf(
  hash: Hex,
  chainId: number,
  { upstream, blocks }: Pick<Parts, 'upstream' | 'blocks'>,
): Promise<TransactionFate> {
  const found = await findTransaction(chainId, {
    receipt: () => upstream.receipt(hash),
    transaction: () => upstream.transaction(hash),
  })
  if (found === null) return { kind: 'unknown' }
  if (found === 'pending') return { kind: 'pending' }
  const block = await blocks.find(found.blockNumber)
  if (!block.ok || block.value.pin.hash !== found.blockHash) return { kind: 'pending' }
  const { isSuccess, logs, l1DataFee } = found
  return { kind: 'mined', isSuccess, logs, l1DataFee, block: block.value.pin }
}

/** Forgets what was replaced, and passes the head on. */
function takeHead(
  head: BlockPin,
  replaced: readonly BlockRef[],
  { onLog, onHead, recorder }: LiveChainOptions,
  { codeBook, blocks, states }: Pick<Parts, 'codeBook' | 'blocks' | 'states'>,
): void {
  const lowest = replaced.at(-1)?.number
  if (lowest !== undefined) {
    onLog('warn', `Chain ${head.chainId}: ${replaced.length} block(s) were replaced.`)
    codeBook.forgetFrom(lowest)
    blocks.forget(head.number, replaced)
    for (const { hash } of replaced) states.drop(hash)
  }
  blocks.adopt(head)
  recorder?.number(head)
  onHead(head, replaced)
}

/** Shows the newest block of each node to the tracker. */
function pollHeads(
  { chain, pollIntervalMs }: LiveChainOptions,
  { upstream, blocks, codeBook, tracker }: Parts,
): ReturnType<typeof startHeadPolling> {
  let restored: Promise<void> | null = null
  return startHeadPolling(chain.urls.length, pollIntervalMs, async (node) => {
    const latest = await upstream.latestOf(node)
    if (!latest) return false
    blocks.keep(latest)
    // Code of earlier runs is used only after a node has shown that it belongs to this chain.
    restored ??= codeBook.restore((number) => hashAt(number, upstream))
    await restored
    await tracker.observe(node, latest.pin)
    return true
  })
}

/** Reads the state that was read at recent blocks and is not known at this one. */
async function prefetch(
  at: BlockPin,
  { hot, opener, states, reader }: Parts,
): Promise<{ items: number; failed: number }> {
  hot.next()
  const missing = () => hot.keys().filter((key) => states.find(key, at) === null)
  const begun =
    opener.readsOf(at.hash) ?? missing().map((key) => reader.fetch(key, at).then(({ ok }) => ok))
  // Unreadable keys stay on the list: refused here in bulk, they are not requested one by one later.
  const reads = await Promise.all(begun.map((read) => read.catch(() => false)))
  const items = reads.filter((ok) => ok).length
  return { items, failed: reads.length - items }
}

/**
 * A chain read from its nodes: memory, then SQLite, then upstream; follows the head and learns what to prefetch.
 * Everything is kept by block hash, so that a reorg cannot mix states.
 */
import { LRUCache } from 'lru-cache'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { Recorder } from '../cassette/recorder.js'
import type { DiskCache } from '../disk/disk-cache.js'
import { layout } from '../disk/layout.js'
import { createForkSlots } from '../hints/fork-slots.js'
import { createHotSet } from '../hints/hot-set.js'
import { createLearned } from '../hints/learned.js'
import { createPoolSets } from '../hints/pool-sets.js'
import type { Answer, BlockRef } from '../node/answer.js'
import { type ChangesQuestion, findChangedBlocks } from '../node/changed-blocks.js'
import { createHeadTracker, startHeadPolling } from '../node/heads.js'
import {
  addressOf,
  balanceKey,
  emptyValue,
  type ItemKey,
  isCode,
  withAccounts,
} from '../node/state-item.js'
import { createUpstream } from '../node/upstream.js'
import type { UpstreamCounters } from '../node/upstream-node.js'
import type { ArchiveChain, ChainStatus } from './archive-messages.js'
import { createBlockBook } from './block-book.js'
import { createBlockOpener } from './block-opener.js'
import type { ChainSource, PinOptions } from './chain-source.js'
import { type CodeStore, createCodeBook } from './code-book.js'
import { createProvenState } from './proven-state.js'

/** Counts of one chain; the thread adds them up. */
export interface ChainCounters {
  memoryHits: number
  sqliteHits: number
  codeHits: number
  emptyHits: number
  readonly provenHits: number
  misses: number
  unreadable: number
  prefetched: number
}

export interface LiveChainOptions {
  readonly chain: ArchiveChain
  readonly disk: DiskCache
  readonly codes: CodeStore
  /** Of all chains: `<block hash><key>` to the stored value; of code to its id. */
  readonly memory: LRUCache<string, Hex>
  readonly knownEmpty: ReadonlySet<Address>
  readonly recorder: Recorder | null
  readonly pollIntervalMs: number
  readonly upstreamTimeoutMs?: number
  readonly onHead: (head: BlockPin, replaced: readonly { number: bigint; hash: Hex }[]) => void
  readonly onLog: (level: 'info' | 'warn', message: string) => void
}

export interface LiveChain extends ChainSource {
  readonly counters: Readonly<ChainCounters>
  readonly upstreamCounters: Readonly<UpstreamCounters>
}

/** An unreadable state is not asked again for this long: candidates of one search meet the same one. */
const unreadableTtlMs = 2_000

/** What an operator can do about a block that no node has any more. */
const archiveNeeded = 'Blocks this old need an archive node.'

export function createLiveChain(options: LiveChainOptions): LiveChain {
  const { chain, disk, codes, memory, recorder } = options
  const { chainId } = chain
  const upstream = createUpstream({
    chainId,
    urls: chain.urls,
    onLog: options.onLog,
    ...(chain.verifyHeaderHash !== undefined && { verifyHeaderHash: chain.verifyHeaderHash }),
    ...(options.upstreamTimeoutMs !== undefined && { timeoutMs: options.upstreamTimeoutMs }),
  })
  const proven = createProvenState()
  const counters: ChainCounters = {
    memoryHits: 0,
    sqliteHits: 0,
    codeHits: 0,
    emptyHits: 0,
    get provenHits() {
      return proven.hits()
    },
    misses: 0,
    unreadable: 0,
    prefetched: 0,
  }
  const blocks = createBlockBook({
    chainId,
    upstream,
    disk,
    recorder,
    onNumber: (block) => tracker.meet(block),
  })
  const unreadable = new LRUCache<string, string>({ max: 10_000, ttl: unreadableTtlMs })
  const book = createCodeBook(chainId, disk)
  const hot = createHotSet(chainId, disk)
  const learned = createLearned(layout.learnedScope(chainId), disk)
  const poolSets = createPoolSets(learned)
  const tracker = createHeadTracker(hashAt, (head, replaced) => {
    const lowest = replaced.at(-1)?.number
    if (lowest !== undefined) {
      options.onLog('warn', `Chain ${chainId}: ${replaced.length} block(s) were replaced.`)
      book.forgetFrom(lowest)
      blocks.forget(head.number, replaced)
      for (const { hash } of replaced) dropState(hash)
    }
    blocks.adopt(head)
    recorder?.number(head)
    options.onHead(head, replaced)
  })
  const opener = createBlockOpener({
    blocks,
    tracker,
    upstream,
    keys: keysFor,
    proven,
    held,
    fetch,
  })
  let restored: Promise<void> | null = null

  async function hashAt(number: bigint): Promise<Hex | null> {
    try {
      const answer = await upstream.block(number)
      return answer.ok ? answer.value.pin.hash : null
    } catch {
      return null
    }
  }

  function dropState(hash: Hex): void {
    disk.dropScope(layout.blockScope(chainId, hash))
    for (const key of memory.keys()) if (key.startsWith(hash)) memory.delete(key)
  }

  /** What is known without asking a node; null when a node must be asked. */
  function held(key: ItemKey, at: BlockRef): Hex | null {
    if (options.knownEmpty.has(addressOf(key))) {
      counters.emptyHits += 1
      return emptyValue(key)
    }
    const id = `${at.hash}${key}`
    const inMemory = memory.get(id)
    const stored = inMemory ?? (disk.get(layout.blockScope(chainId, at.hash), key) as Hex | null)
    if (stored) {
      const value = isCode(key) && stored !== '0x' ? codes.get(stored) : stored
      if (value !== null) {
        if (inMemory) counters.memoryHits += 1
        else {
          counters.sqliteHits += 1
          memory.set(id, stored)
        }
        return value
      }
    }
    const same = proven.find(key, at)
    if (same !== null) {
      keepStored(key, at, same)
      return same
    }
    const codeId = isCode(key) && keepsCode(at) ? book.find(addressOf(key), at) : null
    const code = codeId === null ? null : codes.get(codeId)
    if (codeId === null || code === null) return null
    counters.codeHits += 1
    keepStored(key, at, codeId)
    return code
  }

  /** True where code cannot change any more once it is there (see code-book.ts). */
  function keepsCode({ hash }: BlockRef): boolean {
    if (upstream.isDevelopment()) return false
    const json = blocks.held(hash, false)?.json
    return typeof json?.parentBeaconBlockRoot === 'string'
  }

  function keep(key: ItemKey, at: BlockRef, value: Hex): void {
    const stored = isCode(key) && value !== '0x' ? codes.put(value) : value
    keepStored(key, at, stored)
    proven.note(key, at, value)
    if (isCode(key) && keepsCode(at)) book.learn(addressOf(key), at, value, stored)
  }

  function keepStored(key: ItemKey, at: BlockRef, stored: Hex): void {
    memory.set(`${at.hash}${key}`, stored)
    // The state of one block may differ from run to run of a development node.
    if (upstream.isDevelopment()) return
    disk.put({ scope: layout.blockScope(chainId, at.hash), item: key, value: stored })
  }

  async function fetch(key: ItemKey, at: BlockRef): Promise<Answer<Hex>> {
    counters.misses += 1
    const answer = await (opener.pending(key, at.hash) ?? upstream.state(key, at))
    if (answer.ok) keep(key, at, answer.value)
    else {
      counters.unreadable += 1
      unreadable.set(`${at.hash}${key}`, answer.message)
    }
    return answer
  }

  function read(key: ItemKey, at: BlockRef): Answer<Hex> | Promise<Answer<Hex>> {
    hot.touch(key)
    const value = held(key, at)
    if (value !== null) return recorded(key, at, { ok: true, value })
    const message = unreadable.get(`${at.hash}${key}`)
    if (message !== undefined) return recorded(key, at, { ok: false, message })
    poolSets.miss(key, at.hash)
    const asked = fetch(key, at)
    return recorder ? asked.then((answer) => recorded(key, at, answer)) : asked
  }

  function recorded(key: ItemKey, at: BlockRef, answer: Answer<Hex>): Answer<Hex> {
    if (!options.knownEmpty.has(addressOf(key))) recorder?.state(chainId, key, at, answer)
    return answer
  }

  async function pin(
    at: bigint | 'latest',
    { isWalk = false }: PinOptions = {},
  ): Promise<BlockPin> {
    if (at === 'latest') {
      await polling.first
      const head = tracker.head()
      if (head) return head
      throw notReady()
    }
    const { found, hasState } = await opener.open(at, isWalk)
    if (!found.ok) {
      const head = tracker.head()
      const advice = head && at <= head.number ? ` ${archiveNeeded}` : ''
      throw new ForkrouteError(
        'UNKNOWN_BLOCK',
        `Block ${at} is not known: ${found.message}.${advice}`,
        { chainId, blockNumber: at.toString() },
      )
    }
    const { pin: result, json } = found.value
    // Every block touches its fee recipient, so a node with the block's state has this account.
    if (!hasState && result.hash !== tracker.head()?.hash && typeof json.miner === 'string') {
      const state = await fetchHeld(balanceKey(json.miner.toLowerCase() as Address), result)
      if (!state.ok) {
        throw new ForkrouteError(
          'UNKNOWN_BLOCK',
          `The state of block ${at} is not available: ${state.message}. ${archiveNeeded}`,
          { chainId, blockNumber: at.toString() },
        )
      }
    }
    return result
  }

  async function changedBlocks(question: ChangesQuestion): Promise<readonly bigint[]> {
    await polling.first
    const nodes = upstream.nodes()
    if (nodes.some(({ usable }) => usable) && !capabilitiesOf(nodes).logs) {
      throw new ForkrouteError(
        'STATE_UNAVAILABLE',
        `No node of chain ${chainId} gives events (eth_getLogs), which tell in which blocks a pool changed.`,
        { chainId },
      )
    }
    const numbers = await findChangedBlocks(question, upstream.changes)
    recorder?.changes(chainId, question, numbers)
    return numbers
  }

  /** What recent blocks were asked for and only a node can tell of this one. */
  function keysFor(number: bigint): ItemKey[] {
    return hot.keys().filter((key) => {
      const address = addressOf(key)
      return !options.knownEmpty.has(address) && !(isCode(key) && book.find(address, { number }))
    })
  }

  async function fetchHeld(key: ItemKey, at: BlockRef): Promise<Answer<Hex>> {
    const value = held(key, at)
    return value === null ? fetch(key, at) : { ok: true, value }
  }

  function notReady(): ForkrouteError {
    const nodes = upstream.nodes()
    const isLying = nodes.length > 0 && nodes.every((node) => node.isSetAside)
    const reason = problemOf(nodes) ?? 'no node has answered yet.'
    return new ForkrouteError(
      isLying ? 'UPSTREAM_UNAVAILABLE' : 'CHAIN_NOT_READY',
      `Chain ${chainId} has no block: ${reason}`,
      { chainId },
    )
  }

  function problemOf(nodes = upstream.nodes()): string | null {
    const problems = nodes.map((node) => node.problem).filter((text) => text !== null)
    const head = tracker.head()
    const { maxHeadLagSeconds } = chain
    if (head && maxHeadLagSeconds !== undefined) {
      const lag = Math.floor(Date.now() / 1000) - Number(head.timestamp)
      if (lag > maxHeadLagSeconds) problems.push(`The newest block is ${lag} seconds old.`)
    }
    return problems.length > 0 ? problems.join(' ') : null
  }

  const polling = startHeadPolling(chain.urls.length, options.pollIntervalMs, async (node) => {
    const latest = await upstream.latestOf(node)
    if (!latest) return false
    blocks.keep(latest)
    restored ??= book.restore(hashAt)
    await restored
    await tracker.observe(node, latest.pin)
    return true
  })

  return {
    chainId,
    counters,
    upstreamCounters: upstream.counters,
    learned,
    poolSets,
    forkSlots: createForkSlots(),
    firstAnswers: polling.first,
    pin,
    block: blocks.find,
    read,
    async ahead(key, at) {
      hot.touch(key)
      if (held(key, at) !== null) return true
      if (unreadable.has(`${at.hash}${key}`)) return false
      poolSets.miss(key, at.hash)
      return fetch(key, at).then(
        ({ ok }) => ok,
        () => false,
      )
    },
    held(slots, at) {
      // What is given in bulk was not asked for, and would not be recorded.
      if (recorder) return []
      const isHeld = (key: ItemKey): boolean => held(key, at) !== null
      return withAccounts(slots, isHeld).map((key) => [key, held(key, at) as Hex])
    },
    async call(to, data, at) {
      const answer = await upstream.call(to, data, at)
      if (answer.ok) recorder?.call(chainId, to, data, at, answer.value)
      return answer
    },
    changedBlocks,
    async prefetch(at) {
      hot.next()
      const missing = () => hot.keys().filter((key) => held(key, at) === null)
      const begun =
        opener.readsOf(at.hash) ?? missing().map((key) => fetch(key, at).then(({ ok }) => ok))
      // What cannot be read stays on the list: refused in bulk, it is not asked for one by one later.
      const reads = await Promise.all(begun.map((read) => read.catch(() => false)))
      const items = reads.filter((ok) => ok).length
      counters.prefetched += items
      return { items, failed: reads.length - items }
    },
    status(): ChainStatus {
      const nodes = upstream.nodes()
      return {
        connected: nodes.some((node) => node.usable),
        capabilities: capabilitiesOf(nodes),
        problem: problemOf(nodes),
        headSeenAt: tracker.seenAt(),
        nodes,
      }
    },
    async close() {
      await upstream.close()
      await polling.stop()
      hot.save()
    },
  }
}

/** What at least one usable node can do. */
function capabilitiesOf(
  nodes: ReturnType<ReturnType<typeof createUpstream>['nodes']>,
): Record<string, boolean> {
  const capabilities: Record<string, boolean> = {}
  for (const { usable, abilities } of nodes) {
    if (!usable || !abilities) continue
    const { archiveDepth: _depth, devNode: _dev, ...flags } = abilities
    for (const [name, can] of Object.entries(flags)) {
      capabilities[name] = capabilities[name] === true || can
    }
  }
  return capabilities
}

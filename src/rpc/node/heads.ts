/**
 * Head tracking of one chain: every node is polled with jitter, the head only moves forward, and replaced blocks are
 * noticed by their hash. `createHeadTracker` decides and does no I/O of its own; `startHeadPolling` polls.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { BlockPin, Hex } from '../../domain/primitives.js'
import { quietly } from '../../telemetry/quietly.js'
import type { BlockRef } from './answer.js'

export interface HeadTracker {
  head(): BlockPin | null
  /** Milliseconds since the epoch when the head was first seen. */
  seenAt(): number | null
  /** Takes the newest block of a node. Calls are processed in order. */
  observe(node: number, block: BlockPin): Promise<void>
  /** Hash of the head's own chain at a height near it; null where it is not known. */
  hashOf(number: bigint): Hex | null
  /** Learns the parent's hash from a block of the head's own chain. */
  learnParent(block: BlockPin): void
  /**
   * Records a block that a node gave for its number. Such a block may be replaced even if no poll ever showed it as
   * the head; it is then listed among the replaced blocks.
   */
  meet(block: BlockRef): void
}

/** Remembered blocks below the head: how deep a reorg is followed. */
const memory = 128n

/**
 * @param hashAt - hash of the block that the nodes currently have at a height, null when none answers.
 * @param onHead - called with the new head; `replaced` lists the blocks that are no longer part of the chain,
 *   highest first.
 */
export function createHeadTracker(
  hashAt: (number: bigint) => Promise<Hex | null>,
  onHead: (head: BlockPin, replaced: readonly BlockRef[]) => void,
): HeadTracker {
  const known = new Map<bigint, Hex>()
  /** Blocks by hash for which no head has shown yet whether they are part of its chain. */
  const met = new Map<Hex, BlockRef>()
  let head: BlockPin | null = null
  let source = -1
  let seenAt: number | null = null
  let queue = Promise.resolve()

  async function take(node: number, block: BlockPin): Promise<void> {
    if (head?.hash === block.hash) return
    if (head && block.number < head.number) {
      // A node that merely lags agrees with the known hashes. Only the node that gave the head can take it back.
      const before = known.get(block.number)
      if (node !== source || before === undefined || before === block.hash) return
    }
    // Two nodes on different branches of equal height: the head stays until one branch gets longer.
    if (head && block.number === head.number && node !== source) return
    const below = head ? await findReplaced(head, block) : []
    for (const { number, hash } of below) {
      known.delete(number)
      met.delete(hash)
    }
    const replaced = [...(await judgeMet(block)), ...below].sort(highestFirst)
    head = block
    source = node
    seenAt = Date.now()
    known.set(block.number, block.hash)
    known.set(block.number - 1n, block.parentHash)
    for (const number of known.keys()) if (number + memory < block.number) known.delete(number)
    onHead(block, replaced)
  }

  async function findReplaced(old: BlockPin, next: BlockPin): Promise<BlockRef[]> {
    const replaced: BlockRef[] = []
    const heights = [...known.keys()].sort((a, b) => (a > b ? -1 : 1))
    for (const number of heights) {
      const before = known.get(number)
      if (before === undefined) continue
      if (number <= old.number && number > next.number) {
        replaced.push({ number, hash: before })
        continue
      }
      const actual = await actualHash(number, next)
      // Blocks below an unchanged one are unchanged too. No answer is no evidence of a change.
      if (actual === null || actual === before) break
      replaced.push({ number, hash: before })
    }
    return replaced
  }

  /** Judges each block by itself: blocks recorded at different times may be of different branches. */
  async function judgeMet(next: BlockPin): Promise<BlockRef[]> {
    const replaced: BlockRef[] = []
    for (const one of met.values()) {
      if (one.number > next.number) continue
      const isForgotten = one.number + memory < next.number
      const actual = isForgotten ? one.hash : await actualHash(one.number, next)
      if (actual === null) continue
      met.delete(one.hash)
      if (actual !== one.hash) replaced.push(one)
    }
    return replaced
  }

  function actualHash(number: bigint, next: BlockPin): Promise<Hex | null> | Hex {
    if (number === next.number) return next.hash
    if (number === next.number - 1n) return next.parentHash
    return hashAt(number)
  }

  return {
    head: () => head,
    seenAt: () => seenAt,
    observe(node, block) {
      queue = queue.then(() => take(node, block))
      return queue
    },
    hashOf: (number) => known.get(number) ?? null,
    learnParent({ number, hash, parentHash }) {
      const isNear = head !== null && number + memory > head.number
      if (isNear && known.get(number) === hash) known.set(number - 1n, parentHash)
    },
    meet({ number, hash }) {
      const own = known.get(number)
      const isAhead = head === null || number > head.number
      if (isAhead || (own !== undefined && own !== hash)) met.set(hash, { number, hash })
    },
  }
}

function highestFirst(a: BlockRef, b: BlockRef): number {
  return Number(b.number - a.number)
}

/** Shortest time between two polls of a node that does not answer. */
const pauseForDeadNodeMs = 1_000

/**
 * Polls every node independently, so that a slow one does not delay the others.
 *
 * @param poll - asks one node and observes its answer; false when it gave none.
 * @returns `first` settles when every node was polled once.
 */
export function startHeadPolling(
  nodes: number,
  intervalMs: number,
  poll: (node: number) => Promise<boolean>,
): { readonly first: Promise<void>; stop(): Promise<void> } {
  const stopping = new AbortController()
  const firsts: Promise<unknown>[] = []
  const loops: Promise<void>[] = []
  for (let node = 0; node < nodes; node += 1) {
    const first = poll(node)
    firsts.push(first)
    loops.push(repeat(node, first))
  }

  async function repeat(node: number, first: Promise<boolean>): Promise<void> {
    let answered = await first
    while (!stopping.signal.aborted) {
      const pause = answered ? intervalMs : Math.max(intervalMs, pauseForDeadNodeMs)
      const jittered = pause * (0.75 + Math.random() / 2)
      const slept = sleep(jittered, undefined, { signal: stopping.signal })
      await quietly(slept, 'The pause between two polls of a node ends with the service.')
      if (!stopping.signal.aborted) answered = await poll(node)
    }
  }

  return {
    first: Promise.all(firsts).then(() => undefined),
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

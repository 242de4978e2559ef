/** What the nodes of a chain have shown of it: the highest block, and of which blocks they answer. No I/O. */
import { LRUCache } from 'lru-cache'
import type { Hex } from '../../domain/primitives.js'
import type { BlockRef } from './answer.js'
import type { UpstreamNode } from './upstream-node.js'

export interface ChainTip {
  /** Records that a node has this block. */
  see(number: bigint): void
  /** Records that the node gave a value of the block's state. */
  answered(node: UpstreamNode, block: BlockRef): void
  wasAnswered(node: UpstreamNode, block: BlockRef): boolean
  /** Records that the node has the state of the block, and does not make it up. */
  shown(node: UpstreamNode, number: bigint): void
  isShown(node: UpstreamNode, number: bigint): boolean
  /** Records that the node gave nothing but zeros for the block. @returns whether it surely lacks the block's state. */
  shownEmpty(node: UpstreamNode, number: bigint): boolean
  /** Records that the node gives the state of another block in place of this one's: it does so for those below, too. */
  tookForOther(node: UpstreamNode, number: bigint): void
  /** Whether the node is known for it, and has not shown this block's state. */
  takesForOther(node: UpstreamNode, number: bigint): boolean
  /** True for blocks that some node has. */
  isThere(number: bigint): boolean
  /** True for blocks so far below the newest that their number names them. */
  isFinal(number: bigint): boolean
  /** True for blocks that some nodes may not have yet. */
  isFresh(number: bigint): boolean
}

/** Blocks this far below the newest count as final, so they may be read by number. */
const reorgWindow = 64n
/** Nodes behind one address differ by a block or two. */
const freshBlocks = 2n
/** Blocks of which it is remembered who answered. */
const maxBlocks = 256
/**
 * Answers of zeros until a block's state counts as lacking. There may be several nodes behind an address, of which only
 * some lack it. A node that prunes keeps the newest blocks, so below a block that it lacks fewer are enough.
 */
const emptyAnswers = { first: 8, below: 2 } as const
/** So long it is believed that a node lacks state: it may be given what it lacks. */
const lackingMs = 600_000

export function createChainTip(): ChainTip {
  let newest = 0n
  const answers = new LRUCache<Hex, Set<UpstreamNode>>({ max: maxBlocks })
  const shown = new LRUCache<string, true>({ max: maxBlocks })
  const empty = new LRUCache<string, number>({ max: maxBlocks, ttl: lackingMs })
  /** The highest block that surely lacks its state. */
  const emptyTo = new LRUCache<UpstreamNode, bigint>({ max: maxBlocks, ttl: lackingMs })
  /** The highest block in whose place the state of another one came. */
  const otherTo = new LRUCache<UpstreamNode, bigint>({ max: maxBlocks, ttl: lackingMs })
  const keyOf = (node: UpstreamNode, number: bigint) => `${node.name} ${number}`
  return {
    see(number) {
      if (number > newest) newest = number
    },
    answered(node, { hash }) {
      const nodes = answers.get(hash) ?? new Set()
      answers.set(hash, nodes.add(node))
    },
    wasAnswered: (node, { hash }) => answers.get(hash)?.has(node) === true,
    shown(node, number) {
      shown.set(keyOf(node, number), true)
      empty.delete(keyOf(node, number))
      if (number <= (emptyTo.get(node) ?? -1n)) emptyTo.delete(node)
      if (number <= (otherTo.get(node) ?? -1n)) otherTo.delete(node)
    },
    isShown: (node, number) => shown.has(keyOf(node, number)),
    shownEmpty(node, number) {
      const answers = (empty.get(keyOf(node, number)) ?? 0) + 1
      empty.set(keyOf(node, number), answers)
      const isBelow = number <= (emptyTo.get(node) ?? -1n)
      if (answers < (isBelow ? emptyAnswers.below : emptyAnswers.first)) return false
      if (!isBelow) emptyTo.set(node, number)
      return true
    },
    tookForOther(node, number) {
      if (number > (otherTo.get(node) ?? -1n)) otherTo.set(node, number)
    },
    takesForOther: (node, number) =>
      number <= (otherTo.get(node) ?? -1n) && !shown.has(keyOf(node, number)),
    isThere: (number) => number <= newest,
    isFinal: (number) => number + reorgWindow <= newest,
    isFresh: (number) => number + freshBlocks >= newest,
  }
}

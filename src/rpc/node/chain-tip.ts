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

export function createChainTip(): ChainTip {
  let newest = 0n
  const answers = new LRUCache<Hex, Set<UpstreamNode>>({ max: maxBlocks })
  const shown = new LRUCache<string, true>({ max: maxBlocks })
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
      shown.set(`${node.name} ${number}`, true)
    },
    isShown: (node, number) => shown.has(`${node.name} ${number}`),
    isThere: (number) => number <= newest,
    isFinal: (number) => number + reorgWindow <= newest,
    isFresh: (number) => number + freshBlocks >= newest,
  }
}

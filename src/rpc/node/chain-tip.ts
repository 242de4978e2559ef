/** The highest block seen on any node of the chain: decides which blocks are final, and which are fresh. No I/O. */

export interface ChainTip {
  /** Records that a node has this block. */
  see(number: bigint): void
  /** True for blocks so far below the newest that their number names them. */
  isFinal(number: bigint): boolean
  /** True for blocks that some nodes may not have yet. */
  isFresh(number: bigint): boolean
}

/** Blocks this far below the newest count as final, so they may be read by number. */
const reorgWindow = 64n

export function createChainTip(): ChainTip {
  let newest = 0n
  return {
    see(number) {
      if (number > newest) newest = number
    },
    isFinal: (number) => number + reorgWindow <= newest,
    isFresh: (number) => number >= newest,
  }
}

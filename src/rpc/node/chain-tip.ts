/** The highest block that a node of the chain has shown, and what that says about other blocks. No I/O. */

export interface ChainTip {
  /** A node has this block. */
  see(number: bigint): void
  /** True for blocks so far below the newest that their number names them. */
  isFinal(number: bigint): boolean
  /** True for blocks that some nodes may not have yet. */
  isFresh(number: bigint): boolean
}

/** Blocks this far below the newest are taken as final where they are read by number. */
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

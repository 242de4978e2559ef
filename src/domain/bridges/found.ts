/** What an account has sent over bridges, or is sent, by events of the source chains. */
import type { Hex } from '../primitives.js'

/** The blocks of a chain whose events were read, first and last. */
export interface SearchedBlocks {
  readonly chainId: number
  readonly fromBlock: number
  readonly toBlock: number
}

/** A chain of whose blocks nothing is known, and why: a whole sentence for people. */
export interface UnsearchedChain {
  readonly chainId: number
  readonly message: string
}

/** A transaction that has sent over bridges. Structured-clonable. */
export interface SentTransfer {
  readonly chainId: number
  readonly transactionHash: Hex
  readonly blockNumber: number
  /** Of its block, unix seconds; as the chain's block time tells it where nodes do not. */
  readonly timestamp: number
  /** Slugs. */
  readonly bridges: readonly string[]
}

export interface FoundTransfers {
  readonly searched: readonly SearchedBlocks[]
  readonly unsearched: readonly UnsearchedChain[]
  /** How many there are in these blocks. */
  readonly count: number
  /** The newest of them, newest first. */
  readonly transfers: readonly SentTransfer[]
}

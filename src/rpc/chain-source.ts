/**
 * State of one chain at its blocks, wherever it comes from: `live-chain.ts` (nodes and caches) or
 * `replay-chain.ts` (a cassette). What the HTTP server and the thread are built on.
 */
import type { Address, BlockPin, Hex } from '../domain/primitives.js'
import type { ChainStatus } from './archive-messages.js'
import type { VerifiedBlock } from './block-check.js'
import type { Learned } from './learned.js'
import type { PoolSets } from './pool-sets.js'
import type { ItemKey } from './state-item.js'
import type { Answer, BlockRef } from './upstream.js'

export interface ChainSource {
  readonly chainId: number
  /** @throws ForkrouteError UNKNOWN_BLOCK, CHAIN_NOT_READY or UPSTREAM_UNAVAILABLE. */
  pin(block: bigint | 'latest'): Promise<BlockPin>
  /** @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  block(ref: bigint | Hex, options?: { full?: boolean }): Promise<Answer<VerifiedBlock>>
  /** A value in its stored form. Throws or rejects with ForkrouteError UPSTREAM_UNAVAILABLE. */
  read(key: ItemKey, block: BlockRef): Answer<Hex> | Promise<Answer<Hex>>
  /** eth_call by a node itself, kept nowhere. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  call(to: Address, data: Hex, block: BlockRef): Promise<Answer<Hex>>
  prefetch(pin: BlockPin): Promise<{ items: number; failed: number }>
  /** What was found out about contracts of the chain. */
  readonly learned: Learned
  /** What simulations of swaps left to the forks to ask for, by pool. */
  readonly poolSets: PoolSets
  /** Settles when every node was asked once. */
  readonly firstAnswers: Promise<void>
  status(): ChainStatus
  close(): Promise<void>
}

/** Scopes and items of cache and cassette. */
export const layout = {
  /** State and block of one block. */
  blockScope: (chainId: number, hash: Hex) => `${chainId}:${hash}`,
  /** Facts of a chain: `head` and `number:<n>`, both block hashes (cassette only). */
  chainScope: (chainId: number) => `${chainId}`,
  /** Code by its id (`codeIdOf`), of all chains. */
  codeScope: 'code',
  /** Code id by address, and from which block on (cache only). */
  codeAtScope: (chainId: number) => `${chainId}/code`,
  /** Learned keys (cache only). */
  hotScope: (chainId: number) => `${chainId}/hot`,
  /** Facts about contracts by topic (cache only). */
  learnedScope: (chainId: number) => `${chainId}/learned`,
  block: (full: boolean) => (full ? 'block full' : 'block'),
}

/** Values of unreadable state in a cassette start so; the reason follows. */
export const unreadableMark = '!'

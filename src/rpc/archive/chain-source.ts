/**
 * State of one chain at its blocks, wherever it comes from: `live-chain.ts` (nodes and caches) or
 * `replay-chain.ts` (a cassette). What the HTTP server and the thread are built on.
 */
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { ForkSlots } from '../hints/fork-slots.js'
import type { Learned } from '../hints/learned.js'
import type { PoolSets } from '../hints/pool-sets.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import type { ChangesQuestion } from '../node/changed-blocks.js'
import type { ItemKey } from '../node/state-item.js'
import type { ChainStatus } from './archive-messages.js'

export interface PinOptions {
  /** As in `CallContext`: calls to nodes are spared, though the first answer comes a round later. */
  readonly isBackground?: boolean
}

export interface ChainSource {
  readonly chainId: number
  /** @throws ForkrouteError UNKNOWN_BLOCK, CHAIN_NOT_READY or UPSTREAM_UNAVAILABLE. */
  pin(block: bigint | 'latest', options?: PinOptions): Promise<BlockPin>
  /** @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  block(ref: bigint | Hex, options?: { full?: boolean }): Promise<Answer<VerifiedBlock>>
  /** A value in its stored form. Throws or rejects with ForkrouteError UPSTREAM_UNAVAILABLE. */
  read(key: ItemKey, block: BlockRef): Answer<Hex> | Promise<Answer<Hex>>
  /** Reads a value early, so that it is held when it is asked for; true where there is one. Never throws. */
  ahead(key: ItemKey, block: BlockRef): Promise<boolean>
  /** Those of the slots, with their values, for which and for whose accounts nobody must be asked. */
  held(slots: readonly ItemKey[], block: BlockRef): readonly (readonly [ItemKey, Hex])[]
  /** eth_call by a node itself, kept in no cache. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  call(to: Address, data: Hex, block: BlockRef): Promise<Answer<Hex>>
  /** Numbers of the blocks in which one of the contracts left an event, ascending. @throws ForkrouteError STATE_UNAVAILABLE, UPSTREAM_UNAVAILABLE. */
  changedBlocks(question: ChangesQuestion): Promise<readonly bigint[]>
  prefetch(pin: BlockPin): Promise<{ items: number; failed: number }>
  /** What was found out about contracts of the chain. */
  readonly learned: Learned
  /** What simulations of swaps left to the forks to ask for, by pool. */
  readonly poolSets: PoolSets
  readonly forkSlots: ForkSlots
  /** Settles when every node was asked once. */
  readonly firstAnswers: Promise<void>
  status(): ChainStatus
  close(): Promise<void>
}

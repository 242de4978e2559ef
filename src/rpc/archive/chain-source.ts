/**
 * The interface to the state of one chain that the HTTP server and the archive thread build on. Implemented by
 * `live-chain.ts` (nodes and caches) and `replay-chain.ts` (a cassette).
 */
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { Guess } from '../../domain/state.js'
import type { ForkReads } from '../hints/fork-reads.js'
import type { Learned } from '../hints/learned.js'
import type { PoolSets } from '../hints/pool-sets.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import type { ChangesQuestion } from '../node/changed-blocks.js'
import type { EventLog, LogsQuestion } from '../node/mined/event-logs.js'
import type { ItemKey } from '../node/state-item.js'
import type { ChainStatus, PinOptions } from './archive-messages.js'

/** `pending`: a node knows it, and no block that counts has it. */
export type TransactionFate =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'pending' }
  | {
      readonly kind: 'mined'
      readonly isSuccess: boolean
      readonly block: BlockPin
      readonly logs: readonly EventLog[]
      /** Wei charged on a rollup on top of gas, for posting it to L1; null where the nodes do not tell. */
      readonly l1DataFee: bigint | null
    }

export interface ForeseenCall {
  /** Absent: anybody. */
  readonly from?: Address | undefined
  readonly to: Address
  readonly data: Hex
}

export interface ChainSource {
  readonly chainId: number
  /** @throws ForkrouteError UNKNOWN_BLOCK, CHAIN_NOT_READY or UPSTREAM_UNAVAILABLE. */
  pin(block: bigint | 'latest', options?: PinOptions): Promise<BlockPin>
  /** @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  block(ref: bigint | Hex, options?: { full?: boolean }): Promise<Answer<VerifiedBlock>>
  /**
   * A value in its stored form. Throws or rejects with ForkrouteError UPSTREAM_UNAVAILABLE.
   * @param isForks - a fork asks, most likely for what was foreseen.
   */
  read(key: ItemKey, block: BlockRef, isForks?: boolean): Answer<Hex> | Promise<Answer<Hex>>
  /** Reads a value ahead, so that it is in memory when it is needed; true if there is one. Never throws. */
  ahead(key: ItemKey, block: BlockRef): Promise<boolean>
  /** Reads ahead what calls of contracts that are new to the block will read, where the nodes tell it. */
  foresee(calls: readonly ForeseenCall[], block: BlockRef): void
  /** Reads ahead what will most likely be asked for. What nobody asks for leaves nothing behind at other blocks. */
  guess(guess: Guess, block: BlockRef): void
  /** From now on an account of which nothing is known at the block is empty there, and no node is asked for it. */
  assumeEmpty(accounts: readonly Address[], block: BlockRef): void
  /** The slots, with their values, that are known without asking a node, and whose accounts are known too. */
  held(slots: readonly ItemKey[], block: BlockRef): readonly (readonly [ItemKey, Hex])[]
  /** Of these accounts those of which balance, nonce and code are known without asking a node. */
  heldAccounts(accounts: readonly Address[], block: BlockRef): readonly Address[]
  /**
   * Nodes of the tries that prove the account and these slots of it, as a node gives them.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE.
   */
  proofNodes(
    address: Address,
    slots: readonly Hex[],
    block: BlockRef,
  ): Promise<Answer<readonly Hex[]>>
  /** eth_call by a node itself, kept in no cache. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  call(to: Address, data: Hex, block: BlockRef): Promise<Answer<Hex>>
  /**
   * Numbers of the blocks in which one of the contracts emitted one of the events, ascending.
   * @throws ForkrouteError STATE_UNAVAILABLE, UPSTREAM_UNAVAILABLE.
   */
  changedBlocks(question: ChangesQuestion): Promise<readonly bigint[]>
  /**
   * Events of a contract; null where the nodes give none, or too little at a time.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE.
   */
  logs(question: LogsQuestion): Promise<readonly EventLog[] | null>
  /** @throws ForkrouteError STATE_UNAVAILABLE, UPSTREAM_UNAVAILABLE. */
  transaction(hash: Hex): Promise<TransactionFate>
  /** Has a recording keep the text with the block. */
  note(name: string, text: string, block: BlockRef): void
  /** The text that a recording keeps with the block; null: none. @throws ForkrouteError where it is damaged. */
  noted(name: string, block: BlockRef): string | null
  prefetch(pin: BlockPin): Promise<{ items: number; failed: number }>
  /** Facts learnt about contracts of the chain. */
  readonly learned: Learned
  /** State that forks still had to read while simulating swaps, by pool. */
  readonly poolSets: PoolSets
  readonly forkReads: ForkReads
  /** Settles when every node was asked once. */
  readonly firstAnswers: Promise<void>
  status(): ChainStatus
  close(): Promise<void>
}

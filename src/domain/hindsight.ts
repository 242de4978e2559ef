/** What mined swaps gave, and what our own transaction would have given at their place. Structured-clonable. */
import type { UnsignedTransaction } from './order.js'
import type { Address, Hex } from './primitives.js'

/** One transaction, or all transactions of some blocks. */
export interface HindsightRequest {
  readonly chainId: number
  readonly of:
    | { readonly kind: 'transaction'; readonly hash: Hex }
    /** Both ends included. */
    | { readonly kind: 'blocks'; readonly from: bigint; readonly to: bigint }
  /** For a transaction that reverted: blocks to look back for the first one after which it reverts; absent: none. */
  readonly since?: number
}

/** What was given and what was got for it, by the token movements of the transaction. Raw units. */
export interface MinedSwap {
  /** Who gave tokenIn: the sender, or the contract that it called. */
  readonly payer: Address
  readonly tokenIn: Address
  readonly amountIn: bigint
  readonly tokenOut: Address
  readonly amountOut: bigint
  /** Who got the proceeds. */
  readonly receiver: Address
}

/** A pool, known by the event of its swap. */
export interface TouchedPool {
  /** Slug; null where no venue of the chain has made the pool. */
  readonly protocol: string | null
  /** Contract that emitted the event. */
  readonly address: Address
  /** The id of the pool where the contract holds many; else null. */
  readonly id: Hex | null
}

export type Verdict = 'won' | 'lost' | 'tied'

/** Our transaction for the same pair and amount. Raw units of tokenOut. */
export interface OwnSwap {
  readonly amountOut: bigint
  readonly gas: bigint
  /** Wei, on chains that charge for posting data to L1; null where the chain does not tell. */
  readonly l1DataFee?: bigint | null
  readonly tx: UnsignedTransaction
  readonly route: readonly { readonly protocol: string; readonly pool: string }[]
  /** Ours less theirs, as a share of theirs: basis points with two decimals. */
  readonly amountOutBps: number
  /**
   * The same after the gas of both, at the price that the transaction paid, and after the L1 data fees of both where both
   * are known; null where gas cannot be valued.
   */
  readonly netBps: number | null
  /** What netBps says of our transaction; null where that is null. */
  readonly result: Verdict | null
}

/** Why there is none. */
export interface NoOwnSwap {
  readonly code: string
  readonly message: string
}

export interface Sandwich {
  /** The account or the contract that the transactions around have in common. */
  readonly attacker: Address
  readonly fronts: readonly Hex[]
  readonly backs: readonly Hex[]
  readonly pools: readonly TouchedPool[]
  /** Raw units of tokenOut without the fronts less with them; null where it would not have been carried out. */
  readonly loss: bigint | null
  /** Share of what it would have got, basis points with two decimals. */
  readonly lossBps: number | null
}

export interface Hindsight {
  readonly chainId: number
  readonly hash: Hex
  readonly blockNumber: bigint
  readonly transactionIndex: number
  readonly from: Address
  /** Null: it deploys a contract. */
  readonly to: Address | null
  readonly status: 'success' | 'reverted'
  /** Why it reverted, decoded; null: it did not. */
  readonly reason: string | null
  /** The first of the blocks looked back at at whose end it would have reverted; null: none, or not asked for. */
  readonly revertsSince: bigint | null
  readonly gasUsed: bigint
  /** Wei per gas that it paid. */
  readonly gasPrice: bigint
  /** Wei, on chains that charge for posting data to L1; null where the receipt does not tell, and for what is no swap. */
  readonly l1DataFee?: bigint | null
  readonly swap: MinedSwap | null
  /** Why it is no swap of one token for another; null: it is one. */
  readonly noSwap: string | null
  readonly through: readonly TouchedPool[]
  /** Our transaction at the end of the block before; null: it is no swap. */
  readonly before: OwnSwap | NoOwnSwap | null
  /** Our transaction at its place: behind the transactions before it in its block. Null: it is no swap. */
  readonly atItsPlace: OwnSwap | NoOwnSwap | null
  readonly sandwich: Sandwich | null
}

export interface HindsightAnswer {
  /** In the order of the chain. */
  readonly transactions: readonly Hindsight[]
  readonly warnings: readonly string[]
}

/** What a job of hindsight is to do: all transactions of these blocks. */
export interface HindsightPlan {
  readonly kind: 'hindsight'
  readonly name: string
  readonly chainId: number
  /** Both ends included. */
  readonly range: { readonly from: bigint; readonly to: bigint }
  /** As `HindsightRequest.since`. */
  readonly since?: number
}

/** The transactions of one block of a job: stored together or not at all. */
export interface HindsightBlock extends HindsightAnswer {
  readonly kind: 'hindsight'
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** Unix seconds. */
  readonly timestamp: bigint
}

/** Limits of one job. */
export const hindsightLimits = {
  blocks: 10_000,
  /** Blocks to look back for the first one after which a transaction reverts. */
  since: 100,
} as const

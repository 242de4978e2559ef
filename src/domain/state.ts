/**
 * Reading chain state at one pinned block, and what simulations override in it.
 * The types only: `forks/reader.ts` and `forks/simulate.ts` implement them.
 */
import { defined } from './defined.js'
import type { Address, BlockPin, Hex, TokenAmount } from './primitives.js'

/** One read. State that the node refuses, or a call that reverts, fails that read alone. */
export type ReadResult =
  | { readonly ok: true; readonly value: Hex }
  | { readonly ok: false; readonly reason: 'reverted' | 'unreadable'; readonly message: string }

export interface ReadCall {
  readonly to: Address
  readonly data: Hex
  /** Unix seconds that the call sees as the block's time, for values that accrue; absent: the pinned block's. */
  readonly timestamp?: bigint
  /** Gas that it may use; absent: what a transaction may. */
  readonly gas?: bigint
  /** Who sends it; absent: the zero address. */
  readonly from?: Address
  /** State that is otherwise for this call; absent: none. */
  readonly overrides?: StateOverrides
}

/**
 * Bulk reads at one block. A failing read never fails the others.
 * Both methods throw ForkrouteError UPSTREAM_UNAVAILABLE or FORK_UNAVAILABLE when nothing can be read at all.
 */
export interface StateReader {
  readonly block: BlockPin
  /** Raw 32-byte storage words, in the order asked. The cheapest read: many slots cost one or two round trips. */
  storage(
    reads: readonly { readonly address: Address; readonly slot: Hex }[],
  ): Promise<ReadResult[]>
  /** eth_call on a fork of the block. Every slot a call touches may cost a round trip on a cold block. */
  call(calls: readonly ReadCall[]): Promise<ReadResult[]>
  /**
   * Tells what reads will most likely come next, once for each topic. A hint only: it decides when state is read.
   * Absent: nothing is read early.
   */
  guess?(topic: string, guess: () => Guess): void
  /** What recordings keep of the block beside its state; absent: nothing is kept. */
  readonly notes?: BlockNotes
}

/** Where a pool keeps its ticks. Of these words each names the next: a node that is told the places finds all of them. */
export interface TickPlaces {
  readonly address: Address
  /** The price, with the tick behind it. */
  readonly slot0: Hex
  readonly liquidity: Hex
  /** Bases of the mappings. */
  readonly tickBitmap: Hex
  readonly ticks: Hex
  readonly tickSpacing: number
  /** Words of the bitmap that are read on either side of that of the price. */
  readonly wordsPerSide: number
  /** Which word of the record of a tick is read. */
  readonly recordWord: number
  /** True where the price is read at the same time, to see whether there is a pool. */
  readonly isLookUp?: boolean | undefined
}

export interface Guess {
  readonly slots?: readonly { readonly address: Address; readonly slot: Hex }[]
  readonly pools?: readonly TickPlaces[]
}

/** Texts by name. A recording keeps what is put, and a replay gives it back. */
export interface BlockNotes {
  /** Null: none of the name, as always outside of a replay. */
  get(name: string): Promise<string | null>
  put(name: string, text: string): Promise<void>
}

/** Overrides of one account, as in eth_call and eth_simulateV1 (`stateDiff` does not change other slots). */
export interface AccountOverride {
  readonly balance?: bigint
  readonly nonce?: number
  readonly code?: Hex
  readonly stateDiff?: Readonly<Record<Hex, Hex>>
  /** What is hashed to get slots of `stateDiff`, the outermost first: shows whose they are. */
  readonly preimages?: Readonly<Record<Hex, readonly Hex[]>>
}
export type StateOverrides = Readonly<Record<Address, AccountOverride>>

/** Later arguments win per field; stateDiff entries are merged. */
export function mergeOverrides(...list: readonly StateOverrides[]): StateOverrides {
  const merged: Record<Address, AccountOverride> = {}
  for (const overrides of list) {
    for (const [address, next] of Object.entries(overrides) as [Address, AccountOverride][]) {
      const before = merged[address]
      const stateDiff =
        before?.stateDiff || next.stateDiff
          ? { ...before?.stateDiff, ...next.stateDiff }
          : undefined
      const preimages =
        before?.preimages || next.preimages
          ? { ...before?.preimages, ...next.preimages }
          : undefined
      merged[address] = { ...before, ...next, ...defined({ stateDiff, preimages }) }
    }
  }
  return merged
}

/** A transaction that runs in the simulated block before the measured one, such as a transfer that funds its sender. */
export interface PrecedingCall {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
}

/** A balance to measure. */
export interface MeasuredBalance {
  readonly token: Address
  readonly owner: Address
}

/** Raw units of that balance, or of its change. */
export type BalanceAmount = MeasuredBalance & TokenAmount

export interface SimulationRequest {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
  /**
   * What its sender would set; absent: an ordinary one. A transaction that fails with nearly all of it used runs again
   * with as much as the chain allows.
   */
  readonly gasLimit?: bigint
  /** Run first, in this order, without counting in gas, logs or deltas; one that fails makes the result `reverted`. */
  readonly before?: readonly PrecedingCall[]
  readonly overrides: StateOverrides
  /** True: payments of native are among the logs, as transfers of the native token's constant. */
  readonly logsNative?: boolean
  /** Balances to measure before and after the transaction; native through the native-token constant, gas added back. */
  readonly measure?: readonly MeasuredBalance[]
}

export interface SimulationLog {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
}

export type SimulationSuccess = Extract<SimulationResult, { status: 'success' }>

export type SimulationResult =
  | {
      readonly status: 'success'
      readonly gasUsed: bigint
      readonly returnData: Hex
      readonly logs: readonly SimulationLog[]
      /** After minus before, in the order of `measure`. */
      readonly deltas: readonly BalanceAmount[]
    }
  | {
      readonly status: 'reverted'
      readonly gasUsed: bigint
      readonly returnData: Hex
      /** Decoded: `Error(...)`, `Panic(0x11)`, a known custom error with its arguments, or the selector. */
      readonly reason: string
    }
  /** The transaction touched state that the node does not provide; this does not say whether it would succeed. */
  | { readonly status: 'unreadable'; readonly message: string }

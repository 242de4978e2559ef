/** Where what a transaction has sent over a bridge is. */
import type { Address, Hex } from '../primitives.js'

export const bridgeStatuses = ['pending', 'inflight', 'delivered', 'failed', 'unknown'] as const
/**
 * `pending`: the source transaction is not mined; `inflight`: sent, and not delivered at the destination's block;
 * `delivered`: and its order, if any, ran; `failed`: it will not be, or its order failed and the fallback receiver was
 * paid; `unknown`: nothing of this bridge, or the state does not tell.
 */
export type BridgeStatus = (typeof bridgeStatuses)[number]

/** A call on the destination that has it delivered after all. Structured-clonable. */
export interface BridgeRetry {
  readonly to: Address
  readonly data: Hex
  /** Wei. */
  readonly value: bigint
  /** What its transaction must be given where a node's estimate is not enough; absent: as estimated. */
  readonly gas?: bigint
}

export const withdrawalPhases = [
  'initiated',
  'provable',
  'proven',
  'finalizable',
  'finalized',
] as const

/** A withdrawal to the chain that is settled on: it is proven there, waits, and is finalised. Structured-clonable. */
export interface BridgeWithdrawal {
  /**
   * `initiated`: no output root of its block is proposed; `provable`: one is; `proven`: the delays run; `finalizable`:
   * they are over, and `retry` finalises it; `finalized`: the portal has called its target.
   */
  readonly phase: (typeof withdrawalPhases)[number]
  /** Unix seconds before which it cannot be finalised; absent where it is not proven, or is finalised. */
  readonly notBefore?: number
  /** Index of the newest dispute game that covers its block; of `provable` alone. */
  readonly disputeGameIndex?: string
  /** Block of the source whose output root that game is about; of `provable` alone. */
  readonly provenBlockNumber?: string
  /** What that game says of the block; of `provable` alone. */
  readonly outputRoot?: Hex
}

/** A call on the destination that delivers with the tokens of its sender. Structured-clonable. */
export interface BridgeFill extends BridgeRetry {
  /** What its sender pays, and must have allowed `to` to take. */
  readonly token: Address
  /** Raw units of the token. */
  readonly amount: bigint
  /** Whom the bridge pays back what was sent, on that chain. */
  readonly repaidTo: Address
  readonly repaidOnChainId: number
}

/** The block and transaction of an event. */
export interface ChainMoment {
  readonly chainId: number
  readonly transactionHash: Hex
  readonly blockNumber: number
  /** Unix seconds. */
  readonly timestamp: number
}

/** One delivery of a transaction. */
export interface BridgeHop {
  /** Slug of the bridge. */
  readonly bridge: string
  /** Names it at its bridge. */
  readonly id: string
  readonly status: Exclude<BridgeStatus, 'pending'>
  /** Null: a chain that is not known here. */
  readonly destinationChainId: number | null
  /** What is delivered, on the destination. */
  readonly token: Address
  /** Raw units of the token. */
  readonly amount: bigint
  readonly receiver: Address
  /** Whether a message goes with it. */
  readonly hasMessage: boolean
  readonly source: ChainMoment
  /** Null while it is not delivered, and where no node tells which transaction delivered it. */
  readonly destination: ChainMoment | null
  /** Block of the destination whose state says so; null where it was not read. */
  readonly checkedAt: number | null
  readonly error?: string
  /** A call on the destination that has it delivered after all, of anybody; absent where nothing is held up. */
  readonly retry?: BridgeRetry
  /** How far a withdrawal is; absent: it is none. */
  readonly withdrawal?: BridgeWithdrawal
  /** Delivers it with its sender's tokens; absent where none would go through, or no tokens are needed. */
  readonly fill?: BridgeFill
}

export interface BridgeCheck {
  readonly chainId: number
  readonly transactionHash: Hex
  /** Status of the hop that is furthest from delivered. */
  readonly status: BridgeStatus
  readonly hops: readonly BridgeHop[]
  readonly error?: string
}

/** Whether what a transaction has burnt over CCTP can be minted, by a transaction of anybody. */
export interface BridgeClaim {
  readonly claimable: boolean
  /** Absent: nothing was burnt, or not for a chain that is known here. */
  readonly destinationChainId?: number
  /** On the destination; of whoever pays for its gas. */
  readonly tx?: {
    readonly chainId: number
    readonly to: Address
    readonly data: Hex
    readonly value: bigint
  }
  /** Why not: a whole sentence for people. */
  readonly reason?: string
}

/** A pool of Stargate or an OFT, and one of the same asset that it sends to. */
export interface MessagingPool {
  readonly chainId: number
  readonly pool: Address
  readonly token: Address
  readonly decimals: number
  readonly destinationChainId: number
  readonly destination: {
    readonly pool: Address
    readonly token: Address
    readonly decimals: number
  }
}

/** What a request says of a route to another chain, and what its answer has besides. */
import type { Address, BlockPin, Cost } from '../primitives.js'

export const crosschainModes = [
  'direct',
  'source',
  'destination',
  'sourceOrDestination',
  'full',
] as const
/**
 * Where a route over a bridge swaps: nowhere, on the source, on the destination, on one of them, on both. Wrapping and
 * unwrapping the native token is no swap.
 */
export type CrosschainMode = (typeof crosschainModes)[number]

/** Fields of a route to another chain, on which the tokensOut of its request are. */
export interface CrosschainTerms {
  readonly destinationChainId: number
  /** Absent: the newest; with a past `blockNumber` the newest not after that block's time. */
  readonly destinationBlockNumber?: bigint
  readonly mode: CrosschainMode
  /** Lower-case; see `bridges/registry.ts`. */
  readonly ignoreBridges: readonly string[]
  /** The only bridge that may be used, lower-case; absent: any, but none that takes transactions afterwards. */
  readonly bridge?: string
  /** Gets the fee out of what is delivered, in place of `feeReceiver`, where an order runs on the destination. */
  readonly destinationFeeReceiver?: Address
  /** Wei of the destination's native token that the receiver is paid besides, > 0: by bridges that do so. */
  readonly gasDrop?: bigint
  /** Id or address of a position without a token that is entered there; the request names no tokensOut then. */
  readonly positionOut?: string
}

/** What was sent, delivered again at another block of the destination. */
export type LateDelivery = {
  /** After the source's block. */
  readonly seconds: number
} & (
  | {
      /** `amount`: raw units of the tokenOut that the receiver gains. */
      readonly status: 'delivered'
      readonly blockNumber: bigint
      readonly amount: bigint
    }
  | {
      /** The order failed: the receiver gains the bridge's token instead. */
      readonly status: 'fallback'
      readonly blockNumber: bigint
      readonly token: Address
      /** Raw units of the token. */
      readonly amount: bigint
      readonly reason: string
    }
  /** Nothing is delivered at that block. */
  | { readonly status: 'reverted'; readonly blockNumber: bigint; readonly reason: string }
  /** The block is not there yet, or state is missing. */
  | { readonly status: 'unknown'; readonly message: string }
)

/** A transaction on the destination, without which nothing is paid there. Structured-clonable. */
export interface LaterTransaction {
  readonly action: 'prove' | 'finalize'
  readonly chainId: number
  /** Who has to send it. */
  readonly sender: 'anyone'
  /** Not before so long after the transaction on the source, by the chain's configuration. */
  readonly afterSeconds: number
}

/** Beside the transaction on the source. */
export interface CrosschainFacts {
  readonly destinationBlock: BlockPin
  /** Id of the position that is entered: the outputs are what enters it of each of its tokens. */
  readonly positionOut?: string
  /** What the messaging costs beside the amounts; the transaction sends somewhat more, which comes back. */
  readonly bridgeFee: Cost
  /** Native token that the receiver is paid on the destination besides the outputs; nothing enforces it. */
  readonly gasDrop?: { readonly receiver: Address; readonly amount: bigint }
  readonly estimates: readonly {
    readonly bridge: string
    readonly fromChainId: number
    readonly toChainId: number
    /** That the bridge takes. */
    readonly token: Address
    /** The median of what is measured, else as configured. */
    readonly estimatedSeconds: number
    /** What has to be sent on the destination before it pays, in order; absent: nothing. */
    readonly afterwards?: readonly LaterTransaction[]
    /** Of the newest deliveries over the lane. */
    readonly measured?: { readonly p90Seconds: number; readonly deliveries: number }
  }[]
  /** In the order asked; absent where none are asked for. */
  readonly deliveries?: readonly LateDelivery[]
}

/**
 * What requests over a bridge send is also delivered so many seconds after the block, at the destination's newest block
 * not after that time; `estimated`: as long as their bridge usually takes. Their destination's own block is then one
 * that no later block can replace.
 */
export type DeliverySeconds = readonly number[] | 'estimated'

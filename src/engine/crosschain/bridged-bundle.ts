/** What is read of a bundle that leads over bridges, before a block is pinned. */
import type { Lane } from '../../bridges/bridge.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type { Reference, TypedBundle } from '../../domain/bundle.js'
import type { RouteRequest } from '../../domain/engine.js'
import type { Address } from '../../domain/primitives.js'
import type { AccountKind } from '../../routing/block/block-facts.js'
import type { LaneCandidate } from './lanes.js'

/** What one action of the bundle sends. */
export interface BundleTransfer {
  /** Index of the action, in the request or in the callback. */
  readonly action: number
  readonly destination: ChainDefinition
  readonly receiver: Address
  /** Lanes over which it may lead. */
  readonly lanes: readonly Lane[]
  /** What its callback sends on, in the order of its bridge actions. */
  readonly onward: readonly BundleTransfer[]
  /** The route that leads there; absent: the lane is named, and so is what comes after it. */
  readonly route?: RoutedPart
  /** @returns one for each lane. @param receiverKind - of the receiver, on the destination. */
  bundlesFor(receiverKind: AccountKind): readonly BridgedBundle[]
}

/** A bundle over one lane. */
export interface BridgedBundle extends LaneCandidate {
  /** Its bridge actions send what is delivered. */
  readonly source: TypedBundle
  /** What runs with what is delivered; null: the bridge pays the receiver itself. */
  readonly callback:
    | { readonly kind: 'actions'; readonly request: TypedBundle }
    /** The end of a route; its inputs are what is delivered. */
    | { readonly kind: 'route'; readonly request: RouteRequest }
    | null
  /** Hundredths of a basis point that what is delivered may fall short of the simulation. */
  readonly centiBps: bigint
  /** Wei, > 0, that come with the call of the callback. */
  readonly callValue?: bigint
  /** Sooner, for a fee, as its bridge does. */
  readonly isFast?: boolean
  /** Raw units that must be delivered at least, in place of `centiBps`. */
  readonly least?: bigint
}

/** Arguments of a route to another chain. */
export interface RouteActionArgs {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint | Reference
  readonly destinationChainId: number
  readonly slippage?: bigint
  readonly minAmountOut?: readonly (bigint | Reference)[]
  readonly receiver?: Address
  readonly refundReceiver?: Address
  readonly fee?: readonly number[]
  readonly feeReceiver?: Address
  readonly ignoreAggregators?: readonly string[]
  readonly ignoreStandards?: readonly string[]
  readonly ignoreBridges?: readonly string[]
}

export interface Routed {
  readonly source: TypedBundle
  readonly index: number
  readonly args: RouteActionArgs
  readonly destination: ChainDefinition
  readonly receiver: Address
}

/** The route in a bundle, as it is read of the request. */
export interface RoutedPart extends Routed {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint | Reference
  readonly ignoreBridges: readonly string[]
  readonly deadlineMs: number | undefined
}

/** What is planned of a bundle that leads over a bridge, before a block is pinned. */
import type { Lane } from '../../bridges/bridge.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type { TypedBundle } from '../../domain/bundle.js'
import type { RouteRequest } from '../../domain/engine.js'
import type { Address } from '../../domain/primitives.js'
import type { AccountKind } from '../../routing/block/block-facts.js'

/** A bundle over one lane. */
export interface BridgedPlan {
  readonly source: TypedBundle
  readonly lane: Lane
  /** What runs with what arrives; null: the bridge pays the receiver itself. */
  readonly callback:
    | { readonly kind: 'actions'; readonly request: TypedBundle }
    /** Its inputs are what arrives. */
    | { readonly kind: 'route'; readonly request: RouteRequest }
    | null
  /** Whether what arrives may have to be swapped. */
  readonly swapsThere: boolean
  /** Hundredths of a basis point that what arrives may fall short of the simulation. */
  readonly centiBps: bigint
  /** Raw units that must arrive at least, in place of `centiBps`. */
  readonly least?: bigint
}

export interface BundleOverBridge {
  readonly destination: ChainDefinition
  readonly receiver: Address
  /** Over which it may lead. */
  readonly lanes: readonly Lane[]
  /** What a route to another chain asks for there; absent: the lane is named, and so is what comes after it. */
  readonly tokenOut?: Address
  /** One for each lane. */
  plansFor(receiverKind: AccountKind): readonly BridgedPlan[]
}

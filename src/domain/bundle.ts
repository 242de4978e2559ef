/** A list of actions as one transaction: what is asked and what is answered. Values as in `engine.ts`. */

import type { RoutingStrategy, UnsignedTransaction } from './plan.js'
import type { Address, BlockPin, Hex, TokenAmount } from './primitives.js'
import type { RouteStepRecord } from './route-step.js'

export const maxActions = 50

export interface BundleAction {
  /** Slug of a protocol, or the service's name for its own actions. */
  readonly protocol: string
  readonly action: string
  /** As given: strings, numbers, lists, references `{useOutputOfCallAt, index?}`, and action lists of callbacks. */
  readonly args: Readonly<Record<string, unknown>>
}

export interface BundleRequest {
  readonly chainId: number
  readonly fromAddress: Address
  readonly strategy: RoutingStrategy
  /** `backend`: what is pulled from the sender is overridden in the simulation. `user`: it is checked. */
  readonly executionMode: 'user' | 'backend'
  readonly actions: readonly BundleAction[]
  /** The word that stands for the service as a protocol. */
  readonly serviceName: string
  readonly receiver?: Address
  readonly refundReceiver?: Address
  readonly ignoreAggregators: readonly string[]
  readonly ignoreStandards: readonly string[]
  readonly referralCode?: string
  /** True: neither gas nor amounts; only the minimums of swaps are enforced. */
  readonly skipQuote: boolean
  readonly blockNumber?: bigint
  readonly deadlineMs?: number
}

/** What the account must have sent before, and for what. */
export interface PrerequisiteRecord {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly purpose: string
}

/** What a transaction yields of a token, and the least of it that the transaction enforces; raw units. */
export interface TransactionOutput {
  readonly token: Address
  readonly amountOut: bigint
  readonly minAmountOut: bigint
}

export interface BundleAnswer {
  readonly chainId: number
  readonly actions: readonly BundleAction[]
  /** Null where nothing was simulated; so are the amounts. */
  readonly gas: bigint | null
  readonly outputs: readonly TransactionOutput[] | null
  /** Raw units that the sender gives, by token. */
  readonly inputs: readonly TokenAmount[]
  readonly route: readonly RouteStepRecord[]
  readonly block: BlockPin
  readonly tx: UnsignedTransaction
  /** Basis points; null without USD prices or where nothing was simulated. */
  readonly priceImpact: number | null
  readonly prerequisites: readonly PrerequisiteRecord[]
  readonly warnings: readonly string[]
}

/** A list of actions as one transaction: request and result. Values as in `engine.ts`. */

import type { Deadline } from './deadline.js'
import type { Explanation } from './explanation.js'
import type { RoutingStrategy, UnsignedTransaction } from './order.js'
import type { PoolChoice } from './pool-choice.js'
import type { Address, BlockPin, Hex, TokenAmount } from './primitives.js'
import type { RouteStepRecord } from './route-step.js'

export interface BundleAction {
  /** Slug of a protocol, or the service's name for its own actions. */
  readonly protocol: string
  readonly action: string
  /** As given: strings, numbers, lists, references `{useOutputOfCallAt, index?}`, and action lists of callbacks. */
  readonly args: Readonly<Record<string, unknown>>
}

/** The output of an earlier action, as an argument of a later one. */
export interface Reference {
  readonly useOutputOfCallAt: number
  readonly index: number
}

/** An action whose arguments have been checked. Structured-clonable. */
export interface TypedAction {
  /** As the request spells it, for records and messages. */
  readonly protocol: string
  readonly action: string
  /** Whether `protocol` names the service or is the slug of a protocol. */
  readonly of: 'service' | 'protocol'
  /** By argument, each of the type that its kind says; amounts may be references. */
  readonly values: Readonly<Record<string, unknown>>
}

/** The fields of a bundle besides its actions. */
interface BundleTerms {
  readonly chainId: number
  readonly fromAddress: Address
  readonly strategy: RoutingStrategy
  /** `backend`: what is pulled from the sender is overridden in the simulation. `user`: it is checked. */
  readonly executionMode: 'user' | 'backend'
  readonly receiver?: Address
  readonly refundReceiver?: Address
  readonly ignoreAggregators: readonly string[]
  readonly ignoreStandards: readonly string[]
  /** Of the routes inside. */
  readonly poolChoice?: PoolChoice
  /** Adds the record of the searches inside; `timed`: with what each stage took. */
  readonly explain?: 'plain' | 'timed'
  readonly referralCode?: string
  /** True: neither gas nor amounts are simulated; only the minimums of swaps are enforced, within what they quote. */
  readonly skipQuote: boolean
  readonly blockNumber?: bigint
  readonly deadlineMs?: number
  /** After which the transaction reverts; absent: never. */
  readonly deadline?: Deadline
}

export interface BundleRequest extends BundleTerms {
  readonly actions: readonly BundleAction[]
  /** The name under which bundles address the service itself as a protocol. */
  readonly serviceName: string
}

/** A bundle that passed all checks. Structured-clonable. */
export interface TypedBundle extends BundleTerms {
  readonly actions: readonly TypedAction[]
}

/** A transaction that the account must have sent before, and its purpose. */
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

/** An output that the transaction does not enforce. */
export interface Unprotected {
  /** Index of the action that yields it. */
  readonly action: number
  /** Absent where neither a token nor a position can be named. */
  readonly token?: Address
  /** `chainId:primaryAddress:key`. */
  readonly position?: string
  readonly receiver?: Address
  /** Why, one sentence. */
  readonly reason: string
}

/** The result of a bundle. */
export interface BundleResult {
  readonly chainId: number
  /** Null where nothing was simulated; amounts are null then too. */
  readonly gas: bigint | null
  readonly outputs: readonly TransactionOutput[] | null
  /** Raw units that the sender gives, each token once. */
  readonly inputs: readonly TokenAmount[]
  readonly route: readonly RouteStepRecord[]
  readonly block: BlockPin
  readonly tx: UnsignedTransaction
  /** Basis points; null without USD prices or where nothing was simulated. */
  readonly priceImpact: number | null
  readonly prerequisites: readonly PrerequisiteRecord[]
  /** Whatever else the answer promises is enforced within the slippage. */
  readonly unprotected: readonly Unprotected[]
  /** Of all routes inside. */
  readonly explanation?: Explanation
  /** Of the routes inside; no sentence twice. */
  readonly warnings: readonly string[]
}

export interface BundleAnswer extends BundleResult {
  readonly actions: readonly BundleAction[]
}

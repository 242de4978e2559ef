/** A list of actions as one transaction: request and result. Values as in `engine.ts`. */

import type { CrosschainFacts } from './bridges/terms.js'
import type { Caution } from './caution.js'
import type { Deadline } from './deadline.js'
import type { Explanation } from './explanation.js'
import type { RoutingStrategy, UnsignedTransaction } from './order.js'
import type { Address, BlockPin, Cost, Hex, TokenAmount } from './primitives.js'
import type { RouteStepRecord } from './route-step.js'
import type { PoolChoice } from './router-settings.js'
import type { TransactionTrace } from './trace.js'
import type { AnswerMarks } from './validity.js'

export interface BundleAction {
  /** Slug of a protocol, or the service's name for its own actions. */
  readonly protocol: string
  readonly action: string
  /**
   * Unchecked arguments: strings, numbers, lists, references `{useOutputOfCallAt, index?}`, action lists of callbacks.
   */
  readonly args: Readonly<Record<string, unknown>>
}

/** The output of an earlier action, as an argument of a later one. */
export interface Reference {
  readonly useOutputOfCallAt: number
  readonly index: number
}

/** An action whose arguments have been checked. Structured-clonable. */
export interface TypedAction {
  /** The request's spelling, which records and messages repeat. */
  readonly protocol: string
  readonly action: string
  /** Whether `protocol` names the service or is the slug of a protocol. */
  readonly of: 'service' | 'protocol'
  /** Keyed by argument name, each value of the type that the argument's kind says; amounts may be references. */
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
  /** Whose tokens are spent, under the same rule as in `RouteRequest`. */
  readonly spender?: Address
  readonly refundReceiver?: Address
  readonly ignoreAggregators: readonly string[]
  readonly ignoreStandards: readonly string[]
  /** Applies to the routes that actions search for. */
  readonly poolChoice?: PoolChoice
  /** Adds the record of the searches inside; `timed`: with what each stage took. */
  readonly explain?: 'plain' | 'timed'
  readonly referralCode?: string
  /** True: neither gas nor amounts are simulated; only the minimums of swaps are enforced, within what they quote. */
  readonly skipQuote: boolean
  /** Whether to tell what the transaction does; default false. Not with skipQuote. */
  readonly includeTrace?: boolean
  readonly blockNumber?: bigint
  readonly deadlineMs?: number
  /** After which the transaction reverts; absent: never. */
  readonly deadline?: Deadline
}

export interface BundleRequest extends BundleTerms {
  readonly actions: readonly BundleAction[]
  /** The name under which bundles address the service itself as a protocol. */
  readonly serviceName: string
  /** With a bridge action; as of a route. */
  readonly destinationBlockNumber?: bigint
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

/** What an action pays to a receiver that it names. */
export interface Payment extends TransactionOutput {
  /** Index of the action. */
  readonly action: number
  readonly receiver: Address
}

/** An output without a minimum, or an input of which all that is given may be taken. */
export interface Unprotected {
  /** Index of the action that yields or takes it. */
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
  /** Besides the outputs, in the order of the actions; none where nothing was simulated. */
  readonly payments: readonly Payment[]
  /** Raw units that the sender gives, each token once. */
  readonly inputs: readonly TokenAmount[]
  /** The most that is kept of each input: the rest comes back, or the transaction reverts. */
  readonly maximums: readonly TokenAmount[]
  readonly route: readonly RouteStepRecord[]
  readonly block: BlockPin
  readonly tx: UnsignedTransaction
  /** Basis points; null without USD prices or where nothing was simulated. */
  readonly priceImpact: number | null
  readonly prerequisites: readonly PrerequisiteRecord[]
  /** Whatever else the answer promises is enforced within the slippage. */
  readonly unprotected: readonly Unprotected[]
  /** What has been charged, in the order of the actions. */
  readonly fees: readonly TokenAmount[]
  /** Explanation of all routes that actions searched for. */
  readonly explanation?: Explanation
  /** Warnings of the routes that actions searched for, each sentence once. */
  readonly warnings: readonly string[]
  /** What may move in the pools of its routes although nobody trades; absent: nothing that is known. */
  readonly cautions?: readonly Caution[]
  /** Only where it was asked for; null where the transaction cannot be traced. */
  readonly trace?: TransactionTrace | null
  /** Absent in a replay of a cassette that was recorded without them. */
  readonly marks?: AnswerMarks
  /** True: simulated behind a swap that makes a pool of it dearer; absent: as the first of its block. */
  readonly isBehindSwap?: boolean
}

/** What one bridge of a bundle gives on another chain. */
export interface BundleArrival {
  /** Index of the action of the bundle that sends it, or that holds the callback that does. */
  readonly action: number
  /** Index in the callback that sends it on; absent: the bundle itself sends it. */
  readonly callbackAction?: number
  /** Slug. */
  readonly bridge: string
  /** Of the destination. */
  readonly block: BlockPin
  /** What its messaging costs beside the amount, on the chain that it leaves. */
  readonly bridgeFee: Cost
  readonly receiver: Address
  /** What the bridge pays the receiver, or the contract that runs the callback. */
  readonly delivered: TokenAmount
  /** What the receiver gains, and what is enforced of it. */
  readonly outputs: readonly TransactionOutput[]
  /** Their `action` is the index in the callback, not in the bundle. */
  readonly payments: readonly Payment[]
  readonly unprotected: readonly Unprotected[]
}

export interface BundleAnswer extends BundleResult {
  readonly actions: readonly BundleAction[]
  /** Present for a bundle that leads over bridges only; `arrivals` in the order in which it sends. */
  readonly crosschain?: CrosschainFacts & { readonly arrivals: readonly BundleArrival[] }
}

/** Protocol names besides the service's own under which bundles address its actions on wallets and tokens. */
export const serviceProtocols: readonly string[] = ['erc20', 'erc721', 'permit2']

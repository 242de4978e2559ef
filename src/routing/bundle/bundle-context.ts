/** The view of a bundle that planning and simulation share; implemented by `BundleBuilder`. */
import type {
  BridgeAdapter,
  Delivery,
  DeliveryTerms,
  Lane,
  LaneQuote,
} from '../../bridges/bridge.js'
import type { TypedAction, TypedBundle } from '../../domain/bundle.js'
import type { Caution } from '../../domain/caution.js'
import type { Explanation } from '../../domain/explanation.js'
import type { Amount, ExecutorStep, Order, UnsignedTransaction } from '../../domain/order.js'
import type { Address, Hex, TokenAmount } from '../../domain/primitives.js'
import type { StateOverrides } from '../../domain/state.js'
import type { SignedPermit } from '../../executor/permit.js'
import type { Task } from '../block/task.js'
import type { KnownRoute } from '../search/known-routes.js'
import type { BundleDraft } from './draft.js'
import type { NamedAction } from './failures/named-action.js'
import type { Claim } from './outputs/claims.js'

/** How the tokens of a bundle come that a bridge delivers. */
export interface DeliveredInput {
  readonly bridge: BridgeAdapter
  /** Its message is not looked at. */
  readonly delivery: Delivery
  /** That the order must be given. */
  readonly gas: bigint
  readonly fallbackReceiver: Address
  /** Wei, > 0, that come with the call, beside what is delivered. */
  readonly callValue?: bigint
  /** A share of what arrives, taken before anything else. */
  readonly fee?: { readonly bps: bigint; readonly receiver: Address }
}

/** Where and how a bridge action of a bundle sends. */
export interface BridgeCall {
  readonly bridge: BridgeAdapter
  readonly lane: Lane
  readonly terms: DeliveryTerms
  /** What it delivers may fall short of its quote; hundredths of a basis point. */
  readonly centiBps: bigint
  /** Raw units that must be delivered at least, in place of `centiBps`; 0 where it is only to be learnt what is sent. */
  readonly least?: bigint
  /** Takes what the bridge gives back. */
  readonly refundReceiver: Address
  /** Receives what the lane says of the amount. */
  onQuote(quote: LaneQuote): void
}

export interface BundleArgs {
  readonly request: TypedBundle
  readonly accountId: Hex
  /** Absent: the sender gives the tokens. */
  readonly delivered?: DeliveredInput
  /** Paid out of what the sender gives, before anything else: raw units by token. */
  readonly fee?: { readonly receiver: Address; readonly amounts: ReadonlyMap<Address, bigint> }
  /** Brings the one token that the sender gives, fee included, or its allowance; absent: an allowance given before does. */
  readonly permit?: SignedPermit
  /** Of the bridge actions, by their index; absent: it has none. */
  readonly bridgeCalls?: ReadonlyMap<number, BridgeCall>
  /**
   * Candidates of each route inside that are simulated, and which is chosen by that alone; absent: as configured, and
   * simulated as a transaction of its own.
   */
  readonly candidates?: number
  /** True: the whole is simulated once, without its minimums; what it gives is not the answer yet. */
  readonly estimateOnly?: boolean
  /** Routes that were found before at the block. */
  readonly knownRoutes?: readonly KnownRoute[]
  /** Actions whose first output is to be reported. */
  readonly reportedActions?: readonly number[]
}

/** The last of a spender over a token: a later one replaces it. */
interface Approval {
  readonly amount: Amount
  /** On the output that the amount is. */
  readonly claim: Claim | undefined
}

export interface BundleContext {
  readonly task: Task
  readonly args: BundleArgs
  readonly draft: BundleDraft
  readonly runner: Address
  readonly account: Address
  readonly receiver: Address
  /** Who gets what actions leave over. */
  readonly refundReceiver: Address
  /** Unix seconds after which the transaction reverts. */
  readonly deadline: bigint
  /** The actions of the bundle itself, also when planning inside a flash loan. */
  readonly all: readonly NamedAction[]
  /** The actions that are planned here: those of the bundle, or of a flash loan's callback. */
  readonly own: readonly NamedAction[]
  /** Tokens in the runner that were not pulled from the sender. */
  readonly loans: readonly TokenAmount[]
  /** Raw units that the sender gives by signature, besides what is pulled. */
  readonly permitted: TokenAmount[]
  /** What `approve` actions let contracts take, and no call has taken: by spender and token. */
  readonly approved: Map<string, Approval>
  /** The routes that the arguments name, and those found since. */
  readonly knownRoutes: KnownRoute[]
  /** Cautions of the routes that actions have found, also of those inside a flash loan. */
  readonly cautions: Caution[]
  /** What swaps ahead in the block leave in the pools of these routes. */
  readonly ahead: StateOverrides[]
  /** Lets simulations find tokens in the runner that nobody in the bundle has brought there. */
  assume(held: TokenAmount): void
  /** Keeps what the search for an action looked at. */
  explain(action: number, found: Explanation): void
  build(): Promise<void>
  /** Whether an action refers to the output. */
  isReferenced(action: number, index: number): boolean
  /** Whether an action refers to the output other than to look at it. */
  isSpent(action: number, index: number): boolean
  /** Whether an earlier action may have left something of the token in the runner. */
  isTouched(token: Address): boolean
  /** Whether any action but this one names the address. */
  isMentioned(address: Address, except: number): boolean
  /** For the actions of a flash loan's callback, whose steps count from `firstStep`. */
  within(
    action: number,
    callback: readonly TypedAction[],
    firstStep: number,
    loans: readonly TokenAmount[],
  ): BundleContext
  /** The amount in raw units: a literal as it is, a reference by simulating the steps so far. */
  valueOf(amount: Amount, action: number): Promise<bigint>
  /** Answers like `valueOf`; for an amount that is pulled for one action, with the amount that the sender gives. */
  searchAmount(amount: Amount, action: number): Promise<bigint>
  /** What the transaction pulls from the sender, by token. @param more - for a flash loan's actions. */
  pulled(more?: readonly TokenAmount[]): TokenAmount[]
  /** @param outputs - tokens that remain, with their minimums. */
  order(steps: readonly ExecutorStep[], outputs: Order['outputs']): Order
  transaction(order: Order): UnsignedTransaction
}

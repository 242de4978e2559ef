/** Arguments and results of the tasks of routes over bridges. Structured-clonable values only. */
import type { Delivery, Lane, Parcel } from '../../bridges/bridge.js'
import type { BundleResult, TransactionOutput, TypedBundle } from '../../domain/bundle.js'
import type { GasCost, RouteRequest } from '../../domain/engine.js'
import type { Order } from '../../domain/order.js'
import type { Address, Hex, TokenAmount } from '../../domain/primitives.js'
import type { PricedToken } from '../market/valuation.js'

export interface DepartureArgs {
  readonly request: RouteRequest
  readonly accountId: Hex
  readonly lane: Lane
  readonly parcel: Parcel
  /** What the token of the lane, and what it delivers, may fall short of the simulation; hundredths of a basis point. */
  readonly centiBps: bigint
  /** Raw units that must be delivered at least, in place of `centiBps`; for a lane that pays the receiver itself. */
  readonly least?: bigint
  /** Of each route inside that are simulated. */
  readonly candidates: number
  /** True: to compare lanes by; not the transaction of the answer. */
  readonly isRough: boolean
}

export interface Departure
  extends Pick<BundleResult, 'route' | 'tx' | 'fees' | 'warnings' | 'trace' | 'explanation'> {
  readonly gas: bigint
  /** Where the request asks for it, and of the answer's own transaction alone. */
  readonly gasCost?: GasCost
  /** What is taken from the sender for the route: without the messaging fee. */
  readonly inputs: readonly TokenAmount[]
  /** Wei that the messaging costs, of which more is sent. */
  readonly nativeFee: bigint
  readonly delivery: Delivery
}

/** The half of a bundle that ends where its bridge action sends. */
export interface CrossingArgs
  extends Pick<DepartureArgs, 'accountId' | 'lane' | 'parcel' | 'centiBps' | 'least' | 'isRough'> {
  readonly request: TypedBundle
  /** Takes what the bridge gives back. */
  readonly refundReceiver: Address
}

export interface Crossed extends Pick<Departure, 'gas' | 'nativeFee' | 'delivery'> {
  readonly result: BundleResult
}

/** The half that runs with what is delivered. */
export interface CallbackArgs
  extends Pick<ArrivalArgs, 'accountId' | 'delivery' | 'gas' | 'receiver'> {
  readonly request: TypedBundle
}

export interface Callback extends Pick<Arrival, 'message' | 'order' | 'gas'> {
  readonly result: Omit<BundleResult, 'tx'>
}

export interface ArrivalArgs {
  readonly request: RouteRequest
  readonly accountId: Hex
  readonly delivery: Delivery
  /** That the order must be given. */
  readonly gas: bigint
  readonly receiver: Address
  readonly fee?: { readonly bps: bigint; readonly receiver: Address }
  /** Of each route inside that are simulated. */
  readonly candidates: number
}

export interface Arrival extends Pick<BundleResult, 'route' | 'warnings' | 'explanation'> {
  /** That the bridge is to carry, and the order in it. */
  readonly message: Hex
  readonly order: Order
  readonly output: TransactionOutput
  /** Of the delivering transaction. */
  readonly gas: bigint
}

export interface LandingArgs {
  readonly delivery: Delivery
  /** Of the call that delivers, as in `Parcel`. */
  readonly gas: bigint
  readonly tokens: readonly Address[]
  readonly receiver: Address
  /** Of its message; absent without one. */
  readonly order?: Order
}

export interface Landing {
  /** What the receiver gains, in the order of the tokens. */
  readonly gained: readonly TokenAmount[]
  readonly gas: bigint
}

/** `delegated`: an account that runs code of a contract (EIP-7702), to which many contracts pay as to one without code. */
export type AccountKind = 'plain' | 'delegated' | 'contract'

export interface SurveyArgs {
  readonly accounts: readonly Address[]
  readonly tokens: readonly Address[]
}

export interface Survey {
  /** In the order of the accounts. */
  readonly kinds: readonly AccountKind[]
  /** In the order of the tokens; null where no price is known. */
  readonly prices: readonly (PricedToken | null)[]
  /** Wei per gas in the next block, tip included. */
  readonly gasPrice: bigint
}

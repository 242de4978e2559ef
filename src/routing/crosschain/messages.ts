/** Arguments and results of the tasks of routes over bridges. Structured-clonable values only. */
import type { Delivery, Lane, Parcel } from '../../bridges/bridge.js'
import type { Touched } from '../../domain/bridges/touched.js'
import type { BundleResult, TransactionOutput, TypedBundle } from '../../domain/bundle.js'
import type { GasCost, RouteRequest } from '../../domain/engine.js'
import type { WireError } from '../../domain/errors.js'
import type { Address, Hex, TokenAmount } from '../../domain/primitives.js'
import type { AccountKind } from '../block/block-facts.js'
import type { PricedToken } from '../market/valuation.js'
import type { KnownRoute } from '../search/known-routes.js'

/** A lane, and what is to be sent over it. */
export interface Sending {
  readonly lane: Lane
  readonly parcel: Parcel
}

export interface OffersArgs {
  readonly request: RouteRequest
  readonly sendings: readonly Sending[]
  /** Of each search. */
  readonly candidates: number
}

/** What a lane would make of the inputs, estimated. */
export interface Offer {
  /** Raw units of `lane.tokenOut`. */
  readonly delivered: bigint
  /** Wei that the messaging costs. */
  readonly nativeFee: bigint
  /** Rough, of the source's transaction. */
  readonly gas: bigint
}

export type OfferOutcome =
  | { readonly ok: true; readonly offer: Offer }
  | { readonly ok: false; readonly error: WireError }

export interface DepartureArgs extends Sending {
  readonly request: RouteRequest
  readonly accountId: Hex
  /** What the token of the lane, and what it delivers, may fall short of the simulation; hundredths of a basis point. */
  readonly centiBps: bigint
  /** Raw units that must be delivered at least, in place of `centiBps`; for a lane that pays the receiver itself. */
  readonly least?: bigint
  /** Of each route inside that are simulated. */
  readonly candidates: number
  readonly knownRoutes: readonly KnownRoute[]
  /** True: to learn what is delivered; not the transaction of the answer. */
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
  readonly knownRoutes: readonly KnownRoute[]
}

/** The half of a bundle that ends where its bridge action sends. */
export interface CrossingArgs
  extends Pick<DepartureArgs, 'accountId' | 'centiBps' | 'least' | 'isRough' | keyof Sending> {
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

export interface Callback extends Pick<Arrival, 'message' | 'touched' | 'gas'> {
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
  readonly knownRoutes: readonly KnownRoute[]
}

export interface Arrival extends Pick<BundleResult, 'route' | 'warnings' | 'explanation'> {
  /** That the bridge is to carry. */
  readonly message: Hex
  /** By the order in it. */
  readonly touched: Touched
  /** What the receiver is paid, or what enters the position of each of its tokens. */
  readonly outputs: readonly TransactionOutput[]
  /** Of the delivering transaction. */
  readonly gas: bigint
  readonly knownRoutes: readonly KnownRoute[]
}

export interface ProspectsArgs {
  /** Of one input, whose amount is not looked at, and one output. */
  readonly request: RouteRequest
  /** Raw units. */
  readonly amounts: readonly bigint[]
}

export interface LandingArgs {
  readonly delivery: Delivery
  /** Of the call that delivers, as in `Parcel`. */
  readonly gas: bigint
  /** That the receiver is paid. */
  readonly tokens: readonly Address[]
  readonly receiver: Address
  /** By the order of its message; absent without one. */
  readonly touched?: Touched
}

export type Landing = { readonly gas: bigint } & (
  | {
      readonly status: 'delivered'
      /** What the receiver gains of each token. */
      readonly gained: readonly TokenAmount[]
    }
  /** The order failed, and the receiver gains the token of the bridge. */
  | { readonly status: 'fallback'; readonly paid: TokenAmount; readonly reason: string }
  /** Nothing reaches the receiver: the delivery fails, or leaves the token elsewhere. `reason` is of the payment. */
  | { readonly status: 'unpaid'; readonly token: Address; readonly reason: string }
  | { readonly status: 'reverted'; readonly reason: string }
)

/** A position that can be entered. */
export interface SurveyedPosition {
  readonly id: string
  readonly underlyingTokens: readonly Address[]
  /** Basis points of the value, one per token. */
  readonly shares: readonly number[]
}

export interface SurveyArgs {
  readonly accounts: readonly Address[]
  readonly tokens: readonly Address[]
  /** Id or address of a position that is to be entered. */
  readonly position?: string
}

export interface Survey {
  /** In the order of the accounts. */
  readonly kinds: readonly AccountKind[]
  /** Of the tokens, and of those of the position; absent where none is known. */
  readonly prices: ReadonlyMap<Address, PricedToken>
  readonly position?: SurveyedPosition
  /** Wei per gas in the next block, tip included. */
  readonly gasPrice: bigint
}

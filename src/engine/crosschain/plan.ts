/**
 * What a request over one lane does on either side, as data that `settle.ts` runs: made of a route, or of a bundle that has
 * a bridge action or a route to another chain. Pure.
 */
import type { GasDrop } from '../../bridges/bridge.js'
import { defined } from '../../domain/defined.js'
import type { RouteRequest } from '../../domain/engine.js'
import { type Address, defaultCentiBps } from '../../domain/primitives.js'
import type { AccountKind } from '../../routing/block/block-facts.js'
import type { DestinationOrder } from '../../routing/crosschain/destination-task.js'
import type { SourceOrder } from '../../routing/crosschain/source-task.js'
import type { SurveyedPosition } from '../../routing/crosschain/survey-task.js'
import type { BridgedBundle } from './bridged-bundle.js'
import { type CrosschainRequest, type LaneCandidate, paidTo } from './lanes.js'
import type { QuoteParts, Side } from './sides.js'

/**
 * Candidates of each search, to compare lanes by and to prove one: as many for a lane whatever others there are, so that a
 * lane gives the same in every mode.
 */
export const candidatesPerSearch = 3

type OutputLimit = RouteRequest['limit']

/** What happens with what is delivered. */
export type DestinationPlan =
  /** The bridge pays the receiver itself, and enforces how much. */
  | { readonly kind: 'payment'; readonly tokens: readonly Address[]; readonly limit: OutputLimit }
  | {
      readonly kind: 'order'
      readonly order: DestinationOrder
      /** Tokens that the receiver gains; null: those of the order's outputs. */
      readonly tokens: readonly Address[] | null
      /** What the minimums follow from; null: from each action's own terms. */
      readonly limit: OutputLimit | null
      /** A position shows in no balance: it takes what it took when the order was planned. */
      readonly entersPosition: boolean
    }

/** What is sent over one lane, and what happens with it. */
interface LanePlan extends LaneCandidate {
  readonly destination: DestinationPlan
  /** Hundredths of a basis point that what is delivered may fall short of the simulation. */
  readonly centiBps: bigint
  readonly gasDrop?: GasDrop
  /** Wei, > 0, that come with the order's call. */
  readonly callValue?: bigint
  /** Sooner, for a fee, as its bridge does. */
  readonly isFast?: boolean
}

/** One of what a transaction sends, and where it goes. */
export interface Transfer extends LanePlan {
  readonly to: Side
  /** Who is paid there. */
  readonly receiver: Address
  /** Index of the action that sends it, in the request or in the callback. */
  readonly action: number
  /** What its callback sends on, in the order of the bridge actions. */
  readonly onward: readonly Transfer[]
}

export interface CrosschainPlan extends LanePlan {
  readonly source: SourceOrder
  /** Of a bundle: what the same transaction sends over named lanes besides. */
  readonly beside?: OtherTransfers
}

/** What a bundle sends besides the transfer that its plan is for. */
export interface OtherTransfers {
  /** In the order of their bridge actions. */
  readonly transfers: readonly Transfer[]
  /** Index of the request's action that the plan is for. */
  readonly action: number
  /** How many of the others are sent before it. */
  readonly before: number
  /** What the callback of the plan's own transfer sends on. */
  readonly onward: readonly Transfer[]
}

/** A route over bridges at one block of either chain. */
export interface RouteQuote extends QuoteParts {
  readonly request: CrosschainRequest
  /** The fee is a share of what is delivered. */
  readonly takesDestinationFee: boolean
  /** On the destination, to be entered; absent: the tokenOut is paid to the receiver. */
  readonly position?: SurveyedPosition
}

export function planOfRoute(quote: RouteQuote, candidate: LaneCandidate): CrosschainPlan {
  const { receiver, position } = quote
  const { amountOut: _, ...request } = quote.request
  const { limit, tokensOut } = request
  const amount = request.crosschain.gasDrop
  const candidates = candidatesPerSearch
  const fee = destinationFee(quote) ?? undefined
  const order: DestinationOrder = { kind: 'route', request, candidates, ...defined({ fee }) }
  const entersPosition = position !== undefined
  const tokens = entersPosition ? [] : tokensOut
  return {
    ...candidate,
    source: { kind: 'route', request: sourceRequest({ ...quote, request }), candidates },
    destination: candidate.runsOrder
      ? { kind: 'order', order, tokens, limit, entersPosition }
      : { kind: 'payment', tokens, limit },
    centiBps: limit.kind === 'slippage' ? limit.centiBps : defaultCentiBps,
    ...defined({ gasDrop: amount === undefined ? undefined : { receiver, amount } }),
  }
}

/** Whether the request itself asks for few simulations. */
export function isAdaptive({ router }: Pick<RouteRequest, 'router'>): boolean {
  return router?.proof === 'adaptive'
}

/** The same for a stated amount of the only input, raw units, fee included. */
export function planWithAmount(
  quote: RouteQuote,
  candidate: LaneCandidate,
  amount: bigint,
): CrosschainPlan {
  const inputs = quote.request.inputs.map((input) => ({ ...input, amount }))
  return planOfRoute({ ...quote, request: { ...quote.request, inputs } }, candidate)
}

/** The source's part of the request. */
export function sourceRequest({ request, takesDestinationFee }: RouteQuote): RouteRequest {
  const { feeReceiver: _, ...unpaid } = request
  return takesDestinationFee ? unpaid : request
}

/** The fee out of what is delivered; null where none is taken there. */
export function destinationFee({
  request,
  takesDestinationFee,
}: Pick<RouteQuote, 'request' | 'takesDestinationFee'>) {
  const { destinationFeeReceiver: receiver } = request.crosschain
  const [bps] = request.inputs.flatMap(({ feeBps }) => feeBps ?? [])
  return takesDestinationFee && receiver && bps ? { bps, receiver } : null
}

/** @param receiverKind - of the receiver, on the destination. */
export function planOfBundle(
  bundle: BridgedBundle,
  receiverKind: AccountKind,
  beside: OtherTransfers,
): CrosschainPlan {
  const source = { kind: 'bundle', request: bundle.source } as const
  return { ...lanePlanOf(bundle, receiverKind), source, beside }
}

/** @param receiverKind - of the receiver, on the destination. */
export function lanePlanOf(bundle: BridgedBundle, receiverKind: AccountKind): LanePlan {
  const { lane, runsOrder, swapsOnDestination, centiBps, callValue, isFast } = bundle
  return {
    lane,
    runsOrder,
    swapsOnDestination,
    destination: destinationOf(bundle, paidTo(lane, receiverKind)),
    centiBps,
    ...defined({ callValue, isFast }),
  }
}

function destinationOf(
  { callback, centiBps, least }: BridgedBundle,
  paid: Address,
): DestinationPlan {
  if (callback === null) {
    const limit: OutputLimit =
      least === undefined
        ? { kind: 'slippage', centiBps }
        : { kind: 'minimum', minimums: [{ token: paid, amount: least }] }
    return { kind: 'payment', tokens: [paid], limit }
  }
  const plain = { kind: 'order', tokens: null, entersPosition: false } as const
  if (callback.kind === 'actions') return { ...plain, order: callback, limit: null }
  const order = { ...callback, candidates: candidatesPerSearch }
  return { ...plain, order, limit: callback.request.limit }
}

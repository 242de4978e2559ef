/**
 * Which lanes a route may take, what has to happen on either side of them, and why lanes are not the answer: as warnings
 * beside one that is, or as the error where none is. Pure.
 */
import type { Lane } from '../../bridges/bridge.js'
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import type { CrosschainMode } from '../../domain/bridges/terms.js'
import { defined } from '../../domain/defined.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { larger } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { AccountKind } from '../../routing/block/block-facts.js'

export type CrosschainRequest = RouteRequest & Required<Pick<RouteRequest, 'crosschain'>>

export function isCrosschain(request: RouteRequest): request is CrosschainRequest {
  return request.crosschain !== undefined
}

/** A lane that may be the answer, and what has to happen behind it. */
export interface LaneCandidate {
  readonly lane: Lane
  /** False: the bridge pays the receiver itself. */
  readonly runsOrder: boolean
  /** Whether the order has to swap what is delivered. */
  readonly swapsOnDestination: boolean
}

export interface LaneCandidatesArgs {
  readonly request: Pick<RouteRequest, 'inputs' | 'tokensOut'>
  readonly mode: CrosschainMode
  readonly source: Pick<ChainDefinition, 'wrappedNative'>
  readonly destination: Pick<ChainDefinition, 'wrappedNative'>
  readonly receiverKind: AccountKind
  /** The fee is taken out of what is delivered. */
  readonly takesDestinationFee: boolean
  /** What is delivered is deposited; `tokensOut` are the tokens of the position. */
  readonly entersPosition: boolean
  /** Whether all that an order of the lane needs is on the destination. */
  canOrder(lane: Lane): boolean
}

export interface LaneCandidates {
  readonly candidates: readonly LaneCandidate[]
  /** Lanes that would do, were our contracts on the destination. */
  readonly undeployed: readonly Lane[]
  /** Lanes that would do, did they run orders. */
  readonly withoutOrders: readonly Lane[]
}

const swapsAllowed: Readonly<
  Record<CrosschainMode, (source: boolean, destination: boolean) => boolean>
> = {
  direct: (source, destination) => !source && !destination,
  source: (_source, destination) => !destination,
  destination: (source) => !source,
  sourceOrDestination: (source, destination) => !(source && destination),
  full: () => true,
}

/** @returns candidates that need fewer swaps first, equal ones in the order of the lanes. */
export function laneCandidates(lanes: readonly Lane[], args: LaneCandidatesArgs): LaneCandidates {
  const { tokensOut } = args.request
  const undeployed: Lane[] = []
  const withoutOrders: Lane[] = []
  const candidates = lanes.flatMap((lane): (LaneCandidate & { readonly swaps: number })[] => {
    const swapsOnSource = swapsBefore(lane, args)
    const delivered = canonicalToken(args.destination, lane.tokenOut)
    const swapsOnDestination = tokensOut.some(
      (token) => canonicalToken(args.destination, token) !== delivered,
    )
    const isPaid = tokensOut.every((token) => paidTo(lane, args.receiverKind) === token)
    const runsOrder = args.entersPosition || args.takesDestinationFee || !isPaid
    if (!swapsAllowed[args.mode](swapsOnSource, swapsOnDestination)) return []
    if (runsOrder && lane.withoutOrders) {
      withoutOrders.push(lane)
      return []
    }
    if (runsOrder && !args.canOrder(lane)) {
      undeployed.push(lane)
      return []
    }
    const swaps = Number(swapsOnSource) + Number(swapsOnDestination)
    return [{ lane, runsOrder, swapsOnDestination, swaps }]
  })
  const fewestFirst = candidates.toSorted((a, b) => a.swaps - b.swaps)
  return { candidates: fewestFirst, undeployed, withoutOrders }
}

/** What the bridge pays such an account. */
export function paidTo(lane: Lane, kind: AccountKind): Address {
  return kind === 'contract' ? lane.tokenOut : lane.tokenOutToAccounts
}

function swapsBefore(lane: Lane, { request: { inputs }, source }: LaneCandidatesArgs): boolean {
  return inputs.some(
    ({ token }) => canonicalToken(source, token) !== canonicalToken(source, lane.tokenIn),
  )
}

/** Why a lane is not the answer. */
export interface LaneFailure {
  readonly lane: Lane
  readonly error: ForkrouteError
}

/** Whether an error is one lane's, and not the request's: another lane may do. */
export function isLaneError(error: unknown): error is ForkrouteError {
  return error instanceof ForkrouteError && laneErrors.has(error.code)
}

const laneErrors: ReadonlySet<string> = new Set([
  'NO_ROUTE',
  'SIMULATION_REVERTED',
  'STATE_UNAVAILABLE',
  'NOT_FUNDABLE',
])

function nameOf({ bridge, symbol }: Lane): string {
  return `${symbol} over ${bridge}`
}

export function warningsOf(
  failures: readonly LaneFailure[],
  undeployed: readonly Lane[],
): string[] {
  return [
    ...failures.map(({ lane, error }) => `${nameOf(lane)} was left out: ${error.message}`),
    ...(undeployed.length
      ? ['No swaps on the destination: contracts of this service are missing there.']
      : []),
  ]
}

/** The error where none of the lanes is the answer. */
export function noLane(args: {
  readonly request: Pick<CrosschainRequest, 'chainId' | 'tokensOut' | 'crosschain'>
  readonly failures: readonly LaneFailure[]
  readonly undeployed: readonly Lane[]
  readonly withoutOrders?: readonly Lane[]
  readonly lanes: readonly Lane[]
  readonly byName?: readonly Lane[]
  readonly destination: { readonly id: number }
}): ForkrouteError {
  const { request, failures, undeployed, withoutOrders = [], lanes, destination } = args
  const [unnamed] = args.byName ?? []
  const details = {
    lanes: [
      ...failures.map(({ lane, error }) => ({
        bridge: lane.bridge,
        symbol: lane.symbol,
        code: error.code,
        message: error.message,
        ...defined({
          limit: error.details?.limit,
          largestAmountOut: error.details?.largestAmountOut,
        }),
      })),
      ...withoutOrders.map(({ bridge, symbol, withoutOrders: message = '' }) => {
        return { bridge, symbol, code: 'NO_ROUTE', message }
      }),
    ],
  }
  const between = `chain ${request.chainId} and chain ${destination.id}`
  if (!lanes.length) {
    const { gasDrop } = request.crosschain
    const message = `No bridge that may be used${gasDrop === undefined ? '' : ' and has a gas drop'} connects ${between}.`
    if (!unnamed) return new ForkrouteError('NO_ROUTE', message, details)
    const { bridge, estimatedSeconds } = unnamed
    return new ForkrouteError(
      'NO_ROUTE',
      `${message} The bridge ${bridge} does in about ${estimatedSeconds} seconds, where it is named alone.`,
      { ...details, next: [{ parameter: 'bridge', value: bridge }] },
    )
  }
  const unreadable = failures.find(({ error }) => error.code === 'STATE_UNAVAILABLE')
  if (unreadable) return new ForkrouteError('STATE_UNAVAILABLE', unreadable.error.message, details)
  if (!failures.length) {
    const [orderless] = withoutOrders
    if (orderless && !undeployed.length) {
      const why = `${nameOf(orderless)}: ${orderless.withoutOrders}`
      const message = `No lane between ${between} can be used. ${why}`
      return new ForkrouteError('NO_ROUTE', message, details)
    }
    const why = undeployed.length
      ? `the contracts that would run a swap on chain ${destination.id} are not deployed there. The operator deploys them with forkroute contracts deploy`
      : `none fits crosschainRouteMode ${request.crosschain.mode}`
    return new ForkrouteError(
      'NO_ROUTE',
      `No lane between ${between} can be used: ${why}.`,
      undeployed.length
        ? details
        : { ...details, next: [{ parameter: 'crosschainRouteMode', value: null }] },
    )
  }
  const ofReceiver = failures.filter(({ error }) => error.details?.receiver !== undefined)
  const wanted = request.tokensOut as readonly unknown[]
  const unpaid =
    ofReceiver.find(({ error }) => wanted.includes(error.details?.token)) ?? ofReceiver[0]
  if (unpaid) {
    const { code, message, details: facts } = unpaid.error
    return new ForkrouteError(code, `${message} Name another receiver, or another tokenOut.`, {
      ...facts,
      ...details,
    })
  }
  const reverted = failures.every(({ error }) => error.code === 'SIMULATION_REVERTED')
  const largest = largestOf(failures)
  const reasons = failures.map(({ lane, error }) => `${nameOf(lane)}: ${error.message}`)
  return new ForkrouteError(
    reverted ? 'SIMULATION_REVERTED' : 'NO_ROUTE',
    `No lane between ${between} can be used. ${reasons.join(' ')}${largest === null ? '' : ` Ask for ${largest} or less.`}`,
    largest === null
      ? details
      : {
          ...details,
          largestAmountOut: largest,
          next: [{ parameter: 'amountOut', value: largest }],
        },
  )
}

/** The largest output that one of the lanes can be asked for; null where none is known. */
function largestOf(failures: readonly LaneFailure[]): string | null {
  const known = failures.flatMap(({ error: { details } }) =>
    typeof details?.largestAmountOut === 'string' ? BigInt(details.largestAmountOut) : [],
  )
  return known.length ? known.reduce(larger).toString() : null
}

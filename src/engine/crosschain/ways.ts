/** Which lanes a route may take, and what has to happen on either side of them. Pure. */
import type { Lane } from '../../bridges/bridge.js'
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import type { CrosschainMode } from '../../domain/bridges/terms.js'
import type { RouteRequest } from '../../domain/engine.js'
import type { Address } from '../../domain/primitives.js'
import type { AccountKind } from '../../routing/block/block-facts.js'

export type CrosschainRequest = RouteRequest & Required<Pick<RouteRequest, 'crosschain'>>

export function isCrosschain(request: RouteRequest): request is CrosschainRequest {
  return request.crosschain !== undefined
}

/** One way over: a lane, and whether an order runs on the other side. */
export interface Way {
  readonly lane: Lane
  /** False: the bridge pays the receiver itself. */
  readonly runsOrder: boolean
  /** Whether the order has to swap what is delivered. */
  readonly swapsThere: boolean
}

export interface WaysArgs {
  readonly request: Pick<RouteRequest, 'inputs' | 'tokensOut'>
  readonly mode: CrosschainMode
  readonly source: Pick<ChainDefinition, 'wrappedNative'>
  readonly destination: Pick<ChainDefinition, 'wrappedNative'>
  readonly receiverKind: AccountKind
  /** The fee is taken out of what is delivered. */
  readonly takesFeeThere: boolean
  /** What is delivered is deposited; `tokensOut` are the tokens of the position. */
  readonly entersPosition: boolean
  /** Whether all that an order of the lane needs is on the destination. */
  canOrder(lane: Lane): boolean
}

export interface Ways {
  readonly ways: readonly Way[]
  /** Lanes that would do, were our contracts on the destination. */
  readonly undeployed: readonly Lane[]
}

const swapsAllowed: Readonly<Record<CrosschainMode, (source: boolean, there: boolean) => boolean>> =
  {
    direct: (source, there) => !source && !there,
    source: (_source, there) => !there,
    destination: (source) => !source,
    sourceOrDestination: (source, there) => !(source && there),
    full: () => true,
  }

/** Those that need fewer swaps first; of equal ones in the order of the lanes. */
export function waysOver(lanes: readonly Lane[], args: WaysArgs): Ways {
  const { tokensOut } = args.request
  const undeployed: Lane[] = []
  const ways = lanes.flatMap((lane): (Way & { readonly swaps: number })[] => {
    const swapsHere = swapsBefore(lane, args)
    const delivered = canonicalToken(args.destination, lane.tokenOut)
    const swapsThere = tokensOut.some(
      (token) => canonicalToken(args.destination, token) !== delivered,
    )
    const isPaid = tokensOut.every((token) => paidTo(lane, args.receiverKind) === token)
    const runsOrder = args.entersPosition || args.takesFeeThere || !isPaid
    if (!swapsAllowed[args.mode](swapsHere, swapsThere)) return []
    if (runsOrder && !args.canOrder(lane)) {
      undeployed.push(lane)
      return []
    }
    return [{ lane, runsOrder, swapsThere, swaps: Number(swapsHere) + Number(swapsThere) }]
  })
  return { ways: ways.toSorted((a, b) => a.swaps - b.swaps), undeployed }
}

/** What the bridge pays such an account. */
export function paidTo(lane: Lane, kind: AccountKind): Address {
  return kind === 'contract' ? lane.tokenOut : lane.tokenOutToAccounts
}

function swapsBefore(lane: Lane, { request: { inputs }, source }: WaysArgs): boolean {
  return inputs.some(
    ({ token }) => canonicalToken(source, token) !== canonicalToken(source, lane.tokenIn),
  )
}

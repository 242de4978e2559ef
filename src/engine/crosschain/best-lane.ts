/** Compares the lanes that a route may take by estimates, and settles the best; the others are told as warnings. */
import type { Lane, LaneAmounts } from '../../bridges/bridge.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at, zip } from '../../domain/lists.js'
import type { TokenAmount } from '../../domain/primitives.js'
import { nothingInTime } from '../../routing/route/failures.js'
import { quietly } from '../../telemetry/quietly.js'
import { claimCost, extraDeliveryCost } from './delivery-cost.js'
import { estimateLanes, type LaneEstimate } from './estimates.js'
import { estimateExactly } from './exact-estimates.js'
import { settleExactly } from './exact-output.js'
import { isLaneError, type LaneFailure, noLane, warningsOf } from './lanes.js'
import { type CrosschainPlan, isAdaptive, type RouteQuote } from './plan.js'
import { provenBest } from './proven-best.js'
import type { Settled, Settlement } from './settle.js'
import type { CrosschainParts } from './sides.js'
import { worthOf } from './worth.js'

/** Lanes that are proven at most where the request asks for few. */
const mostAdaptive = 2

export interface LaneChoice {
  /** One for each lane that may be taken. */
  readonly plans: readonly CrosschainPlan[]
  /** Lanes that would do, were contracts of this service on the destination. */
  readonly undeployed: readonly Lane[]
  /** Lanes that would do, did they run orders. */
  readonly withoutOrders?: readonly Lane[]
  /** All lanes between the two chains that the request allows. */
  readonly lanes: readonly Lane[]
  /** Lanes that it would allow, did it name their bridge. */
  readonly byName?: readonly Lane[]
}

/** @throws ForkrouteError NO_ROUTE says of each lane why it cannot be used; as `Settlement.settle`. */
export async function settleBestLane(
  quote: RouteQuote,
  { plans, undeployed, withoutOrders = [], lanes, byName = [] }: LaneChoice,
  parts: Pick<CrosschainParts, 'seenPins' | 'expectedSends'> & { readonly settlement: Settlement },
): Promise<{ readonly settled: Settled; readonly warnings: readonly string[] }> {
  const { request, source, destination } = quote
  const { settlement, seenPins } = parts
  const failures: LaneFailure[] = []
  const fail = ({ lane }: CrosschainPlan, error: unknown) => {
    // Its task knows of what had remained for it alone.
    if (isLate(error)) throw nothingInTime(request)
    if (!isLaneError(error)) throw error
    failures.push({ lane, error })
  }
  const pair = `${source.pin.hash}:${destination.pin.hash}`
  const isExact = request.amountOut !== undefined
  const estimates = isExact
    ? await estimateExactly(quote, plans)
    : await estimateLanes(quote, plans, {
        isCold: !seenPins.has(pair),
        onLikely: (plan, offer) => {
          void quietly(
            begin(quote, parts, { plan, offer }),
            'The lane is settled again if it is the best, and fails then.',
          )
        },
      })
  seenPins.set(pair, true)
  for (const [plan, one] of zip(plans, estimates)) {
    if (one.status === 'rejected') fail(plan, one.reason)
  }
  const estimated = estimates.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const settled = await provenBest<LaneEstimate, Settled>(estimated, {
    valueOf: (one) => worthIn(quote, one),
    prove: ({ plan }) =>
      isExact ? settleExactly(quote, settlement, plan) : settlement.settle(plan),
    onFailed: ({ plan }, error) => fail(plan, error),
    ...(isAdaptive(request) && { most: mostAdaptive }),
  })
  if (settled) return { settled, warnings: warningsOf(failures, undeployed) }
  const left = { undeployed, withoutOrders, lanes, byName }
  throw noLane({ request, failures, ...left, destination: destination.chain })
}

/** Has both sides at work on a lane before it is chosen. */
async function begin(
  quote: RouteQuote,
  { settlement, expectedSends }: Parameters<typeof settleBestLane>[2],
  { plan, offer }: { readonly plan: CrosschainPlan; readonly offer: LaneAmounts },
): Promise<void> {
  const begun = settlement.begin(plan)
  // What a bundle does besides may change what is sent.
  if (plan.source.kind === 'bundle') return void (await begun)
  const expected = expectedSends.of(quote, plan, offer)
  if (expected) settlement.expect(plan, expected)
  const { sent } = await begun
  expectedSends.note(quote, plan, at(sent, 0).delivery)
}

/**
 * Dollars of what comes out, less gas and messaging on the source; raw units of the first token where prices are unknown. Of a
 * stated output, less what goes in.
 */
function worthIn(quote: RouteQuote, one: LaneEstimate | Settled): number {
  const { amounts, ...costs } = 'offer' in one ? estimateOf(quote, one) : proofOf(quote, one)
  const spent = quote.request.amountOut === undefined ? [] : spentBy(one.plan)
  const worth = worthOf(quote, { amounts, spent, ...costs })
  if (worth !== null) return worth
  return spent[0] ? -Number(spent[0].amount) : Number(amounts[0]?.amount ?? 0n)
}

function spentBy({ source }: CrosschainPlan): readonly TokenAmount[] {
  return source.kind === 'route' ? source.request.inputs : []
}

function estimateOf(
  { destination }: RouteQuote,
  { plan, offer, amounts, destinationGas }: LaneEstimate,
) {
  const { gas, nativeFee } = offer
  const deliveryCost =
    extraDeliveryCost(destination, plan, destinationGas) + claimCost(destination, plan)
  return { amounts, gas, nativeFee, deliveryCost }
}

/** A bundle may pay the receiver more than what the route in it is for. */
function proofOf({ request, destination }: RouteQuote, settled: Settled) {
  const { source, outputs, plan, destination: leg } = settled
  const { gas, nativeFee } = source
  const amounts = outputs.flatMap(({ token, amountOut: amount }) =>
    request.tokensOut.includes(token) ? [{ token, amount }] : [],
  )
  return { amounts, gas, nativeFee, deliveryCost: claimCost(destination, plan, leg?.gas) }
}

function isLate(error: unknown): boolean {
  return error instanceof ForkrouteError && error.code === 'DEADLINE_EXCEEDED'
}

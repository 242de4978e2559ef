/**
 * A bundle that leads over a bridge: what comes before and after it is the source leg, its callback the order on the
 * destination. As with a route, the answer is a pair in which the order is made for what that very transaction sends. The
 * lanes of a route inside of a bundle are compared as those of a route by itself.
 */
import type { BundleAnswer, BundleRequest } from '../../domain/bundle.js'
import { invalidRequest } from '../../domain/common-errors.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { type BlockPin, nativeToken } from '../../domain/primitives.js'
import { bundleAnswer } from './answer.js'
import { settleBestLane } from './best-lane.js'
import type { BridgedBundle, BundleOverBridge, RoutedPart } from './bridged-bundle.js'
import { readBundle } from './bundle-request.js'
import { planOfBundle } from './plan.js'
import { routeRequestOf } from './routed-bundle.js'
import { type Settled, settlementOf } from './settle.js'
import {
  type CrosschainParts,
  canOrder,
  lookAt,
  ourContracts,
  pinBoth,
  type QuoteParts,
} from './sides.js'

/** @throws ForkrouteError as `Engine.bundle`; INVALID_REQUEST names the argument of the bridge action that cannot be. */
export async function bundleOverBridge(
  parts: CrosschainParts,
  request: BundleRequest,
  context: CallContext,
): Promise<BundleAnswer> {
  const asked = readBundle(parts.chains, request, context)
  const { destination, receiver } = asked
  const blocks = { ...request, destinationChainId: destination.id }
  const pins = await pinBoth(blocks, context, parts)
  const source = parts.chains.of(request.chainId)
  const [lanes, sides] = await Promise.all([
    parts.pastLanes.of({ lanes: asked.lanes, source, destination, pins }, context),
    lookAtBoth(parts, { request, asked, pins }, context),
  ])
  refuseAmbiguousReceiver(asked, request, sides)
  const { tasks, payable } = parts
  const quote: QuoteParts = { tasks, payable, context, receiver, ...sides }
  const bundles = asked
    .bundlesFor(quote.destination.kinds.get(receiver) ?? 'plain')
    .map((bundle) => ({ ...bundle, lane: lanes[asked.lanes.indexOf(bundle.lane)] ?? bundle.lane }))
  const { settled, warnings } = asked.route
    ? await settleRouted(parts, quote, { asked, bundles, route: asked.route })
    : { settled: await settleOnly(quote, bundles), warnings: [] }
  return bundleAnswer(quote, request, settled, warnings)
}

async function lookAtBoth(
  { chains, tasks }: CrosschainParts,
  at: {
    readonly request: BundleRequest
    readonly asked: BundleOverBridge
    readonly pins: readonly [source: BlockPin, destination: BlockPin]
  },
  context: CallContext,
): Promise<Pick<QuoteParts, 'source' | 'destination'>> {
  const { request, asked, pins } = at
  const { destination, receiver, lanes, route } = asked
  const [sourcePin, destinationPin] = pins
  const onSource = {
    accounts: [request.fromAddress],
    tokens: [nativeToken, ...(route ? [route.tokenIn] : [])],
  }
  const onDestination = {
    accounts: [receiver, ...ourContracts, ...lanes.flatMap((lane) => lane.orderContracts)],
    tokens: [
      nativeToken,
      ...lanes.map((lane) => lane.tokenOut),
      ...(route ? [route.tokenOut] : []),
    ],
  }
  const chain = chains.of(request.chainId)
  const [source, there] = await Promise.all([
    lookAt(tasks, { chain, pin: sourcePin, what: onSource }, context),
    lookAt(tasks, { chain: destination, pin: destinationPin, what: onDestination }, context),
  ])
  return { source, destination: there }
}

/** An address with code may be nobody's on another chain. */
function refuseAmbiguousReceiver(
  { receiver }: BundleOverBridge,
  request: BundleRequest,
  { source }: Pick<QuoteParts, 'source'>,
): void {
  const isNamed = receiver !== request.fromAddress || request.receiver !== undefined
  if (isNamed || source.kinds.get(receiver) !== 'contract') return
  throw invalidRequest([
    `receiver is required: ${receiver} is a contract on chain ${source.chain.id}, and its address may be nobody's on another.`,
  ])
}

/** @throws ForkrouteError NO_ROUTE where its callback cannot run; as `Settlement.settle`. */
function settleOnly(quote: QuoteParts, [bundle]: readonly BridgedBundle[]): Promise<Settled> {
  if (!bundle) throw new RangeError('A bridge action has a lane.')
  const { destination } = quote
  if (bundle.runsOrder && !canOrder(bundle.lane, destination)) {
    throw new ForkrouteError(
      'NO_ROUTE',
      `The contracts that would run the callback on chain ${destination.chain.id} are not deployed there. The operator deploys them with forkroute contracts deploy.`,
    )
  }
  return settlementOf(quote).settle(planned(quote, bundle))
}

/** @throws ForkrouteError as of a route over bridges where no lane can be used. */
async function settleRouted(
  { seenPins }: CrosschainParts,
  quote: QuoteParts,
  asked: {
    readonly asked: BundleOverBridge
    readonly bundles: readonly BridgedBundle[]
    readonly route: RoutedPart
  },
) {
  const { bundles, route } = asked
  const { destination } = quote
  const usable = bundles.filter(({ runsOrder, lane }) => !runsOrder || canOrder(lane, destination))
  const undeployed = bundles.filter((one) => !usable.includes(one)).map(({ lane }) => lane)
  const request = routeRequestOf(route, await amountOf(quote, route))
  const choice = {
    plans: usable.map((bundle) => planned(quote, bundle)),
    undeployed,
    lanes: asked.asked.lanes,
  }
  const settlement = settlementOf(quote)
  const routed = { ...quote, request, takesDestinationFee: false }
  return settleBestLane(routed, choice, { settlement, seenPins })
}

function planned({ destination, receiver }: QuoteParts, bundle: BridgedBundle) {
  return planOfBundle(bundle, destination.kinds.get(receiver) ?? 'plain')
}

/** Raw units that the route begins with: as stated, or what the actions before it give. */
async function amountOf(
  { tasks, context, source }: QuoteParts,
  { source: bundle, index, amountIn: amount }: RoutedPart,
): Promise<bigint> {
  if (typeof amount === 'bigint') return amount
  const request = { ...bundle, actions: bundle.actions.slice(0, index) }
  const args = { request, accountId: context.accountId, amount }
  return tasks.runAt('routedAmount', args, source.pin, context)
}

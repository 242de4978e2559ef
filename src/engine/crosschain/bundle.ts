/**
 * A bundle that leads over bridges: what comes before and after them is the source leg, each callback an order on its
 * destination. As with a route, the answer is one transaction with what it delivers, in which each order is made for what
 * that very transaction sends. The lanes of a route inside of a bundle are compared as those of a route by itself.
 */
import type { ChainDefinition } from '../../chains/chain.js'
import type { BundleAnswer, BundleRequest } from '../../domain/bundle.js'
import { invalidRequest } from '../../domain/common-errors.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import { type BlockPin, nativeToken } from '../../domain/primitives.js'
import { bridge as bridgeAction } from '../../routing/bundle/actions/bridge.js'
import { bundleAnswer } from './answer.js'
import { settleBestLane } from './best-lane.js'
import type { BridgedBundle, BundleTransfer, RoutedPart } from './bridged-bundle.js'
import { readBundle } from './bundle-request.js'
import { type CrosschainPlan, lanePlanOf, planOfBundle, type Transfer } from './plan.js'
import { routeRequestOf } from './routed-bundle.js'
import { firstSends, type Settled, type Settlement, settlementOf } from './settle.js'
import {
  type CrosschainParts,
  canOrder,
  lookAt,
  ourContracts,
  pinBeside,
  type QuoteParts,
  type Side,
} from './sides.js'

/** A transfer at the blocks of both chains, with what its lanes have done of late. */
interface PinnedTransfer extends BundleTransfer {
  readonly to: Side
  readonly bundles: readonly BridgedBundle[]
}

/** @throws ForkrouteError as `Engine.bundle`; INVALID_REQUEST names the argument of the bridge action that cannot be. */
export async function bundleOverBridge(
  parts: CrosschainParts,
  request: BundleRequest,
  context: CallContext,
): Promise<BundleAnswer> {
  const asked = readBundle(parts.chains, request, context)
  const { source, transfers } = await lookAround(parts, { request, asked }, context)
  for (const { receiver } of asked) refuseAmbiguousReceiver(receiver, request, source)
  // Its lanes are to be chosen; others are named.
  const main = transfers.find(({ route }) => route) ?? at(transfers, 0)
  const others = transfers.filter((one) => one !== main).map(namedTransfer)
  const { tasks, payable } = parts
  const { receiver, to: destination } = main
  const quote: QuoteParts = { tasks, payable, context, receiver, source, destination }
  const settlement = settlementOf(quote)
  const planned = (bundle: BridgedBundle) => planOf(main, bundle, others)
  const { settled, warnings } = main.route
    ? await settleRouted(parts, quote, { main, route: main.route, others, planned, settlement })
    : { settled: await settleOnly(settlement, planned, main), warnings: [] }
  return bundleAnswer(quote, request, settled, warnings)
}

/** What has to be known of all chains before anything is planned; what several transfers need of one is read once. */
async function lookAround(
  parts: CrosschainParts,
  {
    request,
    asked,
  }: { readonly request: BundleRequest; readonly asked: readonly BundleTransfer[] },
  context: CallContext,
): Promise<{ readonly source: Side; readonly transfers: readonly PinnedTransfer[] }> {
  const { chains, tasks, pastLanes } = parts
  const chain = chains.of(request.chainId)
  const pinning = tasks.pin(request, context)
  const destinations = [...new Set(asked.map(({ destination }) => destination))]
  const pins = await Promise.all(
    destinations.map((destination) => {
      const named = { ...request, destinationChainId: destination.id }
      return pinBeside(named, pinning, context, parts)
    }),
  )
  const [pin] = at(pins, 0)
  const routed = asked.flatMap(({ route }) => route ?? [])
  const onSource = {
    accounts: [request.fromAddress],
    tokens: [nativeToken, ...routed.map(({ tokenIn }) => tokenIn)],
  }
  const [source, ...pinned] = await Promise.all([
    lookAt(tasks, { chain, pin, what: onSource }, context),
    ...destinations.map(async (destination, place) => {
      const own = asked.filter((one) => one.destination === destination)
      const lanes = own.flatMap((one) => one.lanes)
      const [told, to] = await Promise.all([
        pastLanes.of({ lanes, source: chain, destination, pins: at(pins, place) }, context),
        lookAtDestination(parts, { chain: destination, pin: at(pins, place)[1], own }, context),
      ])
      return own.map((one): PinnedTransfer => {
        const bundles = one.bundlesFor(to.kinds.get(one.receiver) ?? 'plain')
        return {
          ...one,
          to,
          bundles: bundles.map((each) => ({
            ...each,
            lane: told[lanes.indexOf(each.lane)] ?? each.lane,
          })),
        }
      })
    }),
  ])
  return { source, transfers: pinned.flat().toSorted((a, b) => a.action - b.action) }
}

function lookAtDestination(
  { tasks }: CrosschainParts,
  at: {
    readonly chain: ChainDefinition
    readonly pin: BlockPin
    readonly own: readonly BundleTransfer[]
  },
  context: CallContext,
): Promise<Side> {
  const { chain, pin, own } = at
  const lanes = own.flatMap((one) => one.lanes)
  const what = {
    accounts: [
      ...own.map(({ receiver }) => receiver),
      ...ourContracts,
      ...lanes.flatMap((lane) => lane.orderContracts),
    ],
    tokens: [
      nativeToken,
      ...lanes.map((lane) => lane.tokenOut),
      ...own.flatMap(({ route }) => route?.tokenOut ?? []),
    ],
  }
  return lookAt(tasks, { chain, pin, what }, context)
}

/** An address with code may be nobody's on another chain. */
function refuseAmbiguousReceiver(
  receiver: BundleTransfer['receiver'],
  request: BundleRequest,
  source: Side,
): void {
  const isNamed = receiver !== request.fromAddress || request.receiver !== undefined
  if (isNamed || source.kinds.get(receiver) !== 'contract') return
  throw invalidRequest([
    `receiver is required: ${receiver} is a contract on chain ${source.chain.id}, and its address may be nobody's on another.`,
  ])
}

/** The only lane of a bridge action. @throws ForkrouteError NO_ROUTE where its callback cannot run. */
function onlyBundle({ bundles, to }: PinnedTransfer): BridgedBundle {
  const bundle = at(bundles, 0)
  if (bundle.runsOrder && !canOrder(bundle.lane, to)) {
    throw new ForkrouteError(
      'NO_ROUTE',
      `The contracts that would run the callback on chain ${to.chain.id} are not deployed there. The operator deploys them with forkroute contracts deploy.`,
    )
  }
  return bundle
}

function namedTransfer(transfer: PinnedTransfer): Transfer {
  const { to, receiver, action } = transfer
  const kind = to.kinds.get(receiver) ?? 'plain'
  return { ...lanePlanOf(onlyBundle(transfer), kind), to, receiver, action }
}

/** @param others - in the order of their actions. */
function planOf(
  { to, receiver, action }: PinnedTransfer,
  bundle: BridgedBundle,
  others: readonly Transfer[],
): CrosschainPlan {
  const kind = to.kinds.get(receiver) ?? 'plain'
  // What a route has swapped is sent after all other actions.
  const isInPlace = bundle.source.actions[action]?.action === bridgeAction.name
  const before = isInPlace ? others.filter((one) => one.action < action).length : others.length
  return planOfBundle(bundle, kind, { transfers: others, action, before })
}

/** @throws ForkrouteError NO_ROUTE where its callback cannot run; as `Settlement.settle`. */
function settleOnly(
  settlement: Settlement,
  planned: (bundle: BridgedBundle) => CrosschainPlan,
  main: PinnedTransfer,
): Promise<Settled> {
  return settlement.settle(planned(onlyBundle(main)))
}

/** @throws ForkrouteError as of a route over bridges where no lane can be used. */
async function settleRouted(
  { seenPins }: CrosschainParts,
  quote: QuoteParts,
  routed: {
    readonly main: PinnedTransfer
    readonly route: RoutedPart
    readonly others: readonly Transfer[]
    readonly settlement: Settlement
    planned(bundle: BridgedBundle): CrosschainPlan
  },
) {
  const { main, route, others, settlement, planned } = routed
  const { bundles, lanes, to } = main
  const usable = bundles.filter(({ runsOrder, lane }) => !runsOrder || canOrder(lane, to))
  const undeployed = bundles.filter((one) => !usable.includes(one)).map(({ lane }) => lane)
  const plans = usable.map(planned)
  const request = routeRequestOf(route, await amountOf(quote, route, others))
  return settleBestLane(
    { ...quote, request, takesDestinationFee: false },
    { plans, undeployed, lanes },
    { settlement, seenPins },
  )
}

/** Raw units that the route begins with: as stated, or what the actions before it give. */
async function amountOf(
  { tasks, context, source }: QuoteParts,
  { source: bundle, index, amountIn: amount }: RoutedPart,
  others: readonly Transfer[],
): Promise<bigint> {
  if (typeof amount === 'bigint') return amount
  const request = { ...bundle, actions: bundle.actions.slice(0, index) }
  const sends = firstSends(others.filter(({ action }) => action < index))
  const args = { request, sends, accountId: context.accountId, amount }
  return tasks.runAt('routedAmount', args, source.pin, context)
}

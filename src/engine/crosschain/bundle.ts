/**
 * A bundle that leads over bridges: what comes before and after them is the source leg, each callback an order on its
 * destination. As with a route, the answer is one transaction with what it delivers, in which each order is made for what
 * that very transaction sends. The lanes of a route inside of a bundle are compared as those of a route by itself.
 */
import type { Lane } from '../../bridges/bridge.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type { BundleAnswer, BundleRequest } from '../../domain/bundle.js'
import { invalidRequest } from '../../domain/common-errors.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at, zip } from '../../domain/lists.js'
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
  readonly onward: readonly PinnedTransfer[]
}

/** @throws ForkrouteError as `Engine.bundle`; INVALID_REQUEST names the argument of the bridge action that cannot be. */
export async function bundleOverBridge(
  parts: CrosschainParts,
  request: BundleRequest,
  context: CallContext,
): Promise<BundleAnswer> {
  const asked = readBundle(parts.chains, request, context)
  const { source, transfers } = await lookAround(parts, { request, asked }, context)
  for (const { receiver } of asked.flatMap(withOnward))
    refuseAmbiguousReceiver(receiver, request, source)
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
  const all = asked.flatMap(withOnward)
  const destinations = [...new Set(all.map(({ destination }) => destination))]
  const pins = await Promise.all(
    destinations.map((destination) => {
      const named = { ...request, destinationChainId: destination.id }
      return pinBeside(named, pinning, context, parts)
    }),
  )
  const [pin] = at(pins, 0)
  const pinOf = (one: ChainDefinition) => at(pins, destinations.indexOf(one))[1]
  const routed = asked.flatMap(({ route }) => route ?? [])
  const onSource = {
    accounts: [request.fromAddress],
    tokens: [nativeToken, ...routed.map(({ tokenIn }) => tokenIn)],
  }
  /** Lanes of one pair of chains are looked up together. */
  const lookBack = async (from: Pick<Side, 'chain' | 'pin'>, some: readonly BundleTransfer[]) => {
    const told = new Map<Lane, Lane>()
    await Promise.all(
      [...new Set(some.map(({ destination }) => destination))].map(async (destination) => {
        const own = some.filter((one) => one.destination === destination)
        const lanes = own.flatMap((one) => one.lanes)
        const pair = {
          source: from.chain,
          destination,
          pins: [from.pin, pinOf(destination)],
        } as const
        for (const [lane, known] of zip(lanes, await pastLanes.of({ lanes, ...pair }, context))) {
          told.set(lane, known)
        }
      }),
    )
    return told
  }
  const [source, told, sides] = await Promise.all([
    lookAt(tasks, { chain, pin, what: onSource }, context),
    lookBack({ chain, pin }, asked),
    Promise.all(
      destinations.map((destination) => {
        const own = all.filter((one) => one.destination === destination)
        const place = { chain: destination, pin: pinOf(destination), own }
        return lookAtDestination(parts, place, context)
      }),
    ),
  ])
  const pinned = async (
    one: BundleTransfer,
    known: ReadonlyMap<Lane, Lane>,
  ): Promise<PinnedTransfer> => {
    const to = at(sides, destinations.indexOf(one.destination))
    const further = await lookBack(to, one.onward)
    const bundles = one.bundlesFor(to.kinds.get(one.receiver) ?? 'plain')
    return {
      ...one,
      to,
      bundles: bundles.map((each) => ({ ...each, lane: known.get(each.lane) ?? each.lane })),
      onward: await Promise.all(one.onward.map((next) => pinned(next, further))),
    }
  }
  return { source, transfers: await Promise.all(asked.map((one) => pinned(one, told))) }
}

function withOnward(one: BundleTransfer): BundleTransfer[] {
  return [one, ...one.onward.flatMap(withOnward)]
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
  const onward = transfer.onward.map(namedTransfer)
  return { ...lanePlanOf(onlyBundle(transfer), kind), to, receiver, action, onward }
}

/** @param others - in the order of their actions. */
function planOf(
  { to, receiver, action, onward: further }: PinnedTransfer,
  bundle: BridgedBundle,
  others: readonly Transfer[],
): CrosschainPlan {
  const kind = to.kinds.get(receiver) ?? 'plain'
  // What a route has swapped is sent after all other actions.
  const isInPlace = bundle.source.actions[action]?.action === bridgeAction.name
  const before = isInPlace ? others.filter((one) => one.action < action).length : others.length
  const onward = further.map(namedTransfer)
  return planOfBundle(bundle, kind, { transfers: others, action, before, onward })
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
  parts: CrosschainParts,
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
    { ...parts, settlement },
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

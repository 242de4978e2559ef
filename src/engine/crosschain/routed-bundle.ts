/** A route to another chain as one action of a bundle: swaps on the source, a lane, and swaps on the destination. Pure. */
import type { Lane } from '../../bridges/bridge.js'
import { lanesBetween } from '../../bridges/known-lanes.js'
import { bridgesWithout } from '../../bridges/registry.js'
import { canonicalToken } from '../../chains/chain.js'
import type {
  BundleAction,
  BundleRequest,
  Reference,
  TypedAction,
  TypedBundle,
} from '../../domain/bundle.js'
import { defined } from '../../domain/defined.js'
import type { RouteRequest } from '../../domain/engine.js'
import { at } from '../../domain/lists.js'
import { type Address, defaultCentiBps } from '../../domain/primitives.js'
import type { AccountKind } from '../../routing/block/block-facts.js'
import { bridge } from '../../routing/bundle/actions/bridge.js'
import { fee as feeAction } from '../../routing/bundle/actions/fee.js'
import { route } from '../../routing/bundle/actions/route.js'
import { referencesOf, toPerformable } from '../../routing/bundle/performers.js'
import { refuse } from '../../routing/bundle/problems.js'
import { missingOutput } from '../../routing/bundle/values.js'
import type { ConfiguredChains } from '../configured-chains.js'
import type {
  BridgedBundle,
  BundleTransfer,
  RouteActionArgs,
  Routed,
  RoutedPart,
} from './bridged-bundle.js'
import { type CrosschainRequest, paidTo } from './lanes.js'
import { whyNobodys } from './receivers.js'

/** Whether the action is a route that ends on another chain. */
export function leadsElsewhere({ action, args }: BundleAction, chainId: number): boolean {
  const { destinationChainId = null } = args
  return (
    action === route.name &&
    (typeof destinationChainId === 'number' || typeof destinationChainId === 'string') &&
    Number(destinationChainId) !== chainId
  )
}

/** @param read.index - of the route among the actions. @throws ForkrouteError INVALID_REQUEST. */
export function readRoute(
  chains: ConfiguredChains,
  read: {
    readonly request: BundleRequest
    /** The same, with what bridges are to run elsewhere left out. */
    readonly source: TypedBundle
    readonly index: number
  },
): BundleTransfer {
  const { request, source, index } = read
  const from = chains.of(request.chainId)
  const args = at(source.actions, index).values as unknown as RouteActionArgs
  const { tokenOut, destinationChainId, fromAddress } = { ...args, ...request }
  const destination = chains.all.find(({ id }) => id === destinationChainId)
  if (!destination) {
    const others = chains.all.flatMap(({ id }) => (id === from.id ? [] : [id]))
    return refuse(index, 'destinationChainId', `another configured chain: ${others.join(', ')}`)
  }
  if (args.minAmountOut?.some((amount) => typeof amount !== 'bigint')) {
    refuse(index, 'minAmountOut', 'a number: what a reference stands for is on this chain')
  }
  for (const action of toPerformable(source.actions, false)) {
    for (const { useOutputOfCallAt, argument } of referencesOf(action)) {
      const expected = missingOutput(`action ${index}`, 0)
      if (useOutputOfCallAt === index) refuse(action.index, argument, expected)
    }
  }
  const receiver = args.receiver ?? request.receiver ?? fromAddress
  const why = whyNobodys(receiver, { destination, tokensOut: [tokenOut], fromAddress })
  if (why) {
    refuse(index, 'receiver', `another than ${receiver} on chain ${destination.id}: ${why}`)
  }
  const ignoreBridges = (args.ignoreBridges ?? []).map((name) => name.toLowerCase())
  const lanes = lanesBetween(bridgesWithout(ignoreBridges), from, destination).filter(
    ({ afterwards }) => !afterwards,
  )
  const { tokenIn, amountIn } = args
  const to = { source, index, args, destination, receiver }
  return {
    action: index,
    onward: [],
    destination,
    receiver,
    lanes,
    route: { ...to, tokenIn, tokenOut, amountIn, ignoreBridges, deadlineMs: request.deadlineMs },
    bundlesFor: (kind) => lanes.map((lane) => bundleOver(lane, kind, to)),
  }
}

/** The route as a request by itself, which lanes are compared for. @param amount - raw units that it begins with. */
export function routeRequestOf(part: RoutedPart, amount: bigint): CrosschainRequest {
  const { source, args, destination, tokenIn, tokenOut, ignoreBridges, deadlineMs } = part
  const { fee: [bps] = [], feeReceiver } = args
  const feeBps = bps === undefined ? undefined : BigInt(bps)
  const { chainId, fromAddress, strategy, executionMode, poolChoice } = source
  return {
    chainId,
    fromAddress,
    strategy,
    executionMode,
    inputs: [{ token: tokenIn, amount, ...defined({ feeBps }) }],
    tokensOut: [tokenOut],
    limit: limitOf(args),
    ...ignoredOf(part),
    includeTransactionCost: false,
    includePriceImpact: false,
    ...defined({ feeReceiver, poolChoice, deadlineMs }),
    crosschain: { destinationChainId: destination.id, mode: 'full', ignoreBridges },
  }
}

/** What the receiver must be paid, by the terms of the route; its minimums are numbers. */
function limitOf({
  slippage: centiBps = defaultCentiBps,
  minAmountOut,
  tokenOut,
}: RouteActionArgs): RouteRequest['limit'] {
  const [least] = (minAmountOut ?? []) as readonly bigint[]
  return least === undefined
    ? { kind: 'slippage', centiBps }
    : { kind: 'minimum', minimums: [{ token: tokenOut, amount: least }] }
}

function ignoredOf({ source, args }: Routed) {
  const { ignoreAggregators = [], ignoreStandards = [] } = args
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase())
  return {
    ignoreAggregators: [...source.ignoreAggregators, ...lower(ignoreAggregators)],
    ignoreStandards: [...source.ignoreStandards, ...lower(ignoreStandards)],
  }
}

function bundleOver(lane: Lane, kind: AccountKind, to: Routed): BridgedBundle {
  const { slippage: centiBps = defaultCentiBps, minAmountOut, tokenOut } = to.args
  const [least] = (minAmountOut ?? []) as readonly bigint[]
  const runsOrder = paidTo(lane, kind) !== tokenOut
  const canonical = (token: Address) => canonicalToken(to.destination, token)
  return {
    lane,
    runsOrder,
    centiBps,
    swapsOnDestination: canonical(lane.tokenOut) !== canonical(tokenOut),
    source: sourceOf(lane, to, runsOrder ? centiBps / 2n : centiBps),
    callback: runsOrder ? { kind: 'route', request: callbackOf(to) } : null,
    ...defined({ least }),
  }
}

/**
 * The swap stands where the route does, so that indexes and references stay as they are; what it gives is sent after all
 * other actions.
 */
function sourceOf(
  lane: Lane,
  { source, index, args, destination }: Routed,
  tolerance: bigint,
): TypedBundle {
  const { protocol } = at(source.actions, index)
  const { tokenIn, amountIn, refundReceiver, feeReceiver, fee: [bps = 0] = [] } = args
  const sending = (amount: bigint | Reference) =>
    bridge.typed(protocol, {
      tokenIn: lane.tokenIn,
      amountIn: amount,
      primaryAddress: lane.primary,
      destinationChainId: destination.id,
    })
  const swapped = { useOutputOfCallAt: index, index: 0 }
  const replaced = (action: TypedAction, ...more: readonly TypedAction[]) => ({
    ...source,
    ...defined({ refundReceiver }),
    actions: [...source.actions.with(index, action), ...more],
  })
  if (tokenIn !== lane.tokenIn) {
    const { tokenOut: _o, minAmountOut: _m, destinationChainId: _c, receiver: _r, ...terms } = args
    const swap = { ...terms, tokenOut: lane.tokenIn, slippage: tolerance }
    return replaced(route.typed(protocol, swap), sending(swapped))
  }
  if (bps === 0 || !feeReceiver) return replaced(sending(amountIn))
  const charged = { token: tokenIn, amount: amountIn, bps, receiver: feeReceiver }
  return replaced(feeAction.typed(protocol, charged), sending(swapped))
}

/** What is done with what is delivered: as by a route over a bridge. */
function callbackOf(routed: Routed): RouteRequest {
  const { source, args, destination, receiver } = routed
  return {
    chainId: destination.id,
    fromAddress: receiver,
    receiver,
    strategy: 'router',
    executionMode: 'backend',
    inputs: [],
    tokensOut: [args.tokenOut],
    limit: limitOf(args),
    ...ignoredOf(routed),
    includeTransactionCost: false,
    includePriceImpact: false,
    ...defined({
      poolChoice: source.poolChoice,
      referralCode: source.referralCode,
      explain: source.explain,
    }),
  }
}

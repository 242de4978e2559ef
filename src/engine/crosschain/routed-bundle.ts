/** A route to another chain as one action of a bundle: swaps here, a lane, and swaps there. Pure. */
import type { Lane } from '../../bridges/bridge.js'
import { bridgesWithout } from '../../bridges/registry.js'
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
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
import { parseBundle } from '../../routing/bundle/parse-actions.js'
import { referencesOf, toPerformable } from '../../routing/bundle/performers.js'
import { refuse } from '../../routing/bundle/problems.js'
import { missingOutput } from '../../routing/bundle/values.js'
import type { ConfiguredChains } from '../configured-chains.js'
import type { BridgedPlan, BundleOverBridge } from './bridged-plan.js'
import { whyNobodys } from './receivers.js'
import { paidTo } from './ways.js'

interface RouteArgs {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint | Reference
  readonly destinationChainId: number
  readonly slippage?: bigint
  readonly minAmountOut?: readonly (bigint | Reference)[]
  readonly receiver?: Address
  readonly refundReceiver?: Address
  readonly fee?: readonly number[]
  readonly feeReceiver?: Address
  readonly ignoreAggregators?: readonly string[]
  readonly ignoreStandards?: readonly string[]
  readonly ignoreBridges?: readonly string[]
}

/** Whether the action is a route that ends on another chain. */
export function leadsElsewhere({ action, args }: BundleAction, chainId: number): boolean {
  const { destinationChainId = null } = args
  return (
    action === route.name && destinationChainId !== null && Number(destinationChainId) !== chainId
  )
}

/** @param index - of the route among the actions. @throws ForkrouteError INVALID_REQUEST. */
export function planRoute(
  chains: ConfiguredChains,
  request: BundleRequest,
  index: number,
): BundleOverBridge {
  const here = chains.of(request.chainId)
  const source = parseBundle(request, here)
  const args = at(source.actions, index).values as unknown as RouteArgs
  const { tokenOut, destinationChainId, fromAddress } = { ...args, ...request }
  const destination = chains.all.find(({ id }) => id === destinationChainId)
  if (!destination) {
    const others = chains.all.flatMap(({ id }) => (id === here.id ? [] : [id]))
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
  const ignored = (args.ignoreBridges ?? []).map((name) => name.toLowerCase())
  const lanes = bridgesWithout(ignored).flatMap((one) => one.lanes(here, destination))
  const to = { source, index, args, destination, receiver }
  return {
    destination,
    receiver,
    lanes,
    tokenOut,
    plansFor: (kind) => lanes.map((lane) => planFor(lane, kind, to)),
  }
}

interface Routed {
  readonly source: TypedBundle
  readonly index: number
  readonly args: RouteArgs
  readonly destination: ChainDefinition
  readonly receiver: Address
}

function planFor(lane: Lane, kind: AccountKind, to: Routed): BridgedPlan {
  const { slippage: centiBps = defaultCentiBps, minAmountOut, tokenOut } = to.args
  const [least] = (minAmountOut ?? []) as readonly bigint[]
  const isPaid = paidTo(lane, kind) === tokenOut
  return {
    lane,
    centiBps,
    swapsThere:
      canonicalToken(to.destination, lane.tokenOut) !== canonicalToken(to.destination, tokenOut),
    source: sourceOf(lane, to, isPaid ? centiBps : centiBps / 2n),
    callback: isPaid ? null : { kind: 'route', request: callbackOf(to, centiBps, least) },
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
    ...(refundReceiver && { refundReceiver }),
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

/** As of a route over a bridge. */
function callbackOf(
  { source, args, destination, receiver }: Routed,
  centiBps: bigint,
  least: bigint | undefined,
): RouteRequest {
  const { tokenOut, ignoreAggregators = [], ignoreStandards = [] } = args
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase())
  return {
    chainId: destination.id,
    fromAddress: receiver,
    receiver,
    strategy: 'router',
    executionMode: 'backend',
    inputs: [],
    tokensOut: [tokenOut],
    limit:
      least === undefined
        ? { kind: 'slippage', centiBps }
        : { kind: 'minimum', minimums: [{ token: tokenOut, amount: least }] },
    ignoreAggregators: [...source.ignoreAggregators, ...lower(ignoreAggregators)],
    ignoreStandards: [...source.ignoreStandards, ...lower(ignoreStandards)],
    includeTransactionCost: false,
    includePriceImpact: false,
    ...(source.poolChoice && { poolChoice: source.poolChoice }),
    ...defined({ referralCode: source.referralCode }),
    ...(source.explain && { explain: source.explain }),
  }
}

/**
 * A bundle with a bridge action: what comes before and after it is the transaction on the source, its callback the order
 * on the destination. As of a route, the answer is a pair in which the order is made for what that very transaction sends.
 */
import { gasForOrder, type Lane, type Parcel } from '../../bridges/bridge.js'
import { bridges } from '../../bridges/registry.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type {
  BundleAction,
  BundleAnswer,
  BundleRequest,
  TransactionOutput,
  TypedBundle,
} from '../../domain/bundle.js'
import { invalidRequest } from '../../domain/common-errors.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { maxActions } from '../../domain/grammar.js'
import { at } from '../../domain/lists.js'
import {
  type Address,
  defaultCentiBps,
  type Hex,
  lessSlippage,
  nativeToken,
} from '../../domain/primitives.js'
import { parseBundle } from '../../routing/bundle/parse-actions.js'
import { badArguments, type Problem, refuse } from '../../routing/bundle/problems.js'
import type { Callback, Crossed } from '../../routing/crosschain/messages.js'
import {
  costOf,
  deliveryCostOf,
  orderGasFor,
  roomyGas,
  type Side,
  usualGas,
  usualMessageBytes,
} from './journey.js'
import { type CrosschainParts, canOrder, lookAt, ourContracts, pinBoth } from './sides.js'
import { paidTo } from './ways.js'

/** Of the pair, each time with what the one before has shown. */
const finalRounds = 4
const actionName = 'bridge'
/** Bytes of a message that bridges carry. */
const maxMessageBytes = 10_000

interface Plan {
  readonly source: TypedBundle
  readonly lane: Lane
  readonly destination: ChainDefinition
  readonly receiver: Address
  /** Null: the bridge pays the receiver itself. */
  readonly callback: TypedBundle | null
}

interface Pair {
  readonly crossed: Crossed
  readonly callback: Callback | null
  readonly outputs: readonly TransactionOutput[]
}

export function isOverBridge({ actions }: Pick<BundleRequest, 'actions'>): boolean {
  return actions.some(({ action }) => action === actionName)
}

/** @throws ForkrouteError as `Engine.bundle`; INVALID_REQUEST names the argument of the bridge action that cannot be. */
export async function bundleOverBridge(
  parts: CrosschainParts,
  request: BundleRequest,
  context: CallContext,
): Promise<BundleAnswer> {
  const plan = planOf(parts, request, context)
  const { lane, destination, receiver } = plan
  const [sourcePin, destinationPin] = await pinBoth(
    { ...request, destinationChainId: destination.id },
    context,
    parts,
  )
  const source = parts.chains.of(request.chainId)
  const [here, there] = await Promise.all([
    lookAt(
      parts.tasks,
      {
        ...{ chain: source, pin: sourcePin },
        what: { accounts: [request.fromAddress], tokens: [nativeToken] },
      },
      context,
    ),
    lookAt(
      parts.tasks,
      {
        ...{ chain: destination, pin: destinationPin },
        what: {
          accounts: [receiver, ...ourContracts, ...lane.orderContracts],
          tokens: [nativeToken, lane.tokenOut],
        },
      },
      context,
    ),
  ])
  const isNamed = receiver !== request.fromAddress || request.receiver !== undefined
  if (!isNamed && here.kinds.get(receiver) === 'contract') {
    throw invalidRequest([
      `receiver is required: ${receiver} is a contract on chain ${source.id}, and its address may be nobody's on another.`,
    ])
  }
  if (plan.callback && !canOrder(lane, there)) {
    throw new ForkrouteError(
      'NO_ROUTE',
      `The contracts that would run the callback on chain ${destination.id} are not deployed there: npm run forkroute -- contracts deploy.`,
    )
  }
  const pair = await pairOf({ parts, plan, here, there, context })
  return toAnswer(request, plan, pair, { here, there })
}

/** All that is wrong about the request itself, before a block is pinned. */
function planOf(
  { chains }: CrosschainParts,
  request: BundleRequest,
  { whatIf }: CallContext,
): Plan {
  const found = request.actions.flatMap(({ action }, place) =>
    action === actionName ? [place] : [],
  )
  const index = at(found, 0)
  const [, second] = found
  if (second !== undefined) refuse(second, 'action', 'another: a bundle has one bridge action')
  if (request.skipQuote) {
    throw invalidRequest([
      'skipQuote is not available with a bridge action: both sides are simulated.',
    ])
  }
  if (whatIf) {
    throw invalidRequest([
      'stateOverrides and blockOverrides are of one chain: a bundle with a bridge action takes none.',
    ])
  }
  const given = at(request.actions, index)
  const { callback, ...args } = given.args
  const actions = request.actions.map((one, place) => (place === index ? { ...one, args } : one))
  const here = chains.of(request.chainId)
  const source = parseBundle({ ...request, actions }, here)
  const { values } = at(source.actions, index)
  const {
    tokenIn,
    primaryAddress,
    destinationChainId,
    receiver: named,
  } = values as {
    readonly tokenIn: Address
    readonly primaryAddress: Address
    readonly destinationChainId: number
    readonly receiver?: Address
  }
  const destination = chains.all.find(({ id }) => id === destinationChainId)
  if (!destination || destination.id === here.id) {
    const others = chains.all.flatMap(({ id }) => (id === here.id ? [] : [id]))
    return refuse(index, 'destinationChainId', `another configured chain: ${others.join(', ')}`)
  }
  const lanes = bridges
    .filter(
      ({ names }) =>
        given.protocol === request.serviceName || names.some((name) => name === given.protocol),
    )
    .flatMap((bridge) => bridge.lanes(here, destination))
  const through = lanes.filter(({ primary }) => primary === primaryAddress)
  if (!through.length) {
    const known = [...new Set(lanes.map(({ primary, bridge }) => `${primary} (${bridge})`))]
    const expected = known.length ? `one of ${known.join(', ')}` : 'of a bridge: none leads there'
    return refuse(
      index,
      'primaryAddress',
      `a contract that sends to chain ${destination.id}, ${expected}`,
    )
  }
  const lane = through.find((one) => one.tokenIn === tokenIn)
  if (!lane) {
    const taken = through.map((one) => `${one.tokenIn} (${one.symbol})`)
    return refuse(index, 'tokenIn', `what ${primaryAddress} takes: ${taken.join(', ')}`)
  }
  const receiver = named ?? request.receiver ?? request.fromAddress
  return {
    ...{ source, lane, destination, receiver },
    callback:
      callback === undefined || callback === null
        ? null
        : callbackOf(request, { index, callback, lane, destination, receiver }),
  }
}

/** A bundle of its own on the destination. */
function callbackOf(
  request: BundleRequest,
  to: Pick<Plan, 'lane' | 'destination' | 'receiver'> & {
    readonly index: number
    readonly callback: unknown
  },
): TypedBundle {
  const { index, callback, lane, destination, receiver } = to
  if (!Array.isArray(callback) || !callback.length || callback.length > maxActions) {
    return refuse(index, 'callback', `a list of 1 to ${maxActions} actions`)
  }
  const actions = callback.map((item: unknown, place): BundleAction => {
    const { protocol, action, args = {} } = (item ?? {}) as Record<string, unknown>
    const name = `callback[${place}]`
    if (typeof protocol !== 'string' || typeof action !== 'string') {
      return refuse(index, name, 'an action {protocol, action, args}')
    }
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      return refuse(index, `${name}.args`, 'an object')
    }
    if (action.toLowerCase() === actionName) {
      return refuse(index, `${name}.action`, 'another: a bundle has one bridge action')
    }
    return {
      ...{ protocol: protocol.toLowerCase(), action: action.toLowerCase() },
      args: args as Record<string, unknown>,
    }
  })
  const first = at(actions, 0)
  if (first.action !== 'balance') refuse(index, 'callback[0].action', 'balance, of what arrives')
  const { blockNumber: _b, deadline: _d, spender: _s, includeTrace: _t, ...terms } = request
  try {
    const typed = parseBundle(
      {
        ...{ ...terms, actions, receiver, refundReceiver: receiver, fromAddress: receiver },
        ...{ chainId: destination.id, strategy: 'router', executionMode: 'backend' },
      },
      destination,
    )
    if (at(typed.actions, 0).values.token !== lane.tokenOut) {
      refuse(index, 'callback[0].token', `${lane.tokenOut}, which is what arrives`)
    }
    return typed
  } catch (error) {
    const problems = error instanceof ForkrouteError ? error.details?.problems : undefined
    if (!problems || at(problems as readonly Problem[], 0).argument.startsWith('callback'))
      throw error
    throw badArguments(
      (problems as readonly Problem[]).map(({ action, argument, expected }) => ({
        ...{ action: index, expected },
        argument: `callback[${action}].${argument}`,
      })),
    )
  }
}

/** @throws ForkrouteError where no pair holds. */
async function pairOf(args: {
  readonly parts: CrosschainParts
  readonly plan: Plan
  readonly here: Side
  readonly there: Side
  readonly context: CallContext
}): Promise<Pair> {
  const { parts, plan, here, there, context } = args
  const { lane, receiver, callback: order } = plan
  const { accountId } = context
  const receiverKind = there.kinds.get(receiver) ?? 'plain'
  const paid = paidTo(lane, receiverKind)
  const cross = (
    known: { readonly message: Hex; readonly orderGas: bigint; readonly deliveryGas: bigint },
    how: { readonly isRough: boolean; readonly least?: bigint },
  ) => {
    const parcel: Parcel = {
      receiver: order ? lane.orderReceiver : receiver,
      message: known.message,
      gas: order ? gasForOrder(known.orderGas) : 0n,
      deliveryCost: deliveryCostOf(there, lane, known.deliveryGas),
    }
    const request = plan.source
    const refundReceiver = request.refundReceiver ?? request.fromAddress
    // Failing here costs gas alone, failing there gives another token.
    const centiBps = order ? defaultCentiBps / 2n : defaultCentiBps
    return parts.tasks.runAt(
      'crossing',
      { request, accountId, lane, parcel, centiBps, refundReceiver, ...how },
      here.pin,
      context,
    )
  }
  const land = (
    { delivery }: Crossed,
    gas: bigint,
    tokens: readonly Address[],
    landed: Callback | null,
  ) =>
    parts.tasks.runAt(
      'landing',
      { delivery, gas, tokens, receiver, ...(landed && { order: landed.order }) },
      there.pin,
      context,
    )
  if (!order) {
    const known = { message: '0x', orderGas: 0n } as const
    const first = await cross({ ...known, deliveryGas: usualGas.plain }, { isRough: true })
    const { gained, gas: deliveryGas } = await land(first, 0n, [paid], null)
    const least = lessSlippage(at(gained, 0).amount, defaultCentiBps)
    let minimum = least
    for (let round = 0; round < finalRounds; round++) {
      const crossed = await cross({ ...known, deliveryGas }, { isRough: false, least: minimum })
      const landed = await land(crossed, 0n, [paid], null)
      const amountOut = at(landed.gained, 0).amount
      if (lessSlippage(amountOut, defaultCentiBps) === minimum) {
        const outputs = [{ token: paid, amountOut, minAmountOut: minimum }]
        return { crossed, callback: null, outputs }
      }
      minimum = lessSlippage(amountOut, defaultCentiBps)
    }
    throw unsettled()
  }
  const run = ({ delivery }: Crossed, gas: bigint) =>
    parts.tasks.runAt(
      'callback',
      { request: order, accountId, delivery, gas, receiver },
      there.pin,
      context,
    )
  const rough = await cross(
    {
      message: `0x${'ff'.repeat(usualMessageBytes)}`,
      orderGas: roomyGas,
      deliveryGas: usualGas.order,
    },
    { isRough: true },
  )
  const { gas: deliveryGas } = await run(rough, roomyGas)
  const orderGas = orderGasFor(deliveryGas)
  let callback = await run(rough, orderGas)
  for (let round = 0; round < finalRounds; round++) {
    const { message } = callback
    if (message.length / 2 - 1 > maxMessageBytes) {
      throw new ForkrouteError(
        'NO_ROUTE',
        `The callback has ${message.length / 2 - 1} bytes, and bridges carry ${maxMessageBytes}: it needs fewer actions.`,
      )
    }
    const crossed = await cross({ message, orderGas, deliveryGas }, { isRough: false })
    const expected = callback.result.outputs ?? []
    const tokens = expected.map(({ token }) => token)
    const landed = await land(crossed, gasForOrder(orderGas), tokens, callback)
    const isSame = expected.every(
      ({ amountOut }, place) => landed.gained[place]?.amount === amountOut,
    )
    const again = await run(crossed, orderGas)
    if (isSame && again.message === message) return { crossed, callback, outputs: expected }
    callback = again
  }
  throw unsettled()
}

function unsettled(): ForkrouteError {
  return new ForkrouteError(
    'SIMULATION_REVERTED',
    'What is delivered changes with its own minimum.',
  )
}

function toAnswer(
  request: BundleRequest,
  { lane, receiver }: Plan,
  { crossed, callback, outputs }: Pair,
  { here, there }: { readonly here: Side; readonly there: Side },
): BundleAnswer {
  const { result, nativeFee, delivery } = crossed
  const onArrival = callback?.result
  return {
    ...result,
    route: [
      // The steps after a bridge are those of its destination, wherever in the bundle it sends.
      ...result.route.filter(({ action }) => action !== actionName),
      ...result.route
        .filter(({ action }) => action === actionName)
        .map((step) => ({ ...step, amountOut: [delivery.amount] })),
      ...(onArrival?.route ?? []),
    ],
    // What has arrived is on another chain.
    priceImpact: null,
    warnings: [...new Set([...result.warnings, ...(onArrival?.warnings ?? [])])],
    actions: request.actions,
    crosschain: {
      destinationBlock: there.pin,
      bridgeFee: costOf(here, nativeFee),
      estimates: [
        {
          bridge: lane.bridge,
          fromChainId: lane.sourceChainId,
          toChainId: lane.destinationChainId,
          token: lane.tokenIn,
          estimatedSeconds: lane.estimatedSeconds,
        },
      ],
      arrival: {
        ...{ receiver, outputs, delivered: { token: delivery.token, amount: delivery.amount } },
        payments: onArrival?.payments ?? [],
        unprotected: onArrival?.unprotected ?? [],
      },
    },
  }
}

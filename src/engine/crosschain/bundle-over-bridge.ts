/**
 * A bundle with a bridge action: what comes before and after it is the transaction on the source, its callback the order
 * on the destination. As of a route, the answer is a pair in which the order is made for what that very transaction sends.
 */
import { gasForOrder, type Parcel } from '../../bridges/bridge.js'
import type { BundleAnswer, BundleRequest, TransactionOutput } from '../../domain/bundle.js'
import { invalidRequest } from '../../domain/common-errors.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import {
  type Address,
  defaultCentiBps,
  type Hex,
  lessSlippage,
  nativeToken,
} from '../../domain/primitives.js'
import type { Callback, Crossed } from '../../routing/crosschain/messages.js'
import { actionName, type BridgedPlan, planOver } from './bundle-plan.js'
import { deliveryCostOf, orderGasFor, roomyGas, usualGas, usualMessageBytes } from './journey.js'
import { costOf, type Side, senderWarnings } from './journey-answer.js'
import { besideFallback, requireDelivered } from './landed.js'
import { type CrosschainParts, canOrder, lookAt, ourContracts, pinBoth } from './sides.js'
import { paidTo } from './ways.js'

/** Of the pair, each time with what the one before has shown. */
const finalRounds = 4
/** Bytes of a message that bridges carry. */
const maxMessageBytes = 10_000

interface Pair {
  readonly crossed: Crossed
  readonly callback: Callback | null
  readonly outputs: readonly TransactionOutput[]
}

/** @throws ForkrouteError as `Engine.bundle`; INVALID_REQUEST names the argument of the bridge action that cannot be. */
export async function bundleOverBridge(
  parts: CrosschainParts,
  request: BundleRequest,
  context: CallContext,
): Promise<BundleAnswer> {
  const plan = planOver(parts.chains, request, context)
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

/** @throws ForkrouteError where no pair holds. */
async function pairOf(args: {
  readonly parts: CrosschainParts
  readonly plan: BridgedPlan
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
  const land = async (
    { delivery }: Crossed,
    gas: bigint,
    tokens: readonly Address[],
    landed: Callback | null,
  ) => {
    const touched = landed?.touched
    const args = { delivery, gas, tokens, receiver, ...(touched && { touched }) }
    const landing = await parts.tasks.runAt('landing', args, there.pin, context)
    return requireDelivered(landing, { delivery, there, receiver })
  }
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
  const run = async ({ delivery }: Crossed, gas: bigint): Promise<Callback> => {
    const asked = { request: order, accountId, delivery, gas, receiver }
    try {
      return await parts.tasks.runAt('callback', asked, there.pin, context)
    } catch (error) {
      if (!(error instanceof ForkrouteError)) throw error
      // Its indexes are those of another list.
      const { code, message, details } = error
      throw new ForkrouteError(code, `callback on chain ${lane.destinationChainId}: ${message}`, {
        ...details,
        isCallback: true,
      })
    }
  }
  const rough = await cross(
    {
      message: `0x${'ff'.repeat(usualMessageBytes)}`,
      orderGas: roomyGas,
      deliveryGas: usualGas.order,
    },
    { isRough: true },
  )
  const planned = { there, receiver, delivery: rough.delivery, gas: gasForOrder(roomyGas) }
  const planning = run(rough, roomyGas)
  const { gas: deliveryGas } = await besideFallback(parts, planned, context, planning)
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
  { lane, receiver }: BridgedPlan,
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
    warnings: [
      ...new Set([
        ...result.warnings,
        ...(onArrival?.warnings ?? []),
        ...senderWarnings(lane, request.fromAddress, here),
      ]),
    ],
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

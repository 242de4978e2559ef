/**
 * The destination leg of a crosschain quote: the order that runs with what is delivered, planned and measured in the
 * delivery itself as whoever makes it would send it.
 */
import type { Delivery } from '../../bridges/bridge.js'
import { bridgeOf } from '../../bridges/registry.js'
import type { Touched } from '../../domain/bridges/touched.js'
import type {
  BundleResult,
  TransactionOutput,
  TypedAction,
  TypedBundle,
} from '../../domain/bundle.js'
import { invalidRequest } from '../../domain/common-errors.js'
import { defined } from '../../domain/defined.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at, zip } from '../../domain/lists.js'
import {
  type Address,
  bpsDenominator,
  centiBpsDenominator,
  defaultCentiBps,
  type Hex,
} from '../../domain/primitives.js'
import { sum } from '../../protocols/shared/value-steps.js'
import type { Task } from '../block/task.js'
import { route } from '../bundle/actions/route.js'
import type { BundleArgs } from '../bundle/bundle-context.js'
import { type MeasuredBundle, runBundle } from '../bundle/bundle-task.js'
import type { OwnActions } from '../bundle/performers.js'
import { depositsIn, enteringActions, findTarget, sharesOf } from '../bundle/position-target.js'
import { defineServiceAction } from '../bundle/service-action.js'
import { touchedBy } from '../bundle/simulate-delivery.js'
import type { KnownRoute } from '../search/known-routes.js'
import { atDeliveryPrice } from './delivery-price.js'
import { notPaid, whyRefused } from './payment.js'
import { deliveriesOf, type LaneSend, type SentDelivery, sending } from './source-task.js'

const serviceName = 'svc'

/** What is done with what is delivered: the end of a route, or actions of a bundle. */
export type DestinationOrder =
  | {
      readonly kind: 'route'
      /** Its inputs are not looked at. */
      readonly request: RouteRequest
      readonly fee?: { readonly bps: bigint; readonly receiver: Address }
      /** Candidates of each route inside that are simulated. */
      readonly candidates: number
    }
  | { readonly kind: 'actions'; readonly request: TypedBundle }

export interface DestinationLegArgs {
  readonly order: DestinationOrder
  readonly accountId: Hex
  readonly delivery: Delivery
  /** Gas that the order must be given. */
  readonly gas: bigint
  readonly receiver: Address
  /** Wei, > 0, that come with the order's call. */
  readonly callValue?: bigint
  /** One for each bridge action of the order, in their order; absent: it has none. */
  readonly sends?: readonly LaneSend[]
  readonly knownRoutes: readonly KnownRoute[]
}

export interface DestinationLeg
  extends Pick<
    BundleResult,
    'route' | 'warnings' | 'cautions' | 'payments' | 'unprotected' | 'explanation'
  > {
  /** What the bridge is to carry. */
  readonly message: Hex
  /** What the order in it touches. */
  readonly touched: Touched
  /** What the receiver is paid, or what enters the position of each of its tokens. */
  readonly outputs: readonly TransactionOutput[]
  /** Gas of the delivering transaction. */
  readonly gas: bigint
  /** What the order sends on, in the order of `sends`. */
  readonly sent: readonly SentDelivery[]
  readonly knownRoutes: readonly KnownRoute[]
}

type RouteOrder = Extract<DestinationOrder, { kind: 'route' }>

/** The actions of an order, and which outputs they give. */
interface Purpose {
  readonly actions: readonly TypedAction[]
  readonly own: OwnActions
  /** See `BundleArgs`. */
  readonly reportedActions?: readonly number[]
  outputsIn(result: MeasuredBundle): readonly TransactionOutput[]
}

/** @throws ForkrouteError as a bundle: NO_ROUTE, SIMULATION_REVERTED; NOT_FOUND for a position that is none. */
export async function runDestinationLeg(
  atBlock: Task,
  args: DestinationLegArgs,
): Promise<DestinationLeg> {
  const { order } = args
  const task = atDeliveryPrice(atBlock)
  return order.kind === 'route' ? runRouteLeg(task, args, order) : runActions(task, args, order)
}

async function runRouteLeg(
  task: Task,
  args: DestinationLegArgs,
  order: RouteOrder,
): Promise<DestinationLeg> {
  const { request, fee, candidates } = order
  const { delivery, receiver, accountId, knownRoutes } = args
  const positionOut = request.crosschain?.positionOut
  const { actions, own, outputsIn, ...reported } =
    positionOut === undefined
      ? payingToken(args, order)
      : await enteringPosition(task, args, { request, positionOut })
  const bundle: BundleArgs = {
    request: {
      chainId: task.chain.id,
      fromAddress: receiver,
      strategy: 'router',
      executionMode: 'backend',
      actions,
      receiver,
      refundReceiver: receiver,
      ignoreAggregators: request.ignoreAggregators,
      ignoreStandards: request.ignoreStandards,
      skipQuote: false,
      ...defined({
        poolChoice: request.poolChoice,
        referralCode: request.referralCode,
        explain: request.explain,
      }),
    },
    accountId,
    candidates,
    knownRoutes,
    // The pair of the answer is simulated as a delivery of its own.
    estimateOnly: true,
    delivered: { ...deliveredTo(args), ...defined({ fee }) },
    ...reported,
  }
  const measured = await runBundle(task, bundle, own).catch(async (error: unknown) => {
    throw positionOut === undefined
      ? await becauseOfReceiver(task, args, { request, error })
      : becauseOfPosition(error)
  })
  const outputs = outputsIn(measured)
  if (outputs.length === 0) {
    const reason = 'it gains nothing by the delivery, as a pool on its way does'
    const { id: chainId } = task.chain
    const token = at(request.tokensOut, 0)
    throw notPaid({ receiver, token, chainId, reason, bridge: bridgeOf(delivery).slug })
  }
  return {
    ...legOf(measured, 'The order of the delivery pays nothing.'),
    route: measured.route.filter(({ protocol }) => protocol !== serviceName),
    outputs,
    payments: [],
    unprotected: [],
  }
}

/** The actions that a bundle has for what is delivered. */
async function runActions(
  task: Task,
  args: DestinationLegArgs,
  { request }: Extract<DestinationOrder, { kind: 'actions' }>,
): Promise<DestinationLeg> {
  const { accountId, knownRoutes, sends = [] } = args
  const delivered = deliveredTo(args)
  const { fees, ...sent } = sending(task, request, sends)
  // The pair of the answer is simulated as a delivery of its own.
  const bundle = { ...sent, accountId, knownRoutes, estimateOnly: true, delivered }
  const measured = await runBundle(task, bundle)
  const deliveries = deliveriesOf(task, sends, measured.logs)
  return {
    ...legOf(measured, 'The callback has no order.'),
    sent: zip(deliveries, fees).map(([delivery, nativeFee]) => ({ delivery, nativeFee })),
  }
}

function deliveredTo({ delivery, gas, receiver, callValue }: DestinationLegArgs) {
  const bridge = bridgeOf(delivery)
  return { bridge, delivery, gas, fallbackReceiver: receiver, ...defined({ callValue }) }
}

/** @param missing - why there is no leg where nothing was simulated. @throws ForkrouteError SIMULATION_REVERTED. */
function legOf(measured: MeasuredBundle, missing: string): DestinationLeg {
  const { message, order, gas, outputs, explanation } = measured
  if (!message || !order || gas === null) throw new ForkrouteError('SIMULATION_REVERTED', missing)
  return {
    message,
    touched: touchedBy(order),
    gas,
    outputs: outputs ?? [],
    sent: [],
    route: measured.route,
    warnings: measured.warnings,
    payments: measured.payments,
    unprotected: measured.unprotected,
    knownRoutes: measured.knownRoutes,
    ...defined({ explanation, cautions: measured.cautions }),
  }
}

/** An order fails also where its receiver takes no such token, and its steps do not say so. */
async function becauseOfReceiver(
  task: Task,
  { receiver, delivery: { bridge } }: DestinationLegArgs,
  { request, error }: { readonly request: RouteRequest; readonly error: unknown },
): Promise<unknown> {
  if (!(error instanceof ForkrouteError) || error.code !== 'SIMULATION_REVERTED') return error
  const token = at(request.tokensOut, 0)
  const reason = await whyRefused(task, { token, receiver, amount: 1n })
  if (reason === null) return error
  return notPaid({ receiver, token, chainId: task.chain.id, reason, bridge })
}

/** What keeps an Executor from depositing for somebody is no matter of the request's own strategy. */
function becauseOfPosition(error: unknown): unknown {
  if (!(error instanceof ForkrouteError) || error.code !== 'INVALID_REQUEST') return error
  if (error.details?.argument !== 'routingStrategy') return error
  return invalidRequest([
    'positionOut must be a position that others can enter for the receiver: on another chain an order does, and this ' +
      'contract takes what its caller gives in the name of its caller alone',
  ])
}

/** What is delivered, swapped where it is not the token that is asked for. */
function payingToken({ delivery }: DestinationLegArgs, { request, fee }: RouteOrder): Purpose {
  const [tokenOut] = request.tokensOut
  if (!tokenOut) throw new RangeError('A route needs a tokenOut.')
  const { limit } = request
  const slippage = limit.kind === 'slippage' ? limit.centiBps : centiBpsDenominator
  const taken = fee ? (delivery.amount * fee.bps) / bpsDenominator : 0n
  const minimums = limit.kind === 'minimum' ? limit.minimums.map(({ amount }) => amount) : undefined
  const outputsIn: Purpose['outputsIn'] = ({ outputs }) => (outputs ?? []).slice(0, 1)
  if (tokenOut === delivery.token) {
    const definition = keep(tokenOut, slippage, minimums?.[0])
    const action = definition.typed(serviceName, {})
    return { actions: [], own: { last: { action, definition } }, outputsIn }
  }
  const routed = route.typed(serviceName, {
    tokenIn: delivery.token,
    amountIn: delivery.amount - taken,
    tokenOut,
    ...(minimums ? { minAmountOut: minimums } : { slippage }),
  })
  return { actions: [routed], own: {}, outputsIn }
}

/** What is delivered, routed to the tokens of the position and deposited in the name of the receiver. */
async function enteringPosition(
  task: Task,
  { delivery: { token }, receiver }: DestinationLegArgs,
  { request, positionOut }: { readonly request: RouteRequest; readonly positionOut: string },
): Promise<Purpose> {
  const target = await task.clock.stage('state', () => findTarget(task, positionOut))
  const shares = await sharesOf(task, target)
  const centiBps = request.limit.kind === 'slippage' ? request.limit.centiBps : defaultCentiBps
  const given = target.position.underlyingTokens.map((tokenOut, index) => ({
    tokenOut,
    parts: at(shares, index) > 0 ? [{ token, amount: { useOutputOfCallAt: 0, index } }] : [],
  }))
  const { actions, deposits } = enteringActions(target, given, {
    first: 1,
    serviceName,
    receiver,
    centiBps,
  })
  const definition = shareOut(token, shares)
  return {
    actions,
    own: { first: { action: definition.typed(serviceName, {}), definition } },
    reportedActions: deposits,
    outputsIn: (result) => depositsIn(result, centiBps),
  }
}

/** Parts of what has arrived, which may be another amount than was planned with. */
function shareOut(token: Address, shares: readonly number[]) {
  return defineServiceAction({
    name: 'share',
    description: 'What is delivered, in parts.',
    inputs: {},
    isPriced: true,
    outputs: () => shares.length,
    perform(_args, context) {
      const whole = sum(context, [{ ref: 'balance', token }])
      return {
        spends: [],
        outputs: shares.map((bps) => ({ token, amount: { ...whole, bps } })),
        leftovers: [token],
      }
    },
  })
}

/** What has arrived is what the receiver gets, as it is; the end of the order enforces how much. */
function keep(token: Address, centiBps: bigint, least: bigint | undefined) {
  return defineServiceAction({
    name: 'keep',
    description: 'What is delivered, as it is.',
    inputs: {},
    isPriced: true,
    outputs: () => 1,
    perform: () => ({
      spends: [],
      outputs: [{ token, amount: { ref: 'balance', token } }],
      centiBps,
      ...defined({ least }),
    }),
  })
}

/**
 * The destination's half of a route over a bridge: the order that runs with what is delivered, and the delivery itself
 * as whoever makes it would.
 */
import { bridgeOf } from '../../bridges/registry.js'
import type { TransactionOutput, TypedAction } from '../../domain/bundle.js'
import { invalidRequest } from '../../domain/common-errors.js'
import { defined } from '../../domain/defined.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import {
  type Address,
  bpsDenominator,
  centiBpsDenominator,
  defaultCentiBps,
} from '../../domain/primitives.js'
import { sum } from '../../protocols/shared/value-steps.js'
import type { Task } from '../block/task.js'
import { route } from '../bundle/actions/route.js'
import type { BundleArgs } from '../bundle/bundle-context.js'
import { runBundle, type ToldResult } from '../bundle/bundle-task.js'
import type { OwnActions } from '../bundle/performers.js'
import { depositsIn, enteringActions, findTarget, sharesOf } from '../bundle/position-target.js'
import { defineServiceAction } from '../bundle/service-action.js'
import { touchedBy } from '../bundle/simulate-landing.js'
import type { Arrival, ArrivalArgs, Callback, CallbackArgs } from './messages.js'
import { notPaid, whyRefused } from './payment.js'

const serviceName = 'svc'

/** The actions of an order, and how what they give is told. */
interface Purpose {
  readonly actions: readonly TypedAction[]
  readonly own: OwnActions
  /** See `BundleArgs`. */
  readonly reportedActions?: readonly number[]
  outputsIn(result: ToldResult): readonly TransactionOutput[]
}

/** @throws ForkrouteError as a bundle: NO_ROUTE, SIMULATION_REVERTED; NOT_FOUND for a position that is none. */
export async function runArrival(task: Task, args: ArrivalArgs): Promise<Arrival> {
  const { request, delivery, gas, receiver, fee } = args
  const bridge = bridgeOf(delivery)
  const positionOut = request.crosschain?.positionOut
  const { actions, own, outputsIn, ...reported } =
    positionOut === undefined ? payingToken(args) : await enteringPosition(task, args, positionOut)
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
      ...(request.poolChoice && { poolChoice: request.poolChoice }),
      ...defined({ referralCode: request.referralCode }),
      ...(request.explain && { explain: request.explain }),
    },
    accountId: args.accountId,
    candidates: args.candidates,
    knownRoutes: args.knownRoutes,
    // The pair of the answer is simulated as a landing.
    isRough: true,
    arrival: { bridge, delivery, gas, fallbackReceiver: receiver, ...(fee && { fee }) },
    ...reported,
  }
  const result = await runBundle(task, bundle, own).catch(async (error: unknown) => {
    throw positionOut === undefined ? await ofReceiver(task, args, error) : ofPosition(error)
  })
  const outputs = outputsIn(result)
  const { message, order } = result
  if (outputs.length === 0) {
    const reason = 'it gains nothing by the delivery, as a pool on its way does'
    const { id: chainId } = task.chain
    const token = at(request.tokensOut, 0)
    throw notPaid({ receiver, token, chainId, reason, bridge: bridge.slug })
  }
  if (!message || !order || result.gas === null) {
    throw new ForkrouteError('SIMULATION_REVERTED', 'The order of the delivery pays nothing.')
  }
  return {
    route: result.route.filter(({ protocol }) => protocol !== serviceName),
    warnings: result.warnings,
    ...(result.explanation && { explanation: result.explanation }),
    message,
    outputs,
    touched: touchedBy(order),
    gas: result.gas,
    knownRoutes: result.knownRoutes,
  }
}

/** The actions that a bundle has for what arrives. @throws ForkrouteError as a bundle. */
export async function runCallback(task: Task, args: CallbackArgs): Promise<Callback> {
  const { request, accountId, delivery, gas, receiver } = args
  const arrival = { bridge: bridgeOf(delivery), delivery, gas, fallbackReceiver: receiver }
  // The pair of the answer is simulated as a landing.
  const told = await runBundle(task, { request, accountId, isRough: true, arrival })
  const { reported: _r, deposited: _d, logs: _l, knownRoutes: _k, tx: _t, ...rest } = told
  const { message, order, ...result } = rest
  if (!message || !order || result.gas === null) {
    throw new ForkrouteError('SIMULATION_REVERTED', 'The callback has no order.')
  }
  return { message, touched: touchedBy(order), gas: result.gas, result }
}

/** An order fails also where its receiver takes no such token, and its steps do not say so. */
async function ofReceiver(
  task: Task,
  { request, receiver, delivery: { bridge } }: ArrivalArgs,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof ForkrouteError) || error.code !== 'SIMULATION_REVERTED') return error
  const token = at(request.tokensOut, 0)
  const reason = await whyRefused(task, { token, receiver, amount: 1n })
  if (reason === null) return error
  return notPaid({ receiver, token, chainId: task.chain.id, reason, bridge })
}

/** What keeps an Executor from depositing for somebody is no matter of the request's own strategy. */
function ofPosition(error: unknown): unknown {
  if (!(error instanceof ForkrouteError) || error.code !== 'INVALID_REQUEST') return error
  if (error.details?.argument !== 'routingStrategy') return error
  return invalidRequest([
    'positionOut must be a position that others can enter for the receiver: on another chain an order does, and this ' +
      'contract takes what its caller gives in the name of its caller alone',
  ])
}

/** What is delivered, swapped where it is not the token that is asked for. */
function payingToken({ request, delivery, fee }: ArrivalArgs): Purpose {
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
  { request, delivery: { token }, receiver }: ArrivalArgs,
  positionOut: string,
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

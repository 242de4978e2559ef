/**
 * The destination's half of a route over a bridge: the order that runs with what is delivered, and the delivery itself
 * as whoever makes it would.
 */
import type { Delivery } from '../../bridges/bridge.js'
import { bridgeBySlug } from '../../bridges/registry.js'
import { ForkrouteError } from '../../domain/errors.js'
import { zip } from '../../domain/lists.js'
import { type Address, centiBpsDenominator } from '../../domain/primitives.js'
import { route } from '../bundle/actions/route.js'
import type { BundleArgs } from '../bundle/bundle-context.js'
import { runBundle } from '../bundle/bundle-task.js'
import { defineServiceAction } from '../bundle/service-action.js'
import { readDeliveryAhead, simulateLanding } from '../bundle/simulate-landing.js'
import type { TaskRun } from '../context/task-context.js'
import type {
  Arrival,
  ArrivalArgs,
  Callback,
  CallbackArgs,
  Landing,
  LandingArgs,
} from './messages.js'

const serviceName = 'svc'

/** @throws ForkrouteError as a bundle: NO_ROUTE, SIMULATION_REVERTED. */
export async function runArrival(run: TaskRun, args: ArrivalArgs): Promise<Arrival> {
  const { request, delivery, gas, receiver, fee } = args
  const bridge = bridgeFor(delivery)
  const [tokenOut] = request.tokensOut
  if (!tokenOut) throw new RangeError('A route needs a tokenOut.')
  const { limit } = request
  const slippage = limit.kind === 'slippage' ? limit.centiBps : centiBpsDenominator
  const taken = fee ? (delivery.amount * fee.bps) / 10_000n : 0n
  const amount = delivery.amount - taken
  const minimums = limit.kind === 'minimum' ? limit.minimums.map((one) => one.amount) : undefined
  const kept = keep(tokenOut, slippage, minimums?.[0])
  const isThere = tokenOut === delivery.token
  const routed = route.typed(serviceName, {
    ...{ tokenIn: delivery.token, amountIn: amount, tokenOut },
    ...(minimums ? { minAmountOut: minimums } : { slippage }),
  })
  const bundle: BundleArgs = {
    request: {
      chainId: run.block.chain.id,
      fromAddress: receiver,
      strategy: 'router',
      executionMode: 'backend',
      actions: isThere ? [] : [routed],
      receiver,
      refundReceiver: receiver,
      ignoreAggregators: request.ignoreAggregators,
      ignoreStandards: request.ignoreStandards,
      skipQuote: false,
      ...(request.poolChoice && { poolChoice: request.poolChoice }),
      ...(request.referralCode !== undefined && { referralCode: request.referralCode }),
      ...(request.explain && { explain: request.explain }),
    },
    accountId: args.accountId,
    candidates: args.candidates,
    // The pair of the answer is simulated as a landing.
    isRough: true,
    arrival: { bridge, delivery, gas, fallbackReceiver: receiver, ...(fee && { fee }) },
  }
  const ending = isThere ? { action: kept.typed(serviceName, {}), definition: kept } : undefined
  const result = await runBundle(run, bundle, ending)
  const [output] = result.outputs ?? []
  const { message, order } = result
  if (!message || !order || !output || result.gas === null) {
    throw new ForkrouteError('SIMULATION_REVERTED', 'The order of the delivery pays nothing.')
  }
  return {
    route: result.route.filter(({ protocol }) => protocol !== serviceName),
    warnings: result.warnings,
    ...(result.explanation && { explanation: result.explanation }),
    ...{ message, order },
    output,
    gas: result.gas,
  }
}

/** The actions that a bundle has for what arrives. @throws ForkrouteError as a bundle. */
export async function runCallback(run: TaskRun, args: CallbackArgs): Promise<Callback> {
  const { request, accountId, delivery, gas, receiver } = args
  const arrival = { bridge: bridgeFor(delivery), delivery, gas, fallbackReceiver: receiver }
  // The pair of the answer is simulated as a landing.
  const told = await runBundle(run, { request, accountId, isRough: true, arrival })
  const { reported: _r, deposited: _d, logs: _l, tx: _t, message, order, ...result } = told
  if (!message || !order || result.gas === null) {
    throw new ForkrouteError('SIMULATION_REVERTED', 'The callback has no order.')
  }
  return { message, order, gas: result.gas, result }
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
      ...(least !== undefined && { least }),
    }),
  })
}

/** @throws ForkrouteError SIMULATION_REVERTED, STATE_UNAVAILABLE. */
export async function runLanding(run: TaskRun, args: LandingArgs): Promise<Landing> {
  const { delivery, gas, tokens, receiver } = args
  const bridge = bridgeFor(delivery)
  if (args.order) await readDeliveryAhead(run, args.order, delivery.message)
  const measure = tokens.map((token) => ({ token, owner: receiver }))
  const { result } = await simulateLanding(run, bridge, { delivery, gas, measure })
  if (result.status === 'unreadable') {
    throw new ForkrouteError(
      'STATE_UNAVAILABLE',
      `The delivery cannot be simulated: ${result.message}.`,
    )
  }
  if (result.status === 'reverted') {
    const { reason } = result
    const message = `The delivery by ${bridge.name} fails on chain ${run.block.chain.id}: ${reason}.`
    throw new ForkrouteError('SIMULATION_REVERTED', message, { bridge: bridge.slug, reason })
  }
  const gained = zip(tokens, result.deltas).map(([token, { amount }]) => ({ token, amount }))
  return { gained, gas: result.gasUsed }
}

function bridgeFor({ bridge }: Delivery) {
  const found = bridgeBySlug(bridge)
  if (!found) throw new RangeError(`There is no bridge ${bridge}.`)
  return found
}

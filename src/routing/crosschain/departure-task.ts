/**
 * The source's half of a route over a bridge: swaps to what the bridge takes, and the call of the bridge, as the one
 * transaction that the sender signs. What it sends stands in the logs of its simulation.
 */
import type { Delivery, LaneQuote } from '../../bridges/bridge.js'
import { bridgeOf, createBridges } from '../../bridges/registry.js'
import type { Reference, TypedAction } from '../../domain/bundle.js'
import { defined } from '../../domain/defined.js'
import type { GasCost, RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { bpsDenominator, type TokenAmount } from '../../domain/primitives.js'
import type { Task } from '../block/task.js'
import { bridge as bridgeAction, mentionsFee } from '../bundle/actions/bridge.js'
import { merge } from '../bundle/actions/merge.js'
import type { BundleArgs } from '../bundle/bundle-context.js'
import { runBundle, type ToldResult } from '../bundle/bundle-task.js'
import { transactionCost } from '../route/transaction-cost.js'
import type { Crossed, CrossingArgs, Departure, DepartureArgs } from './messages.js'

const serviceName = 'svc'

/** @throws ForkrouteError as a bundle; NO_ROUTE where the lane refuses. */
export async function runDeparture(task: Task, args: DepartureArgs): Promise<Departure> {
  const { request, lane } = args
  const inputs = inputsOf(request)
  const actions = swapsOf(args, inputs)
  const [only] = inputs
  const amountIn: bigint | Reference =
    actions.length > 0
      ? { useOutputOfCallAt: 0, index: 0 }
      : (only?.amount ?? 0n) - (only?.fee ?? 0n)
  const action = bridgeAction.typed(serviceName, {
    tokenIn: lane.tokenIn,
    amountIn,
    primaryAddress: lane.primary,
    destinationChainId: lane.destinationChainId,
  })
  const bundle: BundleArgs = {
    request: {
      chainId: request.chainId,
      fromAddress: request.fromAddress,
      strategy: request.strategy,
      executionMode: request.executionMode,
      actions: [...actions, action],
      ignoreAggregators: request.ignoreAggregators,
      ignoreStandards: request.ignoreStandards,
      skipQuote: false,
      ...(request.poolChoice && { poolChoice: request.poolChoice }),
      // What steps leave over; the receiver may be nobody on this chain.
      refundReceiver: request.refundReceiver ?? request.fromAddress,
      receiver: request.fromAddress,
      ...defined({ referralCode: request.referralCode }),
      ...(request.deadline && { deadline: request.deadline }),
      ...(request.explain && { explain: request.explain }),
      ...(request.includeTrace && { includeTrace: true }),
    },
    accountId: args.accountId,
    candidates: args.candidates,
    isRough: args.isRough,
    knownRoutes: args.knownRoutes,
    ...(request.feeReceiver && {
      fee: {
        receiver: request.feeReceiver,
        amounts: new Map(inputs.map(({ token, fee }) => [token, fee])),
      },
    }),
  }
  const { result, gas, nativeFee, delivery } = await send(task, bundle, {
    ...args,
    refundReceiver: request.refundReceiver ?? request.fromAddress,
  })
  return {
    route: result.route.filter(({ protocol }) => protocol !== serviceName),
    tx: result.tx,
    fees: inputs.flatMap(({ token, fee }) => (fee ? [{ token, amount: fee }] : [])),
    warnings: result.warnings,
    ...defined({ trace: result.trace }),
    ...(result.explanation && { explanation: result.explanation }),
    gas,
    ...(request.includeTransactionCost &&
      !args.isRough && { gasCost: await costOf(task, { tx: result.tx, gasUsed: gas }) }),
    inputs: inputs.map(({ token, amount }) => ({ token, amount })),
    nativeFee,
    delivery,
    knownRoutes: result.knownRoutes,
  }
}

/** Each with the fee that is taken of it here. */
export function inputsOf({ inputs, feeReceiver }: RouteRequest) {
  return inputs.map(({ token, amount, feeBps = 0n }) => {
    const fee = feeReceiver ? (amount * feeBps) / bpsDenominator : 0n
    return { token, amount, fee }
  })
}

/** A bundle that a caller has made, as one half of two. */
export async function runCrossing(task: Task, args: CrossingArgs): Promise<Crossed> {
  const { request, accountId, isRough } = args
  const sent = await send(task, { request, accountId, isRough }, args)
  const { reported: _r, deposited: _d, logs: _l, knownRoutes: _k, ...result } = sent.result
  return { ...sent, result }
}

interface Sent extends Pick<Crossed, 'gas' | 'nativeFee' | 'delivery'> {
  readonly result: ToldResult
}

/** Runs a bundle that has a bridge action. @throws ForkrouteError as a bundle; NO_ROUTE where the lane refuses. */
async function send(
  task: Task,
  bundle: BundleArgs,
  to: Pick<CrossingArgs, 'lane' | 'parcel' | 'centiBps' | 'least' | 'refundReceiver'>,
): Promise<Sent> {
  const bridge = bridgeOf(to.lane, createBridges(task.settings))
  let quote: LaneQuote | undefined
  const onQuote = (found: LaneQuote) => {
    quote = found
  }
  const actions = bundle.request.actions.map((one) =>
    one.of === 'service' && one.action === bridgeAction.name ? mentionsFee(one, bridge) : one,
  )
  const { lane, parcel, centiBps, least, refundReceiver } = to
  const result = await runBundle(task, {
    ...bundle,
    request: { ...bundle.request, actions },
    crossing: {
      bridge,
      lane,
      parcel,
      centiBps,
      refundReceiver,
      onQuote,
      ...defined({ least }),
    },
  })
  const sent: readonly Delivery[] = bridge.deliveriesIn(result.logs, task.chain)
  const [delivery, another] = sent
  if (!delivery || another || result.gas === null) {
    throw new ForkrouteError(
      'SIMULATION_REVERTED',
      `${bridge.name} sent ${sent.length} deliveries in place of one.`,
    )
  }
  return { result, gas: result.gas, nativeFee: quote?.nativeFee ?? 0n, delivery }
}

async function costOf(task: Task, sent: Parameters<typeof transactionCost>[1]): Promise<GasCost> {
  const priced = await task.facts.pricedTokens(task.reader, [task.chain.wrappedNative])
  return transactionCost(task, sent, priced)
}

/** The swaps to what the lane takes; none where the one input is that. */
function swapsOf(
  { lane, centiBps }: DepartureArgs,
  inputs: readonly (TokenAmount & { readonly fee: bigint })[],
): TypedAction[] {
  const [only, another] = inputs
  if (only && !another && only.token === lane.tokenIn) return []
  const args = {
    tokenIn: inputs.map(({ token }) => token),
    amountIn: inputs.map(({ amount, fee }) => amount - fee),
    tokenOut: lane.tokenIn,
    slippage: centiBps,
  }
  return [merge.typed(serviceName, args)]
}

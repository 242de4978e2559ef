/**
 * The source leg of a crosschain quote: swaps to what the bridge takes, and the call of the bridge, as the one transaction
 * that the sender signs. What it sends stands in the logs of its simulation.
 */
import type { Delivery, DeliveryTerms, Lane } from '../../bridges/bridge.js'
import { bridgeOf, createBridges } from '../../bridges/registry.js'
import type { BundleResult, Reference, TypedAction, TypedBundle } from '../../domain/bundle.js'
import { defined } from '../../domain/defined.js'
import type { GasCost, RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at, zip } from '../../domain/lists.js'
import type { RoutePermit } from '../../domain/permit.js'
import { bpsDenominator, type Hex, type TokenAmount } from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import { routePermit } from '../../executor/permit.js'
import type { Task } from '../block/task.js'
import { bridge as bridgeAction, mentionsFee } from '../bundle/actions/bridge.js'
import { merge } from '../bundle/actions/merge.js'
import type { BridgeCall, BundleArgs } from '../bundle/bundle-context.js'
import { type MeasuredBundle, resultOf, runBundle } from '../bundle/bundle-task.js'
import { deadlineOf } from '../route/order-deadline.js'
import { choosePermit } from '../route/permit.js'
import { transactionCost } from '../route/transaction-cost.js'
import type { KnownRoute } from '../search/known-routes.js'

const serviceName = 'svc'

/** What the transaction does before it sends: swaps of a route, or the actions of a bundle that has bridge actions. */
export type SourceOrder =
  | {
      readonly kind: 'route'
      readonly request: RouteRequest
      /** Candidates of each route inside that are simulated. */
      readonly candidates: number
    }
  | { readonly kind: 'bundle'; readonly request: TypedBundle }

/** A lane, and the terms on which something is to be sent over it. */
export interface LaneTerms {
  readonly lane: Lane
  readonly terms: DeliveryTerms
}

/** How one bridge action sends. */
export interface LaneSend extends LaneTerms {
  /** What the token of the lane, and what it delivers, may fall short of the simulation; hundredths of a basis point. */
  readonly centiBps: bigint
  /**
   * Raw units that must be delivered at least, in place of `centiBps`: for a lane that pays the receiver itself, and 0 where
   * it is only to be learnt what is sent.
   */
  readonly least?: bigint
}

export interface SourceLegArgs {
  readonly order: SourceOrder
  readonly accountId: Hex
  /** One for each bridge action, in their order; a route has one. */
  readonly sends: readonly LaneSend[]
  readonly knownRoutes: readonly KnownRoute[]
  /** True: to learn what is delivered; not the transaction of the answer. */
  readonly estimateOnly: boolean
}

export interface SourceLeg {
  /** A route's has no steps of the service itself; its fees are those of the request. */
  readonly result: BundleResult
  readonly gas: bigint
  /** Where a route asks for it, and for the answer's own transaction alone. */
  readonly gasCost?: GasCost
  /** Where a route asks for it. */
  readonly permit?: RoutePermit
  /** What is taken from the sender: without the messaging fee. */
  readonly inputs: readonly TokenAmount[]
  /** Wei that all the messaging costs, of which more is sent. */
  readonly nativeFee: bigint
  /** In the order of `sends`. */
  readonly sent: readonly SentDelivery[]
  readonly knownRoutes: readonly KnownRoute[]
}

export interface SentDelivery {
  readonly delivery: Delivery
  /** Wei that its messaging costs. */
  readonly nativeFee: bigint
}

/** @throws ForkrouteError as a bundle; NO_ROUTE where a lane refuses. */
export async function runSourceLeg(task: Task, args: SourceLegArgs): Promise<SourceLeg> {
  const { order, accountId, estimateOnly, knownRoutes } = args
  if (order.kind === 'route') return runRouteLeg(task, args, order)
  const bundle = { request: order.request, accountId, estimateOnly, knownRoutes }
  const { measured, ...sent } = await send(task, bundle, args)
  return { ...sent, result: resultOf(measured), inputs: measured.inputs }
}

async function runRouteLeg(
  task: Task,
  args: SourceLegArgs,
  order: Extract<SourceOrder, { kind: 'route' }>,
): Promise<SourceLeg> {
  const { request, candidates } = order
  const { accountId, estimateOnly, knownRoutes } = args
  const inputs = inputsOf(request)
  const amounts = new Map(inputs.map(({ token, fee }) => [token, fee]))
  const { feeReceiver: receiver } = request
  const permit = request.permit
    ? await choosePermit(task, request, at(inputs, 0).amount, deadlineOf(task, request))
    : undefined
  const bundle: BundleArgs = {
    request: bundleOf(args, request),
    accountId,
    candidates,
    estimateOnly,
    knownRoutes,
    ...defined({ permit, fee: receiver && { receiver, amounts } }),
  }
  const { measured, ...sent } = await send(task, bundle, args)
  const result = resultOf(measured)
  const { includeTransactionCost } = request
  const gasCost =
    includeTransactionCost && !estimateOnly
      ? await costOf(task, { tx: result.tx, gasUsed: sent.gas })
      : undefined
  return {
    ...sent,
    result: {
      ...result,
      route: result.route.filter(({ protocol }) => protocol !== serviceName),
      fees: inputs.flatMap(({ token, fee }) => (fee ? [{ token, amount: fee }] : [])),
    },
    ...defined({ gasCost, permit: permit && routePermit(permit, result.tx) }),
    inputs: inputs.map(({ token, amount }) => ({ token, amount })),
  }
}

/** A route's swaps and the call of the bridge, as a bundle. */
function bundleOf({ sends }: SourceLegArgs, request: RouteRequest): TypedBundle {
  const { lane, centiBps } = at(sends, 0)
  const inputs = inputsOf(request)
  const [only, another] = inputs
  const isSwapped = !only || another !== undefined || only.token !== lane.tokenIn
  const swap = () =>
    merge.typed(serviceName, {
      tokenIn: inputs.map(({ token }) => token),
      amountIn: inputs.map(({ amount, fee }) => amount - fee),
      tokenOut: lane.tokenIn,
      slippage: centiBps,
    })
  const amountIn: bigint | Reference = isSwapped
    ? { useOutputOfCallAt: 0, index: 0 }
    : only.amount - only.fee
  const sending: TypedAction = bridgeAction.typed(serviceName, {
    tokenIn: lane.tokenIn,
    amountIn,
    primaryAddress: lane.primary,
    destinationChainId: lane.destinationChainId,
  })
  const { chainId, fromAddress, strategy, executionMode } = request
  return {
    chainId,
    fromAddress,
    strategy,
    executionMode,
    actions: isSwapped ? [swap(), sending] : [sending],
    ignoreAggregators: request.ignoreAggregators,
    ignoreStandards: request.ignoreStandards,
    skipQuote: false,
    // What steps leave over; the receiver may be nobody on this chain.
    refundReceiver: request.refundReceiver ?? fromAddress,
    receiver: fromAddress,
    ...defined({
      poolChoice: request.poolChoice,
      referralCode: request.referralCode,
      deadline: request.deadline,
      explain: request.explain,
      includeTrace: request.includeTrace || undefined,
    }),
  }
}

/** Each with the fee that is taken of it on the source. */
export function inputsOf({ inputs, feeReceiver }: RouteRequest) {
  return inputs.map(({ token, amount, feeBps = 0n }) => {
    const fee = feeReceiver ? (amount * feeBps) / bpsDenominator : 0n
    return { token, amount, fee }
  })
}

interface MeasuredSource extends Omit<SourceLeg, 'result' | 'inputs' | 'gasCost' | 'permit'> {
  readonly measured: MeasuredBundle
}

/** Runs a bundle that has bridge actions. @throws ForkrouteError as a bundle; NO_ROUTE where a lane refuses. */
async function send(
  task: Task,
  bundle: BundleArgs,
  { sends }: SourceLegArgs,
): Promise<MeasuredSource> {
  const { request, bridgeCalls, fees } = sending(task, bundle.request, sends)
  const measured = await runBundle(task, { ...bundle, request, bridgeCalls })
  const { gas, knownRoutes } = measured
  const sent = deliveriesOf(task, sends, measured.logs)
  if (gas === null) throw new RangeError('What is sent over a bridge is simulated.')
  return {
    measured,
    gas,
    knownRoutes,
    nativeFee: fees.reduce((sum, fee) => sum + fee, 0n),
    sent: zip(sent, fees).map(([delivery, nativeFee]) => ({ delivery, nativeFee })),
  }
}

/**
 * The bundle with what its bridge actions need.
 *
 * @param sends - one for each bridge action, in their order.
 * @returns `fees` is filled in while the bundle is planned: wei that the messaging of each costs.
 */
export function sending(
  { settings }: Pick<Task, 'settings'>,
  request: TypedBundle,
  sends: readonly LaneSend[],
) {
  const refundReceiver = request.refundReceiver ?? request.fromAddress
  const bridges = createBridges(settings)
  const bridgeCalls = new Map<number, BridgeCall>()
  const fees = sends.map(() => 0n)
  const actions = request.actions.map((one, index) => {
    if (one.of !== 'service' || one.action !== bridgeAction.name) return one
    const place = bridgeCalls.size
    const { lane, ...how } = at(sends, place)
    const bridge = bridgeOf(lane, bridges)
    const onQuote: BridgeCall['onQuote'] = ({ nativeFee }) => {
      fees[place] = nativeFee
    }
    bridgeCalls.set(index, { ...how, bridge, lane, refundReceiver, onQuote })
    return mentionsFee(one, { hasNativeFee: lane.hasNativeFee ?? bridge.hasNativeFee })
  })
  return { request: { ...request, actions }, bridgeCalls, fees }
}

/**
 * What each action has sent: a bridge leaves its events in the order of the actions.
 *
 * @returns in the order of `sends`. @throws ForkrouteError SIMULATION_REVERTED where a bridge has sent more or less.
 */
export function deliveriesOf(
  { settings, chain }: Pick<Task, 'settings' | 'chain'>,
  sends: readonly Pick<LaneTerms, 'lane'>[],
  logs: readonly SimulationLog[],
): Delivery[] {
  const bridges = createBridges(settings)
  const found = new Map<string, Delivery[]>()
  for (const slug of new Set(sends.map(({ lane }) => lane.bridge))) {
    const bridge = bridgeOf({ bridge: slug }, bridges)
    const sent = bridge.deliveriesIn(logs, chain)
    const expected = sends.filter(({ lane }) => lane.bridge === slug).length
    if (sent.length !== expected) {
      const message = `The simulated transaction sends ${sent.length} messages over ${bridge.name} instead of ${expected === 1 ? 'one' : expected}, so it cannot be used.`
      throw new ForkrouteError('SIMULATION_REVERTED', message)
    }
    found.set(slug, sent)
  }
  return sends.map(({ lane }, place) => {
    const before = sends.slice(0, place).filter((one) => one.lane.bridge === lane.bridge)
    return at(found.get(lane.bridge) ?? [], before.length)
  })
}

async function costOf(task: Task, sent: Parameters<typeof transactionCost>[1]): Promise<GasCost> {
  const priced = await task.facts.pricedTokens(task.reader, [task.chain.wrappedNative])
  return transactionCost(task, sent, priced)
}

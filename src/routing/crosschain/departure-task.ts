/**
 * The source's half of a route over a bridge: swaps to what the bridge takes, and the call of the bridge, as the one
 * transaction that the sender signs. What it sends stands in the logs of its simulation.
 */
import { type BridgeAdapter, isRefusal, type Lane, type LaneQuote } from '../../bridges/bridge.js'
import { bridgeBySlug, createBridges } from '../../bridges/registry.js'
import type { Reference, TypedAction } from '../../domain/bundle.js'
import type { GasCost } from '../../domain/engine.js'
import { ForkrouteError, toWireError } from '../../domain/errors.js'
import { isAmountRef } from '../../domain/order.js'
import {
  bpsDenominator,
  lessSlippage,
  nativeToken,
  type TokenAmount,
} from '../../domain/primitives.js'
import { merge } from '../bundle/actions/merge.js'
import { transfer } from '../bundle/actions/transfer.js'
import type { BundleArgs } from '../bundle/bundle-context.js'
import { runBundle } from '../bundle/bundle-task.js'
import { defineServiceAction, optional, required } from '../bundle/service-action.js'
import type { TaskRun } from '../context/task-context.js'
import { transactionCost } from '../proof/transaction-cost.js'
import type { KnownRoute } from '../search/known-routes.js'
import type { Departure, DepartureOutcome, DeparturesArgs, Sending } from './messages.js'

/** What is sent beside the messaging fee that was quoted, which may rise until the transaction is mined; it comes back. */
const feeMarginPercent = 10n

const serviceName = 'svc'

/** Those after the first are built with the routes that it has found. */
export async function runDepartures(
  run: TaskRun,
  { sendings, ...common }: DeparturesArgs,
): Promise<readonly DepartureOutcome[]> {
  const outcome = async (
    sending: Sending,
    knownRoutes: readonly KnownRoute[],
  ): Promise<DepartureOutcome> => {
    try {
      const departure = await runDeparture(run, { ...common, ...sending, knownRoutes })
      return { ok: true, departure }
    } catch (error) {
      if (!(error instanceof ForkrouteError)) throw error
      return { ok: false, error: toWireError(error) }
    }
  }
  const [sending, ...others] = sendings
  if (!sending) return []
  const first = await outcome(sending, common.knownRoutes)
  const known = first.ok ? first.departure.knownRoutes : common.knownRoutes
  return [first, ...(await Promise.all(others.map((other) => outcome(other, known))))]
}

type DepartureArgs = Omit<DeparturesArgs, 'sendings'> & Sending

async function runDeparture(run: TaskRun, args: DepartureArgs): Promise<Departure> {
  const { request, lane } = args
  const bridge = bridgeBySlug(lane.bridge, createBridges(run.settings))
  if (!bridge) throw new RangeError(`There is no bridge ${lane.bridge}.`)
  const inputs = request.inputs.map(({ token, amount, feeBps = 0n }) => {
    const fee = request.feeReceiver ? (amount * feeBps) / bpsDenominator : 0n
    return { token, amount, fee }
  })
  const actions = actionsOf(args, inputs)
  const { definition, quoted } = bridgeAction(run, bridge, args)
  const [only] = inputs
  const amountIn: bigint | Reference =
    actions.at(-1)?.action === merge.name
      ? { useOutputOfCallAt: actions.length - 1, index: 0 }
      : (only?.amount ?? 0n) - (only?.fee ?? 0n)
  const action = definition.typed(serviceName, {
    ...{ tokenIn: lane.tokenIn, amountIn },
    ...(bridge.hasNativeFee && { feeToken: nativeToken }),
  })
  const bundle: BundleArgs = {
    request: {
      chainId: request.chainId,
      fromAddress: request.fromAddress,
      strategy: request.strategy,
      executionMode: request.executionMode,
      actions,
      ignoreAggregators: request.ignoreAggregators,
      ignoreStandards: request.ignoreStandards,
      skipQuote: false,
      ...(request.poolChoice && { poolChoice: request.poolChoice }),
      // What steps leave over; the receiver may be nobody on this chain.
      refundReceiver: request.refundReceiver ?? request.fromAddress,
      receiver: request.fromAddress,
      ...(request.referralCode !== undefined && { referralCode: request.referralCode }),
      ...(request.deadline && { deadline: request.deadline }),
      ...(request.explain && { explain: request.explain }),
      ...(request.includeTrace && { includeTrace: true }),
    },
    accountId: args.accountId,
    candidates: args.candidates,
    isRough: args.isRough,
    knownRoutes: args.knownRoutes,
  }
  const result = await runBundle(run, bundle, { last: { action, definition } })
  const sent = bridge.deliveriesIn(result.logs, run.block.chain)
  const [delivery, another] = sent
  if (!delivery || another || result.gas === null) {
    throw new ForkrouteError(
      'SIMULATION_REVERTED',
      `${bridge.name} sent ${sent.length} deliveries in place of one.`,
    )
  }
  return {
    route: result.route.filter(({ protocol }) => protocol !== serviceName),
    tx: result.tx,
    fees: inputs.flatMap(({ token, fee }) => (fee ? [{ token, amount: fee }] : [])),
    warnings: [...result.warnings, ...quoted().warnings],
    ...(result.trace !== undefined && { trace: result.trace }),
    ...(result.explanation && { explanation: result.explanation }),
    gas: result.gas,
    ...(request.includeTransactionCost &&
      !args.isRough && { gasCost: await costOf(run, { tx: result.tx, gasUsed: result.gas }) }),
    inputs: inputs.map(({ token, amount }) => ({ token, amount })),
    nativeFee: quoted().nativeFee,
    delivery,
    knownRoutes: result.knownRoutes,
  }
}

async function costOf(run: TaskRun, sent: Parameters<typeof transactionCost>[1]): Promise<GasCost> {
  const priced = await run.block.pricedTokens(run.reader, [run.block.chain.wrappedNative])
  return transactionCost(run, sent, priced)
}

function actionsOf(
  { request, lane, centiBps }: DepartureArgs,
  inputs: readonly (TokenAmount & { readonly fee: bigint })[],
): TypedAction[] {
  const { feeReceiver } = request
  const actions = inputs.flatMap(({ token, fee }) =>
    fee && feeReceiver
      ? [transfer.typed(serviceName, { token, recipient: feeReceiver, amount: fee })]
      : [],
  )
  const [only, another] = inputs
  if (only && !another && only.token === lane.tokenIn) return actions
  const args = {
    tokenIn: inputs.map(({ token }) => token),
    amountIn: inputs.map(({ amount, fee }) => amount - fee),
    tokenOut: lane.tokenIn,
    slippage: centiBps,
  }
  return [...actions, merge.typed(serviceName, args)]
}

/** The last action of the bundle; `quoted` tells what the lane said of the amount. */
function bridgeAction(run: TaskRun, bridge: BridgeAdapter, args: DepartureArgs) {
  const { lane, parcel, request, centiBps, least } = args
  let quote: LaneQuote | undefined
  const definition = defineServiceAction({
    name: 'bridge',
    description: 'Sends a token to another chain.',
    inputs: {
      tokenIn: required('address', 'Token that the bridge takes.'),
      amountIn: required('amount', 'Raw units.'),
      // Splits before it keep off the tokens that it mentions.
      feeToken: optional('address', 'In which it is paid beside the amount.'),
    },
    isPriced: false,
    outputs: () => 0,
    async perform({ tokenIn, amountIn }, { builder, index, add, helper, runner }) {
      const { quoted } = builder.draft.minimums.at(-1) ?? {}
      // To compare lanes by, what the swaps before it gave by themselves does.
      const expected =
        args.isRough && isAmountRef(amountIn) && quoted
          ? quoted
          : await builder.searchAmount(amountIn, index)
      const { chain } = run.block
      const answer = await bridge.quote({
        ...{ lane, parcel, chain },
        ...{ amountIn: expected, sender: runner, reader: run.reader },
        priceOf: async (token) =>
          (await run.block.pricedTokens(run.reader, [token])).get(token) ?? null,
      })
      if (isRefusal(answer)) throw refused(lane, answer)
      quote = answer
      const nativeFee = answer.nativeFee + (answer.nativeFee * feeMarginPercent) / 100n
      const steps = bridge.encode({
        ...{ lane, parcel, amountIn, quote, quotedAmountIn: expected, nativeFee },
        minimumDelivered: least ?? lessSlippage(answer.delivered, centiBps),
        refundReceiver: request.refundReceiver ?? request.fromAddress,
        firstStep: builder.draft.firstStep + builder.draft.steps.length,
        helpers: { Values: helper('Values') },
      })
      for (const step of steps) add(step)
      const record = {
        action: 'bridge',
        protocol: lane.bridge,
        tokenIn: [tokenIn],
        tokenOut: [lane.tokenOut],
        positionInId: [],
        positionOutId: [],
        chainId: chain.id,
        sourceChainId: chain.id,
        destinationChainId: lane.destinationChainId,
        primary: lane.primary,
      }
      return {
        spends: [
          { token: tokenIn, amount: amountIn },
          ...(nativeFee > 0n ? [{ token: nativeToken, amount: nativeFee }] : []),
        ],
        outputs: [],
        leftovers: [tokenIn],
        route: [{ record, amounts: { taken: [[amountIn]], given: [[answer.delivered]] } }],
        centiBps,
      }
    },
  })
  return {
    definition,
    quoted: () => quote ?? { delivered: 0n, nativeFee: 0n, maximum: null, warnings: [] },
  }
}

function refused(
  lane: Lane,
  { reason, message, limit }: { reason: string; message: string; limit?: bigint },
): ForkrouteError {
  return new ForkrouteError('NO_ROUTE', message, {
    bridge: lane.bridge,
    token: lane.tokenIn,
    reason,
    ...(limit !== undefined && { limit: limit.toString() }),
  })
}

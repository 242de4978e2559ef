/** The answers to a route and to a bundle over a bridge, made of a settled pair. Pure. */
import type { Lane } from '../../bridges/bridge.js'
import { bridgeOf } from '../../bridges/registry.js'
import type { BundleAnswer, BundleArrival, BundleRequest } from '../../domain/bundle.js'
import { cautionsIn } from '../../domain/caution.js'
import { defined } from '../../domain/defined.js'
import type { RouteAnswer } from '../../domain/engine.js'
import { mergeExplanations } from '../../domain/explanation.js'
import { at, zip } from '../../domain/lists.js'
import {
  type Address,
  bpsDenominator,
  nativeToken,
  type TokenAmount,
} from '../../domain/primitives.js'
import { impactWarnings, type RouteStepRecord } from '../../domain/route-step.js'
import { priceImpactBps } from '../../routing/market/valuation.js'
import { spentOf } from '../../routing/route/answer.js'
import { destinationFee, isAdaptive, type RouteQuote } from './plan.js'
import type { Settled, SettledTransfer } from './settle.js'
import type { QuoteParts, Side } from './sides.js'
import { costOf } from './worth.js'

const bridgeActionName = 'bridge'

export function routeAnswer(
  quote: RouteQuote,
  settled: Settled,
  more: readonly string[],
): RouteAnswer {
  const { request, source, position, receiver } = quote
  const { source: sent, destination: leg, plan, outputs } = settled
  const { result } = sent
  const amount = request.crosschain.gasDrop
  const priceImpact = request.includePriceImpact ? impactOf(quote, settled) : null
  const fees = feesOf(quote, settled)
  const explanations = [result.explanation, leg?.explanation].flatMap((one) => one ?? [])
  return {
    chainId: request.chainId,
    route: [
      ...result.route.map((step) => withDelivered(step, settled.delivery.amount)),
      ...(leg?.route ?? []),
    ],
    gas: sent.gas,
    outputs,
    priceImpact,
    block: source.pin,
    tx: result.tx,
    ...(isAdaptive(request) && { proof: 'adaptive' as const }),
    ...(request.amountOut !== undefined && { input: spentOf(request.limit, at(sent.inputs, 0)) }),
    ...defined({
      fees: fees.length > 0 ? fees : undefined,
      gasCost: sent.gasCost,
      permit: sent.permit,
      trace: result.trace,
      explanation: explanations.length > 0 ? mergeExplanations(explanations) : undefined,
    }),
    crosschain: {
      destinationBlock: quote.destination.pin,
      ...defined({ positionOut: position?.id }),
      bridgeFee: costOf(source, sent.nativeFee),
      ...defined({ gasDrop: amount === undefined ? undefined : { receiver, amount } }),
      estimates: [bridgingEstimate(plan.lane)],
    },
    ...cautionsIn([...(result.cautions ?? []), ...(leg?.cautions ?? [])]),
    warnings: [
      ...new Set([
        ...result.warnings,
        ...(leg?.warnings ?? []),
        ...impactWarnings(priceImpact),
        ...senderWarnings(plan.lane, request.fromAddress, source),
        ...more,
      ]),
    ],
  }
}

export function bundleAnswer(
  { source }: Pick<QuoteParts, 'source'>,
  request: BundleRequest,
  { source: sent, transfers }: Settled,
  more: readonly string[],
): BundleAnswer {
  const { result } = sent
  const all = transfers.flatMap(withOnward)
  const legs = all.flatMap(({ destination }) => destination ?? [])
  return {
    ...result,
    route: stepsOf(result.route, transfers),
    // What has arrived is on another chain.
    priceImpact: null,
    ...cautionsIn([...(result.cautions ?? []), ...legs.flatMap(({ cautions }) => cautions ?? [])]),
    warnings: [
      ...new Set([
        ...result.warnings,
        ...legs.flatMap(({ warnings }) => warnings),
        ...transfers.flatMap(({ transfer }) =>
          senderWarnings(transfer.lane, request.fromAddress, source),
        ),
        ...all.flatMap(({ transfer: { to, receiver }, onward }) =>
          onward.flatMap(({ transfer }) => senderWarnings(transfer.lane, receiver, to)),
        ),
        ...more,
      ]),
    ],
    actions: request.actions,
    crosschain: {
      destinationBlock: at(transfers, 0).transfer.to.pin,
      bridgeFee: costOf(source, sent.nativeFee),
      estimates: all.map(({ transfer }) => bridgingEstimate(transfer.lane)),
      arrivals: transfers.flatMap((one) => arrivalsOf(source, one)),
    },
  }
}

function withOnward(one: SettledTransfer): SettledTransfer[] {
  return [one, ...one.onward.flatMap(withOnward)]
}

/** The steps after a bridge are those of its destination, wherever among the actions it sends. */
function stepsOf(
  route: readonly RouteStepRecord[],
  transfers: readonly SettledTransfer[],
): RouteStepRecord[] {
  const isBridging = ({ action }: RouteStepRecord) => action === bridgeActionName
  return [
    ...route.filter((step) => !isBridging(step)),
    ...zip(route.filter(isBridging), transfers).flatMap(
      ([step, { delivery, destination, onward }]) => [
        withDelivered(step, delivery.amount),
        ...stepsOf(destination?.route ?? [], onward),
      ],
    ),
  ]
}

/** With what its callback sends on. @param from - the chain that it leaves. @param holder - index of the action that holds the callback. */
function arrivalsOf(from: Side, one: SettledTransfer, holder?: number): BundleArrival[] {
  const { transfer, delivery, destination: leg, outputs, nativeFee, onward } = one
  const { action, to, receiver, lane } = transfer
  const place = holder === undefined ? { action } : { action: holder, callbackAction: action }
  const arrival: BundleArrival = {
    ...place,
    bridge: lane.bridge,
    block: to.pin,
    bridgeFee: costOf(from, nativeFee),
    receiver,
    outputs,
    delivered: { token: delivery.token, amount: delivery.amount },
    payments: leg?.payments ?? [],
    unprotected: leg?.unprotected ?? [],
  }
  return [arrival, ...onward.flatMap((next) => arrivalsOf(to, next, place.action))]
}

/** The step of a bridge gives what was sent, which is known better than its quote. */
function withDelivered(step: RouteStepRecord, amount: bigint): RouteStepRecord {
  return step.action === bridgeActionName ? { ...step, amountOut: [amount] } : step
}

function bridgingEstimate(lane: Lane) {
  const seconds = lane.history?.seconds
  const measured = seconds ? { p90Seconds: seconds.p90, deliveries: seconds.count } : undefined
  return {
    bridge: lane.bridge,
    fromChainId: lane.sourceChainId,
    toChainId: lane.destinationChainId,
    token: lane.tokenIn,
    estimatedSeconds: seconds?.median ?? lane.estimatedSeconds,
    ...defined({ measured, afterwards: lane.afterwards }),
  }
}

/** An address with code may be somebody else's on the other chain. */
function senderWarnings(
  { bridge, destinationChainId }: Lane,
  sender: Address,
  { kinds }: Pick<Side, 'kinds'>,
): string[] {
  const { obeysSender, name } = bridgeOf({ bridge })
  if (!obeysSender || kinds.get(sender) !== 'contract') return []
  return [
    `The sender ${sender} is a contract: whoever it takes signatures of at that address on chain ${destinationChainId} (EIP-1271) may redirect what ${name} delivers until it is delivered.`,
  ]
}

/** Fees on the source are of each input, one on the destination is of what is delivered. */
function feesOf(quote: RouteQuote, { source, plan, delivery }: Settled): readonly TokenAmount[] {
  const fee = destinationFee(quote)
  if (!fee || !plan.runsOrder) return source.result.fees
  const { token, amount } = delivery
  return [{ token, amount: (amount * fee.bps) / bpsDenominator }]
}

/** With the messaging fee as a part of what goes in. */
function impactOf(
  { source, destination }: RouteQuote,
  { source: sent, outputs }: Settled,
): number | null {
  const given: TokenAmount[] = [...sent.inputs, { token: nativeToken, amount: sent.nativeFee }]
  // Addresses mean nothing beside those of another chain: what comes out stands under names of its own.
  const named = (token: Address) => `received ${token}` as unknown as Address
  const elsewhere = [...destination.prices].map(([token, price]) => [named(token), price] as const)
  const received = outputs.map(({ token, amountOut: amount }) => ({ token: named(token), amount }))
  return priceImpactBps(given, received, new Map([...source.prices, ...elsewhere]))
}

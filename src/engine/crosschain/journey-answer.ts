/** The parts of a route over a bridge as the engine holds them, and the answer that is made of them. */
import type { LRUCache } from 'lru-cache'
import type { Lane } from '../../bridges/bridge.js'
import { bridgeOf } from '../../bridges/registry.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type { TransactionOutput } from '../../domain/bundle.js'
import { defined } from '../../domain/defined.js'
import type { CallContext, RouteAnswer } from '../../domain/engine.js'
import { mergeExplanations } from '../../domain/explanation.js'
import {
  type Address,
  type BlockPin,
  bpsDenominator,
  type Cost,
  nativeToken,
  type TokenAmount,
} from '../../domain/primitives.js'
import { impactWarnings } from '../../domain/route-step.js'
import type { AccountKind } from '../../routing/block/block-facts.js'
import type {
  Arrival,
  Departure,
  Offer,
  SurveyedPosition,
} from '../../routing/crosschain/messages.js'
import { type PricedToken, priceImpactBps } from '../../routing/market/valuation.js'
import type { TaskRunner } from '../task-runner.js'
import type { CrosschainRequest, Way } from './ways.js'

export interface Side {
  readonly chain: ChainDefinition
  readonly pin: BlockPin
  /** Wei per gas. */
  readonly gasPrice: bigint
  readonly kinds: ReadonlyMap<Address, AccountKind>
  readonly prices: ReadonlyMap<Address, PricedToken>
}

export interface JourneyParts {
  readonly tasks: TaskRunner
  /** As in `CrosschainParts`. */
  readonly payable: LRUCache<string, true>
  readonly request: CrosschainRequest
  readonly context: CallContext
  readonly here: Side
  readonly there: Side
  readonly receiver: Address
  readonly takesFeeThere: boolean
  /** On the destination, to be entered; absent: the tokenOut is paid to the receiver. */
  readonly position?: SurveyedPosition
}

/** What a lane would give by estimate. */
export interface Promised {
  readonly way: Way
  readonly offer: Offer
  /** What the receiver would be paid, or what would enter the position of each of its tokens. */
  readonly amounts: readonly TokenAmount[]
  /** Rough, of the swaps on the destination. */
  readonly gasThere: bigint
}

/** What decides how a delivery is simulated. */
export interface Sent {
  readonly departure: Departure
  /** Null where the bridge pays the receiver itself. */
  readonly arrival: Arrival | null
  /** Of the call that delivers, as in `Parcel`. */
  readonly landingGas: bigint
}

export interface Final extends Pick<Promised, 'way' | 'amounts'>, Sent {
  /** With what the pair enforces. */
  readonly outputs: readonly TransactionOutput[]
}

export function toAnswer(parts: JourneyParts, final: Final, more: readonly string[]): RouteAnswer {
  const { request, here, there, position, receiver } = parts
  const { gasDrop } = request.crosschain
  const { departure, arrival, way } = final
  const { lane } = way
  const priceImpact = request.includePriceImpact ? impactOf(parts, final) : null
  const fees = feesOf(parts, final)
  const explanations = [departure.explanation, arrival?.explanation].flatMap((one) => one ?? [])
  return {
    chainId: request.chainId,
    route: [
      ...departure.route.map((step) =>
        step.action === 'bridge' ? { ...step, amountOut: [departure.delivery.amount] } : step,
      ),
      ...(arrival?.route ?? []),
    ],
    gas: departure.gas,
    outputs: final.outputs,
    priceImpact,
    block: here.pin,
    tx: departure.tx,
    ...(fees.length > 0 && { fees }),
    ...(departure.gasCost && { gasCost: departure.gasCost }),
    ...defined({ trace: departure.trace }),
    ...(explanations.length > 0 && { explanation: mergeExplanations(explanations) }),
    crosschain: {
      destinationBlock: there.pin,
      ...(position && { positionOut: position.id }),
      bridgeFee: costOf(here, departure.nativeFee),
      ...(gasDrop !== undefined && { gasDrop: { receiver, amount: gasDrop } }),
      estimates: [
        {
          bridge: lane.bridge,
          fromChainId: lane.sourceChainId,
          toChainId: lane.destinationChainId,
          token: lane.tokenIn,
          estimatedSeconds: lane.estimatedSeconds,
        },
      ],
    },
    warnings: [
      ...new Set([
        ...departure.warnings,
        ...(arrival?.warnings ?? []),
        ...impactWarnings(priceImpact),
        ...senderWarnings(lane, request.fromAddress, here),
        ...more,
      ]),
    ],
  }
}

/** An address with code may be somebody else's on the other chain. */
export function senderWarnings(
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

/** On the source of each input; on the destination of what is delivered. */
function feesOf(parts: JourneyParts, { departure, way }: Final): readonly TokenAmount[] {
  const there = feeThere(parts)
  if (!there || !way.runsOrder) return departure.fees
  const { token, amount } = departure.delivery
  return [{ token, amount: (amount * there.bps) / bpsDenominator }]
}

export function costOf({ prices }: Side, native: bigint): Cost {
  const price = prices.get(nativeToken)
  const usd = price ? (Number(native) / 10 ** price.decimals) * price.priceUsd : null
  return { native, usd }
}

/** Dollars of what comes out, less gas and messaging on the source; null without prices. */
export function worthOf(
  { here, there }: Pick<JourneyParts, 'here' | 'there'>,
  what: {
    /** Of tokens of the destination. */
    readonly amounts: readonly TokenAmount[]
    readonly gas: bigint
    readonly nativeFee: bigint
    /** Dollars that the delivery is going to cost besides; absent: none. */
    readonly costThere?: number
  },
): number | null {
  const { amounts, gas, nativeFee, costThere = 0 } = what
  const native = here.prices.get(nativeToken)
  if (!native || !amounts.every(({ token }) => there.prices.has(token))) return null
  const usdOf = (amount: bigint, token: PricedToken | undefined) =>
    token ? (Number(amount) / 10 ** token.decimals) * token.priceUsd : 0
  const worth = amounts.map(({ token, amount }) => usdOf(amount, there.prices.get(token)))
  const cost = gas * here.gasPrice + nativeFee
  return worth.reduce((sum, one) => sum + one, 0) - usdOf(cost, native) - costThere
}

/** With the messaging fee as a part of what goes in. */
function impactOf({ here, there }: JourneyParts, { departure, amounts }: Final): number | null {
  const given: TokenAmount[] = [
    ...departure.inputs,
    { token: nativeToken, amount: departure.nativeFee },
  ]
  // Addresses mean nothing beside those of another chain: what comes out stands under names of its own.
  const named = (token: Address) => `received ${token}` as unknown as Address
  const elsewhere = [...there.prices].map(([token, price]) => [named(token), price] as const)
  const received = amounts.map(({ token, amount }) => ({ token: named(token), amount }))
  return priceImpactBps(given, received, new Map([...here.prices, ...elsewhere]))
}

/** Of what is delivered; null where none is taken there. */
export function feeThere({ request, takesFeeThere }: JourneyParts) {
  const { destinationFeeReceiver: receiver } = request.crosschain
  const [bps] = request.inputs.flatMap(({ feeBps }) => feeBps ?? [])
  return takesFeeThere && receiver && bps ? { bps, receiver } : null
}

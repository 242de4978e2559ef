/**
 * One request over a bridge at one block of either chain. A lane is proven by a departure on the source and the delivery
 * of what its logs send; the answer is made of a pair in which every minimum follows from what that very pair shows.
 */
import { gasForOrder, type Lane, type Parcel } from '../../bridges/bridge.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type { CallContext, RouteAnswer } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { mergeExplanations } from '../../domain/explanation.js'
import { at } from '../../domain/lists.js'
import {
  type Address,
  type BlockPin,
  bpsDenominator,
  type Cost,
  defaultCentiBps,
  type Hex,
  lessSlippage,
  nativeToken,
  type TokenAmount,
} from '../../domain/primitives.js'
import { withMinimumGas } from '../../executor/compile.js'
import type { AccountKind, Arrival, Departure } from '../../routing/crosschain/messages.js'
import { type PricedToken, priceImpactBps } from '../../routing/market/valuation.js'
import type { TaskRunner } from '../task-runner.js'
import type { CrosschainRequest, Way } from './ways.js'

/** Of the final pair, each time with what the one before has shown. */
const finalRounds = 3
/** Given to an order as long as nothing has shown what it needs. */
export const roomyGas = 3_000_000n
/** Of a delivery as long as nothing has shown what it takes. */
export const usualGas = { plain: 120_000n, order: 600_000n }
/** Bytes of a message while the order is not known: of one with a swap. */
export const usualMessageBytes = 1_400

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
  readonly request: CrosschainRequest
  readonly context: CallContext
  readonly here: Side
  readonly there: Side
  readonly receiver: Address
  readonly takesFeeThere: boolean
  /** Of each search that are simulated. */
  readonly candidates: number
}

/** What a lane gave when it was tried. */
export interface Proven {
  readonly way: Way
  readonly departure: Departure
  /** Null where the bridge pays the receiver itself. */
  readonly arrival: Arrival | null
  readonly amountOut: bigint
  /** Of the delivering transaction. */
  readonly deliveryGas: bigint
}

export interface Final extends Proven {
  /** Enforced by the pair. */
  readonly minAmountOut: bigint
}

export class Journey {
  constructor(private readonly parts: JourneyParts) {}

  /** @throws ForkrouteError for whatever keeps the lane from being used. */
  async prove(way: Way): Promise<Proven> {
    const { lane, runsOrder } = way
    const parcel = this.#parcel(way, {
      message: runsOrder ? `0x${'ff'.repeat(usualMessageBytes)}` : '0x',
      orderGas: roomyGas,
      deliveryGas: runsOrder ? usualGas.order : usualGas.plain,
    })
    const departure = await this.#depart(lane, parcel, {
      ...this.#sourceTolerance(),
      isRough: true,
    })
    if (runsOrder) {
      const arrival = await this.#arrive(departure, roomyGas)
      const { output, gas: deliveryGas } = arrival
      return { way, departure, arrival, amountOut: output.amountOut, deliveryGas }
    }
    const landing = await this.#land(departure, 0n, null)
    const { gained, gas: deliveryGas } = landing
    return { way, departure, arrival: null, amountOut: at(gained, 0).amount, deliveryGas }
  }

  /** The best first: what comes out, less gas and messaging on the source. */
  ranked(proven: readonly Proven[]): Proven[] {
    const { here, there, request } = this.parts
    const native = here.prices.get(nativeToken)
    const out = there.prices.get(at(request.tokensOut, 0))
    const usdOf = (amount: bigint, token: PricedToken) =>
      (Number(amount) / 10 ** token.decimals) * token.priceUsd
    const value = ({ amountOut, departure }: Proven) => {
      if (!native || !out) return Number(amountOut)
      const cost = departure.gas * here.gasPrice + departure.nativeFee
      return usdOf(amountOut, out) - usdOf(cost, native)
    }
    return proven.toSorted((a, b) => value(b) - value(a))
  }

  /** @throws ForkrouteError where the pair does not hold. */
  async finalise(proven: Proven): Promise<Final> {
    const { lane, runsOrder } = proven.way
    const orderGas = runsOrder ? orderGasFor(proven.deliveryGas) : 0n
    // What an order states is what is enforced, whatever the request asks for.
    let minimum = proven.arrival?.output.minAmountOut ?? this.#minimum(proven.amountOut)
    let message: Hex = proven.arrival ? withMinimumGas(proven.arrival.message, orderGas) : '0x'
    let { arrival } = proven
    for (let round = 0; round < finalRounds; round++) {
      const { deliveryGas } = proven
      const parcel = this.#parcel(proven.way, { message, orderGas, deliveryGas })
      const tolerance = runsOrder
        ? this.#sourceTolerance()
        : { centiBps: this.#centiBps(), least: minimum }
      const departure = await this.#depart(lane, parcel, { ...tolerance, isRough: false })
      const landing = await this.#land(departure, runsOrder ? gasForOrder(orderGas) : 0n, arrival)
      const amountOut = at(landing.gained, 0).amount
      if (amountOut >= minimum && this.#minimum(amountOut) === minimum) {
        return { ...proven, departure, arrival, amountOut, minAmountOut: minimum }
      }
      minimum = this.#minimum(amountOut)
      if (!runsOrder) continue
      arrival = await this.#arrive(departure, orderGas)
      message = arrival.message
      minimum = arrival.output.minAmountOut
    }
    throw new ForkrouteError(
      'SIMULATION_REVERTED',
      'What is delivered changes with its own minimum.',
    )
  }

  answer(final: Final, more: readonly string[]): RouteAnswer {
    const { request, here, there } = this.parts
    const { departure, arrival, way } = final
    const { lane } = way
    const tokenOut = at(request.tokensOut, 0)
    const priceImpact = request.includePriceImpact ? this.#impact(final) : null
    const fees = this.#feesOf(final)
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
      outputs: [{ token: tokenOut, amountOut: final.amountOut, minAmountOut: final.minAmountOut }],
      priceImpact,
      block: here.pin,
      tx: departure.tx,
      ...(fees.length > 0 && { fees }),
      ...(departure.gasCost && { gasCost: departure.gasCost }),
      ...(departure.trace !== undefined && { trace: departure.trace }),
      ...(explanations.length > 0 && { explanation: mergeExplanations(explanations) }),
      crosschain: {
        destinationBlock: there.pin,
        bridgeFee: costOf(here, departure.nativeFee),
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
      warnings: [...new Set([...departure.warnings, ...(arrival?.warnings ?? []), ...more])],
    }
  }

  /** On the source of each input; on the destination of what is delivered. */
  #feesOf({ departure, way }: Final): readonly TokenAmount[] {
    const there = this.#feeThere()
    if (!there || !way.runsOrder) return departure.fees
    const { token, amount } = departure.delivery
    return [{ token, amount: (amount * there.bps) / bpsDenominator }]
  }

  #depart(
    lane: Lane,
    parcel: Parcel,
    how: { readonly centiBps: bigint; readonly least?: bigint; readonly isRough: boolean },
  ): Promise<Departure> {
    const { tasks, context, here, takesFeeThere } = this.parts
    const { feeReceiver: _, ...unpaid } = this.parts.request
    const request = takesFeeThere ? unpaid : this.parts.request
    const { candidates } = this.parts
    const args = { request, accountId: context.accountId, lane, parcel, candidates, ...how }
    return tasks.runAt('departure', args, here.pin, context)
  }

  #arrive({ delivery }: Departure, gas: bigint): Promise<Arrival> {
    const { tasks, context, there, request, receiver } = this.parts
    const fee = this.#feeThere()
    const { candidates } = this.parts
    const args = {
      candidates,
      request,
      accountId: context.accountId,
      delivery,
      gas,
      receiver,
      ...(fee && { fee }),
    }
    return tasks.runAt('arrival', args, there.pin, context)
  }

  #land({ delivery }: Departure, gas: bigint, arrival: Arrival | null) {
    const { tasks, context, there, request, receiver } = this.parts
    const order = arrival?.order
    const args = {
      delivery,
      gas,
      tokens: [at(request.tokensOut, 0)],
      receiver,
      ...(order && { order }),
    }
    return tasks.runAt('landing', args, there.pin, context)
  }

  #feeThere() {
    const { request, takesFeeThere } = this.parts
    const { destinationFeeReceiver: receiver } = request.crosschain
    const [bps] = request.inputs.flatMap(({ feeBps }) => feeBps ?? [])
    return takesFeeThere && receiver && bps ? { bps, receiver } : null
  }

  #parcel(
    { lane, runsOrder }: Way,
    known: { readonly message: Hex; readonly orderGas: bigint; readonly deliveryGas: bigint },
  ): Parcel {
    const { message, orderGas, deliveryGas } = known
    return {
      receiver: runsOrder ? lane.orderReceiver : this.parts.receiver,
      message,
      gas: runsOrder ? gasForOrder(orderGas) : 0n,
      deliveryCost: deliveryCostOf(this.parts.there, lane, deliveryGas),
    }
  }

  #centiBps(): bigint {
    const { limit } = this.parts.request
    return limit.kind === 'slippage' ? limit.centiBps : defaultCentiBps
  }

  /** Failing on the source costs gas, failing later gives another token: so half of it is for the way there. */
  #sourceTolerance() {
    return { centiBps: this.#centiBps() / 2n }
  }

  #minimum(amountOut: bigint): bigint {
    const { limit } = this.parts.request
    if (limit.kind === 'slippage') return lessSlippage(amountOut, limit.centiBps)
    return at(limit.minimums, 0).amount
  }

  /** With the messaging fee as a part of what goes in. */
  #impact({ departure, amountOut }: Final): number | null {
    const { here, there, request } = this.parts
    const given: TokenAmount[] = [
      ...departure.inputs,
      { token: nativeToken, amount: departure.nativeFee },
    ]
    // Addresses mean nothing beside those of another chain: what comes out stands under a name of its own.
    const received = 'received' as unknown as Address
    const out = there.prices.get(at(request.tokensOut, 0))
    const prices = new Map([...here.prices, ...(out ? [[received, out] as const] : [])])
    return priceImpactBps(given, [{ token: received, amount: amountOut }], prices)
  }
}

/** Raw units of what is delivered; null without prices. */
export function deliveryCostOf(
  { gasPrice, prices }: Side,
  { tokenOut }: Lane,
  gas: bigint,
): bigint | null {
  const [native, token] = [prices.get(nativeToken), prices.get(tokenOut)]
  if (!native || !token || token.priceUsd <= 0) return null
  const scale = 10n ** 12n
  const ratio = BigInt(Math.ceil((native.priceUsd / token.priceUsd) * Number(scale)))
  const wei = gas * gasPrice * ratio * 10n ** BigInt(token.decimals)
  return wei / (scale * 10n ** BigInt(native.decimals)) + 1n
}

export function costOf({ prices }: Side, native: bigint): Cost {
  const price = prices.get(nativeToken)
  const usd = price ? (Number(native) / 10 ** price.decimals) * price.priceUsd : null
  return { native, usd }
}

/** With room for what refunds have hidden, and for state that has moved. */
export function orderGasFor(deliveryGas: bigint): bigint {
  return ((deliveryGas * 14n) / 10n / 10_000n + 10n) * 10_000n
}

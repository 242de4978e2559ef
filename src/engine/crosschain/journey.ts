/**
 * One request over a bridge at one block of either chain. Lanes are compared by what they promise by native math on both
 * sides; the answer is made of a simulated pair in which every minimum follows from what that very pair shows.
 */
import { gasForOrder, type Lane } from '../../bridges/bridge.js'
import type { TransactionOutput } from '../../domain/bundle.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError, fromWireError } from '../../domain/errors.js'
import { at, zip } from '../../domain/lists.js'
import {
  type BlockPin,
  defaultCentiBps,
  type Hex,
  lessSlippage,
  nativeToken,
  type TokenAmount,
} from '../../domain/primitives.js'
import { withMinimumGas } from '../../executor/compile.js'
import type {
  Arrival,
  ArrivalArgs,
  Departure,
  DepartureArgs,
  Landing,
  Offer,
  Sending,
} from '../../routing/crosschain/messages.js'
import type { KnownRoute } from '../../routing/search/known-routes.js'
import {
  type Final,
  feeThere,
  type JourneyParts,
  type Promised,
  type Sent,
  type Side,
  worthOf,
} from './journey-answer.js'
import { besideFallback, type Delivered, requireDelivered } from './landed.js'
import { candidates, Prospects } from './prospects.js'
import type { Way } from './ways.js'

/** Of the final pair, each time with what the one before has shown. */
const finalRounds = 3
/** Given to an order when it is planned: what it needs is measured then. */
export const roomyGas = 3_000_000n
/** Of an amount that no way takes on, the part that tells whether it is too much. */
const muchSmaller = 10_000n
/** Of a delivery as long as nothing has shown what it takes: with an order, and what a swap adds; measured on the sandbox. */
const usualGas = { plain: 120_000n, order: 190_000n, swap: 75_000n }
/** Of a message with an order, and what a swap adds; measured on the sandbox. */
const usualBytes = { order: 800, swap: 320 }
/**
 * How many times its gas a delivery costs the sender, roughly: whoever delivers takes a margin (Across), or is paid for
 * gas that only may be needed (Stargate).
 */
const deliveryMargin = 1.5

/** What is known of what a bridge is to carry. */
export interface SendingFacts {
  readonly message: Hex
  readonly orderGas: bigint
  /** Of the delivering transaction. */
  readonly deliveryGas: bigint
}

export class Journey {
  readonly #prospects: Prospects
  /** The first of either side of a lane: what it sends is not known before. */
  readonly #first = new Map<Way, Promise<Departure>>()

  constructor(private readonly parts: JourneyParts) {
    this.#prospects = new Prospects(parts)
  }

  /**
   * Of each way, in their order: what it would give, by native math on both sides and the bridge's quote between them.
   * Rejected with whatever keeps the lane from being used.
   */
  async promises(
    ways: readonly Way[],
    { isCold }: { readonly isCold: boolean },
  ): Promise<PromiseSettledResult<Promised>[]> {
    if (isCold) this.#prospects.warm(ways)
    const { tasks, context, here } = this.parts
    const sendings = ways.map((way) => this.#sending(way, usualFacts(way)))
    const args = { request: this.#requestHere(), sendings, candidates }
    const outcomes = zip(ways, await tasks.runAt('offers', args, here.pin, context))
    const offers = outcomes.flatMap(([way, one]) => (one.ok ? [[way, one.offer] as const] : []))
    this.#beginLikely(offers)
    const prospects = await this.#prospects.of(
      offers.map(([way, { delivered }]) => [way, delivered] as const),
    )
    return Promise.allSettled(
      outcomes.map(async ([way, one]) => {
        if (!one.ok) throw fromWireError(one.error)
        const prospect = prospects.get(way)
        if (prospect) {
          const { amounts, gas: gasThere } = prospect
          return { way, offer: one.offer, amounts, gasThere }
        }
        throw await this.#noWayOn(way, one.offer)
      }),
    )
  }

  async #noWayOn(way: Way, { delivered }: Offer): Promise<ForkrouteError> {
    const some = await this.#prospects.of([[way, delivered / muchSmaller]])
    const { symbol } = way.lane
    return new ForkrouteError(
      'NO_ROUTE',
      some.has(way)
        ? `No way on the destination takes the whole amount of ${symbol} on.`
        : `No way leads on from ${symbol} on the destination.`,
    )
  }

  /** The lane that delivers the most worth is likely the best: the source is at work on it while the other side looks. */
  #beginLikely(offers: readonly (readonly [Way, Offer])[]): void {
    const amountsOf = ({ lane }: Way, { delivered }: Offer) => [
      { token: lane.tokenOut, amount: delivered },
    ]
    const worth = offers.map(([way, offer]) => {
      return { way, worth: worthOf(this.parts, { amounts: amountsOf(way, offer), ...offer }) ?? 0 }
    })
    const [likely] = worth.toSorted((a, b) => b.worth - a.worth)
    if (likely) this.#departFirst(likely.way).catch(() => undefined)
  }

  #departFirst(way: Way): Promise<Departure> {
    const how = { ...this.#sourceTolerance(), isRough: true, knownRoutes: [] }
    const begun = this.#first.get(way) ?? this.#depart(way, usualFacts(way), how)
    this.#first.set(way, begun)
    return begun
  }

  /** What comes out, less gas and messaging on the source: dollars, or raw units of the first token where prices are unknown. */
  valueOf(one: Promised | Final): number {
    const { gas, nativeFee } = 'departure' in one ? one.departure : one.offer
    const { amounts } = one
    const costThere = 'departure' in one ? 0 : extraThere(this.parts.there, one.way, one.gasThere)
    const worth = worthOf(this.parts, { amounts, gas, nativeFee, costThere })
    return worth ?? Number(amounts[0]?.amount ?? 0n)
  }

  /** @throws ForkrouteError where the delivery fails, or the pair does not hold. */
  async prove({ way }: Promised): Promise<Final> {
    const first = await this.#departFirst(way)
    return way.runsOrder ? this.#proveOrder(way, first) : this.#proveDirect(way, first)
  }

  async #proveOrder(way: Way, first: Departure): Promise<Final> {
    const how = {
      ...this.#sourceTolerance(),
      isRough: false,
      knownRoutes: first.knownRoutes,
    }
    const { there, receiver, context } = this.parts
    const { delivery } = first
    const planned = { there, receiver, delivery, gas: gasForOrder(roomyGas) }
    const planning = this.#arrive(first, roomyGas, [])
    let arrival = await besideFallback(this.parts, planned, context, planning)
    const deliveryGas = arrival.gas
    const orderGas = orderGasFor(deliveryGas)
    const landingGas = gasForOrder(orderGas)
    arrival = { ...arrival, message: withMinimumGas(arrival.message, orderGas) }
    let plannedAmount = delivery.amount
    for (let round = 0; round < finalRounds; round++) {
      const { message, outputs } = arrival
      const departure = await this.#depart(way, { message, orderGas, deliveryGas }, how)
      // The minimum of another amount says nothing: an order that was planned for more fails by it.
      if (departure.delivery.amount === plannedAmount) {
        const { gained } = await this.#landed({ departure, arrival, landingGas })
        // Positions have no balance: they take what they took when it was planned.
        const amounts = this.parts.position ? amountsOf(outputs) : gained
        // What an order states is what is enforced, whatever the request asks for.
        if (this.#holds(amounts, outputs)) {
          const final = { way, departure, arrival, landingGas, amounts }
          return { ...final, outputs: withAmounts(outputs, amounts) }
        }
      }
      arrival = await this.#arrive(departure, orderGas, arrival.knownRoutes)
      plannedAmount = departure.delivery.amount
    }
    throw neverHolds()
  }

  /** Where the bridge pays the receiver itself, and enforces how much. */
  async #proveDirect(way: Way, first: Departure): Promise<Final> {
    const plain = { arrival: null, landingGas: 0n }
    const landing = await this.#landed({ ...plain, departure: first })
    const facts = { message: '0x', orderGas: 0n, deliveryGas: landing.gas } as const
    let outputs = this.#outputs(landing.gained)
    for (let round = 0; round < finalRounds; round++) {
      const departure = await this.#depart(way, facts, {
        centiBps: this.#centiBps(),
        least: at(outputs, 0).minAmountOut,
        isRough: false,
        knownRoutes: first.knownRoutes,
      })
      const { gained: amounts } = await this.#landed({ ...plain, departure })
      if (this.#holds(amounts, outputs)) {
        const final = { way, ...plain, departure, amounts }
        return { ...final, outputs: withAmounts(outputs, amounts) }
      }
      outputs = this.#outputs(amounts)
    }
    throw neverHolds()
  }

  /** Whether the minimums are exactly those that follow from the amounts, and met. */
  #holds(amounts: readonly TokenAmount[], outputs: readonly TransactionOutput[]): boolean {
    const own = this.#outputs(amounts)
    return (
      own.length === outputs.length &&
      zip(own, outputs).every(
        ([{ amountOut, minAmountOut }, stated]) =>
          minAmountOut === stated.minAmountOut && amountOut >= minAmountOut,
      )
    )
  }

  async #depart(
    way: Way,
    facts: SendingFacts,
    how: Pick<DepartureArgs, 'centiBps' | 'least' | 'isRough' | 'knownRoutes'>,
  ): Promise<Departure> {
    const { tasks, context, here } = this.parts
    const args = {
      request: this.#requestHere(),
      accountId: context.accountId,
      candidates,
      ...this.#sending(way, facts),
      ...how,
    }
    return tasks.runAt('departure', args, here.pin, context)
  }

  /** The source's part of the request. */
  #requestHere(): RouteRequest {
    const { request, takesFeeThere } = this.parts
    const { feeReceiver: _, ...unpaid } = request
    return takesFeeThere ? unpaid : request
  }

  #arrive(
    { delivery }: Departure,
    gas: bigint,
    knownRoutes: readonly KnownRoute[],
  ): Promise<Arrival> {
    const { tasks, context, there, receiver, request } = this.parts
    const fee = feeThere(this.parts)
    const args: ArrivalArgs = {
      candidates,
      request,
      accountId: context.accountId,
      delivery,
      gas,
      knownRoutes,
      receiver,
      ...(fee && { fee }),
    }
    return tasks.runAt('arrival', args, there.pin, context)
  }

  /** What was sent, delivered at a block of the destination. @throws ForkrouteError as a task. */
  landAt({ departure, arrival, landingGas: gas }: Sent, pin: BlockPin): Promise<Landing> {
    const { tasks, context, request, receiver, position } = this.parts
    const { delivery } = departure
    const touched = arrival?.touched
    const tokens = position ? [] : request.tokensOut
    const args = { delivery, gas, tokens, receiver, ...(touched && { touched }) }
    return tasks.runAt('landing', args, pin, context)
  }

  /** @throws ForkrouteError SIMULATION_REVERTED unless the receiver gains what was asked for. */
  async #landed(sent: Sent): Promise<Delivered> {
    const { there, receiver } = this.parts
    const { delivery } = sent.departure
    return requireDelivered(await this.landAt(sent, there.pin), { delivery, there, receiver })
  }

  #sending({ lane, runsOrder }: Way, { message, orderGas, deliveryGas }: SendingFacts): Sending {
    const { receiver, request } = this.parts
    const { gasDrop } = request.crosschain
    const parcel = {
      receiver: runsOrder ? lane.orderReceiver : receiver,
      message,
      gas: runsOrder ? gasForOrder(orderGas) : 0n,
      deliveryCost: deliveryCostOf(this.parts.there, lane, deliveryGas),
      ...(gasDrop !== undefined && { gasDrop: { receiver, amount: gasDrop } }),
    }
    return { lane, parcel }
  }

  #centiBps(): bigint {
    const { limit } = this.parts.request
    return limit.kind === 'slippage' ? limit.centiBps : defaultCentiBps
  }

  /** Failing on the source costs gas, failing later gives another token: so half of it is for the way there. */
  #sourceTolerance() {
    return { centiBps: this.#centiBps() / 2n }
  }

  /** Amounts with what is enforced of them. */
  #outputs(amounts: readonly TokenAmount[]): TransactionOutput[] {
    const { limit } = this.parts.request
    return amounts.map(({ token, amount: amountOut }, index) => ({
      token,
      amountOut,
      minAmountOut:
        limit.kind === 'slippage'
          ? lessSlippage(amountOut, limit.centiBps)
          : at(limit.minimums, index).amount,
    }))
  }
}

function amountsOf(outputs: readonly TransactionOutput[]): TokenAmount[] {
  return outputs.map(({ token, amountOut: amount }) => ({ token, amount }))
}

function withAmounts(
  outputs: readonly TransactionOutput[],
  amounts: readonly TokenAmount[],
): TransactionOutput[] {
  return zip(outputs, amounts).map(([output, { amount: amountOut }]) => ({ ...output, amountOut }))
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

function neverHolds(): ForkrouteError {
  return new ForkrouteError(
    'SIMULATION_REVERTED',
    'What is delivered changes with its own minimum.',
  )
}

/**
 * What is to be carried, as long as nothing has shown it. Lanes are compared by it: room for more than an order usually
 * needs would make a lane that runs one look worse than it is.
 */
export function usualFacts({ runsOrder, swapsThere }: Omit<Way, 'lane'>): SendingFacts {
  if (!runsOrder) return { message: '0x', orderGas: 0n, deliveryGas: usualGas.plain }
  const deliveryGas = usualGas.order + (swapsThere ? usualGas.swap : 0n)
  const bytes = usualBytes.order + (swapsThere ? usualBytes.swap : 0)
  return { message: `0x${'ff'.repeat(bytes)}`, orderGas: orderGasFor(deliveryGas), deliveryGas }
}

/**
 * Dollars that swaps on the destination cost beyond the usual, which `usualFacts` allows for; 0 without a price.
 *
 * @param gasThere - of the swaps, by estimate.
 */
export function extraThere(
  { gasPrice, prices }: Pick<Side, 'gasPrice' | 'prices'>,
  { swapsThere }: Pick<Way, 'swapsThere'>,
  gasThere: bigint,
): number {
  const native = prices.get(nativeToken)
  if (!native) return 0
  const extra = gasThere - (swapsThere ? usualGas.swap : 0n)
  return (Number(extra * gasPrice) / 10 ** native.decimals) * native.priceUsd * deliveryMargin
}

/** With room for what refunds have hidden, and for state that has moved. */
export function orderGasFor(deliveryGas: bigint): bigint {
  return ((deliveryGas * 14n) / 10n / 10_000n + 10n) * 10_000n
}

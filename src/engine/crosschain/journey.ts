/**
 * One request over a bridge at one block of either chain. A lane is tried by a simulated departure on the source and an
 * estimate of what its logs send; the answer is made of a simulated pair in which every minimum follows from what that
 * very pair shows.
 */
import { gasForOrder, type Lane } from '../../bridges/bridge.js'
import { bridgeBySlug } from '../../bridges/registry.js'
import type { TransactionOutput } from '../../domain/bundle.js'
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
  DepartureOutcome,
  DeparturesArgs,
  Landing,
  Sending,
} from '../../routing/crosschain/messages.js'
import type { PricedToken } from '../../routing/market/valuation.js'
import type { KnownRoute } from '../../routing/search/known-routes.js'
import {
  type Final,
  feeThere,
  type JourneyParts,
  type Sent,
  type Side,
  type Tried,
} from './journey-answer.js'
import { Prospects } from './prospects.js'
import type { Way } from './ways.js'

/** Of the final pair, each time with what the one before has shown. */
const finalRounds = 3
/** Given to an order as long as nothing has shown what it needs. */
export const roomyGas = 3_000_000n
/** Of a delivery as long as nothing has shown what it takes. */
export const usualGas = { plain: 120_000n, order: 600_000n }
/** Bytes of a message while the order is not known: of one with a swap. */
export const usualMessageBytes = 1_400

/** What is known of what a bridge is to carry. */
interface SendingFacts {
  readonly message: Hex
  readonly orderGas: bigint
  /** Of the delivering transaction. */
  readonly deliveryGas: bigint
}

export class Journey {
  readonly #prospects: Prospects

  constructor(private readonly parts: JourneyParts) {
    this.#prospects = new Prospects(parts)
  }

  /**
   * Of each way, in their order: the departure with what its logs send, and what that would give over there by native
   * math. Rejected with whatever keeps the lane from being used.
   */
  async tryAll(
    ways: readonly Way[],
    { isCold }: { readonly isCold: boolean },
  ): Promise<PromiseSettledResult<Tried>[]> {
    if (isCold) this.#prospects.warm(ways)
    const departures = await Promise.allSettled(this.#departEach(ways, isCold))
    const deliveries = departures.flatMap((one, index) =>
      one.status === 'fulfilled' ? [[at(ways, index), one.value.delivery] as const] : [],
    )
    const prospects = await this.#prospects.of(deliveries)
    return Promise.allSettled(
      departures.map(async (one, index) => {
        if (one.status === 'rejected') throw one.reason
        const way = at(ways, index)
        const amounts = prospects.get(way)
        if (amounts) return { way, departure: one.value, amounts }
        const { symbol } = way.lane
        throw new ForkrouteError('NO_ROUTE', `No way leads on from ${symbol} on the destination.`)
      }),
    )
  }

  /**
   * One task for all lanes that take the same token, which need the same route to it.
   *
   * @param isCold - one task for all lanes: no thread holds the market yet, and the others are there for the destination.
   */
  #departEach(ways: readonly Way[], isCold: boolean): Promise<Departure>[] {
    const found = new Map<Way, Promise<Departure>>()
    const groupOf = ({ lane }: Way) => (isCold ? nativeToken : lane.tokenIn)
    for (const name of new Set(ways.map(groupOf))) {
      const group = ways.filter((way) => groupOf(way) === name)
      const outcomes = this.#departAll(
        group.map((way) => this.#sending(way, this.#usual(way))),
        { ...this.#sourceTolerance(), isRough: true, knownRoutes: [] },
      )
      for (const [index, way] of group.entries()) {
        found.set(
          way,
          outcomes.then((all) => departureOf(at(all, index))),
        )
      }
    }
    return ways.map((way) => found.get(way) as Promise<Departure>)
  }

  /** As long as nothing has shown what it needs. */
  #usual({ runsOrder }: Way): SendingFacts {
    return {
      message: runsOrder ? `0x${'ff'.repeat(usualMessageBytes)}` : '0x',
      orderGas: roomyGas,
      deliveryGas: runsOrder ? usualGas.order : usualGas.plain,
    }
  }

  /** What comes out, less gas and messaging on the source: dollars, or raw units of the first token where prices are unknown. */
  valueOf({ amounts, departure }: Pick<Tried, 'amounts' | 'departure'>): number {
    const { here, there, request } = this.parts
    const native = here.prices.get(nativeToken)
    const isPriced = request.tokensOut.every((token) => there.prices.has(token))
    if (!native || !isPriced) return Number(amounts[0]?.amount ?? 0n)
    const usdOf = (amount: bigint, token: PricedToken | undefined) =>
      token ? (Number(amount) / 10 ** token.decimals) * token.priceUsd : 0
    const worth = amounts.map(({ token, amount }) => usdOf(amount, there.prices.get(token)))
    const cost = departure.gas * here.gasPrice + departure.nativeFee
    return worth.reduce((sum, one) => sum + one, 0) - usdOf(cost, native)
  }

  /** @throws ForkrouteError where the delivery fails, or the pair does not hold. */
  async finalise(tried: Tried): Promise<Final> {
    if (!tried.way.runsOrder) return this.#finaliseDirect(tried)
    let arrival = await this.#arrive(tried.departure, roomyGas, [])
    const deliveryGas = arrival.gas
    const orderGas = orderGasFor(deliveryGas)
    const landingGas = gasForOrder(orderGas)
    arrival = { ...arrival, message: withMinimumGas(arrival.message, orderGas) }
    let planned = tried.departure.delivery.amount
    for (let round = 0; round < finalRounds; round++) {
      const { message, outputs } = arrival
      const departure = await this.#depart(
        tried,
        { message, orderGas, deliveryGas },
        this.#sourceTolerance(),
      )
      const { gained } = await this.#landed({ departure, arrival, landingGas })
      // Positions have no balance: of what was planned with, they take what they took then.
      const isPlanned = departure.delivery.amount === planned
      const amounts = this.parts.position && isPlanned ? amountsOf(outputs) : gained
      // What an order states is what is enforced, whatever the request asks for.
      if (this.#holds(amounts, outputs)) {
        const final = { ...tried, departure, arrival, landingGas, amounts }
        return { ...final, outputs: withAmounts(outputs, amounts) }
      }
      arrival = await this.#arrive(departure, orderGas, arrival.knownRoutes)
      planned = departure.delivery.amount
    }
    throw neverHolds()
  }

  /** Where the bridge pays the receiver itself, and enforces how much. */
  async #finaliseDirect(tried: Tried): Promise<Final> {
    const plain = { arrival: null, landingGas: 0n }
    const { gas: deliveryGas } = await this.#landed({ ...plain, departure: tried.departure })
    let outputs = this.#outputs(tried.amounts)
    for (let round = 0; round < finalRounds; round++) {
      const departure = await this.#depart(
        tried,
        { message: '0x', orderGas: 0n, deliveryGas },
        { centiBps: this.#centiBps(), least: at(outputs, 0).minAmountOut },
      )
      const { gained: amounts } = await this.#landed({ ...plain, departure })
      if (this.#holds(amounts, outputs)) {
        const final = { ...tried, ...plain, departure, amounts }
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
    { way, departure }: Tried,
    facts: SendingFacts,
    tolerance: { readonly centiBps: bigint; readonly least?: bigint },
  ): Promise<Departure> {
    const { knownRoutes } = departure
    const how = { ...tolerance, isRough: false, knownRoutes }
    const [outcome] = await this.#departAll([this.#sending(way, facts)], how)
    if (!outcome) throw new RangeError('A departure has no outcome.')
    return departureOf(outcome)
  }

  #departAll(
    sendings: readonly Sending[],
    how: Pick<DeparturesArgs, 'centiBps' | 'least' | 'isRough' | 'knownRoutes'>,
  ): Promise<readonly DepartureOutcome[]> {
    const { tasks, context, here, takesFeeThere, candidates } = this.parts
    const { feeReceiver: _, ...unpaid } = this.parts.request
    const request = this.parts.limit.applied(takesFeeThere ? unpaid : this.parts.request)
    const args = { request, accountId: context.accountId, sendings, candidates, ...how }
    return tasks.runAt('departures', args, here.pin, context)
  }

  #arrive(
    { delivery }: Departure,
    gas: bigint,
    knownRoutes: readonly KnownRoute[],
  ): Promise<Arrival> {
    const { tasks, context, there, receiver, limit } = this.parts
    const request = limit.applied(this.parts.request)
    const fee = feeThere(this.parts)
    const { candidates } = this.parts
    const args: ArrivalArgs = {
      candidates,
      request,
      accountId: context.accountId,
      delivery,
      ...{ gas, knownRoutes, receiver },
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
  async #landed(sent: Sent): Promise<Extract<Landing, { status: 'delivered' }>> {
    const { there, limit, request } = this.parts
    limit.applied(request)
    const landing = await this.landAt(sent, there.pin)
    if (landing.status === 'delivered') return landing
    const { reason } = landing
    const { bridge } = sent.departure.delivery
    const name = bridgeBySlug(bridge)?.name ?? bridge
    const message = `The delivery by ${name} fails on chain ${there.chain.id}: ${reason}.`
    throw new ForkrouteError('SIMULATION_REVERTED', message, { bridge, reason })
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
      ...{ token, amountOut },
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

/** @throws ForkrouteError of the lane. */
function departureOf(outcome: DepartureOutcome): Departure {
  if (!outcome.ok) throw fromWireError(outcome.error)
  return outcome.departure
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

/** With room for what refunds have hidden, and for state that has moved. */
export function orderGasFor(deliveryGas: bigint): bigint {
  return ((deliveryGas * 14n) / 10n / 10_000n + 10n) * 10_000n
}

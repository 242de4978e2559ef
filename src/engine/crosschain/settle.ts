/**
 * Settles the source and the destination of a plan: each is planned with what the other has shown, until a simulated pair
 * holds whose minimums follow from what that very pair delivers. That pair is the answer.
 *
 * Why it ends: what the destination needs is measured once, so that gas and length of what is carried are the same in all
 * rounds, and with them what is sent. From the second round on an order is therefore planned for exactly the amount that
 * arrives, and at one block of either chain the same order with the same amount gives the same. Where a bridge pays the
 * receiver itself, what is sent does not depend on the minimum. Whatever does not follow these rules is given up after
 * `mostRounds`.
 */
import type { DeliveryTerms } from '../../bridges/bridge.js'
import { bridgeOf } from '../../bridges/registry.js'
import type { TransactionOutput } from '../../domain/bundle.js'
import { defined } from '../../domain/defined.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at, zip } from '../../domain/lists.js'
import { type BlockPin, type Hex, lessSlippage, type TokenAmount } from '../../domain/primitives.js'
import { withMinimumGas } from '../../executor/compile.js'
import type { DeliveryArgs, DeliveryOutcome } from '../../routing/crosschain/delivery-task.js'
import type {
  DestinationLeg,
  DestinationLegArgs,
  DestinationOrder,
} from '../../routing/crosschain/destination-task.js'
import type { SourceLeg, SourceLegArgs } from '../../routing/crosschain/source-task.js'
import type { KnownRoute } from '../../routing/search/known-routes.js'
import { quietly } from '../../telemetry/quietly.js'
import { besideFallback, type Delivered, requireDelivered } from './delivered.js'
import {
  callGas,
  deliveryCosts,
  orderGasFor,
  type Payload,
  roomyGas,
  usualPayload,
} from './delivery-cost.js'
import { deliverOnce } from './expected-deliveries.js'
import type { CrosschainPlan } from './plan.js'
import type { QuoteParts } from './sides.js'

const mostRounds = 4

/** What decides how a delivery is simulated. */
export interface Sent {
  readonly plan: CrosschainPlan
  readonly source: SourceLeg
  /** Null where the bridge pays the receiver itself. */
  readonly destination: DestinationLeg | null
  /** Gas of the call that delivers, as in `DeliveryTerms`. */
  readonly callGas: bigint
}

type ToDeliver = Omit<Sent, 'source'> & Pick<SourceLeg, 'delivery'>

export interface Settled extends Sent {
  /** What the receiver gains, or what enters the position, with what the pair enforces of it. */
  readonly outputs: readonly TransactionOutput[]
}

/** What the destination does with a delivery, and what is enforced there. */
interface Planned {
  readonly leg: DestinationLeg | null
  readonly outputs: readonly TransactionOutput[]
  /** Raw units that an order was planned for; null: whatever is delivered will do. */
  readonly amount: bigint | null
  /** Gas of the delivering transaction. */
  readonly gas: bigint
}

/** The tasks that make a pair, each at the block of its chain. */
export interface PairTasks {
  runSource(args: SourceLegArgs): Promise<SourceLeg>
  runDestination(args: DestinationLegArgs): Promise<DestinationLeg>
  /** At the destination's block, and at most once for what decides the same simulation. */
  deliver(args: DeliveryArgs): Promise<DeliveryOutcome>
  /** At another block of the destination. */
  deliverAt(args: DeliveryArgs, pin: BlockPin): Promise<DeliveryOutcome>
}

export type SettlementParts = Pick<
  QuoteParts,
  'source' | 'destination' | 'receiver' | 'payable'
> & {
  readonly accountId: Hex
  readonly tasks: PairTasks
}

export function settlementOf(parts: QuoteParts): Settlement {
  const { tasks, context, source, destination } = parts
  const { accountId } = context
  return new Settlement({
    ...parts,
    accountId,
    tasks: {
      runSource: (args) => tasks.runAt('sourceLeg', args, source.pin, context),
      runDestination: (args) => tasks.runAt('destinationLeg', args, destination.pin, context),
      deliver: deliverOnce(destination, (args) =>
        tasks.runAt('delivery', args, destination.pin, context),
      ),
      deliverAt: (args, pin) => tasks.runAt('delivery', args, pin, context),
    },
  })
}

export class Settlement {
  readonly #parts: SettlementParts
  /** The first source leg of each plan: what it sends is not known before. */
  readonly #first = new Map<CrosschainPlan, Promise<SourceLeg>>()

  constructor(parts: SettlementParts) {
    this.#parts = parts
  }

  /** What the source sends while nothing is known of the destination. @throws ForkrouteError as a bundle. */
  begin(plan: CrosschainPlan): Promise<SourceLeg> {
    const begun =
      this.#first.get(plan) ??
      this.#send(plan, usualPayload(plan), { estimateOnly: true, knownRoutes: [] })
    this.#first.set(plan, begun)
    return begun
  }

  /** @throws ForkrouteError where a leg or the delivery fails, or no pair holds. */
  async settle(plan: CrosschainPlan): Promise<Settled> {
    const first = await this.begin(plan)
    let planned = await this.#firstDestination(plan, first)
    const { gas: deliveryGas } = planned
    const orderGas = plan.runsOrder ? orderGasFor(deliveryGas) : 0n
    const gas = callGas(plan, orderGas)
    let before = first
    let isAmountKnown = !bridgeOf(plan.lane).isPaidFromAmount
    for (let round = 0; round < mostRounds; round++) {
      const payload = { message: messageOf(planned.leg, orderGas), orderGas, deliveryGas }
      const least = planned.leg ? undefined : at(planned.outputs, 0).minAmountOut
      const how = { estimateOnly: false, knownRoutes: first.knownRoutes, ...defined({ least }) }
      const sending = this.#send(plan, payload, how)
      if (isAmountKnown) {
        const delivery = { ...before.delivery, message: payload.message }
        this.#expect({ plan, delivery, destination: planned.leg, callGas: gas })
      }
      const source = await sending
      const sent = { plan, source, destination: planned.leg, callGas: gas }
      // The minimum of another amount says nothing: an order that was planned for more fails by it.
      const isPlannedFor = planned.amount === null || planned.amount === source.delivery.amount
      const delivered = isPlannedFor ? await this.#delivered(sent) : null
      const outputs = delivered && settledOutputs(plan, planned.outputs, delivered.gained)
      if (outputs) return { ...sent, outputs }
      planned = await this.#planDestination(plan, source, { orderGas, delivered, before: planned })
      before = source
      // What the delivery costs is the same from now on.
      isAmountKnown = true
    }
    throw new ForkrouteError(
      'SIMULATION_REVERTED',
      'What is delivered changes with its own minimum.',
    )
  }

  /** What was sent, delivered at a block of the destination. @throws ForkrouteError as a task. */
  deliverAt(sent: Sent, pin: BlockPin): Promise<DeliveryOutcome> {
    return this.#parts.tasks.deliverAt(this.#argsOf(toDeliver(sent)), pin)
  }

  #argsOf({ plan, delivery, destination, callGas }: ToDeliver): DeliveryArgs {
    const { receiver } = this.#parts
    const tokens = plan.destination.tokens ?? destination?.outputs.map(({ token }) => token) ?? []
    const touched = destination?.touched
    return { delivery, gas: callGas, tokens, receiver, ...defined({ touched }) }
  }

  /** Has a delivery simulated while the source is at work on sending it. */
  #expect(expected: ToDeliver): void {
    void quietly(
      this.#parts.tasks.deliver(this.#argsOf(expected)),
      'What the source sends is delivered in any case, and fails then.',
    )
  }

  /** @throws ForkrouteError SIMULATION_REVERTED unless the receiver gains what it should. */
  async #delivered(sent: Sent): Promise<Delivered> {
    const outcome = await this.#parts.tasks.deliver(this.#argsOf(toDeliver(sent)))
    return requireDelivered(outcome, sent.source.delivery, this.#parts)
  }

  /** With room for whatever the order needs, which is measured by it. */
  #firstDestination(plan: CrosschainPlan, source: SourceLeg): Promise<Planned> {
    const planning = this.#planDestination(plan, source, { orderGas: roomyGas })
    if (!plan.runsOrder) return planning
    const fallback = { delivery: source.delivery, gas: callGas(plan, roomyGas) }
    return besideFallback(this.#parts, fallback, planning)
  }

  /** @param shown.delivered - what the source leg delivers, where that was simulated already. */
  async #planDestination(
    plan: CrosschainPlan,
    source: SourceLeg,
    shown: {
      readonly orderGas: bigint
      readonly delivered?: Delivered | null
      readonly before?: Planned
    },
  ): Promise<Planned> {
    const { destination } = plan
    if (destination.kind === 'payment') {
      const sent = { plan, source, destination: null, callGas: 0n }
      const { gained, gas } = shown.delivered ?? (await this.#delivered(sent))
      return { leg: null, outputs: limited(gained, destination.limit), amount: null, gas }
    }
    const leg = await this.#runOrder(destination.order, source, {
      gas: shown.orderGas,
      knownRoutes: shown.before?.leg?.knownRoutes ?? [],
    })
    return { leg, outputs: leg.outputs, amount: source.delivery.amount, gas: leg.gas }
  }

  async #runOrder(
    order: DestinationOrder,
    { delivery }: SourceLeg,
    how: { readonly gas: bigint; readonly knownRoutes: readonly KnownRoute[] },
  ): Promise<DestinationLeg> {
    const { tasks, destination, receiver, accountId } = this.#parts
    const running = tasks.runDestination({ order, accountId, delivery, receiver, ...how })
    if (order.kind === 'route') return running
    const leg = await running.catch((error: unknown) => {
      throw asCallbackError(error, destination.chain.id)
    })
    requireCarried(leg)
    return leg
  }

  #send(
    plan: CrosschainPlan,
    { message, orderGas, deliveryGas }: Payload,
    how: Pick<SourceLegArgs, 'least' | 'estimateOnly' | 'knownRoutes'>,
  ): Promise<SourceLeg> {
    const { tasks, destination, receiver, accountId } = this.#parts
    const { lane, runsOrder, gasDrop, isFast, centiBps } = plan
    const terms: DeliveryTerms = {
      receiver: runsOrder ? lane.orderReceiver : receiver,
      message,
      gas: callGas(plan, orderGas),
      ...deliveryCosts(destination, lane, deliveryGas),
      ...defined({ gasDrop, isFast }),
    }
    const args: SourceLegArgs = {
      order: plan.source,
      accountId,
      lane,
      terms,
      // Failing on the source costs gas, failing later gives another token: so half of it is for the way there.
      centiBps: runsOrder ? centiBps / 2n : centiBps,
      ...how,
    }
    return tasks.runSource(args)
  }
}

function toDeliver({ source: { delivery }, ...sent }: Sent): ToDeliver {
  return { ...sent, delivery }
}

function messageOf(leg: DestinationLeg | null, orderGas: bigint): Payload['message'] {
  return leg ? withMinimumGas(leg.message, orderGas) : '0x'
}

/** Amounts with what is enforced of them. */
function limited(
  amounts: readonly TokenAmount[],
  limit: RouteRequest['limit'],
): TransactionOutput[] {
  return amounts.map(({ token, amount: amountOut }, index) => ({
    token,
    amountOut,
    minAmountOut:
      limit.kind === 'slippage'
        ? lessSlippage(amountOut, limit.centiBps)
        : at(limit.minimums, index).amount,
  }))
}

/**
 * What is gained, with the minimums that are stated, where these are exactly those that follow from it, and met: what an
 * order states is what is enforced, whatever the request asks for. Null where they are not.
 */
export function settledOutputs(
  { destination }: Pick<CrosschainPlan, 'destination'>,
  stated: readonly TransactionOutput[],
  gained: readonly TokenAmount[],
): TransactionOutput[] | null {
  const entersPosition = destination.kind === 'order' && destination.entersPosition
  const amounts = entersPosition
    ? stated.map(({ token, amountOut: amount }) => ({ token, amount }))
    : gained
  if (amounts.length !== stated.length) return null
  const { limit } = destination
  const follows = limit
    ? zip(limited(amounts, limit), stated).every(
        ([{ amountOut, minAmountOut }, one]) =>
          minAmountOut === one.minAmountOut && amountOut >= minAmountOut,
      )
    : zip(amounts, stated).every(([{ amount }, { amountOut }]) => amount === amountOut)
  if (!follows) return null
  return zip(stated, amounts).map(([one, { amount: amountOut }]) => ({ ...one, amountOut }))
}

/** Bytes of a message that bridges carry. */
const maxMessageBytes = 10_000

/** @throws ForkrouteError NO_ROUTE. */
function requireCarried({ message }: DestinationLeg): void {
  const bytes = message.length / 2 - 1
  if (bytes <= maxMessageBytes) return
  throw new ForkrouteError(
    'NO_ROUTE',
    `The callback has ${bytes} bytes, and bridges carry ${maxMessageBytes}: it needs fewer actions.`,
  )
}

/** Indexes of a callback's actions are those of another list than the request's. */
function asCallbackError(error: unknown, chainId: number): unknown {
  if (!(error instanceof ForkrouteError)) return error
  const { code, message, details } = error
  return new ForkrouteError(code, `callback on chain ${chainId}: ${message}`, {
    ...details,
    isCallback: true,
  })
}

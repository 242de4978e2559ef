/**
 * Settles the source and the destination of a plan, or all destinations of one that sends several: each is planned with what the other has shown, until a simulated pair
 * holds whose minimums follow from what that very pair delivers. That pair is the answer.
 *
 * Why it ends: what the destination needs is measured once, so that gas and length of what is carried are the same in all
 * rounds, and with them what is sent. From the second round on an order is therefore planned for exactly the amount that
 * arrives, and at one block of either chain the same order with the same amount gives the same. Where a bridge pays the
 * receiver itself, what is sent does not depend on the minimum. Whatever does not follow these rules is given up after
 * `mostRounds`.
 */
import type { Delivery } from '../../bridges/bridge.js'
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
import type {
  LaneSend,
  SentDelivery,
  SourceLeg,
  SourceLegArgs,
} from '../../routing/crosschain/source-task.js'
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
import { deliverOnce, factsOf } from './expected-deliveries.js'
import type { CrosschainPlan, Transfer } from './plan.js'
import type { QuoteParts, Side } from './sides.js'

const mostRounds = 4

/** What decides how a delivery is simulated. */
interface Sent {
  readonly transfer: Transfer
  readonly delivery: Delivery
  /** Null where the bridge pays the receiver itself. */
  readonly destination: DestinationLeg | null
  /** Gas of the call that delivers, as in `DeliveryTerms`. */
  readonly callGas: bigint
}

/** What was sent, and what the receiver gains by it. */
export interface SettledTransfer extends Sent {
  /** Wei that the messaging costs. */
  readonly nativeFee: bigint
  /** What the receiver gains, or what enters the position, with what the pair enforces of it. */
  readonly outputs: readonly TransactionOutput[]
  /** What the order sends on, in the order of its bridge actions. */
  readonly onward: readonly SettledTransfer[]
}

export interface Settled extends SettledTransfer {
  readonly plan: CrosschainPlan
  readonly source: SourceLeg
  /** All that the transaction sends, in the order of its bridge actions. */
  readonly transfers: readonly SettledTransfer[]
}

/** What the destination does with a delivery, and what is enforced there. */
interface Planned {
  readonly leg: DestinationLeg | null
  readonly outputs: readonly TransactionOutput[]
  /** Raw units that an order was planned for; null: whatever is delivered will do. */
  readonly amount: bigint | null
  /** What the order sends on. */
  readonly onward: readonly SettledTransfer[]
  /** Gas of the delivering transaction. */
  readonly gas: bigint
}

/** The tasks that make a pair, each at the block of its chain. */
export interface PairTasks {
  runSource(args: SourceLegArgs): Promise<SourceLeg>
  runDestination(args: DestinationLegArgs, pin: BlockPin): Promise<DestinationLeg>
  /** At the block of the side, and at most once for what decides the same simulation. */
  deliver(args: DeliveryArgs, side: Side): Promise<DeliveryOutcome>
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
  const { tasks, context, source } = parts
  const { accountId } = context
  return new Settlement({
    ...parts,
    accountId,
    tasks: {
      runSource: (args) => tasks.runAt('sourceLeg', args, source.pin, context),
      runDestination: (args, pin) => tasks.runAt('destinationLeg', args, pin, context),
      deliver: deliverOnce((args, { pin }) => tasks.runAt('delivery', args, pin, context)),
      deliverAt: (args, pin) => tasks.runAt('delivery', args, pin, context),
    },
  })
}

export class Settlement {
  readonly #parts: SettlementParts
  /** The first source leg of each plan: what it sends is not known before. */
  readonly #first = new Map<CrosschainPlan, Promise<SourceLeg>>()
  /** What was planned for deliveries before they were sent, by what decides their simulation. */
  readonly #expected = new Map<string, Promise<Planned>>()

  constructor(parts: SettlementParts) {
    this.#parts = parts
  }

  /** What the source sends while nothing is known of the destination. @throws ForkrouteError as a bundle. */
  begin(plan: CrosschainPlan): Promise<SourceLeg> {
    const begun =
      this.#first.get(plan) ?? this.#run(plan, firstSends(this.#transfersOf(plan)), firstOf)
    this.#first.set(plan, begun)
    return begun
  }

  /** Plans for what the source is expected to send, while it is at work on that. */
  expect(plan: CrosschainPlan, delivery: Delivery): void {
    const [transfer] = this.#transfersOf(plan)
    if (!transfer) return
    const planned = this.#firstDestination(transfer, delivery)
    this.#expected.set(factsOf(delivery, transfer.to, roomyGas), planned)
    void quietly(planned, 'What the source sends is planned for in any case, and fails then.')
  }

  /** @throws ForkrouteError where a leg or a delivery fails, or no pair holds. */
  async settle(plan: CrosschainPlan): Promise<Settled> {
    const first = await this.begin(plan)
    const { leg: source, transfers } = await this.#settleSent(
      this.#transfersOf(plan),
      first,
      (sends) => this.#run(plan, sends, { estimateOnly: false, knownRoutes: first.knownRoutes }),
    )
    return { ...at(transfers, plan.beside?.before ?? 0), plan, source, transfers }
  }

  /** @param send - what is sent, with all that is to be carried and all minimums. */
  async #settleSent<Leg extends Pick<SourceLeg, 'sent'>>(
    transfers: readonly Transfer[],
    first: Leg,
    send: (sends: readonly LaneSend[]) => Promise<Leg>,
  ): Promise<{ readonly leg: Leg; readonly transfers: readonly SettledTransfer[] }> {
    let planned = await inOrder(
      zip(transfers, first.sent).map(([transfer, { delivery }]) =>
        this.#firstDestination(transfer, delivery),
      ),
    )
    const payloads = zip(transfers, planned).map(([transfer, { gas: deliveryGas }]) => {
      const orderGas = transfer.runsOrder ? orderGasFor(deliveryGas) : 0n
      return { orderGas, deliveryGas, callGas: callGas(transfer, orderGas) }
    })
    let before = first.sent
    let isAmountKnown = false
    for (let round = 0; round < mostRounds; round++) {
      const carried = zip(planned, payloads).map(([{ leg, outputs }, payload]) => ({
        ...payload,
        message: messageOf(leg, payload.orderGas),
        ...defined({ least: leg ? undefined : at(outputs, 0).minAmountOut }),
      }))
      const sending = send(zip(transfers, carried).map(([transfer, one]) => sendOf(transfer, one)))
      for (const [place, transfer] of transfers.entries()) {
        if (!isAmountKnown && bridgeOf(transfer.lane).isPaidFromAmount) continue
        const { message, callGas: gas } = at(carried, place)
        const delivery = { ...at(before, place).delivery, message }
        this.#expect({ transfer, delivery, destination: at(planned, place).leg, callGas: gas })
      }
      const leg = await sending
      const shown = await inOrder(
        zip(transfers, leg.sent).map(([transfer, sent], place) =>
          this.#show(transfer, sent, at(planned, place), at(payloads, place).callGas),
        ),
      )
      const settled = shown.flatMap((one) => one.settled ?? [])
      if (settled.length === transfers.length) return { leg, transfers: settled }
      planned = await inOrder(
        zip(shown, planned).map(([one, last], place) => {
          if (one.settled) return Promise.resolve(last)
          const { orderGas } = at(payloads, place)
          const how = { orderGas, delivered: one.delivered, before: last }
          return this.#planDestination(at(transfers, place), at(leg.sent, place).delivery, how)
        }),
      )
      before = leg.sent
      // What the delivery costs is the same from now on.
      isAmountKnown = true
    }
    throw new ForkrouteError(
      'SIMULATION_REVERTED',
      'What is delivered changes with its own minimum.',
    )
  }

  /** What comes of what was sent; `settled` is null where it is not what was planned for. */
  async #show(
    transfer: Transfer,
    { delivery, nativeFee }: SentDelivery,
    { leg, amount, outputs: stated, onward: expected }: Planned,
    gas: bigint,
  ): Promise<{
    readonly delivered: Delivered | null
    readonly settled: SettledTransfer | null
  }> {
    // The minimum of another amount says nothing: an order that was planned for more fails by it.
    if (amount !== null && amount !== delivery.amount) return { delivered: null, settled: null }
    const sent = { transfer, delivery, destination: leg, callGas: gas }
    const delivered = await this.#delivered(sent)
    const outputs = settledOutputs(transfer, stated, delivered.gained)
    const onward = outputs && (await this.#sentOn(expected, delivered.sent))
    if (!outputs || !onward) return { delivered, settled: null }
    return { delivered, settled: { ...sent, nativeFee, outputs, onward } }
  }

  /** What a delivery sends on, delivered in its turn; null where it is not what was planned for. */
  async #sentOn(
    expected: readonly SettledTransfer[],
    sent: readonly Delivery[],
  ): Promise<readonly SettledTransfer[] | null> {
    const shown = await inOrder(
      zip(expected, sent).map(([one, delivery]) => {
        const { transfer, nativeFee, destination: leg, callGas: gas, outputs, onward } = one
        const amount = leg && one.delivery.amount
        const planned = { leg, outputs, amount, onward, gas: 0n }
        return this.#show(transfer, { delivery, nativeFee }, planned, gas)
      }),
    )
    const settled = shown.flatMap((one) => one.settled ?? [])
    return settled.length === expected.length ? settled : null
  }

  /** What was sent, delivered at a block of the destination. @throws ForkrouteError as a task. */
  deliverAt(sent: SettledTransfer, pin: BlockPin): Promise<DeliveryOutcome> {
    return this.#parts.tasks.deliverAt(argsOf(sent), pin)
  }

  #transfersOf(plan: CrosschainPlan): readonly Transfer[] {
    const { destination: to, receiver } = this.#parts
    const { source: _, beside, ...own } = plan
    const { action = 0, onward = [] } = beside ?? {}
    const transfer = { ...own, to, receiver, action, onward }
    return beside ? beside.transfers.toSpliced(beside.before, 0, transfer) : [transfer]
  }

  /** Has a delivery simulated while the source is at work on sending it. */
  #expect(expected: Sent): void {
    void quietly(
      this.#parts.tasks.deliver(argsOf(expected), expected.transfer.to),
      'What the source sends is delivered in any case, and fails then.',
    )
  }

  /** @throws ForkrouteError SIMULATION_REVERTED unless the receiver gains what it should. */
  async #delivered(sent: Sent): Promise<Delivered> {
    const { delivery, transfer } = sent
    const outcome = await this.#parts.tasks.deliver(argsOf(sent), transfer.to)
    return requireDelivered(outcome, delivery, { ...transfer, destination: transfer.to })
  }

  /** With room for whatever the order needs, which is measured by it. */
  #firstDestination(transfer: Transfer, delivery: Delivery): Promise<Planned> {
    const expected =
      this.#expected.size && this.#expected.get(factsOf(delivery, transfer.to, roomyGas))
    if (expected) return expected
    const planning = this.#planDestination(transfer, delivery, { orderGas: roomyGas })
    if (!transfer.runsOrder) return planning
    const { tasks, payable } = this.#parts
    const { receiver, to } = transfer
    const fallback = { delivery, gas: callGas(transfer, roomyGas) }
    return besideFallback({ tasks, payable, receiver, destination: to }, fallback, planning)
  }

  /** @param shown.delivered - what is delivered, where that was simulated already. */
  async #planDestination(
    transfer: Transfer,
    delivery: Delivery,
    shown: {
      readonly orderGas: bigint
      readonly delivered?: Delivered | null
      readonly before?: Planned
    },
  ): Promise<Planned> {
    const { destination } = transfer
    if (destination.kind === 'payment') {
      const sent = { transfer, delivery, destination: null, callGas: 0n }
      const { gained, gas } = shown.delivered ?? (await this.#delivered(sent))
      const outputs = limited(gained, destination.limit)
      return { leg: null, outputs, amount: null, onward: [], gas }
    }
    const knownRoutes = shown.before?.leg?.knownRoutes ?? []
    const how = { delivery, gas: shown.orderGas, knownRoutes }
    const { leg, transfers: onward } = await this.#runOrder(transfer, destination.order, how)
    return { leg, outputs: leg.outputs, amount: delivery.amount, onward, gas: leg.gas }
  }

  async #runOrder(
    { to, receiver, action, callValue, onward }: Transfer,
    order: DestinationOrder,
    how: {
      readonly delivery: Delivery
      readonly gas: bigint
      readonly knownRoutes: readonly KnownRoute[]
    },
  ): Promise<{ readonly leg: DestinationLeg; readonly transfers: readonly SettledTransfer[] }> {
    const { tasks, accountId } = this.#parts
    const args = { order, accountId, receiver, ...how, ...defined({ callValue }) }
    if (order.kind === 'route') {
      return { leg: await tasks.runDestination(args, to.pin), transfers: [] }
    }
    try {
      const run = (
        sends: readonly LaneSend[],
        { knownRoutes }: Pick<DestinationLeg, 'knownRoutes'> = args,
      ) =>
        tasks.runDestination({ ...args, knownRoutes, ...(onward.length > 0 && { sends }) }, to.pin)
      const first = await run(firstSends(onward))
      const ran =
        onward.length > 0
          ? await this.#settleSent(onward, first, (sends) => run(sends, first))
          : { leg: first, transfers: [] }
      requireCarried(ran.leg)
      return ran
    } catch (error) {
      throw asCallbackError(error, action, to.chain.id)
    }
  }

  #run(
    { source: order }: CrosschainPlan,
    sends: readonly LaneSend[],
    how: Pick<SourceLegArgs, 'estimateOnly' | 'knownRoutes'>,
  ): Promise<SourceLeg> {
    const { tasks, accountId } = this.#parts
    return tasks.runSource({ order, accountId, sends, ...how })
  }
}

/** To learn what is sent. */
const firstOf = { estimateOnly: true, knownRoutes: [] } as const

/** How the source sends while nothing is known of the destinations. */
export function firstSends(transfers: readonly Transfer[]): LaneSend[] {
  // Less of a taxed token may arrive than a quote by itself has shown, so that nothing is required of it.
  return transfers.map((transfer) => sendOf(transfer, { ...usualPayload(transfer), least: 0n }))
}

function sendOf(
  transfer: Transfer,
  { message, orderGas, deliveryGas, least }: Payload & { readonly least?: bigint },
): LaneSend {
  const { lane, runsOrder, gasDrop, callValue, isFast, centiBps, to, receiver } = transfer
  return {
    lane,
    terms: {
      receiver: runsOrder ? lane.orderReceiver : receiver,
      message,
      gas: callGas(transfer, orderGas),
      ...deliveryCosts(to, lane, deliveryGas),
      ...defined({ gasDrop, callValue, isFast }),
    },
    // Failing on the source costs gas, failing later gives another token: so half of it is for the way there.
    centiBps: runsOrder ? centiBps / 2n : centiBps,
    ...defined({ least }),
  }
}

function argsOf({ transfer, delivery, destination, callGas }: Sent): DeliveryArgs {
  const { receiver, destination: plan } = transfer
  const tokens = plan.tokens ?? destination?.outputs.map(({ token }) => token) ?? []
  const touched = destination?.touched
  const { onward } = transfer
  const lanes = onward.length > 0 ? onward.map(({ lane }) => lane) : undefined
  return { delivery, gas: callGas, tokens, receiver, ...defined({ touched, lanes }) }
}

/** Of several that fail, the first is told. */
async function inOrder<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(work)
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
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
function asCallbackError(error: unknown, bridgeAction: number, chainId: number): unknown {
  if (!(error instanceof ForkrouteError)) return error
  const { code, message, details } = error
  const named = `action ${bridgeAction}, callback on chain ${chainId}: ${message}`
  return new ForkrouteError(code, named, {
    ...details,
    isCallback: true,
    bridgeAction,
  })
}

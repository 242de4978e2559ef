/** Both halves of a bundle over one lane, planned anew with what the other half shows until neither changes. */
import { gasForOrder, type Parcel } from '../../bridges/bridge.js'
import type { TransactionOutput } from '../../domain/bundle.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import { type Address, lessSlippage } from '../../domain/primitives.js'
import type { Callback, Crossed } from '../../routing/crosschain/messages.js'
import type { BridgedPlan } from './bridged-plan.js'
import { deliveryCostOf, orderGasFor, roomyGas, type SendingFacts, usualFacts } from './journey.js'
import type { Side } from './journey-answer.js'
import { besideFallback, type Delivered, requireDelivered } from './landed.js'
import { candidates } from './prospects.js'
import type { CrosschainParts } from './sides.js'
import { paidTo } from './ways.js'

/** Rounds in which both halves are planned anew with what the one before has shown. */
const finalRounds = 4
/** Bytes of a message that bridges carry. */
const maxMessageBytes = 10_000

/** The order that runs with what arrives. */
type Onward = Pick<Callback, 'message' | 'touched' | 'gas'> & {
  readonly result: Pick<
    Callback['result'],
    'outputs' | 'route' | 'warnings' | 'payments' | 'unprotected'
  >
}

export interface Pair {
  readonly crossed: Crossed
  readonly callback: Onward | null
  readonly outputs: readonly TransactionOutput[]
}

type Order = NonNullable<BridgedPlan['callback']>

interface PairParts {
  readonly parts: CrosschainParts
  readonly plan: BridgedPlan
  readonly receiver: Address
  readonly here: Side
  readonly there: Side
  readonly context: CallContext
}

export class BundlePair {
  #first: Promise<Crossed> | undefined

  constructor(private readonly args: PairParts) {}

  /** What the source sends while nothing is known of the destination. @throws ForkrouteError as a bundle. */
  first(): Promise<Crossed> {
    const { callback, swapsThere } = this.args.plan
    const usual = usualFacts({ runsOrder: callback !== null, swapsThere })
    this.#first ??= this.#cross(usual, { isRough: true })
    return this.#first
  }

  /** @throws ForkrouteError where no pair holds. */
  prove(): Promise<Pair> {
    const { callback } = this.args.plan
    return callback ? this.#proveOrder(callback) : this.#proveDirect()
  }

  /** Where the bridge pays the receiver itself, and enforces how much. */
  async #proveDirect(): Promise<Pair> {
    const { plan, there, receiver } = this.args
    const { centiBps, least } = plan
    const paid = paidTo(plan.lane, there.kinds.get(receiver) ?? 'plain')
    const amountOf = ({ gained }: Delivered) => at(gained, 0).amount
    const leastOf = (amount: bigint) => least ?? lessSlippage(amount, centiBps)
    const landed = await this.#land(await this.first(), 0n, [paid], null)
    const known = { message: '0x', orderGas: 0n, deliveryGas: landed.gas } as const
    let minimum = leastOf(amountOf(landed))
    for (let round = 0; round < finalRounds; round++) {
      const crossed = await this.#cross(known, { isRough: false, least: minimum })
      const amountOut = amountOf(await this.#land(crossed, 0n, [paid], null))
      if (leastOf(amountOut) === minimum) {
        const outputs = [{ token: paid, amountOut, minAmountOut: minimum }]
        return { crossed, callback: null, outputs }
      }
      minimum = leastOf(amountOut)
    }
    throw unsettled()
  }

  async #proveOrder(order: Order): Promise<Pair> {
    const { parts, there, receiver, context } = this.args
    const rough = await this.first()
    const planned = { there, receiver, delivery: rough.delivery, gas: gasForOrder(roomyGas) }
    const planning = this.#run(order, rough, roomyGas)
    const { gas: deliveryGas } = await besideFallback(parts, planned, context, planning)
    const orderGas = orderGasFor(deliveryGas)
    let callback = await this.#run(order, rough, orderGas)
    let plannedAmount = rough.delivery.amount
    for (let round = 0; round < finalRounds; round++) {
      const { message } = callback
      if (message.length / 2 - 1 > maxMessageBytes) {
        throw new ForkrouteError(
          'NO_ROUTE',
          `The callback has ${message.length / 2 - 1} bytes, and bridges carry ${maxMessageBytes}: it needs fewer actions.`,
        )
      }
      const crossed = await this.#cross({ message, orderGas, deliveryGas }, { isRough: false })
      // The minimums of another amount say nothing: an order that was planned for more fails by them.
      if (crossed.delivery.amount === plannedAmount) {
        const expected = callback.result.outputs ?? []
        const tokens = expected.map(({ token }) => token)
        const landed = await this.#land(crossed, gasForOrder(orderGas), tokens, callback)
        const isSame = expected.every(
          ({ amountOut }, place) => landed.gained[place]?.amount === amountOut,
        )
        if (isSame) return { crossed, callback, outputs: expected }
      }
      callback = await this.#run(order, crossed, orderGas)
      plannedAmount = crossed.delivery.amount
    }
    throw unsettled()
  }

  #cross(
    known: SendingFacts,
    how: { readonly isRough: boolean; readonly least?: bigint },
  ): Promise<Crossed> {
    const { parts, plan, receiver, here, there, context } = this.args
    const { lane, source: request, callback } = plan
    const parcel: Parcel = {
      receiver: callback ? lane.orderReceiver : receiver,
      message: known.message,
      gas: callback ? gasForOrder(known.orderGas) : 0n,
      deliveryCost: deliveryCostOf(there, lane, known.deliveryGas),
    }
    const refundReceiver = request.refundReceiver ?? request.fromAddress
    // Failing here costs gas alone, failing there gives another token.
    const centiBps = callback ? plan.centiBps / 2n : plan.centiBps
    const { accountId } = context
    return parts.tasks.runAt(
      'crossing',
      { request, accountId, lane, parcel, centiBps, refundReceiver, ...how },
      here.pin,
      context,
    )
  }

  async #land(
    { delivery }: Crossed,
    gas: bigint,
    tokens: readonly Address[],
    landed: Onward | null,
  ): Promise<Delivered> {
    const { parts, there, receiver, context } = this.args
    const touched = landed?.touched
    const args = { delivery, gas, tokens, receiver, ...(touched && { touched }) }
    const landing = await parts.tasks.runAt('landing', args, there.pin, context)
    return requireDelivered(landing, { delivery, there, receiver })
  }

  async #run(order: Order, { delivery }: Crossed, gas: bigint): Promise<Onward> {
    const { parts, plan, there, receiver, context } = this.args
    const asked = { accountId: context.accountId, delivery, gas, receiver }
    if (order.kind === 'route') {
      const { request } = order
      const args = { ...asked, request, candidates, knownRoutes: [] }
      const {
        message,
        touched,
        gas: used,
        ...result
      } = await parts.tasks.runAt(...(['arrival', args, there.pin, context] as const))
      return { message, touched, gas: used, result: { ...result, payments: [], unprotected: [] } }
    }
    try {
      const args = { ...asked, request: order.request }
      return await parts.tasks.runAt('callback', args, there.pin, context)
    } catch (error) {
      if (!(error instanceof ForkrouteError)) throw error
      // Its indexes are those of another list.
      const { code, message, details } = error
      const { destinationChainId } = plan.lane
      throw new ForkrouteError(code, `callback on chain ${destinationChainId}: ${message}`, {
        ...details,
        isCallback: true,
      })
    }
  }
}

function unsettled(): ForkrouteError {
  return new ForkrouteError(
    'SIMULATION_REVERTED',
    'What is delivered changes with its own minimum.',
  )
}

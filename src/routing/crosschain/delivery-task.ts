/** A delivery as whoever makes it would send it, and whether the receiver gains by it what it should. */
import type { Delivery, Lane } from '../../bridges/bridge.js'
import { bridgeOf } from '../../bridges/registry.js'
import type { Touched } from '../../domain/bridges/touched.js'
import { ForkrouteError } from '../../domain/errors.js'
import { zip } from '../../domain/lists.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import type { Task } from '../block/task.js'
import { emptyExecutor, simulateDelivery } from '../bundle/simulate-delivery.js'
import { whyPoolCannotPay, whyRefused } from './payment.js'
import { deliveriesOf } from './source-task.js'

export interface DeliveryArgs {
  readonly delivery: Delivery
  /** Gas of the call that delivers, as in `DeliveryTerms`. */
  readonly gas: bigint
  /** Tokens that the receiver must gain. */
  readonly tokens: readonly Address[]
  readonly receiver: Address
  /** What the order of its message touches; absent without an order. */
  readonly touched?: Touched
  /** Over which the order of its message sends on, in that order; absent: over none. */
  readonly lanes?: readonly Lane[]
}

export type DeliveryOutcome = { readonly gas: bigint } & (
  | {
      readonly status: 'delivered'
      /** What the receiver gains of each token. */
      readonly gained: readonly TokenAmount[]
      /** What the order sends on, in the order of `lanes`. */
      readonly sent: readonly Delivery[]
    }
  /** The order failed, and the receiver gains the token of the bridge. */
  | { readonly status: 'fallback'; readonly paid: TokenAmount; readonly reason: string }
  /** Nothing reaches the receiver: the delivery fails, or leaves the token elsewhere. `reason` is the payment's. */
  | { readonly status: 'unpaid'; readonly token: Address; readonly reason: string }
  | { readonly status: 'reverted'; readonly reason: string }
)

/** @throws ForkrouteError STATE_UNAVAILABLE. */
export async function runDelivery(task: Task, args: DeliveryArgs): Promise<DeliveryOutcome> {
  const { delivery, gas, tokens, receiver } = args
  const bridge = bridgeOf(delivery)
  const overrides = args.touched ? await emptyExecutor(task, args.touched, delivery.message) : {}
  const measure = [...tokens, delivery.token].map((token) => ({ token, owner: receiver }))
  const simulated = { delivery, gas, measure, overrides }
  const { result, fallback } = await simulateDelivery(task, bridge, simulated)
  if (result.status === 'unreadable') {
    throw new ForkrouteError(
      'STATE_UNAVAILABLE',
      `The delivery cannot be simulated: ${result.message}.`,
    )
  }
  const { gasUsed } = result
  if (result.status === 'success') {
    const deltas = result.deltas.slice(0, tokens.length)
    const gained = zip(tokens, deltas).map(([token, { amount }]) => ({ token, amount }))
    const none = gained.find(({ amount }) => amount <= 0n)
    const sends = (args.lanes ?? []).map((lane) => ({ lane }))
    const sent = deliveriesOf(task, sends, result.logs)
    if (!none) return { status: 'delivered', gained, sent, gas: gasUsed }
    const reason = (await whyNotPaid(task, args, none.token)) ?? 'it gains nothing by the delivery'
    return { status: 'unpaid', token: none.token, reason, gas: gasUsed }
  }
  if (fallback) {
    const paid = { token: delivery.token, amount: fallback.at(-1)?.amount ?? 0n }
    return { status: 'fallback', paid, reason: result.reason, gas: gasUsed }
  }
  const reason = await whyNotPaid(task, args, delivery.token)
  return reason === null
    ? { status: 'reverted', reason: result.reason, gas: gasUsed }
    : { status: 'unpaid', token: delivery.token, reason, gas: gasUsed }
}

/** Null: neither the receiver nor a pool of the bridge is what keeps the payment from it. */
async function whyNotPaid(
  task: Task,
  { delivery, receiver }: DeliveryArgs,
  token: Address,
): Promise<string | null> {
  const isBridged = token === delivery.token
  const payment = { token, receiver, amount: isBridged ? delivery.amount : 1n }
  const refusal = await whyRefused(task, payment)
  if (refusal !== null || !isBridged) return refusal
  return whyPoolCannotPay(task, delivery, payment)
}

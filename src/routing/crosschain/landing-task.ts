/** A delivery as whoever makes it would send it, and whether the receiver has what it should bring. */
import { bridgeOf } from '../../bridges/registry.js'
import { ForkrouteError } from '../../domain/errors.js'
import { zip } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { Task } from '../block/task.js'
import { emptyExecutor, simulateLanding } from '../bundle/simulate-landing.js'
import type { Landing, LandingArgs } from './messages.js'
import { whyPoolCannotPay, whyRefused } from './payment.js'

/** @throws ForkrouteError STATE_UNAVAILABLE. */
export async function runLanding(task: Task, args: LandingArgs): Promise<Landing> {
  const { delivery, gas, tokens, receiver } = args
  const bridge = bridgeOf(delivery)
  const overrides = args.touched ? await emptyExecutor(task, args.touched, delivery.message) : {}
  const measure = [...tokens, delivery.token].map((token) => ({ token, owner: receiver }))
  const landing = { delivery, gas, measure, overrides }
  const { result, fallback } = await simulateLanding(task, bridge, landing)
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
    if (!none) return { status: 'delivered', gained, gas: gasUsed }
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
  { delivery, receiver }: LandingArgs,
  token: Address,
): Promise<string | null> {
  const isBridged = token === delivery.token
  const payment = { token, receiver, amount: isBridged ? delivery.amount : 1n }
  const refusal = await whyRefused(task, payment)
  if (refusal !== null || !isBridged) return refusal
  return whyPoolCannotPay(task, delivery, payment)
}

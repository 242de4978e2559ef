/** Outputs of actions with a receiver argument of their own: the action pays it, and nothing stays in the runner. */
import { type Amount, type CallStep, isAmountRef } from '../../domain/order.js'
import { type Address, isNative } from '../../domain/primitives.js'
import type { ActionContext, ActionOutput } from '../positions.js'
import { balanceOf, difference, sum } from './value-steps.js'

/** The address that the contract itself pays. */
export function payeeOf(context: ActionContext, receiver: Address | undefined): Address {
  return receiver ?? context.runner
}

type Call = Omit<CallStep, 'kind' | 'output'>

/**
 * Adds a call of a contract that pays `payeeOf` itself. What comes out is measured at the one who is paid, which is
 * correct despite transfer taxes and whatever the contract says of it.
 *
 * @param token - never native.
 */
export function addPaying(
  context: ActionContext,
  call: Call,
  token: Address,
  receiver: Address | undefined,
): ActionOutput {
  const to = payeeOf(context, receiver)
  if (to === context.runner) {
    const step = context.add({ kind: 'call', ...call, output: balanceIn(token) })
    return { token, amount: { ref: 'output', step } }
  }
  const before = balanceOf(context, token, to)
  context.add({ kind: 'call', ...call })
  return {
    token,
    amount: difference(context, balanceOf(context, token, to), before),
    isPaid: true,
  }
}

/** Adds a call of a contract that pays only its caller, and sends on what arrived. */
export function addSendingOn(
  context: ActionContext,
  call: Call,
  token: Address,
  receiver: Address | undefined,
): ActionOutput {
  const step = context.add({ kind: 'call', ...call, output: balanceIn(token) })
  const amount = { ref: 'output', step } as const
  const to = payeeOf(context, receiver)
  if (to === context.runner) return { token, amount }
  return { token, amount: sendMeasured(context, token, to, amount), isPaid: true }
}

/**
 * Sends an amount out of the runner.
 *
 * @returns what arrives: less than the amount where the token takes a tax or rounds.
 */
export function sendMeasured(
  context: Pick<ActionContext, 'add' | 'helper' | 'runner'>,
  token: Address,
  to: Address,
  amount: Amount,
): Amount {
  if (!isNative(token)) {
    const before = balanceOf(context, token, to)
    context.add({ kind: 'transfer', token, to, amount })
    return difference(context, balanceOf(context, token, to), before)
  }
  // All of it arrives; a balance must be read before it is gone.
  const isBalance = isAmountRef(amount) && amount.ref === 'balance'
  const sent = isBalance ? sum(context, [amount]) : amount
  context.add({ kind: 'transfer', token, to, amount: sent })
  return sent
}

function balanceIn(token: Address) {
  return { kind: 'balance', token } as const
}

/** Outputs of actions with a receiver argument of their own: the action pays it, and nothing stays in the runner. */
import type { CallStep } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import type { ActionContext, ActionOutput } from '../positions.js'
import { balanceOf, difference } from './value-steps.js'

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
  context.add({ kind: 'transfer', token, to, amount })
  return { token, amount, isPaid: true }
}

function balanceIn(token: Address) {
  return { kind: 'balance', token } as const
}

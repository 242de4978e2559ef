/** Outputs of actions whose arguments name a receiver of their own: the action pays it, and nothing stays in the runner. */
import type { CallStep } from '../../domain/plan.js'
import type { Address } from '../../domain/primitives.js'
import type { ActionContext, ActionOutput } from '../positions.js'

export const receiverInput = {
  kind: 'address',
  description: 'gets what comes out, which no later action can use then; absent: it can',
  optional: true,
} as const

/** Who the contract itself is to pay. */
export function payeeOf(context: ActionContext, receiver: Address | undefined): Address {
  return receiver ?? context.runner
}

/**
 * What a step yields: measured in the runner, which tokens that tax transfers cannot mislead; what it never sees is the
 * first word that the contract returns.
 */
export function outputOf(
  context: ActionContext,
  token: Address,
  receiver: Address | undefined,
): NonNullable<CallStep['output']> {
  return payeeOf(context, receiver) === context.runner
    ? { kind: 'balance', token }
    : { kind: 'word', index: 0 }
}

/** For contracts that pay `payeeOf` themselves. */
export function paidDirectly(
  context: ActionContext,
  token: Address,
  step: number,
  receiver: Address | undefined,
): ActionOutput {
  const amount = { ref: 'output', step } as const
  return { token, amount, ...(payeeOf(context, receiver) !== context.runner && { isPaid: true }) }
}

/** For contracts that pay their caller alone: sends on what has come. */
export function sentOn(
  context: ActionContext,
  token: Address,
  step: number,
  receiver: Address | undefined,
): ActionOutput {
  const output = paidDirectly(context, token, step, receiver)
  if (output.isPaid) {
    const to = payeeOf(context, receiver)
    context.add({ kind: 'transfer', token, to, amount: output.amount })
  }
  return output
}

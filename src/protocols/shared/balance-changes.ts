/** Several tokens out of one call: a step has one output, so the others are balances before and after. */
import type { AmountRef, CallStep } from '../../domain/order.js'
import { type Address, isNative } from '../../domain/primitives.js'
import type { ActionContext } from '../positions.js'
import { balanceOf, difference } from './value-steps.js'

/**
 * Adds the call and what measures it.
 *
 * @param tokens - at most one of them native.
 * @returns what the call brings the runner of each token, in the order given; taxes on transfers are taken off.
 */
export function balanceChanges(
  context: Pick<ActionContext, 'add' | 'helper' | 'runner'>,
  call: Omit<CallStep, 'kind'>,
  tokens: readonly Address[],
): { readonly token: Address; readonly amount: AmountRef }[] {
  // The call's own output measures one, and native can be measured so alone.
  const own = tokens.find(isNative) ?? tokens[0]
  const watched = tokens.map((token) => ({
    token,
    before: token === own ? null : balanceOf(context, token),
  }))
  const step = context.add({
    kind: 'call',
    ...call,
    ...(own && { output: { kind: 'balance', token: own } }),
  })
  return watched.map(({ token, before }) => ({
    token,
    amount: before
      ? difference(context, balanceOf(context, token), before)
      : { ref: 'output', step },
  }))
}

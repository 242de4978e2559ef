/** Several tokens out of one call: a step has one output, so the others are measured as balance differences. */
import type { AmountRef, CallStep } from '../../domain/order.js'
import { type Address, isNative } from '../../domain/primitives.js'
import type { ActionContext } from '../positions.js'
import { balanceOf, difference } from './value-steps.js'

/**
 * Adds the call and the steps that measure it.
 *
 * @param tokens - at most one of them native.
 * @returns what the runner receives of each token, in the order given, net of transfer taxes.
 */
export function balanceChanges(
  context: Pick<ActionContext, 'add' | 'helper' | 'runner'>,
  call: Omit<CallStep, 'kind'>,
  tokens: readonly Address[],
): { readonly token: Address; readonly amount: AmountRef }[] {
  // The call's own output measures one token; native can only be measured that way.
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

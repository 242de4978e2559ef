/** Several tokens out of one call: a step has one output, so the others are balances before and after. */
import { parseAbi } from 'viem'
import type { AmountRef, CallStep } from '../domain/plan.js'
import { type Address, isNative } from '../domain/primitives.js'
import type { ActionContext } from './positions.js'

const [balanceOf, difference] = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function difference(uint256 a, uint256 b) pure returns (uint256)',
])
const firstWord = { kind: 'word', index: 0 } as const

/**
 * Adds the call and what measures it.
 *
 * @param tokens - at most one of them native.
 * @returns what the call brings the runner of each token, in the order given.
 */
export function balanceChanges(
  context: ActionContext,
  call: CallStep,
  tokens: readonly Address[],
): AmountRef[] {
  // The call's own output measures one, and native can be measured so alone.
  const own = tokens.find(isNative) ?? tokens[0]
  const balance = (token: Address): AmountRef => ({
    ref: 'output',
    step: context.add({
      kind: 'call',
      target: token,
      abi: balanceOf,
      args: [context.runner],
      output: firstWord,
    }),
  })
  const before = tokens.map((token) => (token === own ? null : balance(token)))
  const step = context.add({ ...call, ...(own && { output: { kind: 'balance', token: own } }) })
  return tokens.map((token, k): AmountRef => {
    const earlier = before[k]
    if (!earlier) return { ref: 'output', step }
    const later = balance(token)
    const args = [later, earlier]
    const target = context.helper('Values')
    const subtraction = { kind: 'call', target, abi: difference, args, output: firstWord } as const
    return { ref: 'output', step: context.add(subtraction) }
  })
}

/** One call that pays the runner two tokens: a step has one output, so the other is a difference of balances. */
import { parseAbi } from 'viem'
import type { AmountRef, CallStep } from '../domain/plan.js'
import type { Address } from '../domain/primitives.js'
import type { ActionContext } from './positions.js'

const [balanceOfAbi, differenceAbi] = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function difference(uint256 a, uint256 b) pure returns (uint256)',
])

/** @returns what the runner gains of each token by the call, taxes on transfers included. */
export function addCallForTwo(
  context: ActionContext,
  call: Pick<CallStep, 'target' | 'abi' | 'args'>,
  [first, second]: readonly [Address, Address],
): readonly [AmountRef, AmountRef] {
  const { runner } = context
  const balance = () =>
    context.add({
      kind: 'call',
      target: second,
      abi: balanceOfAbi,
      args: [runner],
      output: { kind: 'word', index: 0 },
    })
  const before = balance()
  const made = context.add({ kind: 'call', ...call, output: { kind: 'balance', token: first } })
  const after = balance()
  const gained = context.add({
    kind: 'call',
    target: context.helper('Values'),
    abi: differenceAbi,
    args: [
      { ref: 'output', step: after },
      { ref: 'output', step: before },
    ],
    output: { kind: 'word', index: 0 },
  })
  return [
    { ref: 'output', step: made },
    { ref: 'output', step: gained },
  ]
}

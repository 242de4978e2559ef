import { defined } from '../../../domain/defined.js'
import type { Amount, ExecutorStep } from '../../../domain/order.js'
import { type Address, isNative } from '../../../domain/primitives.js'
import type { Conversion, Edge } from './conversion.js'

/** Steps of one conversion. The last one is the call that delivers, to the runner. */
export function stepsOf<State>(
  { conversion, edge }: { readonly conversion: Conversion<State>; readonly edge: Edge },
  state: State,
  amountIn: Amount,
  runner: Address,
): ExecutorStep[] {
  const { abi, needsApproval } = conversion
  const target = conversion.target(state, edge)
  const args = conversion.args(amountIn, runner)
  return [
    ...(needsApproval
      ? [{ kind: 'approve', token: edge.tokenIn, spender: target, amount: amountIn } as const]
      : []),
    {
      kind: 'call',
      target,
      abi,
      args,
      ...defined({ value: isNative(edge.tokenIn) ? amountIn : undefined }),
    },
  ]
}

/** Arithmetic on amounts, such as what earlier actions yield. An output belongs to no token. */
import type { Amount, AmountRef } from '../../../domain/order.js'
import {
  difference,
  lesser,
  proportion,
  type Steps,
  sum,
} from '../../../protocols/shared/value-steps.js'
import { defineServiceAction, required, type ServiceAction } from '../service-action.js'

type Operation = (steps: Steps, a: Amount, b: Amount) => AmountRef

/** What the steps of an operation leave is its output. */
export function defineOperation(
  name: string,
  description: string,
  operation: Operation,
): ServiceAction {
  return defineServiceAction({
    name,
    description,
    inputs: {
      amountA: required('amount', 'A number, or a reference.'),
      amountB: required('amount', 'A number, or a reference.'),
    },
    isPriced: true,
    onlyLooks: true,
    outputs: () => 1,
    perform: ({ amountA, amountB }, context) => ({
      spends: [],
      outputs: [{ token: null, amount: operation(context, amountA, amountB) }],
    }),
  })
}

export const mathActions: readonly ServiceAction[] = [
  defineOperation('add', 'amountA + amountB.', (steps, a, b) => sum(steps, [a, b])),
  defineOperation('sub', 'amountA - amountB; fails where that is negative.', difference),
  defineOperation('mul', 'amountA times amountB.', (steps, a, b) => proportion(steps, a, b, 1n)),
  defineOperation(
    'div',
    'amountA / amountB, rounded down; fails where amountB is 0.',
    (steps, a, b) => proportion(steps, a, 1n, b),
  ),
  defineOperation('min', 'The lesser of two amounts.', lesser),
  defineOperation('max', 'The greater of two amounts.', (steps, a, b) =>
    sum(steps, [a, difference(steps, b, lesser(steps, a, b))]),
  ),
]

/** Comparisons of amounts: 1 where they hold, else 0. */
import type { Amount, AmountRef } from '../../../domain/order.js'
import { difference, lesser, type Steps, sum } from '../../../protocols/shared/value-steps.js'
import type { ServiceAction } from '../service-action.js'
import { defineOperation } from './math.js'

function isLess(steps: Steps, a: Amount, b: Amount): AmountRef {
  return lesser(steps, difference(steps, b, lesser(steps, a, b)), 1n)
}

/** @param condition - any amount; 0 is false. */
export function not(steps: Steps, condition: Amount): AmountRef {
  return difference(steps, 1n, lesser(steps, condition, 1n))
}

export const comparisons: readonly ServiceAction[] = [
  defineOperation('isequal', 'Whether amountA = amountB: 1 or 0.', (steps, a, b) =>
    not(steps, sum(steps, [isLess(steps, a, b), isLess(steps, b, a)])),
  ),
  defineOperation('islessthan', 'Whether amountA < amountB: 1 or 0.', isLess),
  defineOperation('isequalorlessthan', 'Whether amountA <= amountB: 1 or 0.', (steps, a, b) =>
    not(steps, isLess(steps, b, a)),
  ),
  defineOperation('isgreaterthan', 'Whether amountA > amountB: 1 or 0.', (steps, a, b) =>
    isLess(steps, b, a),
  ),
  defineOperation('isequalorgreaterthan', 'Whether amountA >= amountB: 1 or 0.', (steps, a, b) =>
    not(steps, isLess(steps, a, b)),
  ),
]

/** Actions on a condition: true, false, or what a comparison yields. */
import { lesser, proportion, sum } from '../../../protocols/shared/value-steps.js'
import { defineServiceAction, required, type ServiceAction } from '../service-action.js'
import { minimumStep } from '../tools.js'
import { not } from './comparisons.js'

const condition = required('condition', 'true, false, or a reference; an amount of 0 is false.')
const looks = { isPriced: true, onlyLooks: true } as const

export const conditions: readonly ServiceAction[] = [
  defineServiceAction({
    name: 'not',
    description: '1 where the condition is false, else 0.',
    inputs: { condition },
    ...looks,
    outputs: () => 1,
    perform: (args, context) => ({
      spends: [],
      outputs: [{ token: null, amount: not(context, args.condition) }],
    }),
  }),
  defineServiceAction({
    name: 'check',
    description: 'Fails the transaction where the condition is false.',
    inputs: { condition },
    ...looks,
    outputs: () => 0,
    perform(args, { add }) {
      add(minimumStep(args.condition, 1n))
      return { spends: [], outputs: [] }
    },
  }),
  defineServiceAction({
    name: 'toggle',
    description: 'amountA where the condition is true, else amountB.',
    inputs: {
      condition,
      amountA: required('amount', 'A number, or a reference.'),
      amountB: required('amount', 'A number, or a reference.'),
    },
    ...looks,
    outputs: () => 1,
    perform({ amountA, amountB, ...args }, context) {
      const isTrue = lesser(context, args.condition, 1n)
      const first = proportion(context, amountA, isTrue, 1n)
      const second = proportion(context, amountB, not(context, isTrue), 1n)
      return { spends: [], outputs: [{ token: null, amount: sum(context, [first, second]) }] }
    },
  }),
]

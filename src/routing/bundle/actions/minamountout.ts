import { performMinimum } from '../action-parts.js'
import { defineServiceAction, required } from '../service-action.js'

export const minamountout = defineServiceAction({
  name: 'minamountout',
  description: 'Fails the transaction when an output is below a minimum.',
  inputs: {
    amountOut: required('output', 'A reference to the output.'),
    minAmountOut: required('amount', 'Raw units.'),
  },
  isPriced: true,
  onlyLooks: true,
  outputs: () => 1,
  perform: ({ amountOut, minAmountOut: minimum }, context) =>
    performMinimum(amountOut, context, { minimum }),
})

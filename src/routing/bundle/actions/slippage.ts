import { performMinimum } from '../action-parts.js'
import { defineServiceAction, required } from '../service-action.js'

export const slippage = defineServiceAction({
  name: 'slippage',
  description: 'Fails the transaction when an output is worse than simulated by more than this.',
  inputs: {
    amountOut: required('output', 'A reference to the output.'),
    bps: required('slippage', 'Basis points.'),
  },
  isPriced: true,
  onlyLooks: true,
  outputs: () => 1,
  perform: ({ amountOut, bps }, context) => performMinimum(amountOut, context, { centiBps: bps }),
})

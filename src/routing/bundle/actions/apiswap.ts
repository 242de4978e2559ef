import { checkSwap, performSwap, swapInputs } from '../action-parts.js'
import { defineServiceAction } from '../service-action.js'

export const apiswap = defineServiceAction({
  name: 'apiswap',
  description: 'The best swap from one token to another, by all venues.',
  inputs: swapInputs,
  isPriced: true,
  paysReceiver: true,
  takes: [['tokenIn', 'amountIn']],
  outputs: () => 1,
  check: checkSwap,
  perform: (args, context) =>
    performSwap(args, context, { isAllowed: ({ adapter }) => adapter.category !== 'lending' }),
})

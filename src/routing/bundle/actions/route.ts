import { checkSwap, performSwap, swapInputs } from '../action-parts.js'
import { defineServiceAction, optional } from '../service-action.js'

export const route = defineServiceAction({
  name: 'route',
  description: 'The best way from one token or position to another.',
  inputs: {
    ...swapInputs,
    amount: optional('amount', 'As in opportunities: amountIn once more; it is not looked at.'),
  },
  isListed: true,
  isPriced: true,
  takes: ['tokenIn', 'amountIn'],
  outputs: () => 1,
  check: checkSwap,
  perform: (args, context) => performSwap(args, context, () => true),
})

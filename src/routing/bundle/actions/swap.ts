import { canSwap } from '../../../protocols/protocol.js'
import { checkSwap, performSwap, swapInputs } from '../action-parts.js'
import { defineServiceAction, optional } from '../service-action.js'

export const swap = defineServiceAction({
  name: 'swap',
  description: 'A swap by the named protocol alone.',
  inputs: {
    ...swapInputs,
    primaryAddress: optional('address', 'The one pool to swap in; absent: any of the protocol.'),
  },
  isListed: true,
  isPriced: true,
  isOfProtocols: true,
  takes: ['tokenIn', 'amountIn'],
  outputs: () => 1,
  check: checkSwap,
  perform({ primaryAddress, ...args }, context) {
    const { only } = context
    return performSwap(
      args,
      context,
      ({ adapter, loaded }) =>
        (!only || adapter === only) &&
        canSwap(adapter) &&
        (!primaryAddress || loaded.pool.address === primaryAddress),
    )
  },
})

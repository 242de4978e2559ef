import { runsOwnOrders } from '../../../executor/strategies.js'
import { sum } from '../../../protocols/shared/value-steps.js'
import { defineServiceAction, optional, required } from '../service-action.js'

const noEffect =
  'The estimate of a balance has no effect here: only an executor can hold tokens from before, and only ' +
  'executionMode backend assumes any.'

export const balance = defineServiceAction({
  name: 'balance',
  description: 'What the executing contract holds of a token at this point.',
  inputs: {
    token: required('address', 'Token, or the native token.'),
    estimate: optional(
      'signed',
      'Raw units that somebody will have sent to the executing contract by then; simulations put them there.',
    ),
  },
  isPriced: true,
  outputs: () => 1,
  perform({ token, estimate }, context) {
    const { builder } = context
    const { strategy, executionMode } = builder.args.request
    const isHeld = !runsOwnOrders(strategy) && executionMode === 'backend'
    if (estimate !== undefined && isHeld) builder.assume({ token, amount: estimate })
    return {
      spends: [],
      includesOthers: true,
      outputs: [{ token, amount: sum(context, [{ ref: 'balance', token }]) }],
      ...(estimate !== undefined && !isHeld && { warnings: [noEffect] }),
    }
  },
})

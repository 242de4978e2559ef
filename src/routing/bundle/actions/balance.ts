import { sum } from '../../../protocols/shared/value-steps.js'
import { defineServiceAction, required } from '../service-action.js'

export const balance = defineServiceAction({
  name: 'balance',
  description: 'What the executing contract holds of a token at this point.',
  inputs: { token: required('address', 'Token, or the native token.') },
  isListed: false,
  isPriced: true,
  outputs: () => 1,
  perform: ({ token }, context) => ({
    spends: [],
    outputs: [{ token, amount: sum(context, [{ ref: 'balance', token }]) }],
  }),
})

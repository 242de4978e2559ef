import { permitTransfer } from '../bundle-steps.js'
import { defineServiceAction, required } from '../service-action.js'

export const permittransferfrom = defineServiceAction({
  name: 'permittransferfrom',
  description: 'Brings tokens of the sender by a Permit2 signature.',
  inputs: {
    token: required('address', 'ERC-20 token.'),
    amount: required('signed', 'Raw units.'),
    nonce: required('signed', 'Nonce of the signature, which prevents its replay.'),
    deadline: required('signed', 'Unix seconds until which the signature is valid.'),
    signature: required('bytes', 'The signature of the permit.'),
  },
  protocols: ['permit2'],
  isListed: true,
  isPriced: true,
  outputs: () => 1,
  perform(permit, context) {
    const { builder } = context
    builder.permitted.push({ token: permit.token, amount: permit.amount })
    return permitTransfer(context, { ...permit, owner: builder.args.request.fromAddress })
  },
})

import { receiver } from '../action-parts.js'
import { permitTransfer } from '../bundle-steps.js'
import { defineServiceAction, optional, required } from '../service-action.js'

export const permittransferfrom = defineServiceAction({
  name: 'permittransferfrom',
  description: 'Brings tokens of the sender by a Permit2 signature.',
  inputs: {
    token: required('address', 'ERC-20 token.'),
    amount: required('signed', 'Raw units.'),
    nonce: required('signed', 'Nonce of the signature, which prevents its replay.'),
    deadline: required('signed', 'Unix seconds until which the signature is valid.'),
    signature: required('bytes', 'The signature of the permit.'),
    sender: optional('address', 'Who has signed: the sender of the bundle.'),
    receiver,
  },
  protocols: ['permit2'],
  isPriced: true,
  paysReceiver: true,
  outputs: () => 1,
  perform({ sender, receiver: _receiver, ...permit }, context) {
    const { builder, refuse } = context
    const { fromAddress: owner } = builder.args.request
    if (sender !== undefined && sender !== owner) {
      return refuse('sender', `the sender of the bundle, ${owner}`)
    }
    builder.permitted.push({ token: permit.token, amount: permit.amount })
    return permitTransfer(context, { ...permit, owner })
  },
})

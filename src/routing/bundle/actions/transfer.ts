import type { Address } from '../../../domain/primitives.js'
import { idOrAmount, nftInputs } from '../action-parts.js'
import { transferNft } from '../bundle-steps.js'
import { defineServiceAction, optional, type Refuse, required } from '../service-action.js'

export const transfer = defineServiceAction({
  name: 'transfer',
  description: 'Sends tokens, the native token, or one ERC-721 token.',
  inputs: {
    token: required('address', 'Token contract, or the native token.'),
    recipient: optional('address', 'Who gets it.'),
    receiver: optional('address', 'The same as recipient.'),
    ...nftInputs,
  },
  protocols: ['erc20', 'erc721'],
  isPriced: false,
  takes: ['token', 'amount'],
  outputs: () => 0,
  check(args, { refuse }) {
    recipientOf(args, refuse)
    idOrAmount(args, refuse)
  },
  perform({ token, ...args }, context) {
    const { builder, add, refuse } = context
    const to = recipientOf(args, refuse)
    const what = idOrAmount(args, refuse)
    if ('id' in what) {
      const holder = typeof what.id === 'bigint' ? builder.account : builder.runner
      return transferNft(context, { token, holder, recipient: to, id: what.id })
    }
    const { amount } = what
    add({ kind: 'transfer', token, to, amount })
    return { spends: [{ token, amount }], outputs: [] }
  },
})

function recipientOf(
  { recipient, receiver }: { readonly recipient?: Address; readonly receiver?: Address },
  refuse: Refuse,
): Address {
  return recipient ?? receiver ?? refuse('recipient', 'given')
}

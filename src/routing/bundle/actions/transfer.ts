import type { Reference } from '../../../domain/bundle.js'
import type { Amount } from '../../../domain/order.js'
import type { Address } from '../../../domain/primitives.js'
import { idOrAmount, nftInputs } from '../action-parts.js'
import { transferNft } from '../bundle-steps.js'
import {
  type CheckContext,
  defineServiceAction,
  type Outcome,
  optional,
  type PerformContext,
  type Refuse,
  required,
} from '../service-action.js'

const inputs = {
  token: required('address', 'Token contract, or the native token.'),
  recipient: optional('address', 'Who gets it.'),
  receiver: optional('address', 'The same as recipient.'),
  ...nftInputs,
}

type Transfer<A> = {
  readonly token: Address
  readonly recipient?: Address
  readonly receiver?: Address
  readonly amount?: A
  readonly id?: A
  readonly tokenId?: A
}

const common = {
  protocols: ['erc20', 'erc721'],
  isPriced: false,
  takes: [['token', 'amount']],
  outputs: () => 0,
  check(args: Transfer<bigint | Reference>, { refuse }: CheckContext) {
    recipientOf(args, refuse)
    idOrAmount(args, refuse)
  },
} as const

export const transfer = defineServiceAction({
  ...common,
  name: 'transfer',
  description: 'Sends tokens, the native token, or one ERC-721 token.',
  inputs,
  perform: send,
})

/** The same as `transfer`, under the name that states whose tokens go: the sender's, as everywhere in a bundle. */
export const transferfrom = defineServiceAction({
  ...common,
  name: 'transferfrom',
  description: 'As transfer; sender is the sender of the bundle.',
  inputs: { ...inputs, sender: required('address', 'Who gives it: the sender of the bundle.') },
  perform({ sender, ...args }, context) {
    const { fromAddress } = context.builder.args.request
    if (sender === fromAddress) return send(args, context)
    return context.refuse('sender', `the sender of the bundle, ${fromAddress}`)
  },
})

function send({ token, ...args }: Transfer<Amount>, context: PerformContext): Outcome {
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
}

function recipientOf(
  { recipient, receiver }: { readonly recipient?: Address; readonly receiver?: Address },
  refuse: Refuse,
): Address {
  return recipient ?? receiver ?? refuse('recipient', 'given')
}

import { isNative } from '../../../domain/primitives.js'
import { idOrAmount, nftInputs } from '../action-parts.js'
import { approveNft } from '../bundle-steps.js'
import { checkToken } from '../outputs/claims.js'
import { defineServiceAction, optional, required } from '../service-action.js'

export const approve = defineServiceAction({
  name: 'approve',
  description: 'Lets a contract take tokens of the executing contract, or one ERC-721 token.',
  inputs: {
    token: required('address', 'Token contract.'),
    spender: required('address', 'Who may take it.'),
    ...nftInputs,
    routingStrategy: optional('text', 'That of the bundle, if it is given.'),
  },
  protocols: ['erc20', 'erc721'],
  isPriced: true,
  outputs: () => 0,
  check(args, { refuse }) {
    const what = idOrAmount(args, refuse)
    if ('amount' in what && isNative(args.token)) {
      refuse('token', 'a token: native needs no approval')
    }
  },
  perform({ token, spender, routingStrategy, ...args }, context) {
    const { builder, add, refuse } = context
    const { strategy } = builder.args.request
    // On the wire the wallet's strategy begins with the name of the service.
    if (routingStrategy !== undefined && !routingStrategy.endsWith(strategy)) {
      return refuse('routingStrategy', `that of the bundle, ${strategy}, or left out`)
    }
    const what = idOrAmount(args, refuse)
    if ('id' in what) return approveNft(context, { token, spender, id: what.id })
    const { amount } = what
    add({ kind: 'approve', token, spender, amount })
    const claim = builder.draft.claimOf('amount')
    if (claim) checkToken(claim, token)
    builder.approved.set(`${spender}:${token}`, { amount, claim })
    return { spends: [], outputs: [] }
  },
})

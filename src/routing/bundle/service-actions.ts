/** The service's own actions and their arguments: for the list of actions, and for checking a bundle. */
import type { ArgumentSpec } from '../../protocols/positions.js'

export interface ServiceAction {
  readonly name: string
  /** What it does, one phrase. */
  readonly description: string
  readonly inputs: Readonly<Record<string, ServiceArgument>>
  /** False where the bundle has it, but the general list of actions does not. */
  readonly isListed: boolean
}

/** Besides what protocols take: a text, a list of call arguments, and a list of actions. */
export interface ServiceArgument extends Omit<ArgumentSpec, 'kind'> {
  readonly kind: ArgumentSpec['kind'] | 'text' | 'values' | 'actions' | 'slippage'
}

const required = (kind: ServiceArgument['kind'], description: string): ServiceArgument => ({
  kind,
  description,
})
const optional = (kind: ServiceArgument['kind'], description: string): ServiceArgument => ({
  kind,
  description,
  optional: true,
})

const slippage = optional('slippage', 'Basis points, 50 when absent.')
const amountIn = required('amount', 'Raw units of tokenIn, or a reference.')
const swapInputs = {
  tokenIn: required('address', 'Token to give.'),
  tokenOut: required('address', 'Token or position to get.'),
  amountIn,
  slippage,
}
const nftId = optional('amount', 'Id of the token, of an ERC-721 contract.')

export const serviceActions: readonly ServiceAction[] = [
  {
    name: 'route',
    description: 'The best way from one token or position to another.',
    inputs: {
      ...swapInputs,
      amount: optional('amount', 'As in opportunities: amountIn once more; it is not looked at.'),
    },
    isListed: true,
  },
  {
    name: 'apiswap',
    description: 'The best swap from one token to another, by all venues.',
    inputs: swapInputs,
    isListed: true,
  },
  {
    name: 'swap',
    description: 'A swap by the named protocol alone.',
    inputs: {
      ...swapInputs,
      primaryAddress: optional('address', 'The one pool to swap in; absent: any of the protocol.'),
    },
    isListed: true,
  },
  {
    name: 'approve',
    description: 'Lets a contract take tokens of the executing contract, or one ERC-721 token.',
    inputs: {
      token: required('address', 'Token contract.'),
      spender: required('address', 'Who may take it.'),
      amount: optional('amount', 'Raw units.'),
      id: nftId,
      tokenId: nftId,
    },
    isListed: true,
  },
  {
    name: 'transfer',
    description: 'Sends tokens, the native token, or one ERC-721 token.',
    inputs: {
      token: required('address', 'Token contract, or the native token.'),
      recipient: optional('address', 'Who gets it.'),
      receiver: optional('address', 'The same as recipient.'),
      amount: optional('amount', 'Raw units.'),
      id: nftId,
      tokenId: nftId,
    },
    isListed: true,
  },
  {
    name: 'permittransferfrom',
    description: 'Brings tokens of the sender by a Permit2 signature.',
    inputs: {
      token: required('address', 'ERC-20 token.'),
      amount: required('amount', 'Raw units.'),
      nonce: required('amount', 'Nonce of the signature, which prevents its replay.'),
      deadline: required('amount', 'Unix seconds until which the signature is valid.'),
      signature: required('bytes', 'The signature of the permit.'),
    },
    isListed: true,
  },
  {
    name: 'call',
    description: 'Any function of any contract.',
    inputs: {
      address: required('address', 'Contract to call.'),
      method: required('text', 'Name of the function.'),
      abi: required('text', 'Its signature, e.g. "function deposit(uint256 amount)".'),
      args: required('values', 'Its arguments in order; any number may be a reference.'),
      value: optional('amount', 'Wei to send along.'),
      tokenIn: optional('addresses', 'Tokens that the call takes.'),
      amountIn: optional(
        'amounts',
        'Raw units of each; absent: what was approved to the contract.',
      ),
      tokenOut: optional('addresses', 'Tokens that it yields: its outputs, by balance.'),
    },
    isListed: false,
  },
  {
    name: 'balance',
    description: 'What the executing contract holds of a token at this point.',
    inputs: { token: required('address', 'Token, or the native token.') },
    isListed: false,
  },
  {
    name: 'split',
    description: 'One token into several, equal parts of it each.',
    inputs: {
      tokenIn: required('address', 'Token to give.'),
      tokenOut: required('addresses', 'Tokens to get: the outputs, in this order.'),
      amountIn,
      slippage,
    },
    isListed: false,
  },
  {
    name: 'merge',
    description: 'Several tokens into one.',
    inputs: {
      tokenIn: required('addresses', 'Tokens to give.'),
      tokenOut: required('address', 'Token to get.'),
      amountIn: required('amounts', 'Raw units of each.'),
      slippage,
    },
    isListed: false,
  },
  {
    name: 'slippage',
    description: 'Fails the transaction when an output is worse than simulated by more than this.',
    inputs: {
      amountOut: required('amount', 'A reference to the output.'),
      bps: required('slippage', 'Basis points.'),
    },
    isListed: false,
  },
  {
    name: 'minamountout',
    description: 'Fails the transaction when an output is below a minimum.',
    inputs: {
      amountOut: required('amount', 'A reference to the output.'),
      minAmountOut: required('amount', 'Raw units.'),
    },
    isListed: false,
  },
  {
    name: 'fee',
    description: 'Sends a part of an amount; the output is the rest.',
    inputs: {
      token: required('address', 'Token, or the native token.'),
      amount: required('amount', 'Raw units that the fee is a part of.'),
      bps: required('integer', 'Basis points, 1 to 10000.'),
      receiver: required('address', 'Who gets the fee.'),
    },
    isListed: false,
  },
  {
    name: 'flashloan',
    description:
      'Borrows tokens for the actions of its callback, which must leave enough to repay.',
    inputs: {
      token: required('addresses', 'Tokens to borrow.'),
      amount: required('amounts', 'Raw units of each.'),
      callback: required('actions', 'Actions to run with them; references count from its first.'),
    },
    isListed: false,
  },
]

/** Names that wallets and tokens are addressed by besides the service's own. */
export const serviceProtocols: readonly string[] = ['erc20', 'erc721', 'permit2']

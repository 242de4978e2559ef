/**
 * The contract of a chain that wraps its native token, one for one. Routes wrap wherever they need it; the actions are
 * for bundles that say so themselves. Venue parameters: none, since the chain's own definition names the contract.
 */
import { parseAbi } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import type { Amount, CallStep } from '../../domain/order.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import { wrappedNativeSlug } from '../../domain/route-step.js'
import { type ActionContext, type ActionResult, defineAction } from '../positions.js'
import { defineProtocol } from '../protocol.js'
import { amountArgument, expectAddress, optionalAddress } from '../shared/arguments.js'
import { addSendingOn } from '../shared/paid-output.js'

const [depositAbi, withdrawAbi] = parseAbi([
  'function deposit() payable',
  'function withdraw(uint256 amount)',
])

/** The call that turns native into its wrapped token, or back; its caller is paid. */
export function wrapStep(
  { wrappedNative: target }: Pick<ChainDefinition, 'wrappedNative'>,
  kind: 'wrap' | 'unwrap',
  amount: Amount,
): CallStep {
  return kind === 'wrap'
    ? { kind: 'call', target, abi: depositAbi, args: [], value: amount }
    : { kind: 'call', target, abi: withdrawAbi, args: [amount] }
}

interface Asked {
  readonly primaryAddress?: Address
  readonly tokenIn?: Address
  readonly tokenOut?: Address
  readonly amountIn: Amount
  readonly receiver?: Address
}

function convert(kind: 'wrap' | 'unwrap', asked: Asked, context: ActionContext): ActionResult {
  const { id, wrappedNative } = context.chain
  const native = { address: nativeToken, what: `the native token, ${nativeToken}` }
  const wrapped = {
    address: wrappedNative,
    what: `the wrapped native token of chain ${id}, ${wrappedNative}`,
  }
  const [from, to] = kind === 'wrap' ? [native, wrapped] : [wrapped, native]
  expectAddress(context, 'primaryAddress', asked.primaryAddress, wrapped)
  const swapFirst = `${from.what}; a route turns other tokens into it`
  expectAddress(context, 'tokenIn', asked.tokenIn, { ...from, what: swapFirst })
  expectAddress(context, 'tokenOut', asked.tokenOut, to)
  const { amountIn: amount } = asked
  if (amount === 0n) context.refuse('amountIn', 'more than zero')
  const call = wrapStep(context.chain, kind, amount)
  return {
    spends: [{ token: from.address, amount }],
    outputs: [addSendingOn(context, call, to.address, asked.receiver)],
    primary: wrappedNative,
  }
}

const primaryAddress = optionalAddress('The wrapped native token.')

const deposit = defineAction({
  action: 'deposit',
  name: 'Wrap',
  functionNames: ['deposit'],
  inputs: {
    primaryAddress,
    tokenIn: optionalAddress('The native token.'),
    tokenOut: optionalAddress('The wrapped native token.'),
    amountIn: amountArgument('Wei of the native token.'),
  },
  build: async (args, context) => convert('wrap', args, context),
})

const redeem = defineAction({
  action: 'redeem',
  name: 'Unwrap',
  functionNames: ['withdraw'],
  inputs: {
    primaryAddress,
    tokenIn: optionalAddress('The wrapped native token.'),
    tokenOut: optionalAddress('The native token.'),
    amountIn: amountArgument('Wei of the wrapped native token.'),
  },
  build: async (args, context) => convert('unwrap', args, context),
})

export const wrappedNative = defineProtocol({
  slug: wrappedNativeSlug,
  name: 'Wrapped native token',
  project: wrappedNativeSlug,
  category: 'wrapper',
  url: 'https://weth.io',
  description: 'Wraps the native token of a chain and unwraps it, one for one.',
  // No positions: the wrapped token earns nothing, and is listed as a base token.
  actions: { definitions: [deposit, redeem] },
})

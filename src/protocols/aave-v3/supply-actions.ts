/** Actions deposit, withdraw and redeem: underlying tokens into aTokens and back. */
import { parseAbi } from 'viem'
import type { Amount } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import { type ActionContext, defineAction } from '../positions.js'
import { expectAddress } from '../shared/arguments.js'
import { checkPool, primaryAddress, reserveOf, reserveOfAToken } from './arguments.js'

export const [supplyAbi, withdrawAbi] = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function withdraw(address asset, uint256 amount, address to) returns (uint256)',
])

/** Given back by a transfer of aTokens that rounds against the one who gets them; raw units. */
const transferDust = 1n

export const deposit = defineAction({
  action: 'deposit',
  name: 'Supply',
  functionNames: ['supply'],
  inputs: {
    tokenIn: { kind: 'address', description: 'The token to lend.' },
    tokenOut: { kind: 'address', description: 'Its aToken.' },
    amountIn: { kind: 'amount', description: 'Raw units of tokenIn.' },
    primaryAddress,
  },
  async build({ tokenIn, tokenOut, amountIn, primaryAddress, receiver }, context) {
    const target = checkPool(context, primaryAddress)
    const { aToken } = await reserveOf(context, 'tokenIn', tokenIn)
    expectAddress(context, 'tokenOut', tokenOut, aToken, `the aToken of tokenIn, ${aToken}`)
    context.add({ kind: 'approve', token: tokenIn, spender: target, amount: amountIn })
    const { runner, account } = context
    // The receiver gets the aTokens at once, as its collateral: the account itself where the bundle goes on to borrow.
    const owner = receiver ?? runner
    const step = context.add({
      kind: 'call',
      target,
      abi: supplyAbi,
      args: [tokenIn, amountIn, owner, 0],
      ...(owner === runner && { output: { kind: 'balance', token: aToken } as const }),
    })
    const amount: Amount = owner === runner ? { ref: 'output', step } : amountIn
    // An account that names itself keeps them; an Executor keeps nothing.
    const isPaid = receiver !== undefined && (owner !== runner || runner === account)
    return {
      spends: [{ token: tokenIn, amount: amountIn }],
      outputs: [{ token: aToken, amount, ...(isPaid && { isPaid }) }],
      positionsOut: [aToken],
    }
  },
})

/** The underlying token of `tokenIn`; refuses another `tokenOut`. */
async function underlyingOf(
  context: ActionContext,
  tokenIn: Address,
  tokenOut: Address,
): Promise<Address> {
  const { asset } = await reserveOfAToken(context, 'tokenIn', tokenIn)
  expectAddress(context, 'tokenOut', tokenOut, asset, `the underlying token of tokenIn, ${asset}`)
  return asset
}

export const withdraw = defineAction({
  action: 'withdraw',
  name: 'Withdraw an amount of the underlying token',
  functionNames: ['withdraw'],
  inputs: {
    primaryAddress,
    tokenIn: { kind: 'address', description: 'The aToken.' },
    tokenOut: { kind: 'address', description: 'Its underlying token.' },
    amountOut: { kind: 'amount', description: 'Raw units of tokenOut.' },
  },
  async build({ primaryAddress, tokenIn, tokenOut, amountOut }, context) {
    const target = checkPool(context, primaryAddress)
    const asset = await underlyingOf(context, tokenIn, tokenOut)
    const args = [asset, amountOut, context.runner]
    context.add({ kind: 'call', target, abi: withdrawAbi, args })
    const isKnown = typeof amountOut === 'bigint'
    return {
      spends: [{ token: tokenIn, amount: isKnown ? amountOut + transferDust : amountOut }],
      outputs: [{ token: asset, amount: amountOut }],
      leftovers: [tokenIn],
      positionsIn: [tokenIn],
    }
  },
})

export const redeem = defineAction({
  action: 'redeem',
  name: 'Redeem aTokens',
  functionNames: ['withdraw'],
  inputs: {
    tokenIn: { kind: 'address', description: 'The aToken.' },
    tokenOut: { kind: 'address', description: 'Its underlying token.' },
    amountIn: { kind: 'amount', description: 'Raw units of tokenIn.' },
    primaryAddress,
  },
  async build({ tokenIn, tokenOut, amountIn, primaryAddress }, context) {
    const target = checkPool(context, primaryAddress)
    const asset = await underlyingOf(context, tokenIn, tokenOut)
    // What arrives of a stated amount may be a unit less; a reference is what has arrived.
    const isStated = typeof amountIn === 'bigint' && amountIn > transferDust
    const amount: Amount = isStated ? amountIn - transferDust : amountIn
    const step = context.add({
      kind: 'call',
      target,
      abi: withdrawAbi,
      args: [asset, amount, context.runner],
      output: { kind: 'word', index: 0 },
    })
    return {
      spends: [{ token: tokenIn, amount: amountIn }],
      outputs: [{ token: asset, amount: { ref: 'output', step } }],
      leftovers: [tokenIn],
      positionsIn: [tokenIn],
    }
  },
})

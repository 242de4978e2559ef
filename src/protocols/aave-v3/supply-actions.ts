/** Actions deposit, withdraw and redeem: underlying tokens into aTokens and back. */
import { parseAbi } from 'viem'
import type { Amount } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import { type ActionContext, defineAction } from '../positions.js'
import { expectAddress } from '../shared/arguments.js'
import { addPaying, payeeOf } from '../shared/paid-output.js'
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
    tokenOut: { kind: 'address', description: 'Its aToken.', optional: true },
    amountIn: { kind: 'amount', description: 'Raw units of tokenIn.' },
    primaryAddress,
  },
  async build({ tokenIn, tokenOut, amountIn, primaryAddress, receiver }, context) {
    const target = checkPool(context, primaryAddress)
    const { aToken } = await reserveOf(context, 'tokenIn', tokenIn)
    const what = `the aToken of tokenIn, ${aToken}`
    expectAddress(context, 'tokenOut', tokenOut, { address: aToken, what })
    context.add({ kind: 'approve', token: tokenIn, spender: target, amount: amountIn })
    // The receiver gets the aTokens at once, as its collateral: the account itself where the bundle goes on to borrow.
    const args = [tokenIn, amountIn, payeeOf(context, receiver), 0]
    const call = { target, abi: supplyAbi, args }
    return {
      spends: [{ token: tokenIn, amount: amountIn }],
      outputs: [addPaying(context, call, aToken, receiver)],
      positionsOut: [aToken],
    }
  },
})

/** An aToken and its underlying token, of which one at least is named; refuses two that do not belong together. */
async function pairOf(
  context: ActionContext,
  { tokenIn, tokenOut }: { readonly tokenIn?: Address; readonly tokenOut: Address },
): Promise<{ readonly aToken: Address; readonly asset: Address }> {
  if (tokenIn === undefined) {
    const { aToken } = await reserveOf(context, 'tokenOut', tokenOut)
    return { aToken, asset: tokenOut }
  }
  const { asset } = await reserveOfAToken(context, 'tokenIn', tokenIn)
  const what = `the underlying token of tokenIn, ${asset}`
  expectAddress(context, 'tokenOut', tokenOut, { address: asset, what })
  return { aToken: tokenIn, asset }
}

export const withdraw = defineAction({
  action: 'withdraw',
  name: 'Withdraw an amount of the underlying token',
  functionNames: ['withdraw'],
  inputs: {
    primaryAddress,
    tokenIn: { kind: 'address', description: 'The aToken.', optional: true },
    tokenOut: { kind: 'address', description: 'Its underlying token.' },
    amountOut: { kind: 'amount', description: 'Raw units of tokenOut.' },
  },
  async build({ primaryAddress, amountOut, ...tokens }, context) {
    const target = checkPool(context, primaryAddress)
    const { aToken: tokenIn, asset } = await pairOf(context, tokens)
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
    tokenIn: { kind: 'address', description: 'The aToken.', optional: true },
    tokenOut: { kind: 'address', description: 'Its underlying token.' },
    amountIn: { kind: 'amount', description: 'Raw units of tokenIn.' },
    primaryAddress,
  },
  async build({ amountIn, primaryAddress, ...tokens }, context) {
    const target = checkPool(context, primaryAddress)
    const { aToken: tokenIn, asset } = await pairOf(context, tokens)
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

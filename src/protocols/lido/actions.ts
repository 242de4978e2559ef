/**
 * Actions: stake ether (`submit`), wrap stETH, unwrap wstETH. Withdrawals to ether go through a queue that takes days,
 * so no action redeems to ether.
 */
import { parseAbi } from 'viem'
import { isNative, nativeToken, toAddress, zeroAddress } from '../../domain/primitives.js'
import { type ActionContext, defineAction } from '../positions.js'
import { expectAddress } from '../shared/arguments.js'
import { addSendingOn } from '../shared/paid-output.js'

export const [submitAbi, wrapAbi, unwrapAbi] = parseAbi([
  'function submit(address referral) payable returns (uint256 shares)',
  'function wrap(uint256 amount) returns (uint256 shares)',
  'function unwrap(uint256 shares) returns (uint256 amount)',
])

function tokensOf({ venue }: Pick<ActionContext, 'venue'>) {
  return { stETH: toAddress(String(venue.stETH)), wstETH: toAddress(String(venue.wstETH)) }
}

const deposit = defineAction({
  action: 'deposit',
  name: 'Stake or wrap',
  functionNames: ['submit', 'wrap'],
  inputs: {
    primaryAddress: {
      kind: 'address',
      description: 'stETH where ether is staked, wstETH where stETH is wrapped',
      optional: true,
    },
    tokenIn: { kind: 'address', description: 'the native token, or stETH' },
    tokenOut: {
      kind: 'address',
      description: 'stETH for the native token, wstETH for stETH',
      optional: true,
    },
    amountIn: { kind: 'amount', description: 'raw units of tokenIn' },
  },
  async build({ primaryAddress, tokenIn, tokenOut, amountIn, receiver }, context) {
    const { stETH, wstETH } = tokensOf(context)
    const isStake = isNative(tokenIn)
    if (!isStake && tokenIn !== stETH) {
      context.refuse('tokenIn', `the native token ${nativeToken}, or stETH ${stETH}`)
    }
    const target = isStake ? stETH : wstETH
    expectAddress(context, 'primaryAddress', primaryAddress, target)
    expectAddress(context, 'tokenOut', tokenOut, target)
    if (!isStake) {
      context.add({ kind: 'approve', token: stETH, spender: wstETH, amount: amountIn })
    }
    const call = isStake
      ? { target, abi: submitAbi, args: [zeroAddress], value: amountIn }
      : { target, abi: wrapAbi, args: [amountIn] }
    return {
      spends: [{ token: tokenIn, amount: amountIn }],
      outputs: [addSendingOn(context, call, target, receiver)],
      positionsIn: isStake ? [] : [stETH],
      positionsOut: [target],
    }
  },
})

const redeem = defineAction({
  action: 'redeem',
  name: 'Unwrap',
  functionNames: ['unwrap'],
  inputs: {
    primaryAddress: { kind: 'address', description: 'wstETH', optional: true },
    tokenIn: { kind: 'address', description: 'wstETH', optional: true },
    tokenOut: { kind: 'address', description: 'stETH', optional: true },
    amountIn: { kind: 'amount', description: 'raw units of wstETH' },
  },
  async build({ primaryAddress, tokenIn, tokenOut, amountIn, receiver }, context) {
    const { stETH, wstETH } = tokensOf(context)
    expectAddress(context, 'primaryAddress', primaryAddress, wstETH)
    expectAddress(context, 'tokenIn', tokenIn, wstETH)
    expectAddress(context, 'tokenOut', tokenOut, stETH)
    const call = { target: wstETH, abi: unwrapAbi, args: [amountIn] }
    return {
      spends: [{ token: wstETH, amount: amountIn }],
      outputs: [addSendingOn(context, call, stETH, receiver)],
      positionsIn: [wstETH],
      positionsOut: [stETH],
    }
  },
})

export const lidoActions = [deposit, redeem]

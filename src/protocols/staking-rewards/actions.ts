/**
 * Staking, unstaking and harvesting. The contract knows only its caller, so a stake belongs to the runner of the steps,
 * which must be an account: a sender's Executor holds nothing between transactions and cannot own one.
 */
import { parseAbi } from 'viem'
import type { Address } from '../../domain/primitives.js'
import { type ActionContext, defineAction } from '../positions.js'
import { expectAddress, stakedToken, stakeOwner } from '../shared/arguments.js'
import { addSendingOn } from '../shared/paid-output.js'
import { readGaugeTokens } from './gauges.js'

const [stakeAbi, withdrawAbi, getRewardAbi] = parseAbi([
  'function stake(uint256 amount)',
  'function withdraw(uint256 amount)',
  'function getReward()',
])

const gauge = { kind: 'address', description: 'the staking contract' } as const

/** @throws INVALID_REQUEST where the steps are not run by the account, or the address is no such contract. */
async function tokensOf(context: ActionContext, primaryAddress: Address) {
  if (context.runner !== context.account) {
    context.refuse(
      'routingStrategy',
      'delegate or svcwallet-v2, as the contract stakes in the name of its caller alone',
    )
  }
  const [tokens] = await readGaugeTokens(context.reader, [primaryAddress])
  if (!tokens || 'message' in tokens || !tokens.staked || !tokens.reward) {
    const why = tokens && 'message' in tokens ? ` (${tokens.message})` : ''
    return context.refuse(
      'primaryAddress',
      `a staking contract, with stakingToken() and rewardsToken()${why}`,
    )
  }
  return { staked: tokens.staked, reward: tokens.reward }
}

const deposit = defineAction({
  action: 'deposit',
  name: 'Stake',
  functionNames: ['stake'],
  inputs: {
    primaryAddress: gauge,
    tokenIn: { kind: 'address', description: 'the token that is staked' },
    amountIn: { kind: 'amount', description: 'raw units of it' },
  },
  async build({ primaryAddress, tokenIn, amountIn, receiver }, context) {
    const { staked } = await tokensOf(context, primaryAddress)
    const { account } = context
    expectAddress(context, 'receiver', receiver, stakeOwner(account))
    expectAddress(context, 'tokenIn', tokenIn, stakedToken(staked))
    context.add({ kind: 'approve', token: staked, spender: primaryAddress, amount: amountIn })
    context.add({ kind: 'call', target: primaryAddress, abi: stakeAbi, args: [amountIn] })
    return {
      spends: [{ token: staked, amount: amountIn }],
      outputs: [{ token: null, amount: amountIn }],
      positionsOut: [primaryAddress],
    }
  },
})

const withdraw = defineAction({
  action: 'withdraw',
  name: 'Unstake',
  functionNames: ['withdraw'],
  inputs: {
    primaryAddress: gauge,
    tokenOut: { kind: 'address', description: 'the token that is staked', optional: true },
    amountOut: { kind: 'amount', description: 'raw units of it' },
  },
  async build({ primaryAddress, tokenOut, amountOut, receiver }, context) {
    const { staked } = await tokensOf(context, primaryAddress)
    expectAddress(context, 'tokenOut', tokenOut, stakedToken(staked))
    const call = { target: primaryAddress, abi: withdrawAbi, args: [amountOut] }
    return {
      spends: [],
      outputs: [addSendingOn(context, call, staked, receiver)],
      positionsIn: [primaryAddress],
    }
  },
})

const harvest = defineAction({
  action: 'harvest',
  name: 'Harvest',
  functionNames: ['getReward'],
  inputs: {
    primaryAddress: gauge,
    token: { kind: 'address', description: 'the token that is earned', optional: true },
  },
  async build({ primaryAddress, token, receiver }, context) {
    const { reward } = await tokensOf(context, primaryAddress)
    const earned = { address: reward, what: `the token that is earned, ${reward}` }
    expectAddress(context, 'token', token, earned)
    const call = { target: primaryAddress, abi: getRewardAbi, args: [] }
    return {
      spends: [],
      outputs: [addSendingOn(context, call, reward, receiver)],
      positionsIn: [primaryAddress],
      positionsOut: [primaryAddress],
    }
  },
})

export const gaugeActions = [deposit, withdraw, harvest]

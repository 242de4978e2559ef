/** Actions borrow and repay: debts at the variable rate, always the account's own. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Amount } from '../../domain/order.js'
import { type Address, maxUint256 } from '../../domain/primitives.js'
import { type ActionContext, defineAction, type Prerequisite } from '../positions.js'
import { readWord } from '../shared/read-word.js'
import { checkPool, findReserve, primaryAddress, reserveOf } from './arguments.js'
import type { Reserve } from './reserve.js'

const [borrowAbi, repayAbi, collateralAbi] = parseAbi([
  'function borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)',
  'function repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf) returns (uint256)',
  'function setUserUseReserveAsCollateral(address asset, bool useAsCollateral)',
])
const readAbi = parseAbi([
  'function borrowAllowance(address fromUser, address toUser) view returns (uint256)',
  'function approveDelegation(address delegatee, uint256 amount)',
  'function getUserConfiguration(address user) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
])
const variableRate = 2n

export const borrow = defineAction({
  action: 'borrow',
  name: 'Borrow at the variable rate',
  functionNames: ['borrow'],
  inputs: {
    collateral: {
      kind: 'address',
      description: 'Collateral of the account: an aToken, or its underlying token.',
    },
    tokenOut: { kind: 'address', description: 'The token to borrow.' },
    amountOut: { kind: 'amount', description: 'Raw units of tokenOut.' },
    primaryAddress,
  },
  async build({ collateral, tokenOut, amountOut, primaryAddress }, context) {
    const target = checkPool(context, primaryAddress)
    const reserve = await reserveOf(context, 'tokenOut', tokenOut)
    const security =
      (await findReserve(context, collateral)) ??
      context.refuse('collateral', 'an aToken of Aave V3 on the chain, or its underlying token')
    const prerequisites = [
      ...(await useAsCollateral(context, target, security)),
      ...(await letBorrow(context, reserve, amountOut)),
    ]
    context.add({
      kind: 'call',
      target,
      abi: borrowAbi,
      args: [tokenOut, amountOut, variableRate, 0, context.account],
    })
    return { spends: [], outputs: [{ token: tokenOut, amount: amountOut }], prerequisites }
  },
})

export const repay = defineAction({
  action: 'repay',
  name: 'Repay a debt at the variable rate',
  functionNames: ['repay'],
  inputs: {
    tokenIn: { kind: 'address', description: 'The token that is owed.' },
    amountIn: {
      kind: 'amount',
      description: 'Raw units of tokenIn; what is above the debt is given back.',
    },
    primaryAddress,
  },
  async build({ tokenIn, amountIn, primaryAddress }, context) {
    const target = checkPool(context, primaryAddress)
    await reserveOf(context, 'tokenIn', tokenIn)
    context.add({ kind: 'approve', token: tokenIn, spender: target, amount: amountIn })
    const args = [tokenIn, amountIn, variableRate, context.account]
    context.add({ kind: 'call', target, abi: repayAbi, args })
    // The Pool takes no more than the debt.
    context.add({ kind: 'approve', token: tokenIn, spender: target, amount: 0n })
    return {
      spends: [{ token: tokenIn, amount: amountIn }],
      outputs: [],
      leftovers: [tokenIn],
    }
  },
})

/**
 * aTokens count as collateral from the first deposit on unless their owner has said otherwise. Of an account without
 * any at the block nothing can be said: an earlier action may bring them.
 */
async function useAsCollateral(
  context: ActionContext,
  pool: Address,
  { asset, aToken, id }: Reserve,
): Promise<Prerequisite[]> {
  const { account, reader, runner } = context
  const encode = (functionName: 'getUserConfiguration' | 'balanceOf') =>
    encodeFunctionData({ abi: readAbi, functionName, args: [account] })
  const [configuration, balance] = (
    await reader.call([
      { to: pool, data: encode('getUserConfiguration') },
      { to: aToken, data: encode('balanceOf') },
    ])
  ).map(readWord)
  if (configuration == null || !balance) return []
  // Two bits for each reserve: debt, then collateral.
  if ((configuration >> BigInt(2 * id + 1)) & 1n) return []
  const args = [asset, true] as const
  if (runner === account) {
    context.add({ kind: 'call', target: pool, abi: collateralAbi, args })
    return []
  }
  const data = encodeFunctionData({ abi: [collateralAbi], args })
  return [{ to: pool, data, purpose: `use ${asset} as collateral` }]
}

/** Without a limit, as several loans of a bundle share it: the runner performs orders of the account alone. */
async function letBorrow(
  context: ActionContext,
  { asset, variableDebtToken }: Reserve,
  amount: Amount,
): Promise<Prerequisite[]> {
  const { account, reader, runner } = context
  if (runner === account) return []
  const allowance = encodeFunctionData({
    abi: readAbi,
    functionName: 'borrowAllowance',
    args: [account, runner],
  })
  const [allowed] = await reader.call([{ to: variableDebtToken, data: allowance }])
  if ((readWord(allowed) ?? 0n) >= (await context.valueOf(amount))) return []
  const data = encodeFunctionData({
    abi: readAbi,
    functionName: 'approveDelegation',
    args: [runner, maxUint256],
  })
  return [{ to: variableDebtToken, data, purpose: `let ${runner} borrow ${asset}` }]
}

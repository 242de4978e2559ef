/**
 * What a bundle does with a market. Base and collateral that enter are the receiver's; what an account owns or owes in
 * the market leaves only by whom it allows.
 */
import { encodeFunctionData } from 'viem'
import type { Amount } from '../../domain/plan.js'
import type { Address } from '../../domain/primitives.js'
import {
  type ActionContext,
  type ActionDefinition,
  defineAction,
  type Prerequisite,
} from '../positions.js'
import { readWord } from '../shared/read-word.js'
import { addCall, gainOf, lesser, requireAtLeast } from '../shared/value-steps.js'
import { cometAbi, encodeRead } from './abi.js'
import { type Comet, collateralsOf, describeComets, knownComets } from './markets.js'

export function collateralKey(comet: Address, asset: Address): string {
  return `${comet}-${asset}`
}

const primaryAddress = { kind: 'address', description: 'Market, such as cUSDCv3.' } as const
const optional = (description: string) =>
  ({ kind: 'address', description, optional: true }) as const
const amountArgument = (description: string) => ({ kind: 'amount', description }) as const

async function cometOf(context: ActionContext, address: Address): Promise<Comet> {
  const known = knownComets(context.venue)
  const { comets } = await describeComets(context.reader, known.includes(address) ? [address] : [])
  const [comet] = comets
  return comet ?? context.refuse('primaryAddress', `a market: ${known.join(', ')}`)
}

function expectToken(
  context: ActionContext,
  argument: string,
  given: Address | undefined,
  expected: Address,
): void {
  if (given !== undefined && given !== expected) context.refuse(argument, expected)
}

async function expectCollateral(
  context: ActionContext,
  comet: Comet,
  argument: string,
  token: Address,
): Promise<void> {
  const assets = await collateralsOf(context.reader, comet.address)
  if (assets.includes(token)) return
  context.refuse(argument, `${comet.baseToken} or a collateral: ${assets.join(', ')}`)
}

/** None where the account runs the steps itself, or has allowed who does. */
async function permission(context: ActionContext, { address }: Comet): Promise<Prerequisite[]> {
  const { account, runner, reader } = context
  if (runner === account) return []
  const [result] = await reader.call([
    { to: address, data: encodeRead('hasPermission', [account, runner]) },
  ])
  if (readWord(result) === 1n) return []
  const data = encodeFunctionData({ abi: [cometAbi.allow], args: [runner, true] })
  return [{ to: address, data, purpose: 'let the executor manage the account in Compound III' }]
}

function addSupply(
  context: ActionContext,
  { address: target }: Comet,
  to: Address,
  token: Address,
  amount: Amount,
): void {
  context.add({ kind: 'approve', token, spender: target, amount })
  context.add({ kind: 'call', target, abi: cometAbi.supplyTo, args: [to, token, amount] })
}

/** Out of the account's own, into the runner. */
function addWithdrawal(
  context: ActionContext,
  { address: target }: Comet,
  token: Address,
  amount: Amount,
): void {
  const { account, runner } = context
  const args = [account, runner, token, amount]
  context.add({ kind: 'call', target, abi: cometAbi.withdrawFrom, args })
}

const deposit = defineAction({
  action: 'deposit',
  name: 'Supply or add collateral',
  functionNames: ['supplyTo'],
  inputs: {
    primaryAddress,
    tokenIn: {
      kind: 'address',
      description: 'Base token of the market to lend it, or a collateral token.',
    },
    tokenOut: optional('The market, whose token what is lent becomes.'),
    amountIn: amountArgument('Raw units of tokenIn.'),
  },
  async build({ tokenIn, tokenOut, amountIn: amount, ...args }, context) {
    const comet = await cometOf(context, args.primaryAddress)
    const spends = [{ token: tokenIn, amount }]
    if (tokenIn !== comet.baseToken) {
      await expectCollateral(context, comet, 'tokenIn', tokenIn)
      addSupply(context, comet, context.receiver, tokenIn, amount)
      return { spends, outputs: [], positionsOut: [collateralKey(comet.address, tokenIn)] }
    }
    expectToken(context, 'tokenOut', tokenOut, comet.address)
    const gained = gainOf(context, comet.address, () =>
      addSupply(context, comet, context.runner, tokenIn, amount),
    )
    return {
      spends,
      outputs: [{ token: comet.address, amount: gained }],
      positionsOut: [comet.address],
    }
  },
})

const redeem = defineAction({
  action: 'redeem',
  name: 'Redeem',
  functionNames: ['withdrawTo'],
  inputs: {
    primaryAddress,
    tokenIn: optional('The market, whose token it is.'),
    tokenOut: optional('Base token of the market.'),
    amountIn: amountArgument('Raw units of tokenIn.'),
  },
  async build(args, context) {
    const comet = await cometOf(context, args.primaryAddress)
    const { address: target, baseToken } = comet
    expectToken(context, 'tokenIn', args.tokenIn, target)
    expectToken(context, 'tokenOut', args.tokenOut, baseToken)
    // A transfer may lose a unit on the way, and what is not there would be borrowed.
    const held = { ref: 'balance', token: target } as const
    const amount = lesser(context, args.amountIn, held)
    const call = { abi: cometAbi.withdrawTo, args: [context.runner, baseToken, amount] }
    context.add({ kind: 'call', target, ...call })
    return {
      spends: [{ token: target, amount: args.amountIn }],
      outputs: [{ token: baseToken, amount }],
      positionsIn: [target],
    }
  },
})

const withdraw = defineAction({
  action: 'withdraw',
  name: 'Withdraw',
  functionNames: ['withdrawFrom'],
  inputs: {
    primaryAddress,
    tokenIn: optional('The market, whose token it is.'),
    tokenOut: {
      kind: 'address',
      description: 'Base token of the market, or a collateral token.',
    },
    amountOut: amountArgument('Raw units of tokenOut.'),
  },
  async build({ tokenIn, tokenOut: token, amountOut: amount, ...args }, context) {
    const comet = await cometOf(context, args.primaryAddress)
    expectToken(context, 'tokenIn', tokenIn, comet.address)
    const isBase = token === comet.baseToken
    if (isBase) {
      // What is above the balance would be borrowed.
      const call = { target: comet.address, abi: cometAbi.balanceOf, args: [context.account] }
      requireAtLeast(context, addCall(context, call), amount)
    } else await expectCollateral(context, comet, 'tokenOut', token)
    addWithdrawal(context, comet, token, amount)
    return {
      spends: [],
      outputs: [{ token, amount }],
      prerequisites: await permission(context, comet),
      positionsIn: [isBase ? comet.address : collateralKey(comet.address, token)],
    }
  },
})

const borrow = defineAction({
  action: 'borrow',
  name: 'Borrow',
  functionNames: ['withdrawFrom'],
  inputs: {
    primaryAddress,
    collateral: optional('Collateral token that backs the loan; all that the account has does.'),
    tokenOut: optional('Base token of the market.'),
    amountOut: amountArgument('Raw units of tokenOut; what the account lends itself goes first.'),
  },
  async build(args, context) {
    const comet = await cometOf(context, args.primaryAddress)
    expectToken(context, 'tokenOut', args.tokenOut, comet.baseToken)
    if (args.collateral !== undefined) {
      await expectCollateral(context, comet, 'collateral', args.collateral)
    }
    addWithdrawal(context, comet, comet.baseToken, args.amountOut)
    return {
      spends: [],
      outputs: [{ token: comet.baseToken, amount: args.amountOut }],
      prerequisites: await permission(context, comet),
    }
  },
})

const repay = defineAction({
  action: 'repay',
  name: 'Repay',
  functionNames: ['supplyTo'],
  inputs: {
    primaryAddress,
    tokenIn: optional('Base token of the market.'),
    amountIn: amountArgument('Raw units of tokenIn; what is above the debt comes back.'),
  },
  async build(args, context) {
    const comet = await cometOf(context, args.primaryAddress)
    const { address: target, baseToken: token } = comet
    expectToken(context, 'tokenIn', args.tokenIn, token)
    const { account } = context
    const owed = addCall(context, { target, abi: cometAbi.borrowBalanceOf, args: [account] })
    addSupply(context, comet, account, token, lesser(context, args.amountIn, owed))
    return { spends: [{ token, amount: args.amountIn }], outputs: [], leftovers: [token] }
  },
})

export const cometActions: readonly ActionDefinition[] = [deposit, redeem, withdraw, borrow, repay]

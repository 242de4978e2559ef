/**
 * Actions on a market. Base and collateral that are supplied belong to the receiver; only operators that an account
 * allows can take out what it owns there or borrow in its name.
 */
import { encodeFunctionData } from 'viem'
import type { Amount } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import {
  type ActionContext,
  type ActionDefinition,
  defineAction,
  type Prerequisite,
} from '../positions.js'
import {
  addressArgument,
  amountArgument,
  expectAddress,
  optionalAddress,
} from '../shared/arguments.js'
import { permissionToManage } from '../shared/permission.js'
import { addCall, gainOf, lesser, requireAtLeast } from '../shared/value-steps.js'
import { cometAbi, encodeRead } from './abi.js'
import { type Comet, collateralsOf, describeComets, knownComets } from './markets.js'

export function collateralKey(comet: Address, asset: Address): string {
  return `${comet}-${asset}`
}

const primaryAddress = addressArgument('Market, such as cUSDCv3.')
const base = optionalAddress('Base token of the market.')
const share = optionalAddress('The market, whose token it is.')

async function cometOf(context: ActionContext, address: Address): Promise<Comet> {
  const known = knownComets(context.venue)
  const { comets } = await describeComets(context.reader, known.includes(address) ? [address] : [])
  const [comet] = comets
  return comet ?? context.refuse('primaryAddress', `a market: ${known.join(', ')}`)
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

function permission(context: ActionContext, { address: to }: Comet): Promise<Prerequisite[]> {
  const { account, runner } = context
  return permissionToManage(context, {
    to,
    question: encodeRead('hasPermission', [account, runner]),
    allow: encodeFunctionData({ abi: [cometAbi.allow], args: [runner, true] }),
    purpose: 'let the executor manage the account in Compound III',
  })
}

function addSupply(
  context: ActionContext,
  { address: target }: Comet,
  to: Address,
  { token, amount }: { readonly token: Address; readonly amount: Amount },
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
    tokenIn: addressArgument('Base token of the market to lend it, or a collateral token.'),
    tokenOut: optionalAddress('The market, whose token what is lent becomes.'),
    amountIn: amountArgument('Raw units of tokenIn.'),
  },
  async build({ tokenIn, tokenOut, amountIn: amount, ...args }, context) {
    const comet = await cometOf(context, args.primaryAddress)
    const spend = { token: tokenIn, amount }
    const spends = [spend]
    if (tokenIn !== comet.baseToken) {
      await expectCollateral(context, comet, 'tokenIn', tokenIn)
      addSupply(context, comet, context.receiver, spend)
      return { spends, outputs: [], positionsOut: [collateralKey(comet.address, tokenIn)] }
    }
    expectAddress(context, 'tokenOut', tokenOut, comet.address)
    const gained = gainOf(context, comet.address, () =>
      addSupply(context, comet, context.runner, spend),
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
    tokenIn: share,
    tokenOut: base,
    amountIn: amountArgument('Raw units of tokenIn.'),
  },
  async build(args, context) {
    const comet = await cometOf(context, args.primaryAddress)
    const { address: target, baseToken } = comet
    expectAddress(context, 'tokenIn', args.tokenIn, target)
    expectAddress(context, 'tokenOut', args.tokenOut, baseToken)
    // A transfer may lose a unit on the way, and the market would lend what is missing.
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
    tokenIn: share,
    tokenOut: addressArgument('Base token of the market, or a collateral token.'),
    amountOut: amountArgument('Raw units of tokenOut.'),
  },
  async build({ tokenIn, tokenOut: token, amountOut: amount, ...args }, context) {
    const comet = await cometOf(context, args.primaryAddress)
    expectAddress(context, 'tokenIn', tokenIn, comet.address)
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
    collateral: optionalAddress(
      'Collateral token that backs the loan; all that the account has does.',
    ),
    tokenOut: base,
    amountOut: amountArgument('Raw units of tokenOut; what the account lends itself goes first.'),
  },
  async build(args, context) {
    const comet = await cometOf(context, args.primaryAddress)
    expectAddress(context, 'tokenOut', args.tokenOut, comet.baseToken)
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
    tokenIn: base,
    amountIn: amountArgument('Raw units of tokenIn; what is above the debt comes back.'),
  },
  async build(args, context) {
    const comet = await cometOf(context, args.primaryAddress)
    const { address: target, baseToken: token } = comet
    expectAddress(context, 'tokenIn', args.tokenIn, token)
    const { account } = context
    const owed = addCall(context, { target, abi: cometAbi.borrowBalanceOf, args: [account] })
    const amount = lesser(context, args.amountIn, owed)
    addSupply(context, comet, account, { token, amount })
    return { spends: [{ token, amount: args.amountIn }], outputs: [], leftovers: [token] }
  },
})

export const cometActions: readonly ActionDefinition[] = [deposit, redeem, withdraw, borrow, repay]

/**
 * Actions on a market: lending, collateral and loans in the name of the account. Whoever takes something out for
 * another account must be authorised by it.
 */
import { encodeFunctionData } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
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
import { addCall, lesser, proportion, sum } from '../shared/value-steps.js'
import { morphoAbi, readAbi } from './abi.js'
import { type MarketParameters, morphoOf, readParameters } from './markets.js'
import { virtualAssets, virtualShares } from './math.js'

/** Sides of a market that somebody owns something on. */
export type Side = 'supply' | 'collateral'

export function positionKey(marketId: Hex, side: Side): string {
  return `${marketId}-${side}`
}

const primaryAddress = addressArgument('The Morpho contract.')
/** The market, by either name. */
const marketNames = {
  marketId: { kind: 'bytes', description: 'Id of the market, 32 bytes.', optional: true },
  positionId: { kind: 'bytes', description: 'The same as marketId.', optional: true },
} as const
const loanToken = optionalAddress('Loan token of the market.')

interface Market {
  readonly morpho: Address
  readonly id: Hex
  readonly parameters: MarketParameters
}

async function marketOf(
  context: ActionContext,
  args: {
    readonly primaryAddress: Address
    readonly marketId?: Hex
    readonly positionId?: Hex
  },
): Promise<Market> {
  const morpho = morphoOf(context.venue)
  expectAddress(context, 'primaryAddress', args.primaryAddress, morpho)
  const named = args.marketId ?? args.positionId ?? context.refuse('marketId', 'given')
  if (args.positionId !== undefined && args.positionId !== named) {
    return context.refuse('positionId', 'left out, or the same as marketId')
  }
  const id = named.toLowerCase() as Hex
  if (id.length !== 66) context.refuse('marketId', 'the id of a market, 32 bytes')
  const [parameters] = await readParameters(context.reader, morpho, [id])
  if (!parameters || 'message' in parameters) {
    return context.refuse('marketId', 'the id of a market that exists')
  }
  return { morpho, id, parameters }
}

function sideOf(
  context: ActionContext,
  { parameters }: Market,
  argument: string,
  token: Address,
): Side {
  const { loanToken, collateralToken } = parameters
  if (token === loanToken) return 'supply'
  if (token === collateralToken) return 'collateral'
  return context.refuse(argument, `${loanToken} to lend or ${collateralToken} as collateral`)
}

function authorisation(context: ActionContext, { morpho: to }: Market): Promise<Prerequisite[]> {
  const { account, runner } = context
  return permissionToManage(context, {
    to,
    question: encodeFunctionData({
      abi: readAbi,
      functionName: 'isAuthorized',
      args: [account, runner],
    }),
    allow: encodeFunctionData({ abi: [morphoAbi.setAuthorization], args: [runner, true] }),
    purpose: 'let the executor manage positions of Morpho Blue',
  })
}

const deposit = defineAction({
  action: 'deposit',
  name: 'Supply or add collateral',
  functionNames: ['supply', 'supplyCollateral'],
  inputs: {
    primaryAddress,
    ...marketNames,
    tokenIn: addressArgument('Loan token of the market to lend it, or its collateral token.'),
    amountIn: amountArgument('Raw units of tokenIn.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args)
    const { morpho: target, id, parameters } = market
    const { tokenIn: token, amountIn: amount } = args
    const { receiver } = context
    const side = sideOf(context, market, 'tokenIn', token)
    const common = { spends: [{ token, amount }], positionsOut: [positionKey(id, side)] }
    context.add({ kind: 'approve', token, spender: target, amount })
    if (side === 'collateral') {
      const call = { abi: morphoAbi.supplyCollateral, args: [parameters, amount, receiver, '0x'] }
      context.add({ kind: 'call', target, ...call })
      return { ...common, outputs: [] }
    }
    const call = { abi: morphoAbi.supply, args: [parameters, amount, 0n, receiver, '0x'] }
    const shares = addCall(context, { target, ...call }, 1)
    return { ...common, outputs: [{ token: null, amount: shares, isPaid: true }] }
  },
})

const withdraw = defineAction({
  action: 'withdraw',
  name: 'Withdraw',
  functionNames: ['withdraw', 'withdrawCollateral'],
  inputs: {
    primaryAddress,
    ...marketNames,
    tokenOut: addressArgument('Loan token of the market, or its collateral token.'),
    amountOut: amountArgument('Raw units of tokenOut.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args)
    const { morpho: target, id, parameters } = market
    const { tokenOut: token, amountOut: amount } = args
    const { account, runner } = context
    const side = sideOf(context, market, 'tokenOut', token)
    const step = context.add({
      kind: 'call',
      target,
      ...(side === 'supply'
        ? {
            abi: morphoAbi.withdraw,
            args: [parameters, amount, 0n, account, runner],
            // The shares that are burnt.
            output: { kind: 'word', index: 1 },
          }
        : { abi: morphoAbi.withdrawCollateral, args: [parameters, amount, account, runner] }),
    })
    return {
      ...(side === 'supply' && { atMost: { ref: 'output', step } }),
      spends: [],
      outputs: [{ token, amount }],
      prerequisites: await authorisation(context, market),
      positionsIn: [positionKey(id, side)],
    }
  },
})

const redeem = defineAction({
  action: 'redeem',
  name: 'Redeem shares',
  functionNames: ['withdraw'],
  inputs: {
    primaryAddress,
    ...marketNames,
    tokenOut: loanToken,
    amountIn: amountArgument('Supply shares; more than the account has are all of them.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args)
    const { morpho: target, id, parameters } = market
    const { account, runner } = context
    expectAddress(context, 'tokenOut', args.tokenOut, parameters.loanToken)
    const held = addCall(context, { target, abi: morphoAbi.position, args: [id, account] })
    const shares = lesser(context, args.amountIn, held)
    const call = { abi: morphoAbi.withdraw, args: [parameters, 0n, shares, account, runner] }
    const amount = addCall(context, { target, ...call })
    return {
      spends: [],
      outputs: [{ token: parameters.loanToken, amount }],
      prerequisites: await authorisation(context, market),
      positionsIn: [positionKey(id, 'supply')],
    }
  },
})

const borrow = defineAction({
  action: 'borrow',
  name: 'Borrow',
  functionNames: ['borrow'],
  inputs: {
    primaryAddress,
    ...marketNames,
    collateral: optionalAddress('Collateral token of the market, which backs the loan.'),
    tokenOut: loanToken,
    amountOut: amountArgument('Raw units of tokenOut.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args)
    const { morpho: target, parameters } = market
    const { account, runner } = context
    expectAddress(context, 'tokenOut', args.tokenOut, parameters.loanToken)
    expectAddress(context, 'collateral', args.collateral, parameters.collateralToken)
    const { amountOut: amount } = args
    const call = { abi: morphoAbi.borrow, args: [parameters, amount, 0n, account, runner] }
    context.add({ kind: 'call', target, ...call })
    return {
      spends: [],
      outputs: [{ token: parameters.loanToken, amount }],
      prerequisites: await authorisation(context, market),
    }
  },
})

const repay = defineAction({
  action: 'repay',
  name: 'Repay',
  functionNames: ['accrueInterest', 'repay'],
  inputs: {
    primaryAddress,
    ...marketNames,
    tokenIn: loanToken,
    amountIn: amountArgument('Raw units of tokenIn; what is above the debt comes back.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args)
    const { morpho: target, id, parameters } = market
    const { account } = context
    expectAddress(context, 'tokenIn', args.tokenIn, parameters.loanToken)
    const { amountIn: amount } = args
    const token = parameters.loanToken
    // Debts are shares. Those that the amount pays for, but no more than the account owes, at the rate of this very
    // block: by assets alone a whole debt could never be met, as it grows until the transaction runs.
    context.add({ kind: 'call', target, abi: morphoAbi.accrueInterest, args: [parameters] })
    const totalOf = (word: number) =>
      addCall(context, { target, abi: morphoAbi.market, args: [id] }, word)
    const assets = sum(context, [totalOf(2), virtualAssets])
    const issued = sum(context, [totalOf(3), virtualShares])
    const paidFor = proportion(context, amount, issued, assets)
    const owed = addCall(context, { target, abi: morphoAbi.position, args: [id, account] }, 1)
    const shares = lesser(context, paidFor, owed)
    context.add({ kind: 'approve', token, spender: target, amount })
    const call = { abi: morphoAbi.repay, args: [parameters, 0n, shares, account, '0x'] }
    context.add({ kind: 'call', target, ...call })
    context.add({ kind: 'approve', token, spender: target, amount: 0n })
    return { spends: [{ token, amount }], outputs: [], leftovers: [token] }
  },
})

export const morphoActions: readonly ActionDefinition[] = [deposit, withdraw, redeem, borrow, repay]

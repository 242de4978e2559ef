/**
 * What a bundle does with a market: lending, collateral and loans, in the name of the account. Who takes something out
 * for another account must be authorised by it.
 */
import { encodeFunctionData } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import {
  type ActionContext,
  type ActionDefinition,
  defineAction,
  type Prerequisite,
} from '../positions.js'
import { readWord } from '../shared/read-word.js'
import { addCall, lesser, proportion, sum } from '../shared/value-steps.js'
import { morphoAbi, readAbi } from './abi.js'
import { type MarketParameters, morphoOf, readParameters } from './markets.js'
import { virtualAssets, virtualShares } from './maths.js'

/** Sides of a market that somebody owns something on. */
export type Side = 'supply' | 'collateral'

export function positionKey(marketId: Hex, side: Side): string {
  return `${marketId}-${side}`
}

const primaryAddress = { kind: 'address', description: 'The Morpho contract.' } as const
const marketId = { kind: 'bytes', description: 'Id of the market, 32 bytes.' } as const
const tokenArgument = (description: string) => ({ kind: 'address', description }) as const
const loanTokenArgument = {
  kind: 'address',
  description: 'Loan token of the market.',
  optional: true,
} as const
const amountArgument = (description: string) => ({ kind: 'amount', description }) as const

interface Market {
  readonly morpho: Address
  readonly id: Hex
  readonly parameters: MarketParameters
}

async function marketOf(
  context: ActionContext,
  args: { readonly primaryAddress: Address; readonly marketId: Hex },
): Promise<Market> {
  const morpho = morphoOf(context.venue)
  if (args.primaryAddress !== morpho) context.refuse('primaryAddress', morpho)
  const id = args.marketId.toLowerCase() as Hex
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

function expectLoanToken(
  context: ActionContext,
  { parameters }: Market,
  argument: string,
  token: Address | undefined,
): void {
  if (token !== undefined && token !== parameters.loanToken) {
    context.refuse(argument, parameters.loanToken)
  }
}

/** None where the account runs the steps itself, or has authorised who does. */
async function authorisation(context: ActionContext, { morpho }: Market): Promise<Prerequisite[]> {
  const { account, runner, reader } = context
  if (runner === account) return []
  const data = encodeFunctionData({
    abi: readAbi,
    functionName: 'isAuthorized',
    args: [account, runner],
  })
  const [result] = await reader.call([{ to: morpho, data }])
  if (readWord(result) === 1n) return []
  const call = encodeFunctionData({ abi: [morphoAbi.setAuthorization], args: [runner, true] })
  return [{ to: morpho, data: call, purpose: 'let the executor manage positions of Morpho Blue' }]
}

const deposit = defineAction({
  action: 'deposit',
  name: 'Supply or add collateral',
  functionNames: ['supply', 'supplyCollateral'],
  inputs: {
    primaryAddress,
    marketId,
    tokenIn: tokenArgument('Loan token of the market to lend it, or its collateral token.'),
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
    marketId,
    tokenOut: tokenArgument('Loan token of the market, or its collateral token.'),
    amountOut: amountArgument('Raw units of tokenOut.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args)
    const { morpho: target, id, parameters } = market
    const { tokenOut: token, amountOut: amount } = args
    const { account, runner } = context
    const side = sideOf(context, market, 'tokenOut', token)
    context.add({
      kind: 'call',
      target,
      ...(side === 'supply'
        ? { abi: morphoAbi.withdraw, args: [parameters, amount, 0n, account, runner] }
        : { abi: morphoAbi.withdrawCollateral, args: [parameters, amount, account, runner] }),
    })
    return {
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
    marketId,
    tokenOut: loanTokenArgument,
    amountIn: amountArgument('Supply shares; more than the account has are all of them.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args)
    const { morpho: target, id, parameters } = market
    const { account, runner } = context
    expectLoanToken(context, market, 'tokenOut', args.tokenOut)
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
    marketId,
    collateral: {
      kind: 'address',
      description: 'Collateral token of the market, which backs the loan.',
      optional: true,
    },
    tokenOut: loanTokenArgument,
    amountOut: amountArgument('Raw units of tokenOut.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args)
    const { morpho: target, parameters } = market
    const { account, runner } = context
    expectLoanToken(context, market, 'tokenOut', args.tokenOut)
    const { collateralToken, loanToken } = parameters
    if (args.collateral !== undefined && args.collateral !== collateralToken) {
      context.refuse('collateral', collateralToken)
    }
    const { amountOut: amount } = args
    const call = { abi: morphoAbi.borrow, args: [parameters, amount, 0n, account, runner] }
    context.add({ kind: 'call', target, ...call })
    return {
      spends: [],
      outputs: [{ token: loanToken, amount }],
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
    marketId,
    tokenIn: loanTokenArgument,
    amountIn: amountArgument('Raw units of tokenIn; what is above the debt comes back.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args)
    const { morpho: target, id, parameters } = market
    const { account } = context
    expectLoanToken(context, market, 'tokenIn', args.tokenIn)
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

/**
 * Actions on a market. Compound lends to its caller only, so only accounts that run their own orders can borrow;
 * anybody may repay. An error code fails the transaction.
 */
import type { Amount } from '../../domain/order.js'
import { type Address, isNative } from '../../domain/primitives.js'
import { type ActionContext, type ActionDefinition, defineAction } from '../positions.js'
import {
  addressArgument,
  amountArgument,
  expectAddress,
  optionalAddress,
} from '../shared/arguments.js'
import { readWord } from '../shared/read-word.js'
import { addCall, gainOf, lesser, requireZero } from '../shared/value-steps.js'
import { encodeRead, marketAbi } from './abi.js'
import { readMarkets } from './load.js'
import { comptrollerOf, listedMarket, type Market } from './markets.js'
import { accrued, tokensFor } from './math.js'

const primaryAddress = addressArgument('Market, such as that of cUSDC.')
const share = optionalAddress('The market, whose token it is.')
const lent = optionalAddress('What the market lends; native for ether.')

async function marketOf(context: ActionContext, address: Address): Promise<Market> {
  const market = await listedMarket(context, address)
  return market ?? context.refuse('primaryAddress', 'a market that the Comptroller lists')
}

/** A call that returns a code; other than zero fails the transaction. */
function addChecked(
  context: ActionContext,
  call: {
    readonly target: Address
    readonly abi: (typeof marketAbi)[keyof typeof marketAbi]
    readonly args: readonly unknown[]
  },
  word = 0,
): void {
  requireZero(context, addCall(context, call, word))
}

function addMint(context: ActionContext, market: Market, amount: Amount): void {
  const { address: target, underlying } = market
  if (isNative(underlying)) {
    context.add({ kind: 'call', target, abi: marketAbi.mintEther, args: [], value: amount })
    return
  }
  context.add({ kind: 'approve', token: underlying, spender: target, amount })
  addChecked(context, { target, abi: marketAbi.mint, args: [amount] })
}

const deposit = defineAction({
  action: 'deposit',
  name: 'Supply',
  functionNames: ['mint'],
  inputs: {
    primaryAddress,
    tokenIn: lent,
    tokenOut: share,
    amountIn: amountArgument('Raw units of tokenIn.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args.primaryAddress)
    expectAddress(context, 'tokenIn', args.tokenIn, market.underlying)
    expectAddress(context, 'tokenOut', args.tokenOut, market.address)
    const amount = gainOf(context, market.address, () => addMint(context, market, args.amountIn))
    return {
      spends: [{ token: market.underlying, amount: args.amountIn }],
      outputs: [{ token: market.address, amount }],
      positionsOut: [market.address],
    }
  },
})

const redeem = defineAction({
  action: 'redeem',
  name: 'Redeem',
  functionNames: ['redeem'],
  inputs: {
    primaryAddress,
    tokenIn: share,
    tokenOut: lent,
    amountIn: amountArgument('Raw units of tokenIn.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args.primaryAddress)
    expectAddress(context, 'tokenIn', args.tokenIn, market.address)
    expectAddress(context, 'tokenOut', args.tokenOut, market.underlying)
    const amount = gainOf(context, market.underlying, () =>
      addChecked(context, { target: market.address, abi: marketAbi.redeem, args: [args.amountIn] }),
    )
    return {
      spends: [{ token: market.address, amount: args.amountIn }],
      outputs: [{ token: market.underlying, amount }],
      positionsIn: [market.address],
    }
  },
})

const withdraw = defineAction({
  action: 'withdraw',
  name: 'Withdraw',
  functionNames: ['redeemUnderlying'],
  inputs: {
    primaryAddress,
    tokenIn: share,
    tokenOut: lent,
    amountOut: amountArgument('Raw units of tokenOut; what is not needed of tokenIn comes back.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args.primaryAddress)
    expectAddress(context, 'tokenIn', args.tokenIn, market.address)
    expectAddress(context, 'tokenOut', args.tokenOut, market.underlying)
    const [stored] = await readMarkets(context.reader, [market.address])
    if (!stored || 'message' in stored) {
      return context.refuse('primaryAddress', 'a market that says what its token is worth')
    }
    // The rate only grows: later blocks take fewer tokens than this one.
    const totals = accrued(stored, context.reader.block.number)
    const tokens = tokensFor(totals, await context.valueOf(args.amountOut))
    const amount = gainOf(context, market.underlying, () =>
      addChecked(context, {
        target: market.address,
        abi: marketAbi.redeemUnderlying,
        args: [args.amountOut],
      }),
    )
    return {
      spends: [{ token: market.address, amount: tokens }],
      outputs: [{ token: market.underlying, amount }],
      leftovers: [market.address],
      positionsIn: [market.address],
    }
  },
})

/** Lets what the account has in a market back its loans, where it does not yet. */
async function addEnter(context: ActionContext, collateral: Market): Promise<void> {
  const to = comptrollerOf(context.venue)
  const data = encodeRead('checkMembership', [context.account, collateral.address])
  const [membership] = await context.reader.call([{ to, data }])
  if (readWord(membership) === 1n) return
  // Behind the offset and the length of the list lies the one code.
  addChecked(context, { target: to, abi: marketAbi.enter, args: [[collateral.address]] }, 2)
}

const borrow = defineAction({
  action: 'borrow',
  name: 'Borrow',
  functionNames: ['enterMarkets', 'borrow'],
  inputs: {
    primaryAddress,
    collateral: optionalAddress('Market whose token backs the loan, where it does not yet.'),
    tokenOut: lent,
    amountOut: amountArgument('Raw units of tokenOut.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args.primaryAddress)
    expectAddress(context, 'tokenOut', args.tokenOut, market.underlying)
    if (context.runner !== context.account) {
      context.refuse(
        'routingStrategy',
        'delegate or svcwallet-v2: Compound lends to the account that calls it',
      )
    }
    if (args.collateral !== undefined) {
      const collateral = await listedMarket(context, args.collateral)
      if (!collateral) context.refuse('collateral', 'a market that the Comptroller lists')
      else await addEnter(context, collateral)
    }
    addChecked(context, { target: market.address, abi: marketAbi.borrow, args: [args.amountOut] })
    return {
      spends: [],
      outputs: [{ token: market.underlying, amount: args.amountOut }],
    }
  },
})

const repay = defineAction({
  action: 'repay',
  name: 'Repay',
  functionNames: ['repayBorrowBehalf'],
  inputs: {
    primaryAddress,
    tokenIn: lent,
    amountIn: amountArgument('Raw units of tokenIn; what is above the debt comes back.'),
  },
  async build(args, context) {
    const market = await marketOf(context, args.primaryAddress)
    const { address: target, underlying } = market
    expectAddress(context, 'tokenIn', args.tokenIn, underlying)
    const debt = addCall(context, { target, abi: marketAbi.debt, args: [context.account] })
    const amount = lesser(context, args.amountIn, debt)
    if (isNative(underlying)) {
      const call = { abi: marketAbi.repayEther, args: [context.account], value: amount }
      context.add({ kind: 'call', target, ...call })
    } else {
      context.add({ kind: 'approve', token: underlying, spender: target, amount })
      addChecked(context, { target, abi: marketAbi.repay, args: [context.account, amount] })
    }
    return {
      spends: [{ token: underlying, amount: args.amountIn }],
      outputs: [],
      leftovers: [underlying],
    }
  },
})

export const compoundActions: readonly ActionDefinition[] = [
  deposit,
  redeem,
  withdraw,
  borrow,
  repay,
]

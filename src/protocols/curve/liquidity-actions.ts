/** Actions on the liquidity of any Curve pool, listed or not: deposit, redeem, withdraw. */
import { defined } from '../../domain/defined.js'
import { tokenAmounts } from '../../domain/lists.js'
import type { ExecutorStep } from '../../domain/order.js'
import { type Address, bpsDenominator } from '../../domain/primitives.js'
import { type ActionContext, defineAction } from '../positions.js'
import { amountsInOrder } from '../shared/arguments.js'
import { balanceChanges } from '../shared/balance-changes.js'
import {
  depositSteps,
  withdrawAllStep,
  withdrawExactlyStep,
  withdrawOneSteps,
} from './liquidity-calls.js'
import { findLiquidity } from './liquidity-discover.js'
import { loadLiquidity } from './liquidity-load.js'
import { type LiquidityParameters, liquidityParameters } from './liquidity-pool.js'
import type { LiquidityState } from './liquidity-state.js'
import { shareOfPool } from './share-of-pool.js'
import { withdrawExactly } from './stable-liquidity.js'

/** The shares that may be burnt beyond what the state of the block requires; those not burnt come back. */
const spareBps = 10n

const pool = { kind: 'address', description: 'the pool' } as const
const share = {
  kind: 'address',
  description: 'the share (LP token) of the pool',
  optional: true,
} as const

interface Liquidity extends LiquidityParameters {
  readonly target: Address
  readonly share: Address
  readonly state: LiquidityState
}

async function liquidityOf(
  context: ActionContext,
  target: Address,
  argument: 'tokenIn' | 'tokenOut',
  given: Address | undefined,
): Promise<Liquidity> {
  const named = given ?? (await shareOfPool(context, target))
  const token = named ?? (await context.positionOf(target))?.token
  if (!token) return context.refuse(argument, 'given: the pool does not name its share')
  const found = await findLiquidity({ ...context, tokens: [token] })
  const record = found.pools.get(token)
  const [failure] = found.unreadable
  if (!record) {
    const why = failure ? ` (${failure.message})` : ''
    return context.refuse(argument, `the share of a Curve pool${why}`)
  }
  if (record.address !== target) {
    context.refuse('primaryAddress', `the pool of ${token}, ${record.address}`)
  }
  const [loaded] = await loadLiquidity({ ...context, pools: [record] })
  if (!loaded || !('state' in loaded) || loaded.state.kind !== 'liquidity') {
    const why = loaded && 'message' in loaded ? ` (${loaded.message})` : ''
    return context.refuse('primaryAddress', `a Curve pool that can be read${why}`)
  }
  return { ...liquidityParameters(record), target, share: token, state: loaded.state }
}

/** The last of the steps brings the token. @returns its index. */
function addMeasured(
  context: ActionContext,
  steps: readonly ExecutorStep[],
  token: Address,
): number {
  const indexes = steps.map((step, k) =>
    context.add(
      step.kind === 'call' && k === steps.length - 1
        ? { ...step, output: { kind: 'balance', token } }
        : step,
    ),
  )
  return indexes.at(-1) ?? 0
}

const deposit = defineAction({
  action: 'deposit',
  name: 'Add liquidity',
  functionNames: ['add_liquidity'],
  inputs: {
    primaryAddress: pool,
    tokenIn: { kind: 'addresses', description: 'coins of the pool: one, some or all' },
    amountIn: { kind: 'amounts', description: 'raw units of each of them' },
    tokenOut: share,
  },
  async build({ primaryAddress, tokenIn, amountIn, ...args }, context) {
    const liquidity = await liquidityOf(context, primaryAddress, 'tokenOut', args.tokenOut)
    const { coins, state, share: tokenOut } = liquidity
    const amounts = amountsInOrder(
      context,
      { tokens: coins, called: 'coins' },
      { argument: 'tokenIn', given: tokenIn },
      { argument: 'amountIn', given: amountIn },
    )
    const { amountsType } = state
    const steps = depositSteps({ target: primaryAddress, coins, amounts, amountsType })
    const step = addMeasured(context, steps, tokenOut)
    return {
      spends: tokenAmounts(tokenIn, amountIn),
      outputs: [{ token: tokenOut, amount: { ref: 'output', step } }],
      positionsOut: [tokenOut],
    }
  },
})

const redeem = defineAction({
  action: 'redeem',
  name: 'Remove liquidity',
  functionNames: ['remove_liquidity_one_coin', 'remove_liquidity'],
  inputs: {
    primaryAddress: pool,
    tokenIn: share,
    amountIn: { kind: 'amount', description: 'raw units of the share' },
    tokenOut: { kind: 'addresses', description: 'one coin of the pool, or all of them' },
  },
  async build({ primaryAddress, amountIn, tokenOut, ...args }, context) {
    const liquidity = await liquidityOf(context, primaryAddress, 'tokenIn', args.tokenIn)
    const { coins, state, share: tokenIn } = liquidity
    const isAll = coins.every((coin) => tokenOut.includes(coin)) && tokenOut.length === coins.length
    const spends = [{ token: tokenIn, amount: amountIn }]
    if (isAll) {
      const call = withdrawAllStep(primaryAddress, coins.length, state.amountsType, amountIn)
      const outputs = balanceChanges(context, call, tokenOut)
      return { spends, outputs, positionsIn: [tokenIn] }
    }
    const [coin] = tokenOut
    const index = coin ? coins.indexOf(coin) : -1
    if (!coin || index < 0 || tokenOut.length > 1) {
      return context.refuse('tokenOut', `one coin of the pool, or all of them: ${coins.join(', ')}`)
    }
    if (state.withdraws === 'nobody') {
      context.refuse('tokenOut', 'all coins of the pool, which cannot withdraw a single one')
    }
    const { zap, indexType } = liquidity
    const common = { target: primaryAddress, share: tokenIn, zap, indexType, index }
    const step = addMeasured(context, withdrawOneSteps({ ...common, amount: amountIn }), coin)
    return {
      spends,
      outputs: [{ token: coin, amount: { ref: 'output', step } }],
      ...defined({ leftovers: zap ? [tokenIn] : undefined }),
      positionsIn: [tokenIn],
    }
  },
})

const withdraw = defineAction({
  action: 'withdraw',
  name: 'Remove exact amounts',
  functionNames: ['remove_liquidity_imbalance'],
  inputs: {
    primaryAddress: pool,
    tokenIn: share,
    tokenOut: { kind: 'addresses', description: 'coins of the pool: one, some or all' },
    amountOut: { kind: 'amounts', description: 'raw units of each of them' },
  },
  async build({ primaryAddress, tokenOut, amountOut, ...args }, context) {
    const liquidity = await liquidityOf(context, primaryAddress, 'tokenIn', args.tokenIn)
    const { coins, state, share: tokenIn } = liquidity
    const amounts = amountsInOrder(
      context,
      { tokens: coins, called: 'coins' },
      { argument: 'tokenOut', given: tokenOut },
      { argument: 'amountOut', given: amountOut },
    )
    const { math, amountsType } = state
    if (math.kind === 'sampled') {
      return context.refuse('primaryAddress', 'a stable pool, which can pay exact amounts')
    }
    const known = await Promise.all(amounts.map((amount) => context.valueOf(amount)))
    const change = withdrawExactly(math.base, known)
    if (!change) return context.refuse('amountOut', 'no more than the pool can pay')
    const { supply } = math.base
    const raised = change.burned + (change.burned * spareBps) / bpsDenominator + 1n
    const most = raised < supply ? raised : supply
    context.add(withdrawExactlyStep(primaryAddress, amounts, amountsType, most))
    return {
      spends: [{ token: tokenIn, amount: most }],
      outputs: tokenAmounts(tokenOut, amountOut),
      leftovers: [tokenIn],
      positionsIn: [tokenIn],
    }
  },
})

export const liquidityActions = [deposit, redeem, withdraw]

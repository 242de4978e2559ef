/** What a deposit or withdrawal does to a pool whose shares are traded. Pure. */
import { type SampledPoolState, sampledAmountOut, sampledApply } from './sampled.js'
import { type BasePool, depositOne, withdrawOne, withdrawOneByZap } from './stable-liquidity.js'

export interface LiquidityState {
  readonly kind: 'liquidity'
  readonly maths: NativeLiquidity | SampledPoolState
  /** Who withdraws one coin. */
  readonly withdraws: 'pool' | 'zap' | 'nobody'
  /** How the contract takes amounts: stableswap-ng a list of any length, all others one of its own length. */
  readonly amountsType: 'fixed' | 'dynamic'
}

export interface NativeLiquidity {
  readonly kind: 'native'
  readonly base: BasePool
  readonly exact: boolean
}

/** @param i - place of the coin; the share comes after the last one. */
export function liquidityOut(
  state: LiquidityState,
  i: number,
  j: number,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly exact: boolean } {
  const { maths } = state
  if (maths.kind === 'sampled') {
    return { amountOut: sampledAmountOut(maths, i, j, amountIn), exact: false }
  }
  return { amountOut: changeOf(state, i, j, amountIn)?.amountOut ?? 0n, exact: maths.exact }
}

export function liquidityAfter(
  state: LiquidityState,
  i: number,
  j: number,
  amountIn: bigint,
): LiquidityState {
  const { maths } = state
  if (maths.kind === 'sampled') return { ...state, maths: sampledApply(maths, i, j, amountIn) }
  const change = changeOf(state, i, j, amountIn)
  return change ? { ...state, maths: { ...maths, base: change.after() } } : state
}

function changeOf({ maths, withdraws }: LiquidityState, i: number, j: number, amountIn: bigint) {
  if (maths.kind === 'sampled') return null
  const share = maths.base.pool.balances.length
  if (j === share && i !== share) return depositOne(maths.base, i, amountIn)
  if (i !== share || j === share || withdraws === 'nobody') return null
  const withdraw = withdraws === 'zap' ? withdrawOneByZap : withdrawOne
  return withdraw(maths.base, j, amountIn)
}

/** The effect of a deposit or withdrawal on a pool whose shares are traded. Pure. */
import { tokenAmounts } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { Holdings } from '../positions.js'
import type { Swap } from '../protocol.js'
import { type SampledPoolState, sampledAmountOut, sampledApply } from './sampled.js'
import { type BasePool, depositOne, withdrawOne, withdrawOneByZap } from './stable-liquidity.js'

export interface LiquidityState {
  readonly kind: 'liquidity'
  readonly math: NativeLiquidity | SampledPoolState
  /** Who withdraws one coin. */
  readonly withdraws: 'pool' | 'zap' | 'nobody'
  /** How the contract takes amounts: stableswap-ng a list of any length, all others one of its own length. */
  readonly amountsType: 'fixed' | 'dynamic'
  /**
   * Supply and balances as they were read. Balances: raw units of each coin, without the admin's share; null: they
   * could not be read.
   */
  readonly held: { readonly supply: bigint; readonly balances: readonly (bigint | null)[] }
}

export interface NativeLiquidity {
  readonly kind: 'native'
  readonly base: BasePool
  readonly exact: boolean
}

/** @param i - place of the coin; the share comes after the last one. */
export function liquiditySwap(
  state: LiquidityState,
  i: number,
  j: number,
  amountIn: bigint,
): Swap<LiquidityState> {
  const { math } = state
  if (math.kind === 'sampled') {
    const after = () => ({ ...state, math: sampledApply(math, i, j, amountIn) })
    return { amountOut: sampledAmountOut(math, i, j, amountIn), exact: false, after }
  }
  const change = changeOf(state, i, j, amountIn)
  const after = () => (change ? { ...state, math: { ...math, base: change.after() } } : state)
  return { amountOut: change?.amountOut ?? 0n, exact: math.exact, after }
}

/**
 * What all shares own: a withdrawal in proportion takes no fee.
 *
 * @param coins - in the order of the pool.
 * @returns null for a pool without shares, or one that does not say what it holds.
 */
export function holdingsOf({ held }: LiquidityState, coins: readonly Address[]): Holdings | null {
  const { supply, balances } = held
  const amounts = tokenAmounts(coins, balances).flatMap(({ token, amount }) =>
    amount === null ? [] : { token, amount },
  )
  return supply === 0n || amounts.length < coins.length ? null : { shares: supply, amounts }
}

function changeOf({ math, withdraws }: LiquidityState, i: number, j: number, amountIn: bigint) {
  if (math.kind === 'sampled') return null
  const share = math.base.pool.balances.length
  if (j === share && i !== share) return depositOne(math.base, i, amountIn)
  if (i !== share || j === share || withdraws === 'nobody') return null
  const withdraw = withdraws === 'zap' ? withdrawOneByZap : withdrawOne
  return withdraw(math.base, j, amountIn)
}

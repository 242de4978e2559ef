/** The forms of a Curve pool's state, and the effect of a swap on each. Pure. */
import { type CryptoPoolState, cryptoAmountOut, cryptoApply } from './crypto-math.js'
import type { LiquidityState } from './liquidity-state.js'
import { type MetaPoolState, metaExchange } from './meta-math.js'
import { type SampledPoolState, sampledAmountOut, sampledApply } from './sampled.js'
import { exchange, type StablePoolState, withInvariant } from './stable-math.js'

/** State with math of its own, without saying yet whether it is the chain's. */
export type Solvable = StablePoolState | CryptoPoolState | MetaPoolState

/** With `exact`: output equals the chain's to the wei. */
export type NativeState = Solvable & { readonly exact: boolean }

export type SwapState = NativeState | SampledPoolState

export type CurveState = SwapState | LiquidityState

/** Raw units of token j for raw units of token i; 0n where the pool cannot serve the amount. */
export function outputOf(
  state: Solvable | SampledPoolState,
  i: number,
  j: number,
  amountIn: bigint,
): bigint {
  if (state.kind === 'stable') return exchange(state, i, j, amountIn)?.amountOut ?? 0n
  if (state.kind === 'meta') return metaExchange(state, i, j, amountIn)?.amountOut ?? 0n
  if (state.kind === 'crypto') return cryptoAmountOut(state, i, j, amountIn)
  return sampledAmountOut(state, i, j, amountIn)
}

/** The state after that swap. */
export function stateAfter(state: SwapState, i: number, j: number, amountIn: bigint): SwapState {
  if (state.kind === 'sampled') return sampledApply(state, i, j, amountIn)
  // D and the price scale move by rules that are not followed here.
  if (state.kind === 'crypto') return { ...cryptoApply(state, i, j, amountIn), exact: false }
  if (state.kind === 'meta') {
    const swap = metaExchange(state, i, j, amountIn)
    return swap ? { ...swap.after(), exact: state.exact } : state
  }
  const swap = exchange(state, i, j, amountIn)
  if (!swap) return state
  return { ...withInvariant({ ...state, balances: swap.balances }), exact: state.exact }
}

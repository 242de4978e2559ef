/** The three forms of a Curve pool's state, and what a swap does to each. Pure. */
import { type CryptoPoolState, cryptoAmountOut, cryptoApply } from './crypto-math.js'
import { type SampledPoolState, sampledAmountOut, sampledApply } from './sampled.js'
import { exchange, type StablePoolState, withInvariant } from './stable-math.js'

/** With `exact`: output equals the chain's to the wei. */
export type NativeState = (StablePoolState | CryptoPoolState) & { readonly exact: boolean }

export type CurveState = NativeState | SampledPoolState

/** Raw units of coin j for raw units of coin i; 0n where the pool cannot serve the amount. */
export function outputOf(state: CurveState, i: number, j: number, amountIn: bigint): bigint {
  if (state.kind === 'stable') return exchange(state, i, j, amountIn)?.amountOut ?? 0n
  if (state.kind === 'crypto') return cryptoAmountOut(state, i, j, amountIn)
  return sampledAmountOut(state, i, j, amountIn)
}

/** The state after that swap. */
export function stateAfter(state: CurveState, i: number, j: number, amountIn: bigint): CurveState {
  const { kind } = state
  if (kind === 'sampled') return sampledApply(state, i, j, amountIn)
  if (kind === 'crypto') return { ...cryptoApply(state, i, j, amountIn), exact: state.exact }
  const swap = exchange(state, i, j, amountIn)
  if (!swap) return state
  return { ...withInvariant({ ...state, balances: swap.balances }), exact: state.exact }
}

/** The forms of a Curve pool's state, and the effect of a swap on each. Pure. */
import type { Swap } from '../protocol.js'
import { type CryptoPoolState, cryptoExchange } from './crypto-math.js'
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

/** A swap of token i into token j; 0n comes out where the pool cannot serve the amount. */
export function poolSwap(
  state: SwapState,
  i: number,
  j: number,
  amountIn: bigint,
): Swap<SwapState> {
  if (state.kind === 'sampled') {
    const after = () => sampledApply(state, i, j, amountIn)
    return { amountOut: sampledAmountOut(state, i, j, amountIn), exact: false, after }
  }
  const { exact } = state
  if (state.kind === 'crypto') {
    const swap = cryptoExchange(state, i, j, amountIn)
    // D and the price scale move by rules that are not followed here.
    return { amountOut: swap.amountOut, exact, after: () => ({ ...swap.after(), exact: false }) }
  }
  const nothing = { amountOut: 0n, exact, after: () => state }
  if (state.kind === 'meta') {
    const swap = metaExchange(state, i, j, amountIn)
    if (!swap) return nothing
    return { amountOut: swap.amountOut, exact, after: () => ({ ...swap.after(), exact }) }
  }
  const swap = exchange(state, i, j, amountIn)
  if (!swap) return nothing
  return {
    amountOut: swap.amountOut,
    exact,
    after() {
      return { ...withInvariant({ ...state, balances: swap.balances }), exact }
    },
  }
}

/** What is known of a pool, and what a swap in it gives. Pure. */
import type { Pool } from '../pool.js'
import type { Direction, Swap } from '../protocol.js'
import { unlessReverted } from '../shared/reverts.js'
import { assetToSy, type MarketState } from './market-math.js'
import { parts, wayBetween } from './market-swaps.js'

/** An expired PT pays its asset in SY. */
export interface RedemptionState {
  readonly kind: 'redemption'
  /** Raw units of PT that exist. */
  readonly supply: bigint
  /** Units of the asset that a unit of SY is worth, E18. */
  readonly index: bigint
}

/** Out of an amount in: amount * numerator / denominator, rounded down. */
export interface Conversion {
  readonly numerator: bigint
  readonly denominator: bigint
  /** Whether two previews of the contract are these to the unit; otherwise it is the proportion of one of them. */
  readonly isProven: boolean
}

/** An SY and one of its tokens. */
export interface YieldState {
  readonly kind: 'yield'
  /** Raw units of SY that exist. */
  readonly supply: bigint
  /** Null where the SY does not take, or does not pay, the token. */
  readonly deposit: Conversion | null
  readonly redeem: Conversion | null
}

export type PendleState = MarketState | RedemptionState | YieldState

/** Largest amount for which agreeing previews prove a conversion, raw units. */
export const provenAmount = 2n ** 100n + 7n

export function swapIn(
  { tokens }: Pool,
  state: PendleState,
  { tokenIn, tokenOut }: Direction,
  amountIn: bigint,
): Swap<PendleState> {
  if (state.kind === 'market') {
    const [partIn, partOut] = [tokenIn, tokenOut].map((token) => parts[tokens.indexOf(token)])
    const way = amountIn > 0n ? wayBetween(partIn, partOut) : null
    const done = way && unlessReverted(() => way(state, amountIn))
    return { amountOut: done?.amountOut ?? 0n, exact: true, after: () => done?.state ?? state }
  }
  const [first, second] = tokens
  const isForward = tokenIn === first && tokenOut === second
  const isBackward = tokenIn === second && tokenOut === first
  const nothing = { amountOut: 0n, exact: true, after: () => state }
  if (amountIn <= 0n || !(isForward || isBackward)) return nothing
  if (state.kind === 'redemption') return isForward ? redeemed(state, amountIn) : nothing
  return isForward ? deposited(state, amountIn) : withdrawn(state, amountIn)
}

function redeemed(state: RedemptionState, amountIn: bigint): Swap<PendleState> {
  const { supply, index } = state
  const isServed = amountIn <= supply && index > 0n
  return {
    amountOut: isServed ? assetToSy(index, amountIn) : 0n,
    exact: true,
    after: () => (isServed ? { ...state, supply: supply - amountIn } : state),
  }
}

function deposited(state: YieldState, amountIn: bigint): Swap<PendleState> {
  const { amountOut, exact } = converted(state.deposit, amountIn)
  return { amountOut, exact, after: () => ({ ...state, supply: state.supply + amountOut }) }
}

function withdrawn(state: YieldState, amountIn: bigint): Swap<PendleState> {
  if (amountIn > state.supply) return { amountOut: 0n, exact: true, after: () => state }
  const { amountOut, exact } = converted(state.redeem, amountIn)
  const after = () => (amountOut > 0n ? { ...state, supply: state.supply - amountIn } : state)
  return { amountOut, exact, after }
}

function converted(conversion: Conversion | null, amountIn: bigint) {
  if (!conversion) return { amountOut: 0n, exact: true }
  const { numerator, denominator, isProven } = conversion
  return {
    amountOut: (amountIn * numerator) / denominator,
    exact: isProven && amountIn <= provenAmount,
  }
}

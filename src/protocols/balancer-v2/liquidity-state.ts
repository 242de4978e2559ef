/** State of a pool whose shares are traded by joins and exits, and their effect on it. Pure. */
import { at } from '../../domain/lists.js'
import { divDown, mulDown } from '../shared/balancer-math/fixed-point.js'
import { unlessReverted } from '../shared/reverts.js'
import {
  dueFee,
  invariantOf,
  type PoolNumbers,
  sharesForTokens,
  tokensForShares,
} from './join-exit-math.js'
import type { BalancerState } from './state.js'

export interface LiquidityState {
  readonly kind: 'liquidity'
  /** The pool's state that swaps use. */
  readonly pool: BalancerState
  /** All shares, 18 decimals. */
  readonly supply: bigint
  /** Part of swap fees that goes to the protocol when the pool is joined or left, E18. */
  readonly protocolFee: bigint
  /** Invariant after the last join or exit, and the amplification of then; null: the pool does not say. */
  readonly last: { readonly invariant: bigint; readonly amp: bigint } | null
  /** The pool's own answers are what the math gives. */
  readonly exact: boolean
}

interface Change {
  /** Raw units of shares, or of the token. */
  readonly amountOut: bigint
  after(): LiquidityState
}

/** The Vault packs balances into 112 bits. */
const maxBalance = 2n ** 112n - 1n

/**
 * EXACT_TOKENS_IN_FOR_BPT_OUT.
 *
 * @param amounts - raw units of each token, not all zero.
 * @returns null where the Vault or the pool reverts, or nothing comes out.
 */
export function join(state: LiquidityState, amounts: readonly bigint[]): Change | null {
  return unlessReverted(() => {
    const { pool, numbers, fee } = charged(state)
    const scaled = amounts.map((amount, k) => mulDown(amount, at(pool.scalingFactors, k)))
    const shares = sharesForTokens(numbers, scaled)
    const raised = pool.balances.map((balance, k) => balance + at(amounts, k))
    if (shares === 0n || raised.some((balance) => balance > maxBalance)) return null
    const moved = numbers.balances.map((balance, k) => balance + at(scaled, k))
    checkAfter(numbers, moved)
    const supply = state.supply + shares
    return {
      amountOut: shares,
      after: () => next(state, supply, without(raised, fee), { ...numbers, balances: moved }),
    }
  })
}

/**
 * EXACT_BPT_IN_FOR_ONE_TOKEN_OUT.
 *
 * @param k - place of the token.
 * @param shares - raw units, > 0.
 * @returns null where the Vault or the pool reverts, or nothing comes out.
 */
export function exit(state: LiquidityState, k: number, shares: bigint): Change | null {
  return unlessReverted(() => {
    const { pool, numbers, fee } = charged(state)
    const scaled = tokensForShares(numbers, k, shares)
    const amountOut = divDown(scaled, at(pool.scalingFactors, k))
    if (amountOut === 0n) return null
    const lowered = pool.balances.map((balance, n) => (n === k ? balance - amountOut : balance))
    const moved = numbers.balances.map((balance, n) => (n === k ? balance - scaled : balance))
    checkAfter(numbers, moved)
    const supply = state.supply - shares
    return {
      amountOut,
      after: () => next(state, supply, without(lowered, fee), { ...numbers, balances: moved }),
    }
  })
}

/**
 * What all shares own: raw units of each token, less the fee that the protocol takes before anybody leaves.
 *
 * @returns null where the math of the fee fails, as the pool then does.
 */
export function ownedBalances(state: LiquidityState): readonly bigint[] | null {
  return unlessReverted(() => without(state.pool.balances, charged(state).fee))
}

/**
 * The stable pools of 2021 compute the invariant of what is left, and revert where that does not settle, as it may in
 * lopsided pools.
 *
 * @throws RangeError there.
 */
function checkAfter(numbers: PoolNumbers, balances: readonly bigint[]): void {
  if (numbers.kind === 'stable' && !numbers.isModern) invariantOf({ ...numbers, balances })
}

/** What the formulas take, after the protocol has taken its part. */
function charged(state: LiquidityState) {
  const { pool, supply, protocolFee, last } = state
  const balances = pool.balances.map((balance, k) => mulDown(balance, at(pool.scalingFactors, k)))
  const numbers: PoolNumbers = { ...pool, balances, supply }
  const { index, amount } = last ? dueFee(numbers, last, protocolFee) : { index: 0, amount: 0n }
  const left = balances.map((balance, k) => (k === index ? balance - amount : balance))
  const raw = divDown(amount, at(pool.scalingFactors, index))
  return { pool, numbers: { ...numbers, balances: left }, fee: { index, amount: raw } }
}

function without(
  balances: readonly bigint[],
  { index, amount }: { readonly index: number; readonly amount: bigint },
): bigint[] {
  return balances.map((balance, k) => (k === index ? balance - amount : balance))
}

/** @param numbers - what the formulas take, after the change. */
function next(
  state: LiquidityState,
  supply: bigint,
  balances: readonly bigint[],
  numbers: PoolNumbers,
): LiquidityState {
  const last = state.last && { invariant: invariantOf(numbers), amp: numbers.amp }
  return { ...state, supply, last, pool: { ...state.pool, balances } }
}

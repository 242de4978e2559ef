/** State of a Balancer V2 pool, and what a swap does to it. Pure. */
import type { Address } from '../../domain/primitives.js'
import type { Pool } from '../protocol.js'
import { mulDown, mulUp, one, sub } from './fixed-point.js'
import { stableInvariant, stableOutGivenIn } from './stable-math.js'
import { weightedOutGivenIn } from './weighted-math.js'

export interface BalancerState {
  readonly kind: 'weighted' | 'stable'
  /** Raw units in the Vault's order. */
  readonly balances: readonly bigint[]
  /** E18 per token: raw units times this / 1e18 has 18 decimals, token rates included. */
  readonly scalingFactors: readonly bigint[]
  /** Share of the input, E18. */
  readonly swapFee: bigint
  /** E18, weighted only. */
  readonly weights: readonly bigint[]
  /** Times 1000, stable only. */
  readonly amp: bigint
  /** Weighted: exponents 1, 2 and 4 are multiplied out. Stable: the invariant truncates. */
  readonly isModern: boolean
  /** Place of the pool's own token among the tokens of a composable pool; it takes no part in the maths. */
  readonly ownIndex: number | null
  /** False: the swap itself renews a token rate, or a ramp of the amplification could not be read. */
  readonly exact: boolean
}

/** The Vault packs balances into 112 bits. */
const maxBalance = 2n ** 112n - 1n

/**
 * Output of `vault.swap` with a given input.
 *
 * @param amountIn - raw units, > 0, fee not yet taken.
 * @returns raw units, rounded down; 0n where the Vault or the pool reverts.
 */
export function swapOutput(
  pool: Pool,
  state: BalancerState,
  tokenIn: Address,
  tokenOut: Address,
  amountIn: bigint,
): bigint {
  const i = pool.tokens.indexOf(tokenIn)
  const j = pool.tokens.indexOf(tokenOut)
  const { ownIndex, balances, scalingFactors } = state
  if (i === -1 || j === -1 || i === j || i === ownIndex || j === ownIndex || amountIn <= 0n)
    return 0n
  if (at(balances, i) + amountIn > maxBalance) return 0n
  try {
    const scaled = balances.map((balance, k) => mulDown(balance, at(scalingFactors, k)))
    const net = mulDown(sub(amountIn, mulUp(amountIn, state.swapFee)), at(scalingFactors, i))
    const output =
      state.kind === 'weighted'
        ? weightedOutGivenIn({
            balanceIn: at(scaled, i),
            weightIn: at(state.weights, i),
            balanceOut: at(scaled, j),
            weightOut: at(state.weights, j),
            amountIn: net,
            hasShortcuts: state.isModern,
          })
        : stableOutput(state, scaled, i, j, net)
    return (output * one) / at(scalingFactors, j)
  } catch (error) {
    // The maths throws exactly where the contract reverts: the pool cannot serve the amount.
    if (error instanceof RangeError) return 0n
    throw error
  }
}

/** The state after the swap; protocol fees are not taken at swaps. */
export function swapState(
  pool: Pool,
  state: BalancerState,
  tokenIn: Address,
  tokenOut: Address,
  amountIn: bigint,
): BalancerState {
  const amountOut = swapOutput(pool, state, tokenIn, tokenOut, amountIn)
  if (amountOut === 0n) return state
  const balances = state.balances.map((balance, k) => {
    if (pool.tokens[k] === tokenIn) return balance + amountIn
    return pool.tokens[k] === tokenOut ? balance - amountOut : balance
  })
  return { ...state, balances }
}

function stableOutput(
  state: BalancerState,
  scaled: readonly bigint[],
  i: number,
  j: number,
  amountIn: bigint,
): bigint {
  const { amp, ownIndex } = state
  const balances = scaled.filter((_balance, k) => k !== ownIndex)
  const place = (k: number) => (ownIndex !== null && k > ownIndex ? k - 1 : k)
  const invariant = stableInvariant(amp, balances, !state.isModern)
  return stableOutGivenIn(amp, balances, invariant, place(i), place(j), amountIn)
}

function at(values: readonly bigint[], index: number): bigint {
  const value = values[index]
  if (value === undefined) throw new TypeError(`no token ${index}`)
  return value
}

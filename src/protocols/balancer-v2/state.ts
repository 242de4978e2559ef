/** State of a Balancer V2 pool, and the effect of a swap on it. Pure. */
import { at } from '../../domain/lists.js'
import type { Pool } from '../pool.js'
import type { Direction } from '../protocol.js'
import { mulDown, mulUp, one, sub } from '../shared/balancer-math/fixed-point.js'
import { weightedOutGivenIn } from '../shared/balancer-math/weighted-math.js'
import { oncePer } from '../shared/once-per.js'
import { unlessReverted } from '../shared/reverts.js'
import { sharesForTokens, tokensForShares } from './join-exit-math.js'
import { stableInvariant, stableOutGivenIn } from './stable-math.js'

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
  /** Place of the pool's own token among the tokens of a composable pool; it takes no part in the invariant. */
  readonly ownIndex: number | null
  /** Shares of a composable pool that are out, with those that the protocol is owed; absent: they are not traded. */
  readonly supply?: bigint
  /** False: the swap itself renews a token rate, or a ramp of the amplification could not be read. */
  readonly exact: boolean
}

/** The Vault packs balances into 112 bits. */
const maxBalance = 2n ** 112n - 1n

/** Balances in 18 decimals. @throws RangeError where the contract reverts. */
const scaledBalances = oncePer(({ balances, scalingFactors }: BalancerState) =>
  balances.map((balance, k) => mulDown(balance, at(scalingFactors, k))),
)

/**
 * Invariant of a stable pool, kept per state, since computing it takes a third of a quote's time.
 * @throws RangeError where the contract reverts.
 */
const invariantOf = oncePer((state: BalancerState) => {
  const { balances } = withoutOwn(state)
  return stableInvariant(state.amp, balances, !state.isModern)
})

/**
 * `vault.swap` with a given input. Protocol fees are not taken at swaps.
 *
 * @param amountIn - raw units, > 0, fee not yet taken.
 * @returns raw units, rounded down; 0n where the Vault or the pool reverts, and the state stays.
 */
export function poolSwap(
  pool: Pool,
  state: BalancerState,
  direction: Direction,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly after: () => BalancerState } {
  const amountOut = swapOutput(pool, state, direction, amountIn)
  const { tokenIn, tokenOut } = direction
  const after = () =>
    amountOut === 0n ? state : stateAfter(pool, state, { tokenIn, tokenOut, amountIn, amountOut })
  return { amountOut, after }
}

function swapOutput(
  pool: Pool,
  state: BalancerState,
  { tokenIn, tokenOut }: Direction,
  amountIn: bigint,
): bigint {
  const i = pool.tokens.indexOf(tokenIn)
  const j = pool.tokens.indexOf(tokenOut)
  const { balances, scalingFactors, ownIndex } = state
  if (i === -1 || j === -1 || i === j || amountIn <= 0n) return 0n
  if (at(balances, i) + amountIn > maxBalance) return 0n
  const output = unlessReverted(() => {
    if (i === ownIndex || j === ownIndex) return shareOutput(state, i, j, amountIn)
    const scaled = scaledBalances(state)
    const net = mulDown(sub(amountIn, mulUp(amountIn, state.swapFee)), at(scalingFactors, i))
    const given =
      state.kind === 'weighted'
        ? weightedOutGivenIn({
            balanceIn: at(scaled, i),
            weightIn: at(state.weights, i),
            balanceOut: at(scaled, j),
            weightOut: at(state.weights, j),
            amountIn: net,
            hasShortcuts: state.isModern,
          })
        : stableOutput(state, i, j, net)
    return (given * one) / at(scalingFactors, j)
  })
  return output ?? 0n
}

interface Moved extends Direction {
  readonly amountIn: bigint
  readonly amountOut: bigint
}

function stateAfter(
  pool: Pool,
  state: BalancerState,
  { tokenIn, tokenOut, amountIn, amountOut }: Moved,
): BalancerState {
  const balances = state.balances.map((balance, k) => {
    if (pool.tokens[k] === tokenIn) return balance + amountIn
    return pool.tokens[k] === tokenOut ? balance - amountOut : balance
  })
  const { supply, ownIndex } = state
  if (supply === undefined || ownIndex === null) return { ...state, balances }
  const share = pool.tokens[ownIndex]
  const joined = tokenOut === share ? amountOut : 0n
  const left = tokenIn === share ? amountIn : 0n
  const exact = state.exact && joined === 0n && left === 0n
  return { ...state, balances, supply: supply + joined - left, exact }
}

/** Shares of a composable pool for a token, or a token for shares: joins and exits with one token. */
function shareOutput(state: BalancerState, i: number, j: number, amountIn: bigint): bigint {
  const { ownIndex, supply, scalingFactors } = state
  if (supply === undefined) return 0n
  const { balances, place } = withoutOwn(state)
  const numbers = { ...state, balances, supply }
  if (j === ownIndex) {
    const amount = mulDown(amountIn, at(scalingFactors, i))
    return sharesForTokens(
      numbers,
      balances.map((_balance, k) => (k === place(i) ? amount : 0n)),
    )
  }
  return (tokensForShares(numbers, place(j), amountIn) * one) / at(scalingFactors, j)
}

function stableOutput(state: BalancerState, i: number, j: number, amountIn: bigint): bigint {
  const { balances, place } = withoutOwn(state)
  return stableOutGivenIn({
    amp: state.amp,
    balances,
    invariant: invariantOf(state),
    indexIn: place(i),
    indexOut: place(j),
    amountIn,
  })
}

/** The balances that the invariant counts, and where each token stands among them: all but the pool's own share. */
function withoutOwn(state: BalancerState) {
  const { ownIndex } = state
  const place = (k: number) => (ownIndex !== null && k > ownIndex ? k - 1 : k)
  return { balances: scaledBalances(state).filter((_balance, k) => k !== ownIndex), place }
}

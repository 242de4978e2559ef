/**
 * Metapools: one coin against the shares of a base pool, and through them against each coin of the base pool.
 * Places of tokens: 0 the coin, 1 the shares, 2 and up the coins of the base pool.
 *
 * @see curvefi/curve-factory 5272fd2, contracts/implementations/meta/MetaUSD.vy; curvefi/stableswap-ng 2abe778,
 *   contracts/main/CurveStableSwapMetaNG.vy; curvefi/curve-contract 574f440,
 *   contracts/pool-templates/meta/SwapTemplateMeta.vy (`exchange`, `exchange_underlying`, `_vp_rate`)
 */
import { type BasePool, depositOne, virtualPrice, withdrawOne } from './stable-liquidity.js'
import { exchange, type StablePoolState, withInvariant } from './stable-math.js'

export interface MetaPoolState {
  readonly kind: 'meta'
  /** The coin and the shares; the rate of the shares is their virtual price. */
  readonly pool: StablePoolState
  readonly base: BasePool
  /** The first metapools renew that rate every ten minutes only, so that it stays within a block. */
  readonly isRateCached: boolean
}

const firstBaseCoin = 2

/** Whether one transaction of the pool itself trades the two: not two coins of the base pool, nor these for shares. */
export function isMetaPair(i: number, j: number): boolean {
  return i !== j && (i === 0 || j === 0)
}

interface MetaSwap {
  /** Raw units, fees taken, rounded down. */
  readonly amountOut: bigint
  after(): MetaPoolState
}

/**
 * `exchange` between coin and shares, `exchange_underlying` between coin and a coin of the base pool.
 *
 * @param amountIn - raw units of token i, > 0.
 * @returns null where the contract reverts or does not trade the two.
 */
export function metaExchange(
  state: MetaPoolState,
  i: number,
  j: number,
  amountIn: bigint,
): MetaSwap | null {
  if (!isMetaPair(i, j)) return null
  const { pool, base } = state
  if (i >= firstBaseCoin) {
    const deposit = depositOne(base, i - firstBaseCoin, amountIn)
    const swap = deposit && exchange(pool, 1, 0, deposit.amountOut)
    if (!swap) return null
    const after = () => next(state, swap.balances, deposit.after())
    return { amountOut: swap.amountOut, after }
  }
  const swap = exchange(pool, i, Math.min(j, 1), amountIn)
  if (!swap) return null
  if (j < firstBaseCoin) {
    return { amountOut: swap.amountOut, after: () => next(state, swap.balances, base) }
  }
  const withdrawal = withdrawOne(base, j - firstBaseCoin, swap.amountOut)
  if (!withdrawal) return null
  const after = () => next(state, swap.balances, withdrawal.after())
  return { amountOut: withdrawal.amountOut, after }
}

function next(state: MetaPoolState, balances: readonly bigint[], base: BasePool): MetaPoolState {
  const [rate = 0n, shareRate = 0n] = state.pool.rates
  const rates = [rate, state.isRateCached ? shareRate : virtualPrice(base)]
  return { ...state, base, pool: withInvariant({ ...state.pool, balances, rates }) }
}

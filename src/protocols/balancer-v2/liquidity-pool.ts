/**
 * The liquidity of a pool as a record of its own: tokens into shares by joins and shares into tokens by exits, beside
 * the record of the pool's swaps. Its last token is the share. Composable pools need none: their share is swapped.
 */
import type { Address } from '../../domain/primitives.js'
import { isLiquidity, type Pool } from '../pool.js'
import { poolContract } from './parameters.js'

/** @param pool - record of the swaps. */
export function liquidityPool(pool: Pool): Pool {
  return {
    ...pool,
    id: `${pool.id}-lp`,
    tokens: [...pool.tokens, poolContract(pool)],
    parameters: { ...pool.parameters, liquidityOf: pool.id },
  }
}

/** The record of the swaps; the pool itself where it is that. */
export function swapPool(pool: Pool): Pool {
  if (!isLiquidity(pool)) return pool
  const { liquidityOf, ...parameters } = pool.parameters
  return { ...pool, id: String(liquidityOf), tokens: pool.tokens.slice(0, -1), parameters }
}

/** Tokens that are put in, without the pool's own. */
export function assetsOf(pool: Pool): readonly Address[] {
  const share = poolContract(pool)
  return pool.tokens.filter((token) => token !== share)
}

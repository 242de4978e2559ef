/**
 * The liquidity of a Curve pool as a record of its own: coins into shares and shares into coins, beside the record
 * of the pool's swaps. Its last token is the share; README.md of this folder describes its parameters.
 */
import { defined } from '../../domain/defined.js'
import type { ForkrouteError } from '../../domain/errors.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import { isLiquidity, type Pool } from '../pool.js'
import { invalidPool } from '../shared/invalid-pool.js'
import { type CurveParameters, curveParameters } from './parameters.js'

export const shareDecimals = 18

export interface LiquidityParameters extends CurveParameters {
  /** What `add_liquidity` takes, in its order. */
  readonly coins: readonly Address[]
  readonly share: Address
  /** The pool itself as swaps see it: what the share stands for. */
  readonly swaps: Pool
  /** Contract that withdraws one coin where the pool cannot. */
  readonly zap: Address | null
}

/** The record of a pool's liquidity. @param pool - record of its swaps. */
export function liquidityPool(pool: Pool, share: Address, zap: Address | null): Pool {
  const isMeta = pool.parameters.kind === 'meta'
  const coins = isMeta ? pool.tokens.slice(0, 2) : pool.tokens
  return {
    ...pool,
    id: `${pool.id}-lp`,
    tokens: [...coins, share],
    parameters: {
      ...pool.parameters,
      liquidityOf: pool.id,
      ...defined({
        baseCoins: isMeta ? pool.tokens.slice(2) : undefined,
        zap: zap ?? undefined,
      }),
    },
  }
}

/** @throws ForkrouteError INVALID_REQUEST when an imported record has other parameters. */
export function liquidityParameters(pool: Pool): LiquidityParameters {
  const { liquidityOf, baseCoins, zap } = pool.parameters
  const share = pool.tokens.at(-1)
  if (!isLiquidity(pool) || !share || pool.tokens.length < 3) throw invalid(pool, 'tokens')
  const coins = pool.tokens.slice(0, -1)
  const more = Array.isArray(baseCoins) ? baseCoins.map((coin) => addressOf(pool, coin)) : []
  const swaps = { ...pool, id: String(liquidityOf), tokens: [...coins, ...more] }
  const parameters = curveParameters(swaps)
  return { ...parameters, coins, share, swaps, zap: zap ? addressOf(pool, zap) : null }
}

function addressOf(pool: Pool, value: unknown): Address {
  if (typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)) return toAddress(value)
  throw invalid(pool, 'address among its parameters')
}

function invalid(pool: Pool, key: string): ForkrouteError {
  return invalidPool('Curve liquidity', pool, key)
}

/** Shared by the adapters of concentrated-liquidity protocols: loading and swaps. */
import type { VenueParameters } from '../../../chains/chain.js'
import { type Pool, unreadablePool } from '../../pool.js'
import type { Swaps } from '../../protocol.js'
import { concentratedEstimator } from './estimate.js'
import { type ConcentratedSource, loadConcentrated } from './load.js'
import { type ConcentratedState, concentratedSwap, isBeyondKnown } from './swap.js'

type Adapter = Swaps<ConcentratedState>

/**
 * Fee in 1/1_000_000 and tick spacing of a pool; null when its parameters do not hold them.
 * @param feeFlag - a value in place of a fee that is allowed too.
 */
export function feeAndSpacing(
  pool: Pool,
  feeFlag?: number,
): { readonly fee: number; readonly tickSpacing: number } | null {
  const { fee, tickSpacing } = pool.parameters
  const isFlag = feeFlag !== undefined && fee === feeFlag
  if (!isWhole(fee, 0, isFlag ? feeFlag : 1_000_000)) return null
  if (!isWhole(tickSpacing, 1, 32_767)) return null
  return { fee, tickSpacing }
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

/** True when `tokenIn` is the pool's first token. */
export function isZeroForOne(pool: Pool, tokenIn: string): boolean {
  return tokenIn === pool.tokens[0]
}

/**
 * @param sourceOf - where a pool's state lies, or a sentence saying why the pool is not supported.
 */
export function concentratedParts(
  sourceOf: (pool: Pool, venue: VenueParameters) => ConcentratedSource | string,
): Required<Pick<Adapter, 'load' | 'swap' | 'estimator' | 'isBeyondKnown'>> {
  return {
    async load({ reader, venue, pools, reach }) {
      const sources = pools.map((pool) => sourceOf(pool, venue))
      const supported = sources.filter(
        (source): source is ConcentratedSource => typeof source !== 'string',
      )
      const loads = await loadConcentrated(reader, supported, reach)
      let next = 0
      return pools.map((pool, index) => {
        const source = sources[index]
        const load =
          typeof source === 'string' ? { ok: false as const, message: source } : loads[next++]
        if (load?.ok) return { pool, state: load.state, partial: load.partial }
        const message = load?.message ?? 'The pool was not read.'
        return unreadablePool(pool, message)
      })
    },
    // A pool that is known to take only a part of the input does not serve the swap.
    swap(pool, state, { tokenIn }, amountIn) {
      const swap = concentratedSwap(state, isZeroForOne(pool, tokenIn), amountIn)
      const { amountOut, unspent, exact, after } = swap
      return { amountOut: exact && unspent > 0n ? 0n : amountOut, exact, after }
    },
    isBeyondKnown: (pool, state, { tokenIn }, amountIn) =>
      isBeyondKnown(state, isZeroForOne(pool, tokenIn), amountIn),
    estimator: (pool, state, { tokenIn }) =>
      concentratedEstimator(state, isZeroForOne(pool, tokenIn)),
  }
}

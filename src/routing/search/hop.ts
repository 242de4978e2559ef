/** One swap, or one wrapping of the native token: what paths and splits are made of. Pure. */
import type { Address } from '../../domain/primitives.js'
import { poolKey } from '../../protocols/pool.js'
import type { MarketPool } from '../market/market-view.js'

export type Hop =
  | { readonly kind: 'wrap' | 'unwrap'; readonly tokenIn: Address; readonly tokenOut: Address }
  | {
      readonly kind: 'swap'
      readonly tokenIn: Address
      readonly tokenOut: Address
      readonly market: MarketPool
    }

export const wrapGas = 25_000n

/** Identity of a hop among all hops: pools of many tokens and shared ids exist. */
export function hopKey(hop: Hop): string {
  return hop.kind === 'swap'
    ? `${poolKey(hop.market.loaded.pool)}/${hop.tokenIn}>${hop.tokenOut}`
    : `${hop.kind}/${hop.tokenIn}>${hop.tokenOut}`
}

/** @param swapDataGas - what the bytes of a swap cost on L1, as gas. */
export function hopGas(hop: Hop, swapDataGas = 0n): bigint {
  return hop.kind === 'swap' ? swapGas(hop.market, swapDataGas) : wrapGas
}

/** The gas of one swap in the pool, with what its bytes cost on L1 counted as gas. */
export function swapGas({ adapter, loaded }: MarketPool, swapDataGas = 0n): bigint {
  return adapter.swaps.gasEstimate(loaded.pool, loaded.state) + swapDataGas
}

/** Whether a swap in one of the pools changes what the other one quotes. */
export function isSameState(a: MarketPool, b: MarketPool): boolean {
  return a === b || (a.sharedState !== undefined && a.sharedState === b.sharedState)
}

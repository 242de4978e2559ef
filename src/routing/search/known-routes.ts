/**
 * Routes inside bundles that another task at the same block has found already, as data that crosses threads: what is
 * planned again with the same amount is not searched again.
 */
import type { RouteRequest } from '../../domain/engine.js'
import { type Address, bigintToString, type Hex } from '../../domain/primitives.js'
import { poolKey } from '../../protocols/pool.js'
import type { MarketPool } from '../market/market-view.js'
import type { Flow, FlowEdge } from './flow.js'
import type { Hop } from './hop.js'

interface KnownEdge extends Pick<Hop, 'kind' | 'tokenIn' | 'tokenOut'> {
  readonly spends: FlowEdge['spends']
  /** Key of the pool; of a swap. */
  readonly pool?: string
}

export interface KnownRoute {
  /** All that the search follows from but the block. */
  readonly key: string
  readonly flow: Omit<Flow, 'edges'> & { readonly edges: readonly KnownEdge[] }
  /** Raw units that the route by itself gave in its quote. */
  readonly quoted: bigint
  readonly warnings: readonly string[]
}

export function keyOfRoute(request: RouteRequest, accountId: Hex): string {
  return JSON.stringify([request, accountId], bigintToString)
}

export function knownFlow({
  edges: found,
  amountOut,
  exact,
  gas,
  isSplit,
  key,
}: Flow): KnownRoute['flow'] {
  const edges = found.map(({ hop, spends }) => ({
    kind: hop.kind,
    tokenIn: hop.tokenIn,
    tokenOut: hop.tokenOut,
    spends,
    ...(hop.kind === 'swap' && { pool: poolKey(hop.market.loaded.pool) }),
  }))
  return { edges, amountOut, exact, gas, isSplit, key }
}

/** Null where one of its pools is not among the given ones. */
export function flowFrom(known: KnownRoute['flow'], pools: readonly MarketPool[]): Flow | null {
  const byKey = new Map(pools.map((market) => [poolKey(market.loaded.pool), market]))
  const edges: FlowEdge[] = []
  for (const { kind, tokenIn, tokenOut, spends, pool = '' } of known.edges) {
    const hop = hopOf(kind, { tokenIn, tokenOut }, byKey.get(pool))
    if (!hop) return null
    edges.push({ hop, spends })
  }
  return { ...known, edges }
}

function hopOf(
  kind: Hop['kind'],
  ends: { readonly tokenIn: Address; readonly tokenOut: Address },
  market: MarketPool | undefined,
): Hop | null {
  if (kind !== 'swap') return { kind, ...ends }
  return market ? { kind, ...ends, market } : null
}

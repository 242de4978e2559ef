/**
 * The directed token graph of a market: built once per view of the market, which owns it, and used by all of its requests.
 * Each search applies its own filters.
 */

import type { Address } from '../../domain/primitives.js'
import type { MarketPool, MarketView } from '../market/market-view.js'
import { type ChangedPools, Edge, referenceAmount } from './edge.js'

/** Tokens with more neighbours than this have them ordered by depth; otherwise the search looks at all of them. */
const orderedAbove = 32
/** Above so many pools, a search looks only for what can be among the best. */
const largeAbove = 1_000

interface TokenNode {
  readonly edges: ReadonlyMap<Address, Edge>
  /** The same edges; those of a token with many neighbours deepest first. */
  readonly ordered: readonly Edge[]
}

export class TokenGraph {
  readonly #nodes: ReadonlyMap<Address, TokenNode>
  /** So large that searches leave out what cannot be among the best, pool by pool. */
  readonly isLarge: boolean

  /** @param view - a pool of n tokens becomes n * (n - 1) edges. */
  constructor({ pools }: Pick<MarketView, 'pools'>) {
    this.isLarge = pools.length > largeAbove
    const nodes = new Map<Address, Map<Address, Edge>>()
    for (const market of pools) {
      const { tokens } = market.loaded.pool
      for (const tokenIn of tokens) {
        const edges = nodes.get(tokenIn) ?? new Map<Address, Edge>()
        nodes.set(tokenIn, edges)
        for (const tokenOut of tokens) {
          if (tokenIn === tokenOut) continue
          const edge = edges.get(tokenOut) ?? new Edge(tokenIn, tokenOut)
          edges.set(tokenOut, edge)
          edge.pools.push(market)
        }
      }
    }
    this.#nodes = new Map([...nodes].map(([token, edges]) => [token, toNode(edges)]))
  }

  edge(tokenIn: Address, tokenOut: Address): Edge | undefined {
    return this.#nodes.get(tokenIn)?.edges.get(tokenOut)
  }

  /** The pools that are in other states, by their edges. */
  changedPools(states: ReadonlyMap<MarketPool, unknown>): ReadonlyMap<Edge, ChangedPools> {
    const changed = new Map<Edge, Map<MarketPool, unknown>>()
    for (const [market, state] of states) {
      const { tokens } = market.loaded.pool
      for (const tokenIn of tokens) {
        for (const tokenOut of tokens) {
          const edge = this.edge(tokenIn, tokenOut)
          if (!edge) continue
          const own = changed.get(edge) ?? new Map<MarketPool, unknown>()
          changed.set(edge, own.set(market, state))
        }
      }
    }
    return changed
  }

  /** Edges that leave the token, deepest first where they are many. */
  edgesOf(token: Address): readonly Edge[] {
    return this.#nodes.get(token)?.ordered ?? []
  }
}

function toNode(edges: ReadonlyMap<Address, Edge>): TokenNode {
  const ordered = [...edges.values()]
  if (ordered.length > orderedAbove) {
    const reference = referenceAmount(ordered)
    for (const edge of ordered) edge.measureDepth(reference)
    ordered.sort(byDepth)
  }
  return { edges, ordered }
}

/** Deepest first, then by token. */
export function byDepth(a: Edge, b: Edge): number {
  return b.depth - a.depth || (a.tokenOut < b.tokenOut ? -1 : 1)
}

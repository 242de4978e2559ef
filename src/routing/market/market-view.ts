/** What one request may route through, and what is remembered of it by those that search it. */
import { LRUCache } from 'lru-cache'
import { poolKey, type Unreadable } from '../../protocols/pool.js'
import type { LoadedPool, SwapAdapter } from '../../protocols/protocol.js'
import type { Doubt } from './verified.js'

/** Raw units of tokenIn that a pool takes at most, by `directionKey`; a direction that is not named is not bounded. */
export type Bounds = ReadonlyMap<string, bigint>

export interface MarketPool {
  readonly adapter: SwapAdapter
  readonly loaded: LoadedPool
  /** The adapter's, unique among all protocols. */
  readonly sharedState?: string
  /** Absent: the pool is verified, see `verified.ts`. */
  readonly doubt?: Doubt
  /** Absent: it takes what its liquidity does. */
  readonly bounds?: Bounds
}

export interface MarketPools {
  /** Ordered by protocol and pool id, so that nothing depends on the order of arrival. */
  readonly pools: readonly MarketPool[]
  /** Look-ups and pools among these pairs that could not be read. */
  readonly unreadable: readonly Unreadable[]
  /** Sentences about what the view lacks; absent: none. */
  readonly notes?: readonly string[]
}

/** Makes what is remembered of a view, from nothing but its pools. */
type Memory<Kept> = new (view: MarketView) => Kept

/** Views with other states of some pools that are kept, with what searches remember of them. */
const othersKept = 16

/**
 * Pools that are searched together, and the owner of what searches remember of them: the graph, samples, paths and splits
 * live as long as the view does.
 */
export class MarketView implements MarketPools {
  readonly pools: readonly MarketPool[]
  readonly unreadable: readonly Unreadable[]
  readonly notes?: readonly string[]
  readonly #memories = new Map<Memory<unknown>, unknown>()
  readonly #others = new LRUCache<string, MarketView>({ max: othersKept })

  constructor({ pools, unreadable = [], notes }: Partial<MarketPools>) {
    this.pools = pools ?? []
    this.unreadable = unreadable
    if (notes) this.notes = notes
  }

  /** The view with other forms of some pools, wider or bounded ones; for the same forms the same object. */
  with(others: ReadonlyMap<MarketPool, MarketPool>): MarketView {
    const key = [...others.values()]
      .map(({ loaded: { pool, reach, ahead }, bounds = [] }) =>
        [poolKey(pool), reach, ahead !== undefined, ...bounds].join(),
      )
      .sort()
      .join()
    const known = this.#others.get(key)
    if (known) return known
    const pools = this.pools.map((pool) => others.get(pool) ?? pool)
    const made = new MarketView({ ...this, pools })
    this.#others.set(key, made)
    return made
  }

  /** The one object of the class that belongs to this view, made when it is asked for first. */
  memory<Kept>(Kind: Memory<Kept>): Kept {
    const known = this.#memories.get(Kind)
    if (known !== undefined) return known as Kept
    const made = new Kind(this)
    this.#memories.set(Kind, made)
    return made
  }
}

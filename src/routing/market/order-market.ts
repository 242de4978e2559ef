/**
 * Signed orders at one block, as one worker thread knows them. What is left of an order is a fact of the block and is read
 * once; which orders a view has follows from the task alone, since orders may be private to the key that asks.
 */
import { LRUCache } from 'lru-cache'
import type { ChainDefinition } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'
import type { MakerOffer } from '../../domain/signed-order.js'
import type { StateReader } from '../../domain/state.js'
import { type Pool, poolKey, type Unreadable } from '../../protocols/pool.js'
import type { LoadedPool } from '../../protocols/protocol.js'
import { signedOrders } from '../../protocols/signed-orders/index.js'
import { isOver, toOrderPool } from '../../protocols/signed-orders/load.js'
import { fundsOf, type OrderState } from '../../protocols/signed-orders/order-state.js'
import { type MarketPool, MarketView } from './market-view.js'
import { doubtOf } from './verified.js'

/** Orders of one direction of a pair whose state is read: those with the best rates. */
const mostOfDirection = 48
/** Orders of one view: the best of each direction come first. */
const mostOfView = 256

type Loaded = LoadedPool<OrderState> | Unreadable

/** Views with orders that belong to one view without them, by the hashes of the orders. */
class ViewsWithOrders {
  readonly byOrders = new LRUCache<string, MarketView>({ max: 16 })
}

export class OrderMarket {
  readonly #chain: ChainDefinition
  readonly #blacklist: ReadonlySet<string>
  /** The key is the whole order: two may differ in their signatures. */
  readonly #loaded = new Map<string, Promise<Loaded>>()

  /** @param blacklist - hashes of orders that are never used, lower-case. */
  constructor(chain: ChainDefinition, blacklist: ReadonlySet<string>) {
    this.#chain = chain
    this.#blacklist = blacklist
  }

  /**
   * The view with those of the orders that can be filled at the block, between tokens that it has.
   *
   * @param ends - tokens that the route begins and ends with.
   */
  async view(
    reader: StateReader,
    base: MarketView,
    orders: readonly MakerOffer[],
    ends: readonly Address[],
  ): Promise<MarketView> {
    const known = new Set([...ends, ...base.pools.flatMap(({ loaded }) => loaded.pool.tokens)])
    const usable = orders.filter(
      (order) =>
        !this.#blacklist.has(order.hash) &&
        known.has(order.tokenIn) &&
        known.has(order.tokenOut) &&
        !isOver(order, { block: reader.block, chain: this.#chain }),
    )
    const loaded = await this.#load(reader, bestOf(usable))
    const open = loaded.flatMap((one) => ('state' in one && one.state.left > 0n ? [one] : []))
    const unreadable = loaded.flatMap((one) => ('state' in one ? [] : [one]))
    if (open.length === 0 && unreadable.length === 0) return base
    const views = base.memory(ViewsWithOrders).byOrders
    const key = JSON.stringify([...open.map(({ pool }) => textOf(pool)), unreadable])
    const before = views.get(key)
    if (before) return before
    const pools = [...base.pools, ...toMarketPools(open)]
    const made = new MarketView({
      ...base,
      pools: pools.sort((a, b) => (poolKey(a.loaded.pool) < poolKey(b.loaded.pool) ? -1 : 1)),
      unreadable: [...base.unreadable, ...unreadable],
    })
    views.set(key, made)
    return made
  }

  async #load(reader: StateReader, orders: readonly MakerOffer[]): Promise<Loaded[]> {
    const pools = orders.map(toOrderPool)
    const fresh = pools.filter((pool) => !this.#loaded.has(textOf(pool)))
    if (fresh.length > 0) {
      const chain = this.#chain
      const load = signedOrders.swaps.load({ reader, chain, venue: {}, pools: fresh })
      for (const [index, pool] of fresh.entries()) {
        const own = load.then((list) => list[index] as Loaded)
        this.#loaded.set(textOf(pool), own)
        own.catch(() => this.#loaded.delete(textOf(pool)))
      }
    }
    const loaded = await Promise.all(pools.map((pool) => this.#loaded.get(textOf(pool))))
    return loaded.flatMap((one) => one ?? [])
  }
}

function textOf({ parameters }: Pool): string {
  return String(parameters.order)
}

/** The best rates of each direction, then by their hashes; where there are too many, each direction keeps its best. */
function bestOf(orders: readonly MakerOffer[]): MakerOffer[] {
  const groups = new Map<string, MakerOffer[]>()
  for (const order of orders) {
    const direction = `${order.tokenIn}>${order.tokenOut}`
    groups.set(direction, [...(groups.get(direction) ?? []), order])
  }
  return [...groups.values()]
    .flatMap((group) =>
      group
        .sort(byRate)
        .slice(0, mostOfDirection)
        .map((order, rank) => ({ order, rank })),
    )
    .sort((a, b) => a.rank - b.rank)
    .slice(0, mostOfView)
    .map(({ order }) => order)
}

function byRate(a: MakerOffer, b: MakerOffer): number {
  const [mine, other] = [
    BigInt(a.amountOut) * BigInt(b.amountIn),
    BigInt(b.amountOut) * BigInt(a.amountIn),
  ]
  if (mine !== other) return mine > other ? -1 : 1
  return a.hash < b.hash ? -1 : 1
}

/** Orders that together offer more than their maker has share their state: a route uses one of them. */
function toMarketPools(open: readonly LoadedPool<OrderState>[]): MarketPool[] {
  const offered = new Map<string, bigint>()
  for (const one of open) {
    offered.set(
      fundsOf(one.state.order),
      (offered.get(fundsOf(one.state.order)) ?? 0n) + one.state.leftOut,
    )
  }
  return open.map((loaded) => {
    const doubt = doubtOf('found', signedOrders, loaded, {})
    const isShort = (offered.get(fundsOf(loaded.state.order)) ?? 0n) > loaded.state.held
    return {
      adapter: signedOrders,
      loaded,
      ...(isShort && { sharedState: `${signedOrders.slug}:${fundsOf(loaded.state.order)}` }),
      ...(doubt && { doubt }),
    }
  })
}

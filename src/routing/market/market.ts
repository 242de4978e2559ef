/**
 * Pool states of one chain at one block, as one worker thread knows them.
 * Grows by the pairs that requests need: discovery, then state, each pair once per block.
 */
import { LRUCache } from 'lru-cache'
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import { defined } from '../../domain/defined.js'
import type { HooksFinding } from '../../domain/hooks.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { type Pool, poolKey, type Unreadable } from '../../protocols/pool.js'
import {
  canSwap,
  type LoadedPool,
  type ProtocolAdapter,
  type SwapAdapter,
} from '../../protocols/protocol.js'
import { oncePer } from '../../protocols/shared/once-per.js'
import type { ChosenPools } from './indexed.js'
import { type MarketPool, type MarketPools, MarketView } from './market-view.js'
import { type Doubt, doubtOf, doubtOfIndexed, type PoolOrigin } from './verified.js'

export interface MarketSource {
  readonly chain: ChainDefinition
  readonly protocols: readonly ProtocolAdapter[]
  /** Pools among the tokens that the service itself lists. */
  listedPools(tokens: ReadonlySet<Address>): readonly Pool[]
  /** Pools among the tokens that the operator has imported. */
  catalogPools(tokens: ReadonlySet<Address>): readonly Pool[]
  /** Imported pools that hold the token and one of the others; bounded per pair. */
  catalogPoolsWith(token: Address, others: ReadonlySet<Address>): readonly Pool[]
  /** Lower-case pool ids that are never used. */
  readonly blacklist: ReadonlySet<string>
  /** Tokens whose balances change by themselves; absent: none that counts. */
  readonly rebasing?: ReadonlySet<Address>
  /** Called with pools that a factory look-up found. */
  onDiscovered(pools: readonly Pool[]): void
  /** Called with what running the hooks of pools told. */
  onClassed(pools: readonly ClassedPool[]): void
}

/** A pool with what running its hooks told. */
export interface ClassedPool {
  readonly protocol: string
  readonly id: string
  readonly finding: HooksFinding
}

type Pair = readonly [Address, Address]

/** Limit on pools of intermediate tokens, since their state is read at every block like that of the others. */
const mostThrough = 128
/** How many times as far as usual the state of a pool is read: ticks reach a price 66 times as high or low. */
const widerReach = 16
/** Views that are kept, with what searches remember of them. */
const viewsKept = 128

/** A pool that may be used, by the record that counts. */
interface KnownPool {
  readonly pool: Pool
  readonly origin: PoolOrigin
}

interface PairResult {
  readonly pools: readonly KnownPool[]
  readonly unreadable: readonly Unreadable[]
}

/** Of several records of a pool the one of the latest origin counts: what the chain says, then what the operator says. */
const precedence: readonly PoolOrigin[] = ['listed', 'imported', 'indexed', 'found']

export class Market {
  readonly #source: MarketSource
  readonly #pairs = new Map<string, Promise<PairResult>>()
  /** The key is the whole record: one that an operator imported is never taken for the one that a look-up found. */
  readonly #pools = new Map<string, Promise<MarketPool | Unreadable>>()
  readonly #doubted = new Map<string, MarketPool>()
  readonly #wider = new Map<MarketPool, Promise<MarketPool>>()
  readonly #views = new LRUCache<string, MarketView>({ max: viewsKept })
  readonly #textOf = oncePer(textOf)

  constructor(source: MarketSource) {
    this.#source = source
  }

  /**
   * Ensures that all pools among the tokens are known, and returns them: equal arguments give the same object.
   * When reading as such fails, it throws and leaves the pairs unknown, so that the next call tries again.
   *
   * @param through - further tokens, the most useful first, whose pools with these tokens and each other come from
   *   the catalog alone: looking all their pairs up would cost more reads than the rest of the request.
   */
  async view(
    reader: StateReader,
    pairs: readonly Pair[],
    through: readonly Address[] = [],
  ): Promise<MarketView> {
    const keys = new Map(pairs.map((pair) => [pairKey(pair), sorted(pair)]))
    const question = [...[...keys.keys()].sort(), ...through].join()
    const known = this.#views.get(question)
    if (known) return known
    const missing = [...keys].filter(([key]) => !this.#pairs.has(key))
    if (missing.length) this.#request(reader, new Map(missing))
    if (through.length && !this.#pairs.has(question)) {
      this.#requestThrough(
        reader,
        question,
        new Set([...pairs.flat(), ...through, nativeToken]),
        through,
      )
    }
    const results = await Promise.all(
      [...keys.keys(), ...(through.length ? [question] : [])].map((key) => this.#pairs.get(key)),
    )
    const view = await this.#collect(results)
    this.#views.set(question, view)
    return view
  }

  /** The service's own record of the same pool, whose code it therefore knows; of a liquidity record that of the swaps. */
  listed({ protocol, id, tokens, parameters }: Pool): Pool | null {
    const isSame = (own: Pool) =>
      own.protocol === protocol && (own.id === id || own.id === parameters.liquidityOf)
    return this.#source.listedPools(new Set(tokens)).find(isSame) ?? null
  }

  async #collect(results: readonly (PairResult | undefined)[]): Promise<MarketView> {
    const unreadable = new Map<string, Unreadable>()
    for (const result of results) {
      for (const fact of result?.unreadable ?? []) unreadable.set(factKey(fact), fact)
    }
    const known = eachOnce(results.flatMap((result) => result?.pools ?? []))
    const pools: MarketPool[] = []
    for (const key of [...known.keys()].sort()) {
      const entry = known.get(key)
      const pool = entry && (await this.#pools.get(this.#textOf(entry.pool)))
      if (!pool) continue
      if ('loaded' in pool) pools.push(this.#judged(pool, entry.origin))
      else unreadable.set(factKey(pool), pool)
    }
    return new MarketView({
      pools,
      unreadable: [...unreadable.entries()].sort(byKey).map(([, fact]) => fact),
    })
  }

  /**
   * The pools of the view with those that the index names. One that it has already stays as it is.
   *
   * @param trusted - as of `doubtOfIndexed`.
   */
  async withIndexed(
    reader: StateReader,
    view: Promise<MarketView>,
    { pools, unreadable }: ChosenPools,
    trusted: ReadonlySet<Address>,
  ): Promise<MarketPools> {
    const named = pools.map((pool): KnownPool => ({ pool, origin: 'indexed' }))
    const [base, known] = await Promise.all([view, this.#loadStates(reader, named)])
    const held = new Set(base.pools.map(({ loaded }) => poolKey(loaded.pool)))
    const failed = new Map(base.unreadable.map((fact) => [factKey(fact), fact]))
    for (const fact of unreadable) failed.set(factKey(fact), fact)
    const more: MarketPool[] = []
    for (const { pool } of known) {
      const found = await this.#pools.get(this.#textOf(pool))
      if (!found || held.has(poolKey(pool))) continue
      if (!('loaded' in found)) failed.set(factKey(found), found)
      else {
        const venue = this.#source.chain.venues[pool.protocol] ?? {}
        more.push(
          this.#doubtedBy(found, doubtOfIndexed(found.adapter, found.loaded, venue, trusted)),
        )
      }
    }
    const keyed = [...base.pools, ...more].map((one) => [poolKey(one.loaded.pool), one] as const)
    return {
      pools: keyed.sort(byKey).map(([, one]) => one),
      unreadable: [...failed.entries()].sort(byKey).map(([, fact]) => fact),
    }
  }

  /**
   * The pools with their state read as far as amounts may go, in the order given: for equal arguments the same objects. One that
   * cannot be read any more stays as it is.
   */
  async widened(reader: StateReader, pools: readonly MarketPool[]): Promise<MarketPool[]> {
    const { chain, rebasing } = this.#source
    const unknown = pools.filter((pool) => !this.#wider.has(pool))
    for (const adapter of new Set(unknown.map((pool) => pool.adapter))) {
      const own = unknown.filter((pool) => pool.adapter === adapter)
      const load = adapter.swaps.load({
        reader,
        chain,
        venue: chain.venues[adapter.slug] ?? {},
        pools: own.map(({ loaded }) => loaded.pool),
        reach: widerReach,
        ...defined({ rebasing }),
      })
      for (const [index, pool] of own.entries()) {
        const wider = load.then((list) => withState(pool, list[index]))
        this.#wider.set(pool, wider)
        wider.catch(() => this.#wider.delete(pool))
      }
    }
    return Promise.all(pools.map(async (pool) => (await this.#wider.get(pool)) ?? pool))
  }

  /** The pool with what speaks against it: for equal arguments the same object. */
  #judged(pool: MarketPool, origin: PoolOrigin): MarketPool {
    const { adapter, loaded } = pool
    const venue = this.#source.chain.venues[adapter.slug] ?? {}
    return this.#doubtedBy(pool, doubtOf(origin, adapter, loaded, venue))
  }

  #doubtedBy(pool: MarketPool, doubt: Doubt | null): MarketPool {
    const { loaded } = pool
    if (!doubt) return pool
    const key = `${doubt} ${this.#textOf(loaded.pool)}`
    const doubted = this.#doubted.get(key) ?? { ...pool, doubt }
    this.#doubted.set(key, doubted)
    return doubted
  }

  #request(reader: StateReader, pairs: ReadonlyMap<string, Pair>): void {
    const work = this.#load(reader, [...pairs.values()])
    for (const [key, pair] of pairs) {
      const own = work.then(({ pools, unreadable }) => ({
        pools: pools.filter(({ pool }) => holds(pool, pair, this.#source.chain)),
        unreadable: unreadable.filter((fact) => concerns(fact, pair, this.#source.chain)),
      }))
      this.#pairs.set(key, own)
      own.catch(() => this.#pairs.delete(key))
    }
  }

  #requestThrough(
    reader: StateReader,
    key: string,
    tokens: ReadonlySet<Address>,
    through: readonly Address[],
  ): void {
    const pools: Pool[] = []
    for (const token of through) {
      const own = this.#source.catalogPoolsWith(token, tokens)
      if (pools.length + own.length > mostThrough) break
      pools.push(...own)
    }
    const imported = pools.map((pool): KnownPool => ({ pool, origin: 'imported' }))
    const own = this.#loadStates(reader, imported).then((usable) => ({
      pools: usable,
      unreadable: [],
    }))
    this.#pairs.set(key, own)
    own.catch(() => this.#pairs.delete(key))
  }

  #onChain(): readonly ProtocolAdapter[] {
    const { chain, protocols } = this.#source
    return protocols.filter(({ slug }) => chain.venues[slug])
  }

  async #load(reader: StateReader, pairs: readonly Pair[]) {
    const { chain, listedPools, catalogPools, onDiscovered } = this.#source
    const tokens = new Set([...pairs.flat(), nativeToken])
    const listed = listedPools(tokens)
    const imported = catalogPools(tokens)
    const own = new Set(listed.map(this.#textOf))
    // Each protocol by itself: its pools are read while others still look for theirs.
    const loads = this.#onChain()
      .filter(canSwap)
      .map(async (adapter) => {
        const venue = chain.venues[adapter.slug] ?? {}
        const found = await adapter.swaps.discover({ reader, chain, venue, pairs })
        onDiscovered(found.pools)
        const isOwn = ({ protocol }: Pool) => protocol === adapter.slug
        const pools = await this.#loadStates(reader, [
          ...listed.filter(isOwn).map((pool): KnownPool => ({ pool, origin: 'listed' })),
          ...imported.filter(isOwn).map((pool): KnownPool => ({ pool, origin: 'imported' })),
          // The service's own list says more than a look-up: it knows the code as well.
          ...found.pools.map(
            (pool): KnownPool => ({
              pool,
              origin: own.has(this.#textOf(pool)) ? 'listed' : 'found',
            }),
          ),
        ])
        return { pools, unreadable: found.unreadable }
      })
    const loaded = await Promise.all(loads)
    return {
      pools: loaded.flatMap(({ pools }) => pools),
      unreadable: loaded.flatMap(({ unreadable }) => unreadable),
    }
  }

  /** Reads the states that are missing. @returns the usable pools, each once. */
  async #loadStates(reader: StateReader, wanted: readonly KnownPool[]): Promise<KnownPool[]> {
    const { chain, blacklist, rebasing } = this.#source
    const onChain = this.#onChain()
    const isBlacklisted = ({ id, parameters }: Pool) =>
      blacklist.has(id) || blacklist.has(String(parameters.liquidityOf))
    const known = [...eachOnce(wanted).values()].filter(({ pool }) => !isBlacklisted(pool))
    const pools = known.map(({ pool }) => pool)
    const adapters = new Map(onChain.map((adapter) => [adapter.slug, adapter]))
    const fresh = pools.filter(
      (pool) => adapters.has(pool.protocol) && !this.#pools.has(this.#textOf(pool)),
    )
    const loads = onChain.map(async (adapter) => {
      const own = fresh.filter((pool) => pool.protocol === adapter.slug)
      if (!own.length) return
      if (!canSwap(adapter)) {
        // An import may name any protocol.
        for (const pool of own) this.#pools.set(this.#textOf(pool), Promise.resolve(noState(pool)))
        return
      }
      const loaded = adapter.swaps.load({
        reader,
        chain,
        venue: chain.venues[adapter.slug] ?? {},
        pools: own,
        ...defined({ rebasing }),
      })
      for (const [index, pool] of own.entries()) {
        const state = loaded.then((list) => toMarketPool(adapter, pool, list[index]))
        this.#pools.set(this.#textOf(pool), state)
        state.catch(() => this.#pools.delete(this.#textOf(pool)))
      }
      this.#source.onClassed(classed(own, await loaded))
    })
    await Promise.all(loads)
    // Also waits for pools that another call is loading: if that fails, these pairs stay unknown too.
    await Promise.all(pools.map((pool) => this.#pools.get(this.#textOf(pool))))
    return known
  }
}

/** Each pool once, by `poolKey`: the record whose origin takes precedence. */
function eachOnce(known: readonly KnownPool[]): ReadonlyMap<string, KnownPool> {
  const byKey = new Map<string, KnownPool>()
  for (const entry of known) {
    const key = poolKey(entry.pool)
    const rank = precedence.indexOf(entry.origin)
    if (rank >= precedence.indexOf(byKey.get(key)?.origin ?? 'listed')) byKey.set(key, entry)
  }
  return byKey
}

/** The whole record: equal for equal records, in whatever order their parameters stand. */
function textOf({ protocol, id, address, tokens, parameters }: Pool): string {
  const sortedParameters = Object.entries(parameters).sort(byKey)
  return JSON.stringify([protocol, id, address, tokens, sortedParameters])
}

function classed(
  pools: readonly Pool[],
  loaded: readonly (LoadedPool | Unreadable | undefined)[],
): ClassedPool[] {
  return pools.flatMap(({ protocol, id }, index) => {
    const finding = loaded[index]?.finding
    return finding ? { protocol, id, finding } : []
  })
}

function toMarketPool(
  adapter: SwapAdapter,
  pool: Pool,
  loaded: LoadedPool | Unreadable | undefined,
): MarketPool | Unreadable {
  if (loaded && 'state' in loaded) {
    const shared = adapter.swaps.sharedState?.(pool)
    return { adapter, loaded, ...(shared && { sharedState: `${adapter.slug}:${shared}` }) }
  }
  return loaded ?? noState(pool)
}

/** Whether `Market.widened` reads more of the pool: state that a node refuses ends it for good. */
export function canBeWidened({ loaded }: MarketPool): boolean {
  return !loaded.partial && loaded.reach === undefined
}

function withState(pool: MarketPool, loaded: LoadedPool | Unreadable | undefined): MarketPool {
  return loaded && 'state' in loaded ? { ...pool, loaded: { ...loaded, reach: widerReach } } : pool
}

function noState({ protocol, id }: Pool): Unreadable {
  return { protocol, subject: id, message: 'no state' }
}

/** Native and wrapped native count as one token here: paths wrap and unwrap on the way. */
function holds({ tokens }: Pick<Pool, 'tokens'>, [a, b]: Pair, chain: ChainDefinition): boolean {
  const canonical = tokens.map((token) => canonicalToken(chain, token))
  return canonical.includes(a) && canonical.includes(b)
}

/** Whether a failed look-up concerns this pair, since it may have run together with those of other pairs. */
function concerns({ pair }: Unreadable, asked: Pair, chain: ChainDefinition): boolean {
  return !pair || holds({ tokens: pair }, asked, chain)
}

function sorted([a, b]: Pair): Pair {
  return a < b ? [a, b] : [b, a]
}

function pairKey(pair: Pair): string {
  return sorted(pair).join('-')
}

function factKey(fact: Unreadable): string {
  return `${fact.protocol}:${fact.subject}`
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0
}

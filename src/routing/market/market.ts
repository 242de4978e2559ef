/**
 * Pool states of one chain at one block, as one worker thread knows them.
 * Grows by the pairs that requests need: discovery, then state, each pair once per block.
 */
import { LRUCache } from 'lru-cache'
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { type Pool, poolKey, type Unreadable } from '../../protocols/pool.js'
import type { LoadedPool, ProtocolAdapter } from '../../protocols/protocol.js'

export interface MarketPool {
  readonly adapter: ProtocolAdapter
  readonly loaded: LoadedPool
  /** The adapter's, unique among all protocols. */
  readonly sharedState?: string
}

/** What one request may route through. */
export interface MarketView {
  /** Ordered by protocol and pool id, so that nothing depends on the order of arrival. */
  readonly pools: readonly MarketPool[]
  /** Look-ups and pools among these pairs that could not be read. */
  readonly unreadable: readonly Unreadable[]
}

export interface MarketSource {
  readonly chain: ChainDefinition
  readonly protocols: readonly ProtocolAdapter[]
  /** Pools among the tokens that the operator has imported. */
  catalogPools(tokens: ReadonlySet<Address>): readonly Pool[]
  /** Imported pools that hold the token and one of the others; bounded per pair. */
  catalogPoolsWith(token: Address, others: ReadonlySet<Address>): readonly Pool[]
  /** Lower-case pool ids that are never used. */
  readonly blacklist: ReadonlySet<string>
  /** Called with pools that a factory look-up found. */
  onDiscovered(pools: readonly Pool[]): void
}

type Pair = readonly [Address, Address]

/** Limit on pools of intermediate tokens, since their state is read at every block like that of the others. */
const mostThrough = 128
/** Views whose list of pools, and with it the graph, is kept. */
const viewsKept = 128

interface PairResult {
  readonly poolKeys: readonly string[]
  readonly unreadable: readonly Unreadable[]
}

export class Market {
  readonly #source: MarketSource
  readonly #pairs = new Map<string, Promise<PairResult>>()
  readonly #pools = new Map<string, Promise<MarketPool | Unreadable>>()
  readonly #views = new LRUCache<string, MarketView>({ max: viewsKept })

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

  async #collect(results: readonly (PairResult | undefined)[]): Promise<MarketView> {
    const poolKeys = new Set<string>()
    const unreadable = new Map<string, Unreadable>()
    for (const result of results) {
      for (const key of result?.poolKeys ?? []) poolKeys.add(key)
      for (const fact of result?.unreadable ?? []) unreadable.set(factKey(fact), fact)
    }
    const pools: MarketPool[] = []
    for (const key of [...poolKeys].sort()) {
      const pool = await this.#pools.get(key)
      if (!pool) continue
      if ('loaded' in pool) pools.push(pool)
      else unreadable.set(factKey(pool), pool)
    }
    return {
      pools,
      unreadable: [...unreadable.entries()].sort(byKey).map(([, fact]) => fact),
    }
  }

  #request(reader: StateReader, pairs: ReadonlyMap<string, Pair>): void {
    const work = this.#load(reader, [...pairs.values()])
    for (const [key, pair] of pairs) {
      const own = work.then(({ pools, unreadable }) => ({
        poolKeys: pools.filter((pool) => holds(pool, pair, this.#source.chain)).map(poolKey),
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
    const own = this.#loadStates(reader, pools).then((usable) => ({
      poolKeys: usable.map(poolKey),
      unreadable: [],
    }))
    this.#pairs.set(key, own)
    own.catch(() => this.#pairs.delete(key))
  }

  #onChain(): readonly ProtocolAdapter[] {
    const { chain, protocols } = this.#source
    return protocols.filter((protocol) => chain.venues[protocol.slug])
  }

  async #load(reader: StateReader, pairs: readonly Pair[]) {
    const { chain } = this.#source
    const found = await Promise.all(
      this.#onChain().map((adapter) =>
        adapter.discover({ reader, chain, venue: chain.venues[adapter.slug] ?? {}, pairs }),
      ),
    )
    const discovered = found.flatMap(({ pools }) => pools)
    this.#source.onDiscovered(discovered)
    const known = this.#source.catalogPools(new Set([...pairs.flat(), nativeToken]))
    const pools = await this.#loadStates(reader, [...known, ...discovered])
    return { pools, unreadable: found.flatMap(({ unreadable }) => unreadable) }
  }

  /** Reads the states that are missing. @returns the usable pools, each once; of equal ones the last. */
  async #loadStates(reader: StateReader, wanted: readonly Pool[]): Promise<Pool[]> {
    const { chain, blacklist } = this.#source
    const onChain = this.#onChain()
    const byKey = new Map(wanted.map((pool) => [poolKey(pool), pool]))
    const isListed = ({ id, parameters }: Pool) =>
      blacklist.has(id) || blacklist.has(String(parameters.liquidityOf))
    const pools = [...byKey.values()].filter((pool) => !isListed(pool))
    const adapters = new Map(onChain.map((adapter) => [adapter.slug, adapter]))
    const fresh = pools.filter(
      (pool) => adapters.has(pool.protocol) && !this.#pools.has(poolKey(pool)),
    )
    const loads = onChain.map(async (adapter) => {
      const own = fresh.filter((pool) => pool.protocol === adapter.slug)
      if (!own.length) return
      const loaded = adapter.load({
        reader,
        chain,
        venue: chain.venues[adapter.slug] ?? {},
        pools: own,
      })
      for (const [index, pool] of own.entries()) {
        const state = loaded.then((list) => toMarketPool(adapter, pool, list[index]))
        this.#pools.set(poolKey(pool), state)
        state.catch(() => this.#pools.delete(poolKey(pool)))
      }
      await loaded
    })
    await Promise.all(loads)
    // Also waits for pools that another call is loading: if that fails, these pairs stay unknown too.
    await Promise.all(pools.map((pool) => this.#pools.get(poolKey(pool))))
    return pools
  }
}

function toMarketPool(
  adapter: ProtocolAdapter,
  pool: Pool,
  loaded: LoadedPool | Unreadable | undefined,
): MarketPool | Unreadable {
  if (loaded && 'state' in loaded) {
    const shared = adapter.sharedState?.(pool)
    return { adapter, loaded, ...(shared && { sharedState: `${adapter.slug}:${shared}` }) }
  }
  return loaded ?? { protocol: pool.protocol, subject: pool.id, message: 'no state' }
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

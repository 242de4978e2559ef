/** Facts of one block that all tasks at it share: market, prices, tokens, positions. */
import { LRUCache } from 'lru-cache'
import { type Catalog, holdsTwoOf } from '../../catalog/store.js'
import { readTokenFacts } from '../../catalog/token-facts.js'
import { tokenKey } from '../../catalog/token-lists.js'
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import { defined } from '../../domain/defined.js'
import {
  type Address,
  type BlockPin,
  isNative,
  nativeToken,
  type Token,
} from '../../domain/primitives.js'
import type { MakerOffer } from '../../domain/signed-order.js'
import type { StateReader } from '../../domain/state.js'
import type { Funding } from '../../forks/tokens/funding.js'
import type { TokenAccess } from '../../forks/tokens/token-access.js'
import { depthUsd } from '../../pricing/observation.js'
import { type FeedPrice, priceTokens, readFeeds, type TokenPrice } from '../../pricing/pricing.js'
import { type Pool, poolKey } from '../../protocols/pool.js'
import type { Position } from '../../protocols/positions.js'
import type { ProtocolAdapter } from '../../protocols/protocol.js'
import { protocols } from '../../protocols/registry.js'
import { importedIntermediates } from '../market/intermediates.js'
import { type ClassedPool, Market } from '../market/market.js'
import type { MarketPool, MarketView } from '../market/market-view.js'
import { OrderMarket } from '../market/order-market.js'
import { pairsOf } from '../market/pairs.js'
import { rebasingTokens } from '../market/rebasing-tokens.js'
import type { PricedToken } from '../market/valuation.js'
import { createAhead } from './ahead.js'
import { type DataFeeModel, type DataFeeSource, readDataFee } from './data-fee.js'
import { bestPrice, type HoldingsSource, holdingsPrice } from './holdings-price.js'
import { IndexedMarket, type PoolIndex } from './indexed-market.js'
import type { WorkerSettings } from './worker-settings.js'

/** `delegated`: an account that runs code of a contract (EIP-7702), to which many contracts pay as to one without code. */
export type AccountKind = 'plain' | 'delegated' | 'contract'

const accountKindsKept = 1_000

/** What is learnt of the contracts of tokens, at any block. */
export interface TokenKnowledge {
  readonly funding: Funding
  readonly access: TokenAccess
}

/** What a thread knows beyond one block. */
export interface ThreadFacts {
  readonly settings: WorkerSettings
  readonly tokens: TokenKnowledge
  readonly catalog: Catalog
  /** Null: routes do without. */
  readonly poolIndex: PoolIndex | null
  readonly listedTokens: ReadonlyMap<string, Token>
  /** Pools of the sandbox that no look-up finds: they are on its Ethereum alone. */
  sandboxPoolsOf(chainId: number): readonly Pool[]
  /** Pools of the protocol that need no look-up: imported, discovered, or of the sandbox. */
  poolsOf(chainId: number, protocol: string): readonly Pool[]
}

/** What a token is as a position of protocols; none is nothing. */
interface PositionToken {
  /** What it is made of. */
  readonly parts: readonly Address[]
  readonly rebases: boolean
}
const noPositionToken: PositionToken = { parts: [], rebases: false }

/** The facts of one block; each is read once, also under concurrent tasks. */
export class BlockFacts {
  readonly market: Market
  /** Set once a simulation ran: batches pay off only on a warm fork. */
  warm = false
  readonly ahead = createAhead()
  readonly #facts = new Map<Address, Promise<Token | null>>()
  readonly #discovered: Pool[] = []
  readonly #classed: ClassedPool[] = []
  /** Read from the catalog once per block, so that an import meanwhile does not change answers at the block. */
  readonly #through = new Map<string, readonly Address[]>()
  readonly #deep = new Map<string, Promise<boolean>>()
  readonly #positionTokens = new Map<Address, Promise<PositionToken>>()
  readonly #positions = new Map<string, Promise<readonly Position[]>>()
  readonly #prices = new Map<Address, Promise<TokenPrice | null>>()
  readonly #poolPrices = new Map<Address, Promise<TokenPrice | null>>()
  readonly #indexed: IndexedMarket | null
  readonly #orders: OrderMarket
  readonly accountKinds = new LRUCache<Address, AccountKind>({ max: accountKindsKept })
  #feeds: Promise<ReadonlyMap<Address, FeedPrice>> | undefined
  readonly #dataFees = new Map<'model', Promise<DataFeeModel | null>>()

  constructor(
    readonly chain: ChainDefinition,
    readonly pin: BlockPin,
    private readonly thread: ThreadFacts,
    readonly tokens: TokenKnowledge = thread.tokens,
  ) {
    this.market = new Market({
      chain,
      protocols,
      blacklist: new Set(thread.settings.poolBlacklist),
      ...defined({
        rebasing: thread.settings.countsHoldings === false ? undefined : rebasingTokens(chain),
      }),
      listedPools: (tokens) =>
        thread.sandboxPoolsOf(chain.id).filter((pool) => holdsTwoOf(pool, tokens)),
      catalogPools: (tokens) => thread.catalog.importedAmong(chain.id, tokens),
      catalogPoolsWith: (token, others) => thread.catalog.importedWith(chain.id, token, others),
      // Pools of a changed state are on no chain.
      onDiscovered: (pools) => pin.changes || this.#discovered.push(...pools),
      onClassed: (pools) => pin.changes || this.#classed.push(...pools),
    })
    this.#orders = new OrderMarket(chain, new Set(thread.settings.poolBlacklist))
    this.#indexed = thread.poolIndex
      ? new IndexedMarket({ chain, pin, market: this.market, index: thread.poolIndex })
      : null
  }

  /**
   * What routes between these tokens may use: pools among them, what they are made of where they are positions, the
   * connectors, tokens of imported pools, and the orders of the task between all of these.
   *
   * @param maxHops - swaps per path.
   */
  async routeView(
    task: { readonly reader: StateReader; readonly orders: readonly MakerOffer[] },
    tokensIn: readonly Address[],
    tokensOut: readonly Address[],
    maxHops: number,
  ): Promise<MarketView> {
    const { reader, orders } = task
    const view = await this.#poolView(reader, tokensIn, tokensOut, maxHops)
    if (orders.length === 0) return view
    return this.#orders.view(reader, view, orders, [...tokensIn, ...tokensOut])
  }

  async #poolView(
    reader: StateReader,
    tokensIn: readonly Address[],
    tokensOut: readonly Address[],
    maxHops: number,
  ): Promise<MarketView> {
    const { catalog } = this.thread
    const key = [tokensIn.join('+'), tokensOut.join('+'), maxHops].join('>')
    const through =
      this.#through.get(key) ??
      importedIntermediates(catalog, this.chain, { tokensIn, tokensOut }, maxHops)
    this.#through.set(key, through)
    const viewOf = (ends: readonly Address[]) =>
      this.market.view(reader, pairsOf(this.chain, ends, tokensOut), through)
    const withParts = async () => {
      // Most tokens are no positions, so look-ups among them do not wait until that is known.
      const [plain, parts] = await Promise.all([
        viewOf(tokensIn),
        this.#partsOf(reader, [...tokensIn, ...tokensOut], maxHops - 1),
      ])
      return parts.length ? viewOf([...tokensIn, ...parts]) : plain
    }
    return this.#indexed
      ? this.#indexed.view(reader, withParts(), { tokensIn, tokensOut, maxHops })
      : withParts()
  }

  /**
   * Tokens that positions among the given ones are made of, and those that these are made of.
   *
   * @param levels - positions of positions that are seen through; each is a swap of the path.
   */
  async #partsOf(
    reader: StateReader,
    tokens: readonly Address[],
    levels: number,
  ): Promise<readonly Address[]> {
    const found = new Set<Address>()
    let asked = tokens
    for (let level = 0; level < levels && asked.length > 0; level++) {
      const parts = await Promise.all(asked.map((token) => this.#underlying(reader, token)))
      asked = parts.flat().filter((token) => !tokens.includes(token) && !found.has(token))
      for (const token of asked) found.add(token)
    }
    return [...found].sort()
  }

  async #underlying(reader: StateReader, token: Address): Promise<readonly Address[]> {
    return (await this.#positionToken(reader, token)).parts
  }

  #isOfChain(token: Address): boolean {
    const { connectorTokens, stableAnchors, wrappedNative } = this.chain
    return isNative(token) || [...connectorTokens, ...stableAnchors, wrappedNative].includes(token)
  }

  #positionToken(reader: StateReader, token: Address): Promise<PositionToken> {
    const { chain } = this
    if (this.#isOfChain(token)) return Promise.resolve(noPositionToken)
    return once(this.#positionTokens, token, async () => {
      const found = await Promise.all(
        protocols.map(async ({ slug, positions }): Promise<PositionToken> => {
          const venue = chain.venues[slug]
          const args = venue && { reader, chain, venue, tokens: [token] }
          const parts = (args && (await positions?.underlying?.(args))?.get(token)) ?? []
          return { parts, rebases: positions?.rebases === true && parts.length > 0 }
        }),
      )
      return {
        parts: found.flatMap(({ parts }) => parts),
        rebases: found.some(({ rebases }) => rebases),
      }
    })
  }

  /** Whether balances of the token change by themselves, as a venue says, or the protocol whose position it is. */
  async rebases(reader: StateReader, token: Address): Promise<boolean> {
    if (rebasingTokens(this.chain).has(token)) return true
    if (this.thread.settings.findsRebases === false) return false
    return (await this.#positionToken(reader, token)).rebases
  }

  /** Positions of the protocol at the block, as far as they can be read. */
  positions(reader: StateReader, adapter: ProtocolAdapter): Promise<readonly Position[]> {
    return once(this.#positions, adapter.slug, () =>
      this.#positionsOf(reader, adapter, pairsOf(this.chain, [], [])),
    )
  }

  /** Answers like `positions`, for pools between two tokens only. */
  positionsBetween(
    reader: StateReader,
    adapter: ProtocolAdapter,
    pair: readonly [Address, Address],
  ): Promise<readonly Position[]> {
    return this.#positionsOf(reader, adapter, [pair])
  }

  async #positionsOf(
    reader: StateReader,
    adapter: ProtocolAdapter,
    pairs: readonly (readonly [Address, Address])[],
  ): Promise<readonly Position[]> {
    const { chain } = this
    const venue = chain.venues[adapter.slug]
    if (!venue || !adapter.positions) return []
    const view = await this.market.view(reader, pairs)
    const pools = view.pools.flatMap(({ loaded }) =>
      loaded.pool.protocol === adapter.slug ? [loaded.pool] : [],
    )
    return (await adapter.positions.list({ reader, chain, venue, pools })).positions
  }

  /** Decimals, symbol and name; from the token lists, else from the chain; null: not a token. */
  tokenFacts(reader: StateReader, address: Address): Promise<Token | null> {
    const known = this.#knownFacts(address)
    if (known) return Promise.resolve(known)
    return once(
      this.#facts,
      address,
      async () => (await readTokenFacts(reader, [address]))[0] ?? null,
    )
  }

  /** Facts of all addresses that are tokens: those that no list has are read from the chain in one go. */
  async allTokenFacts(
    reader: StateReader,
    addresses: Iterable<Address>,
  ): Promise<ReadonlyMap<Address, Token>> {
    const all = [...addresses]
    const unknown = all.filter((address) => !this.#knownFacts(address))
    const read = unknown.length ? await readTokenFacts(reader, unknown) : []
    const facts = [...all.map((address) => this.#knownFacts(address)), ...read]
    return new Map(facts.flatMap((fact) => (fact ? [[fact.address, fact]] : [])))
  }

  /** Answers from what is cached, without reading the chain. */
  #knownFacts(address: Address): Token | undefined {
    if (!isNative(address)) {
      const { hasCode, contracts } = this.pin.changes ?? {}
      if (hasCode || contracts?.includes(address)) return undefined
      return this.thread.listedTokens.get(tokenKey(this.chain.id, address))
    }
    const { nativeCurrency, id } = this.chain
    return { chainId: id, address: nativeToken, ...nativeCurrency, logoUri: null }
  }

  /** A token with its price, which may be unknown; null: not a token. */
  async tokenWithPrice(
    reader: StateReader,
    address: Address,
  ): Promise<{ readonly token: Token; readonly price: TokenPrice | null } | null> {
    const [token, price] = await Promise.all([
      this.tokenFacts(reader, address),
      this.price(reader, address),
    ])
    return token && { token, price }
  }

  /** The tokens that have decimals and a price, for valuing amounts. */
  async pricedTokens(
    reader: StateReader,
    addresses: Iterable<Address>,
  ): Promise<ReadonlyMap<Address, PricedToken>> {
    const priced = new Map<Address, PricedToken>()
    await Promise.all(
      [...new Set(addresses)].map(async (address) => {
        const found = await this.tokenWithPrice(reader, address)
        if (!found?.price) return
        priced.set(address, { decimals: found.token.decimals, priceUsd: found.price.priceUsd })
      }),
    )
    return priced
  }

  /**
   * USD price at the block, by feeds, by what the token owns where it is a position, or by pools between it and the
   * connector tokens: it does not depend on what else was asked before.
   */
  price(reader: StateReader, token: Address): Promise<TokenPrice | null> {
    const key = canonicalToken(this.chain, token)
    return once(this.#prices, key, async () => {
      const { chain, market } = this
      const source: HoldingsSource = {
        chain,
        market,
        underlying: (each) => this.#underlying(reader, each),
        indexed: (each) => this.#indexedWorth(reader, each),
        isNamed: (each) =>
          this.#isOfChain(each) || this.thread.listedTokens.has(tokenKey(chain.id, each)),
        facts: (each) => this.tokenFacts(reader, each),
        poolPrice: (each) => this.#poolPrice(reader, each),
      }
      const [pools, holdings] = await Promise.all([
        source.poolPrice(key),
        holdingsPrice(source, reader, key),
      ])
      return bestPrice(holdings, pools)
    })
  }

  async #indexedWorth(reader: StateReader, token: Address): Promise<readonly MarketPool[]> {
    return !this.#indexed || this.#isOfChain(token) ? [] : this.#indexed.worthOf(reader, token)
  }

  #poolPrice(reader: StateReader, key: Address): Promise<TokenPrice | null> {
    return once(this.#poolPrices, key, async () => {
      const pairs = pairsOf(this.chain, [key], [])
      const [view, feeds] = await Promise.all([
        this.market.view(reader, pairs),
        this.#readFeeds(reader),
      ])
      const tokens = [...new Set(pairs.flat())]
      const facts = await Promise.all(tokens.map((each) => this.tokenFacts(reader, each)))
      const decimals = new Map<Address, number>()
      for (const fact of facts) if (fact) decimals.set(fact.address, fact.decimals)
      if (!decimals.has(key)) return null
      const priced = priceTokens({
        chain: this.chain,
        tokens: [key],
        market: { pools: view.pools, decimals },
        feeds,
        block: this.pin,
      })
      return priced.get(key) ?? null
    })
  }

  #readFeeds(reader: StateReader): Promise<ReadonlyMap<Address, FeedPrice>> {
    const reading = this.#feeds ?? readFeeds(reader, this.chain)
    this.#feeds = reading
    reading.catch(() => {
      this.#feeds = undefined
    })
    return reading
  }

  /**
   * What L1 charges for a transaction's bytes at the block; null where it charges nothing, is not told, or where routes
   * are not ranked by it.
   */
  dataFee(source: DataFeeSource): Promise<DataFeeModel | null> {
    const { settings } = this.thread
    if (settings.dataFee === 'shown') return Promise.resolve(null)
    return once(this.#dataFees, 'model', () => readDataFee(this.chain, source))
  }

  /**
   * Whether a pool trades at least this much before its price moves 2 %, measured in a connector token.
   * True where that is unknown: no price, or only one direction is readable.
   */
  isDeepEnough(reader: StateReader, market: MarketPool, floorUsd: number): Promise<boolean> {
    return once(this.#deep, poolKey(market.loaded.pool), async () => {
      const { tokens } = market.loaded.pool
      const connectors = new Set([...this.chain.connectorTokens, nativeToken])
      const quote = tokens.find((token) => connectors.has(token))
      const base = tokens.find((token) => token !== quote)
      if (!quote || !base) return true
      const [priced, ownFacts] = await Promise.all([
        this.pricedTokens(reader, [quote]),
        this.tokenFacts(reader, base),
      ])
      const known = priced.get(quote)
      if (!known || !ownFacts) return true
      const ownToken = { token: base, decimals: ownFacts.decimals }
      const depth = depthUsd(market, ownToken, { token: quote, ...known })
      return depth === null || depth >= floorUsd
    })
  }

  /** Null: routes do without. */
  get poolIndex(): PoolIndex | null {
    return this.thread.poolIndex
  }

  /** Pools of the protocol that need no look-up: imported, discovered, or of the sandbox. */
  poolsOf(protocol: string): readonly Pool[] {
    return this.thread.poolsOf(this.chain.id, protocol)
  }

  /**
   * Tokens of imported pools, and of those of the sandbox.
   *
   * @param limit - of the imported ones.
   */
  tokensOfKnownPools(limit: number): readonly Address[] {
    const { catalog } = this.thread
    return [
      ...catalog.importedTokens(this.chain.id, limit),
      ...this.thread.sandboxPoolsOf(this.chain.id).flatMap((pool) => pool.tokens),
    ]
  }

  /** Pools that look-ups at this block found since the last call; the main thread stores them. */
  takeDiscovered(): Pool[] {
    return this.#discovered.splice(0)
  }

  /** Pools whose hooks were run at this block since the last call; the main thread stores what it told. */
  takeClassed(): ClassedPool[] {
    return this.#classed.splice(0)
  }
}

/** Caches the promise per key; a failed reading is dropped, so that the next task tries again. */
function once<K, V>(cache: Map<K, Promise<V>>, key: K, read: () => Promise<V>): Promise<V> {
  const cached = cache.get(key)
  if (cached) return cached
  const reading = read()
  cache.set(key, reading)
  reading.catch(() => cache.delete(key))
  return reading
}

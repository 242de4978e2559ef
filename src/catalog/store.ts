/**
 * The catalog's durable half: pools that were discovered or imported, per chain, in SQLite.
 * One process writes (the main thread, the CLI); worker threads open it read-only.
 */
import type Database from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import type { HooksClass, HooksFinding, HooksSeen } from '../domain/hooks.js'
import type { Address, Hex } from '../domain/primitives.js'
import { type Pool, poolKey } from '../protocols/pool.js'
import { guarded, linksOfPairs, openDatabase, pairsOfImported } from './database.js'

export interface StoredPool extends Pool {
  readonly chainId: number
  readonly source: 'discovered' | 'imported'
  /** Block at which a factory look-up first returned it; null for imports. Decimal. */
  readonly firstSeenBlock: string | null
}

export interface Catalog {
  /** All pools of a chain, ordered by protocol and id. */
  listPools(chainId: number): StoredPool[]
  /** One page of the pools that fit, in the same order, and how many fit in total. */
  searchPools(search: PoolSearch): { readonly total: number; readonly pools: readonly StoredPool[] }
  /** All pools of one protocol, ordered by id. */
  poolsOf(chainId: number, protocol: string): StoredPool[]
  /**
   * Imported pools that hold at least two of the tokens, in the same order; at most 64 per pair. Discovered pools are
   * left out: look-ups find them again at every block that has them, and an earlier request must not change a later
   * answer.
   */
  importedAmong(chainId: number, tokens: ReadonlySet<Address>): StoredPool[]
  /** Imported pools that hold the token and one of the others, in the same order; at most 2 per pair. */
  importedWith(chainId: number, token: Address, others: ReadonlySet<Address>): StoredPool[]
  /** Tokens that share an imported pool with the token: best connected first, then by address. */
  importedLinks(chainId: number, token: Address, limit: number): Address[]
  /** Tokens that imported pools hold, best connected first, then by address. */
  importedTokens(chainId: number, limit: number): Address[]
  /** Tokens that share an imported pool with both, in the same order; where there are very many, the best connected. */
  importedBetween(chainId: number, a: Address, b: Address, limit: number): Address[]
  /** Adds an operator's own pools; replaces the parameters of pools that exist already. */
  importPools(chainId: number, pools: readonly Pool[]): { added: number; updated: number }
  /** Stores look-up results; existing pools are not changed. @returns how many were new. */
  rememberPools(chainId: number, pools: readonly Pool[], block: bigint): number
  /** Stores what running the hooks of pools told, unless it is known of a later block. */
  rememberHooks(
    chainId: number,
    pools: readonly (Pick<Pool, 'protocol' | 'id'> & { readonly finding: HooksFinding })[],
    block: bigint,
  ): void
  /** What running the hooks of a pool told last; null: they were never run. */
  hooksOf(chainId: number, pool: Pick<Pool, 'protocol' | 'id'>): HooksSeen | null
  /** `poolKey` of the pools of a class. */
  poolsOfHooks(chainId: number, name: HooksClass): string[]
  close(): void
}

/** What is absent lets every pool pass. */
export interface PoolSearch {
  readonly chainId: number
  readonly source?: StoredPool['source'] | undefined
  readonly protocol?: string | undefined
  /** That it holds. */
  readonly token?: Address | undefined
  /** Id or address. */
  readonly pool?: string | undefined
  /** `poolKey` of those that pass. */
  readonly among?: readonly string[] | undefined
  readonly offset: number
  readonly limit: number
}

interface Row {
  chain_id: number
  protocol: string
  id: string
  address: string
  tokens: string
  parameters: string
  source: string
  first_seen_block: string | null
}

interface HooksRow {
  class: HooksClass
  reason: string | null
  contract: Address
  code_hash: Hex | null
  block: number
}

interface Link {
  other: Address
}

/** Neighbours of a token that are searched for those that it shares with another. */
const neighboursLookedAt = 256
/** Bounded because the state of each pool is read at every block. */
const poolsPerPair = 64
const poolsPerLink = 2
const lookUpsKept = 256

/**
 * @param dataDir - folder of the service's data; created when absent.
 * @param options.readonly - for threads that only look up; the file must exist.
 * @throws ForkrouteError STORAGE_UNAVAILABLE when the folder or file cannot be used.
 */
export function openCatalog(
  dataDir: string,
  options: { readonly readonly?: boolean } = {},
): Catalog {
  return new SqliteCatalog(
    openDatabase(dataDir, options.readonly ?? false),
    options.readonly ?? false,
  )
}

class SqliteCatalog implements Catalog {
  readonly #db: Database.Database
  readonly #isReadonly: boolean
  readonly #look: ReturnType<typeof lookUps>
  /** Null where the file is only read. */
  readonly #write: ReturnType<typeof writes> | null
  /** Look-ups of a thread, valid until the file changes: every block repeats the same hundreds of queries. */
  readonly #kept = new LRUCache<string, StoredPool[]>({ max: lookUpsKept })
  #version: unknown

  constructor(db: Database.Database, isReadonly: boolean) {
    this.#db = db
    this.#isReadonly = isReadonly
    this.#look = lookUps(db)
    this.#write = isReadonly ? null : writes(db)
  }

  listPools(chainId: number): StoredPool[] {
    return guarded(() => this.#look.ofChain.all(chainId).map(toPool))
  }

  searchPools({ offset, limit, among, ...search }: PoolSearch) {
    return guarded(() => {
      const terms = {
        source: null,
        protocol: null,
        pool: null,
        ...search,
        token: search.token === undefined ? null : `%"${search.token}"%`,
        among: among ? JSON.stringify(among) : null,
      }
      return {
        total: this.#look.countFound.get(terms)?.count ?? 0,
        pools: this.#look.found.all({ ...terms, limit, offset }).map(toPool),
      }
    })
  }

  poolsOf(chainId: number, protocol: string): StoredPool[] {
    return guarded(() => this.#look.ofProtocol.all(chainId, protocol).map(toPool))
  }

  importedAmong(chainId: number, tokens: ReadonlySet<Address>): StoredPool[] {
    const list = [...tokens]
    const pairs = () =>
      list.flatMap((a, index) =>
        list.slice(index + 1).flatMap((b) => this.#look.ofPair.all(chainId, a, b, poolsPerPair)),
      )
    return guarded(() =>
      this.#keptUntilWritten(`${chainId}:${list.join()}`, () => ordered(pairs())),
    )
  }

  importedWith(chainId: number, token: Address, others: ReadonlySet<Address>): StoredPool[] {
    const list = [...others]
    const pairs = () =>
      list.flatMap((other) => this.#look.ofPair.all(chainId, token, other, poolsPerLink))
    return guarded(() =>
      this.#keptUntilWritten(`${chainId}:${token} with ${list.join()}`, () => ordered(pairs())),
    )
  }

  importedLinks(chainId: number, token: Address, limit: number): Address[] {
    return guarded(() => this.#look.links.all(chainId, token, limit).map(({ other }) => other))
  }

  importedTokens(chainId: number, limit: number): Address[] {
    return guarded(() => this.#look.linked.all(chainId, limit).map(({ other }) => other))
  }

  importedBetween(chainId: number, a: Address, b: Address, limit: number): Address[] {
    return guarded(() => {
      const count = (token: Address) =>
        this.#look.countLinks.get(chainId, token, neighboursLookedAt)?.count ?? 0
      const [near, far] = count(a) <= count(b) ? [a, b] : [b, a]
      return this.#look.shared
        .all(chainId, near, neighboursLookedAt, chainId, far, limit)
        .map(({ other }) => other)
    })
  }

  importPools(chainId: number, pools: readonly Pool[]): { added: number; updated: number } {
    return guarded(() =>
      this.#db.transaction(() => {
        let added = 0
        for (const pool of pools) {
          if (!this.#look.has.get(chainId, pool.protocol, pool.id)) added++
          this.#write?.replace.run(...valuesOf(chainId, pool), 'imported', null)
        }
        for (const statement of this.#write?.derive ?? []) statement.run(chainId)
        return { added, updated: pools.length - added }
      })(),
    )
  }

  rememberPools(chainId: number, pools: readonly Pool[], block: bigint): number {
    return guarded(() =>
      this.#db.transaction(() => {
        let added = 0
        for (const pool of pools) {
          const values = valuesOf(chainId, pool)
          const result = this.#write?.keep.run(...values, 'discovered', block.toString())
          added += result?.changes ?? 0
        }
        return added
      })(),
    )
  }

  rememberHooks(
    chainId: number,
    pools: readonly (Pick<Pool, 'protocol' | 'id'> & { readonly finding: HooksFinding })[],
    block: bigint,
  ): void {
    guarded(() =>
      this.#db.transaction(() => {
        for (const { protocol, id, finding } of pools) {
          const { class: name, reason, contract, codeHash } = finding
          const row = [name, reason, contract, codeHash, Number(block)] as const
          this.#write?.hooks.run(chainId, protocol, id, ...row)
        }
      })(),
    )
  }

  hooksOf(chainId: number, { protocol, id }: Pick<Pool, 'protocol' | 'id'>): HooksSeen | null {
    const row = guarded(() => this.#look.hooks.get(chainId, protocol, id))
    if (!row) return null
    const { class: name, reason, contract, code_hash, block } = row
    return { class: name, reason, contract, codeHash: code_hash, blockNumber: String(block) }
  }

  poolsOfHooks(chainId: number, name: HooksClass): string[] {
    return guarded(() => this.#look.ofHooks.all(chainId, name).map(poolKey))
  }

  close(): void {
    this.#db.close()
  }

  #keptUntilWritten(key: string, look: () => StoredPool[]): StoredPool[] {
    if (!this.#isReadonly) return look()
    // Changes with every commit of another connection.
    const current = this.#db.pragma('data_version', { simple: true })
    if (current !== this.#version) this.#kept.clear()
    this.#version = current
    const pools = this.#kept.get(key) ?? look()
    this.#kept.set(key, pools)
    return pools
  }
}

const fits = `FROM pools WHERE chain_id = @chainId
  AND (@source IS NULL OR source = @source) AND (@protocol IS NULL OR protocol = @protocol)
  AND (@token IS NULL OR tokens LIKE @token) AND (@pool IS NULL OR @pool IN (id, address))
  AND (@among IS NULL OR protocol || ':' || id IN (SELECT value FROM json_each(@among)))`

function lookUps(db: Database.Database) {
  return {
    ofChain: db.prepare<[number], Row>(
      'SELECT * FROM pools WHERE chain_id = ? ORDER BY protocol, id',
    ),
    countFound: db.prepare<[object], { count: number }>(`SELECT count(*) AS count ${fits}`),
    found: db.prepare<[object], Row>(
      `SELECT * ${fits} ORDER BY protocol, id LIMIT @limit OFFSET @offset`,
    ),
    ofProtocol: db.prepare<[number, string], Row>(
      'SELECT * FROM pools WHERE chain_id = ? AND protocol = ? ORDER BY id',
    ),
    ofPair: db.prepare<[number, string, string, number], Row>(
      `SELECT pools.* FROM imported_pairs pair CROSS JOIN pools
         ON pools.chain_id = pair.chain_id AND pools.protocol = pair.protocol AND pools.id = pair.id
       WHERE pair.chain_id = ? AND pair.token = ? AND pair.other = ?
       ORDER BY pair.protocol, pair.id LIMIT ?`,
    ),
    links: db.prepare<[number, string, number], Link>(
      `SELECT other FROM imported_links WHERE chain_id = ? AND token = ?
       ORDER BY reach DESC, other LIMIT ?`,
    ),
    linked: db.prepare<[number, number], Link>(
      `SELECT other FROM imported_links WHERE chain_id = ? GROUP BY other
       ORDER BY max(reach) DESC, other LIMIT ?`,
    ),
    countLinks: db.prepare<[number, string, number], { count: number }>(
      `SELECT count(*) AS count FROM
         (SELECT 1 FROM imported_links WHERE chain_id = ? AND token = ? LIMIT ?)`,
    ),
    shared: db.prepare<[number, string, number, number, string, number], Link>(
      `SELECT near.other FROM
         (SELECT other, reach FROM imported_links WHERE chain_id = ? AND token = ?
          ORDER BY reach DESC, other LIMIT ?) near
       CROSS JOIN imported_links far
         ON far.chain_id = ? AND far.token = ? AND far.other = near.other
       ORDER BY near.reach DESC, near.other LIMIT ?`,
    ),
    hooks: db.prepare<[number, string, string], HooksRow>(
      'SELECT * FROM pool_hooks WHERE chain_id = ? AND protocol = ? AND id = ?',
    ),
    ofHooks: db.prepare<[number, string], Pick<Pool, 'protocol' | 'id'>>(
      'SELECT protocol, id FROM pool_hooks WHERE chain_id = ? AND class = ?',
    ),
    has: db.prepare<[number, string, string], { found: 1 }>(
      'SELECT 1 AS found FROM pools WHERE chain_id = ? AND protocol = ? AND id = ?',
    ),
  }
}

function writes(db: Database.Database) {
  const write = (conflict: string) =>
    db.prepare<[number, string, string, string, string, string, string, string | null]>(
      `INSERT INTO pools (chain_id, protocol, id, address, tokens, parameters, source, first_seen_block)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO ${conflict}`,
    )
  return {
    replace: write(
      `UPDATE SET address = excluded.address, tokens = excluded.tokens,
       parameters = excluded.parameters, source = excluded.source`,
    ),
    keep: write('NOTHING'),
    hooks: db.prepare<
      [number, string, string, string, string | null, string, string | null, number]
    >(
      `INSERT INTO pool_hooks (chain_id, protocol, id, class, reason, contract, code_hash, block)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET class = excluded.class,
       reason = excluded.reason, contract = excluded.contract, code_hash = excluded.code_hash,
       block = excluded.block WHERE excluded.block >= block`,
    ),
    /** What look-ups of imported pools go by, made anew from the pools of a chain. */
    derive: [
      'DELETE FROM imported_links WHERE chain_id = ?',
      'DELETE FROM imported_pairs WHERE chain_id = ?',
      `INSERT INTO imported_pairs ${pairsOfImported('?')}`,
      `INSERT INTO imported_links ${linksOfPairs('?')}`,
    ].map((sql) => db.prepare<[number]>(sql)),
  }
}

/** The first columns of a pool, in the order in which they are written. */
function valuesOf(chainId: number, { protocol, id, address, tokens, parameters }: Pool) {
  const json = [JSON.stringify(tokens), JSON.stringify(parameters)] as const
  return [chainId, protocol, id, address, ...json] as const
}

/** Each pool once, by protocol and id. */
function ordered(rows: readonly Row[]): StoredPool[] {
  const pools = new Map(rows.map((row) => [poolKey(row), row]))
  return [...pools].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => toPool(row))
}

/** Whether a swap between two of the tokens could go through the pool. */
export function holdsTwoOf(pool: Pool, tokens: ReadonlySet<Address>): boolean {
  return pool.tokens.filter((token) => tokens.has(token)).length >= 2
}

function toPool(row: Row): StoredPool {
  return {
    chainId: row.chain_id,
    protocol: row.protocol,
    id: row.id,
    address: row.address as Address,
    tokens: JSON.parse(row.tokens) as Address[],
    parameters: JSON.parse(row.parameters) as Pool['parameters'],
    source: row.source as StoredPool['source'],
    firstSeenBlock: row.first_seen_block,
  }
}

/**
 * The catalog's durable half: pools that were discovered or imported, per chain, in SQLite.
 * One process writes (the main thread, the CLI); worker threads open it read-only.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { ForkrouteError } from '../domain/errors.js'
import type { Address } from '../domain/primitives.js'
import type { Pool } from '../protocols/protocol.js'

export interface StoredPool extends Pool {
  readonly chainId: number
  readonly source: 'discovered' | 'imported'
  /** Block at which a factory look-up first returned it; null for imports. Decimal. */
  readonly firstSeenBlock: string | null
}

export interface Catalog {
  /** All pools of a chain, ordered by protocol and id. */
  listPools(chainId: number): StoredPool[]
  /**
   * Imported pools that hold at least two of the tokens, in the same order. Not the discovered ones: look-ups find
   * those again at every block that has them, and what was asked before must not change what is answered next.
   */
  importedAmong(chainId: number, tokens: ReadonlySet<Address>): StoredPool[]
  /** An operator's own pools; replaces parameters of pools that are there. */
  importPools(chainId: number, pools: readonly Pool[]): { added: number; updated: number }
  /** Remembers look-up results; leaves pools that are there alone. @returns how many were new. */
  rememberPools(chainId: number, pools: readonly Pool[], block: bigint): number
  close(): void
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

const migrations = [
  `CREATE TABLE pools (
     chain_id INTEGER NOT NULL,
     protocol TEXT NOT NULL,
     id TEXT NOT NULL,
     address TEXT NOT NULL,
     tokens TEXT NOT NULL,
     parameters TEXT NOT NULL,
     source TEXT NOT NULL CHECK (source IN ('discovered', 'imported')),
     first_seen_block TEXT,
     PRIMARY KEY (chain_id, protocol, id)
   ) WITHOUT ROWID`,
]

/**
 * @param dataDir - folder of the service's data; created when absent.
 * @param options.readonly - for threads that only look up; the file must exist.
 * @throws ForkrouteError STORAGE_UNAVAILABLE when the folder or file cannot be used.
 */
export function openCatalog(
  dataDir: string,
  options: { readonly readonly?: boolean } = {},
): Catalog {
  const db = openDatabase(dataDir, options.readonly ?? false)
  const list = db.prepare<[number], Row>(
    'SELECT * FROM pools WHERE chain_id = ? ORDER BY protocol, id',
  )
  const imported = db.prepare<[number], Row>(
    "SELECT * FROM pools WHERE chain_id = ? AND source = 'imported' ORDER BY protocol, id",
  )
  const has = db.prepare<[number, string, string], { found: 1 }>(
    'SELECT 1 AS found FROM pools WHERE chain_id = ? AND protocol = ? AND id = ?',
  )
  const write = (conflict: string) =>
    db.prepare<[number, string, string, string, string, string, string, string | null]>(
      `INSERT INTO pools (chain_id, protocol, id, address, tokens, parameters, source, first_seen_block)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO ${conflict}`,
    )
  const replace = options.readonly
    ? null
    : write(
        `UPDATE SET address = excluded.address, tokens = excluded.tokens,
         parameters = excluded.parameters, source = excluded.source`,
      )
  const keep = options.readonly ? null : write('NOTHING')

  const values = (chainId: number, pool: Pool) =>
    [
      chainId,
      pool.protocol,
      pool.id,
      pool.address,
      JSON.stringify(pool.tokens),
      JSON.stringify(pool.parameters),
    ] as const

  return {
    listPools: (chainId) => guarded(() => list.all(chainId).map(toPool)),
    importedAmong: (chainId, tokens) =>
      guarded(() => imported.all(chainId).map(toPool)).filter((pool) => holdsTwoOf(pool, tokens)),
    importPools(chainId, pools) {
      return guarded(() =>
        db.transaction(() => {
          let added = 0
          for (const pool of pools) {
            if (!has.get(chainId, pool.protocol, pool.id)) added++
            replace?.run(...values(chainId, pool), 'imported', null)
          }
          return { added, updated: pools.length - added }
        })(),
      )
    },
    rememberPools(chainId, pools, block) {
      return guarded(() =>
        db.transaction(() => {
          let added = 0
          for (const pool of pools) {
            const result = keep?.run(...values(chainId, pool), 'discovered', block.toString())
            added += result?.changes ?? 0
          }
          return added
        })(),
      )
    },
    close: () => db.close(),
  }
}

/** Whether a swap between two of the tokens could go through the pool. */
export function holdsTwoOf(pool: Pool, tokens: ReadonlySet<Address>): boolean {
  return pool.tokens.filter((token) => tokens.has(token)).length >= 2
}

function openDatabase(dataDir: string, readonly: boolean): Database.Database {
  return guarded(() => {
    if (!readonly) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const db = new Database(join(dataDir, 'catalog.sqlite'), { readonly, timeout: 5_000 })
    if (readonly) return db
    db.pragma('journal_mode = WAL')
    db.transaction(() => {
      const version = db.pragma('user_version', { simple: true }) as number
      for (const [index, sql] of migrations.entries()) if (index >= version) db.exec(sql)
      db.pragma(`user_version = ${migrations.length}`)
    }).immediate()
    return db
  })
}

function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    const code = (cause as { code?: string }).code ?? 'unknown'
    throw new ForkrouteError(
      'STORAGE_UNAVAILABLE',
      `The catalog cannot be read or written (${code}).`,
      undefined,
      { cause },
    )
  }
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

/** The SQLite file of the catalog: opens it, migrates its schema, and translates its errors. */
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { storageGuard, storageUnavailable } from '../domain/common-errors.js'
import { openDataFile, openSqlite } from '../platform/sqlite.js'

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
  // Derived from the imported rows at import: pools by pair in both directions, and tokens by neighbour.
  `CREATE TABLE imported_pairs (
     chain_id INTEGER NOT NULL,
     token TEXT NOT NULL,
     other TEXT NOT NULL,
     protocol TEXT NOT NULL,
     id TEXT NOT NULL,
     PRIMARY KEY (chain_id, token, other, protocol, id)
   ) WITHOUT ROWID;
   CREATE TABLE imported_links (
     chain_id INTEGER NOT NULL,
     token TEXT NOT NULL,
     other TEXT NOT NULL,
     reach INTEGER NOT NULL,
     PRIMARY KEY (chain_id, token, other)
   ) WITHOUT ROWID;
   CREATE INDEX imported_links_by_reach ON imported_links (chain_id, token, reach DESC, other);
   INSERT INTO imported_pairs ${pairsOfImported(null)};
   INSERT INTO imported_links ${linksOfPairs(null)};`,
  // Ids are permanent, so that an id used as a cursor keeps its place, whatever was listed since.
  `CREATE TABLE listings (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     chain_id INTEGER NOT NULL,
     protocol TEXT NOT NULL,
     key TEXT NOT NULL,
     UNIQUE (chain_id, protocol, key)
   );
   CREATE TABLE position_snapshots (
     chain_id INTEGER PRIMARY KEY,
     block_number TEXT NOT NULL,
     block_hash TEXT NOT NULL,
     taken_at INTEGER NOT NULL,
     positions TEXT NOT NULL
   );`,
  // Signed orders, of each key that has imported them.
  `CREATE TABLE orders (
     chain_id INTEGER NOT NULL,
     hash TEXT NOT NULL,
     owner TEXT NOT NULL,
     visibility TEXT NOT NULL CHECK (visibility IN ('key', 'all')),
     imported_at INTEGER NOT NULL,
     text TEXT NOT NULL,
     PRIMARY KEY (owner, chain_id, hash)
   ) WITHOUT ROWID;
   CREATE INDEX orders_of_all ON orders (chain_id, hash) WHERE visibility = 'all';`,
  // What running the hooks of pools told at the newest block, for lists alone: no route goes by it.
  `CREATE TABLE pool_hooks (
     chain_id INTEGER NOT NULL,
     protocol TEXT NOT NULL,
     id TEXT NOT NULL,
     class TEXT NOT NULL,
     reason TEXT,
     contract TEXT NOT NULL,
     code_hash TEXT,
     block INTEGER NOT NULL,
     PRIMARY KEY (chain_id, protocol, id)
   ) WITHOUT ROWID`,
]

/** Imported pools by pair of their tokens, in both directions. */
export function pairsOfImported(chainId: '?' | null): string {
  return `SELECT p.chain_id, a.value, b.value, p.protocol, p.id
    FROM pools p, json_each(p.tokens) a, json_each(p.tokens) b
    WHERE p.source = 'imported' AND a.value <> b.value ${chainId ? `AND p.chain_id = ${chainId}` : ''}`
}

/** `reach` is the number of tokens that share an imported pool with `other`. */
export function linksOfPairs(chainId: '?' | null): string {
  const filter = chainId ? `WHERE chain_id = ${chainId}` : ''
  return `WITH links AS (SELECT DISTINCT chain_id, token, other FROM imported_pairs ${filter}),
      reaches AS (SELECT chain_id, token, count(*) AS reach FROM links GROUP BY chain_id, token)
    SELECT links.chain_id, links.token, links.other, reaches.reach
    FROM links JOIN reaches ON reaches.chain_id = links.chain_id AND reaches.token = links.other`
}

const lockTimeoutMs = 5_000

/** Throws ForkrouteError STORAGE_UNAVAILABLE in place of what the database throws. */
export const guarded = storageGuard((cause) =>
  storageUnavailable('The catalog cannot be read or written', cause),
)

/** @throws ForkrouteError STORAGE_UNAVAILABLE when the folder or file cannot be used. */
export function openDatabase(dataDir: string, readonly: boolean): Database.Database {
  return guarded(() => {
    const file = join(dataDir, 'catalog.sqlite')
    if (readonly) return openSqlite(file, { readonly, timeout: lockTimeoutMs })
    return openDataFile(file, { migrations, timeoutMs: lockTimeoutMs })
  })
}

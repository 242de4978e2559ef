/** The SQLite file of the pool index: opens it, migrates its schema, and translates its errors. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { storageGuard, storageUnavailable } from '../domain/common-errors.js'
import { openDataFile, openSqlite } from '../platform/sqlite.js'
import type { Pool } from '../protocols/pool.js'

export type IndexDatabase = Database.Database

/**
 * Tokens are numbered, since each is named by many rows. pairs: pools by two of their tokens, in both directions and in
 * the order of their creation. links: tokens that share a pool, by the block of the first. cursors: up to which block
 * each source was read. checkpoints: hashes of blocks that were read, by which a reorg shows.
 */
const migrations = [
  `CREATE TABLE tokens (
     id INTEGER PRIMARY KEY, chain_id INTEGER NOT NULL, address BLOB NOT NULL, UNIQUE (chain_id, address)
   ) STRICT;
   CREATE TABLE pools (
     id INTEGER PRIMARY KEY, chain_id INTEGER NOT NULL, block INTEGER NOT NULL, protocol TEXT NOT NULL,
     pool BLOB NOT NULL, address BLOB, tokens BLOB NOT NULL, parameters TEXT NOT NULL, gate BLOB,
     UNIQUE (chain_id, protocol, pool)
   ) STRICT;
   CREATE INDEX pools_by_block ON pools (chain_id, block);
   CREATE TABLE pairs (
     token INTEGER NOT NULL, other INTEGER NOT NULL, block INTEGER NOT NULL, pool INTEGER NOT NULL,
     PRIMARY KEY (token, other, block, pool)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE links (
     token INTEGER NOT NULL, other INTEGER NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (token, other)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX links_by_block ON links (token, block, other);
   CREATE TABLE cursors (
     chain_id INTEGER NOT NULL, source TEXT NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (chain_id, source)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE checkpoints (
     chain_id INTEGER NOT NULL, block INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (chain_id, block)
   ) STRICT, WITHOUT ROWID;`,
]

/** Long enough for another process to write its range. */
const lockTimeoutMs = 10_000

export function indexFile(dataDir: string): string {
  return join(dataDir, 'pool-index.sqlite')
}

/** Throws ForkrouteError STORAGE_UNAVAILABLE in place of what the database throws. */
export const guarded = storageGuard((cause) =>
  storageUnavailable('The pool index cannot be read or written', cause),
)

/**
 * @returns null for a reader where there is no file.
 * @throws ForkrouteError STORAGE_UNAVAILABLE.
 */
export function openIndexDatabase(dataDir: string, use: 'read' | 'write'): IndexDatabase | null {
  const file = indexFile(dataDir)
  if (use === 'read' && !existsSync(file)) return null
  return guarded(() => {
    if (use === 'read') return openSqlite(file, { readonly: true, timeout: lockTimeoutMs })
    return openDataFile(file, {
      migrations,
      timeoutMs: lockTimeoutMs,
      pragmas: ['synchronous = NORMAL'],
    })
  })
}

export interface PoolRow {
  readonly id: number
  readonly block: number
  readonly protocol: string
  readonly pool: Buffer
  /** Null: the id is the address. */
  readonly address: Buffer | null
  /** One after the other. */
  readonly tokens: Buffer
  readonly parameters: string
  readonly gate: Buffer | null
}

export function toPool({ protocol, pool, address, tokens, parameters }: PoolRow): Pool {
  const id = hexOf(pool)
  return {
    protocol,
    id,
    address: address ? hexOf(address) : id,
    tokens: Array.from({ length: tokens.length / 20 }, (_, k) =>
      hexOf(tokens.subarray(k * 20, k * 20 + 20)),
    ),
    parameters: JSON.parse(parameters) as Pool['parameters'],
  }
}

export function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

export function hexOf(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

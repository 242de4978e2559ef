/**
 * Accounts and their API keys, in SQLite. A key is 256 random bits and is shown once; only its SHA-256 is kept.
 * The look-up is by that hash, so its time reveals nothing about any key. The service and the CLI may have the
 * file open at the same time: a key disabled by one is refused by the other at once.
 */
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { notFound, storageGuard, storageReason } from '../domain/common-errors.js'
import { ForkrouteError } from '../domain/errors.js'
import type { KeyRecord } from '../domain/operations/keys.js'
import type { Hex } from '../domain/primitives.js'
import { openDataFile } from '../platform/sqlite.js'

/** The last use of a busy key is written this often, not at every request. */
const lastUsedResolutionMs = 60_000

const migrations = [
  `CREATE TABLE accounts (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES accounts (id),
     name TEXT NOT NULL,
     hash BLOB NOT NULL UNIQUE,
     created_at INTEGER NOT NULL,
     disabled_at INTEGER,
     last_used_at INTEGER
   ) STRICT`,
  'ALTER TABLE keys ADD COLUMN is_admin INTEGER NOT NULL DEFAULT 0',
]

export interface KeyStore {
  /** @param args.accountId - absent: a new account is made. @throws ForkrouteError NOT_FOUND. */
  createKey(args: {
    name: string
    accountId?: string | undefined
    accountName?: string | undefined
    /** With the scope `admin`; default: without. */
    isAdmin?: boolean
  }): {
    readonly key: string
    readonly record: KeyRecord
  }
  /** Oldest first. */
  listKeys(): KeyRecord[]
  /** Safe to repeat. @throws ForkrouteError NOT_FOUND. */
  disableKey(id: string): KeyRecord
  /** Finds disabled keys too; null for a key that does not exist. Records the use. */
  findKey(key: string): KeyRecord | null
  close(): void
}

interface Row {
  id: string
  account_id: string
  account_name: string
  name: string
  is_admin: number
  created_at: number
  disabled_at: number | null
  last_used_at: number | null
}

function toRecord(row: Row): KeyRecord {
  return {
    id: row.id,
    accountId: row.account_id as Hex,
    accountName: row.account_name,
    name: row.name,
    scopes: row.is_admin ? ['use', 'admin'] : ['use'],
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    lastUsedAt: row.last_used_at,
  }
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

const guardedOpen = storageGuard(
  (cause) =>
    new ForkrouteError(
      'STORAGE_UNAVAILABLE',
      `The key store (forkroute.sqlite in the data folder) cannot be opened: ${storageReason(cause)}.`,
      undefined,
      { cause },
    ),
)

function open(dataDir: string): Database.Database {
  return guardedOpen(() =>
    openDataFile(join(dataDir, 'forkroute.sqlite'), {
      migrations,
      timeoutMs: 5_000,
      pragmas: ['foreign_keys = ON'],
    }),
  )
}

/**
 * @param dataDir - created when absent; the file is readable by its owner only.
 * @throws ForkrouteError STORAGE_UNAVAILABLE.
 */
export function openKeyStore(dataDir: string): KeyStore {
  const db = open(dataDir)
  const select = `SELECT k.id, k.account_id, a.name AS account_name, k.name, k.is_admin,
    k.created_at, k.disabled_at, k.last_used_at FROM keys k JOIN accounts a ON a.id = k.account_id`
  const byHash = db.prepare<[Buffer], Row>(`${select} WHERE k.hash = ?`)
  const byId = db.prepare<[string], Row>(`${select} WHERE k.id = ?`)
  const all = db.prepare<[], Row>(`${select} ORDER BY k.created_at, k.rowid`)
  const touch = db.prepare('UPDATE keys SET last_used_at = ? WHERE id = ?')
  const disable = db.prepare('UPDATE keys SET disabled_at = ? WHERE id = ? AND disabled_at IS NULL')
  const account = db.prepare<[string], { id: string }>('SELECT id FROM accounts WHERE id = ?')
  const addAccount = db.prepare('INSERT INTO accounts VALUES (?, ?, ?)')
  const addKey = db.prepare(
    'INSERT INTO keys (id, account_id, name, hash, created_at, is_admin) VALUES (?, ?, ?, ?, ?, ?)',
  )

  function noteUse(time: number, id: string): void {
    try {
      touch.run(time, id)
    } catch {
      // A full disk, or a CLI command that holds the lock, is no reason to refuse a client.
    }
  }

  function record(id: string): KeyRecord {
    const row = byId.get(id)
    if (!row) throw notFound(`key with the id ${id}`)
    return toRecord(row)
  }

  function accountFor(args: Parameters<KeyStore['createKey']>[0], time: number): string {
    if (args.accountId !== undefined) {
      if (account.get(args.accountId)) return args.accountId
      throw notFound(`account with the id ${args.accountId}`)
    }
    const id = `0x${randomBytes(32).toString('hex')}`
    addAccount.run(id, args.accountName ?? 'default', time)
    return id
  }

  return {
    createKey: db.transaction((args: Parameters<KeyStore['createKey']>[0]) => {
      const time = Date.now()
      const key = `fr_${randomBytes(32).toString('base64url')}`
      const id = randomBytes(6).toString('hex')
      const isAdmin = args.isAdmin ? 1 : 0
      addKey.run(id, accountFor(args, time), args.name, hashOf(key), time, isAdmin)
      return { key, record: record(id) }
    }),
    listKeys: () => all.all().map(toRecord),
    disableKey(id) {
      disable.run(Date.now(), id)
      return record(id)
    },
    findKey(key) {
      const row = byHash.get(hashOf(key))
      if (!row) return null
      const time = Date.now()
      if (row.disabled_at === null && time - (row.last_used_at ?? 0) >= lastUsedResolutionMs) {
        noteUse(time, row.id)
      }
      return toRecord(row)
    },
    close: () => db.close(),
  }
}

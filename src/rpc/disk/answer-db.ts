/**
 * Answers of nodes in one SQLite file, each row with a checksum: the archive's disk cache. Rows belong to a scope (a
 * chain, or one block of it); a scope is dropped as a whole.
 * Methods throw what better-sqlite3 throws; the caller decides whether that is a warning or an error.
 */
import { createHash } from 'node:crypto'
import { openDataFile } from '../../platform/sqlite.js'

export type Lookup =
  | { readonly kind: 'found'; readonly value: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'damaged' }

export interface AnswerRow {
  readonly scope: string
  readonly item: string
  readonly value: string
}

export interface AnswerDb {
  get(scope: string, item: string): Lookup
  /** All rows of a scope whose checksum is right. */
  all(scope: string): { item: string; value: string }[]
  /** In one transaction; later values replace earlier ones. */
  put(rows: readonly AnswerRow[]): void
  remove(scope: string, item: string): void
  dropScope(scope: string): void
  /** Drops scopes, least recently written first, until the content is below the bound; those of `keep` go last. */
  shrink(maxBytes: number, keep: (scope: string) => boolean): void
  close(): void
}

const migrations = [
  `
  CREATE TABLE scopes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, used_at INTEGER NOT NULL) STRICT;
  CREATE TABLE answers (
    scope INTEGER NOT NULL, item TEXT NOT NULL, value TEXT NOT NULL, sum BLOB NOT NULL,
    PRIMARY KEY (scope, item)
  ) STRICT, WITHOUT ROWID;`,
]
/** How long opening the file, and later a write, waits for the write lock of another process before it fails. */
const openTimeoutMs = 2_000
const busyTimeoutMs = 100

/** Processes may share the file. @throws When it cannot be opened or is not a cache of this service. */
export function openAnswerDb(file: string): AnswerDb {
  const db = openDataFile(file, {
    migrations,
    timeoutMs: openTimeoutMs,
    pragmas: ['synchronous = NORMAL'],
  })
  db.pragma(`busy_timeout = ${busyTimeoutMs}`)
  const scopeId = db.prepare<[string], { id: number }>('SELECT id FROM scopes WHERE name = ?')
  const addScope = db.prepare<[string, number], { id: number }>(
    'INSERT INTO scopes (name, used_at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET used_at = excluded.used_at RETURNING id',
  )
  const select = db.prepare<[string, string], { value: string; sum: Buffer }>(
    'SELECT value, sum FROM answers WHERE scope = (SELECT id FROM scopes WHERE name = ?) AND item = ?',
  )
  const selectAll = db.prepare<[string], { item: string; value: string; sum: Buffer }>(
    'SELECT item, value, sum FROM answers WHERE scope = (SELECT id FROM scopes WHERE name = ?)',
  )
  const insert = db.prepare<[number, string, string, Buffer]>(
    'INSERT OR REPLACE INTO answers (scope, item, value, sum) VALUES (?, ?, ?, ?)',
  )
  const deleteItem = db.prepare<[number, string]>(
    'DELETE FROM answers WHERE scope = ? AND item = ?',
  )
  const deleteItems = db.prepare<[number]>('DELETE FROM answers WHERE scope = ?')
  const deleteScope = db.prepare<[number]>('DELETE FROM scopes WHERE id = ?')
  const oldestFirst = db.prepare<[], { id: number; name: string }>(
    'SELECT id, name FROM scopes ORDER BY used_at, id',
  )

  const putAll = db.transaction((rows: readonly AnswerRow[]) => {
    const ids = new Map<string, number>()
    for (const { scope, item, value } of rows) {
      let id = ids.get(scope)
      if (id === undefined) {
        id = addScope.get(scope, Date.now())?.id
        if (id === undefined) throw new Error('no row id')
        ids.set(scope, id)
      }
      insert.run(id, item, value, checksum(scope, item, value))
    }
  })
  const drop = db.transaction((id: number) => {
    deleteItems.run(id)
    deleteScope.run(id)
  })
  const usedBytes = (): number => {
    const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
      Number(db.pragma(name, { simple: true })),
    )
    return ((pages ?? 0) - (free ?? 0)) * (size ?? 0)
  }

  return {
    get(scope, item) {
      const row = select.get(scope, item)
      if (!row) return { kind: 'absent' }
      const isSound = checksum(scope, item, row.value).equals(row.sum)
      return isSound ? { kind: 'found', value: row.value } : { kind: 'damaged' }
    },
    all: (scope) =>
      selectAll
        .all(scope)
        .filter(({ item, value, sum }) => checksum(scope, item, value).equals(sum)),
    put: (rows) => putAll(rows),
    remove(scope, item) {
      const id = scopeId.get(scope)?.id
      if (id !== undefined) deleteItem.run(id, item)
    },
    dropScope(scope) {
      const id = scopeId.get(scope)?.id
      if (id !== undefined) drop(id)
    },
    shrink(maxBytes, keep) {
      const scopes = oldestFirst.all()
      const ordered = [
        ...scopes.filter(({ name }) => !keep(name)),
        ...scopes.filter(({ name }) => keep(name)),
      ]
      for (const { id } of ordered) {
        if (usedBytes() <= maxBytes) return
        drop(id)
      }
    },
    close: () => db.close(),
  }
}

/** First 8 bytes of SHA-256: against damage and mix-ups, not against forgery. */
function checksum(scope: string, item: string, value: string): Buffer {
  return createHash('sha256').update(`${scope}\n${item}\n${value}`).digest().subarray(0, 8)
}

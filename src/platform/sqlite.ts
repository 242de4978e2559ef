/**
 * Opens SQLite files, with the release of better-sqlite3 for this Node. Release 13 needs Node-API 10 (from Node 22.14 on)
 * and ends the process without it; release 12 ends it at a random moment when compiled for Node 24.19 or later.
 */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type Database from 'better-sqlite3'

const nodeApi = Number(process.versions.napi ?? 0)
/** Both packages are optional in package.json: npm leaves out the one that an older Node does not take. */
export const sqlitePackage = nodeApi >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'

/** @throws What better-sqlite3 throws, or Node when it cannot load it. */
export function openSqlite(file: string, options?: Database.Options): Database.Database {
  const Sqlite = createRequire(import.meta.url)(sqlitePackage) as typeof Database
  return new Sqlite(file, options)
}

export interface DataFileOptions {
  /** SQL from each version of the tables to the next; the version is how many of them a file has had. */
  readonly migrations: readonly string[]
  /** How long opening, and later a write, waits for the lock of another process. */
  readonly timeoutMs: number
  /** Set before the tables are made or migrated. */
  readonly pragmas?: readonly string[]
}

/**
 * Opens a file of the data folder to write, which several processes may do at once, and brings its tables to the newest
 * version. Folder and file are their owner's alone, older ones become so, and SQLite's own files beside it take its mode.
 *
 * @throws What openSqlite throws, what Node does where the folder or the file cannot be made, and an error with the code
 * LATER_RELEASE where a later release has written the file: what it added would be lost on the next way up.
 */
export function openDataFile(
  file: string,
  { migrations, timeoutMs, pragmas = [] }: DataFileOptions,
): Database.Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  keepPrivate(dirname(file), 0o700)
  closeSync(openSync(file, 'a', 0o600))
  for (const one of [file, `${file}-wal`, `${file}-shm`]) keepPrivate(one, 0o600)
  const db = openSqlite(file, { timeout: timeoutMs })
  try {
    for (const pragma of [...pragmas, 'journal_mode = WAL']) db.pragma(pragma)
    migrate(db, migrations)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** In one transaction; processes that open the file at once wait for each other. */
function migrate(db: Database.Database, migrations: readonly string[]): void {
  db.transaction(() => {
    const version = Number(db.pragma('user_version', { simple: true }))
    if (version > migrations.length) {
      const text = `The tables have version ${version}; this release knows ${migrations.length}.`
      throw Object.assign(new Error(text), { code: 'LATER_RELEASE' })
    }
    for (const sql of migrations.slice(version)) db.exec(sql)
    db.pragma(`user_version = ${migrations.length}`)
  }).immediate()
}

/** Leaves what belongs to somebody else, such as a volume's root: its owner has chosen who may enter. */
function keepPrivate(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && found.uid === process.getuid?.() && (found.mode & 0o777) !== mode)
    chmodSync(path, mode)
}

/**
 * Opens SQLite files, with the release of better-sqlite3 for this Node. Release 13 needs Node-API 10 (from Node 22.14 on)
 * and ends the process without it; release 12 ends it at a random moment when compiled for Node 24.19 or later.
 */
import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'

const nodeApi = Number(process.versions.napi ?? 0)
/** Of the two, which package.json both has as optional: npm leaves out what an older Node does not take. */
export const sqlitePackage = nodeApi >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'

/** @throws What better-sqlite3 throws, or Node when it cannot load it. */
export function openSqlite(file: string, options?: Database.Options): Database.Database {
  const Sqlite = createRequire(import.meta.url)(sqlitePackage) as typeof Database
  return new Sqlite(file, options)
}

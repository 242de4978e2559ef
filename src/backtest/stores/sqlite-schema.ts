/** The tables of `backtests.sqlite`, for people with SQL as well: docs/how-to/backtests.md explains every column. */
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { storageGuard, storageReason, storageUnavailable } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import { openDataFile } from '../../platform/sqlite.js'

const migrations = [
  `CREATE TABLE jobs (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     chain_id INTEGER NOT NULL,
     plan TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'finished', 'cancelled', 'failed')),
     problem TEXT,
     created_at INTEGER NOT NULL,
     finished_at INTEGER,
     blocks_total INTEGER NOT NULL,
     blocks_done INTEGER NOT NULL DEFAULT 0,
     owner TEXT,
     owner_seen_at INTEGER
   ) WITHOUT ROWID;
   CREATE TABLE blocks (
     job_id TEXT NOT NULL,
     block_number INTEGER NOT NULL,
     block_hash TEXT,
     timestamp INTEGER,
     PRIMARY KEY (job_id, block_number)
   ) WITHOUT ROWID;
   CREATE TABLE routes (
     job_id TEXT NOT NULL,
     block_number INTEGER NOT NULL,
     position INTEGER NOT NULL,
     request TEXT NOT NULL,
     variant TEXT NOT NULL,
     amounts_out TEXT,
     min_amounts_out TEXT,
     gas TEXT,
     gas_cost TEXT,
     gas_cost_usd REAL,
     gas_cost_out TEXT,
     price_impact REAL,
     price REAL,
     path TEXT,
     error_code TEXT,
     error_message TEXT,
     error_details TEXT,
     milliseconds REAL NOT NULL,
     PRIMARY KEY (job_id, block_number, position)
   ) WITHOUT ROWID;
   CREATE TABLE executions (
     job_id TEXT NOT NULL,
     block_number INTEGER NOT NULL,
     position INTEGER NOT NULL,
     delay INTEGER NOT NULL,
     request TEXT NOT NULL,
     variant TEXT NOT NULL,
     status TEXT NOT NULL CHECK (status IN ('filled', 'reverted', 'unknown')),
     amounts_out TEXT,
     gas TEXT,
     reason TEXT,
     PRIMARY KEY (job_id, block_number, position, delay)
   ) WITHOUT ROWID;`,
  `ALTER TABLE routes ADD COLUMN warnings TEXT;
   ALTER TABLE executions ADD COLUMN warnings TEXT;`,
  'ALTER TABLE routes ADD COLUMN crosschain TEXT;',
  // A plan may have 250 kB, which every look at a job and every block that is done would read or write again.
  `CREATE TABLE plans (job_id TEXT PRIMARY KEY, plan TEXT NOT NULL) WITHOUT ROWID;
   INSERT INTO plans SELECT id, plan FROM jobs;
   ALTER TABLE jobs DROP COLUMN plan;
   ALTER TABLE jobs ADD COLUMN account TEXT;
   CREATE INDEX open_jobs ON jobs (id) WHERE state IN ('queued', 'running');
   CREATE INDEX jobs_by_account ON jobs (account, id);`,
  `ALTER TABLE jobs ADD COLUMN kind TEXT;
   ALTER TABLE blocks ADD COLUMN hindsight TEXT;`,
]

/** Another process writes for milliseconds only. */
const busyTimeoutMs = 5_000

/** Throws ForkrouteError STORAGE_UNAVAILABLE in place of what the database throws, and what the work itself refuses. */
export const guarded = storageGuard((cause) => {
  const { code, message } = cause as { code?: string; message?: string }
  if (code === 'SQLITE_FULL') {
    const text = 'The disk of the data folder is full: backtests cannot be written.'
    return new ForkrouteError('STORAGE_UNAVAILABLE', text, undefined, { cause })
  }
  const reason = code === undefined ? (message ?? 'unknown') : storageReason(cause)
  return storageUnavailable('The backtests cannot be read or written', cause, reason)
})

/** @throws ForkrouteError STORAGE_UNAVAILABLE when the folder or file cannot be used. */
export function openBacktestDatabase(dataDir: string): Database.Database {
  return guarded(() => {
    const db = openDataFile(join(dataDir, 'backtests.sqlite'), {
      migrations,
      timeoutMs: busyTimeoutMs,
      // Vacuum has to be said before the first table: what a removed job leaves goes back to the disk.
      pragmas: ['auto_vacuum = INCREMENTAL', 'synchronous = NORMAL'],
    })
    try {
      db.transaction(() => {
        // What a removal that was cut short has left.
        for (const table of ['plans', 'blocks', 'routes', 'executions']) {
          db.exec(`DELETE FROM ${table} WHERE job_id NOT IN (SELECT id FROM jobs)`)
        }
      }).immediate()
      // What is answered from here on is on disk, whatever ends: the process or the power.
      db.pragma('synchronous = FULL')
      return db
    } catch (error) {
      db.close()
      throw error
    }
  })
}

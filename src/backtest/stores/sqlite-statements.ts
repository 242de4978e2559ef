/** The statements of the store in SQLite, prepared once for a connection. */
import type Database from 'better-sqlite3'
import type { BlockRow, EntryRow, ExecutionRow, RouteRow } from './store-rows.js'

export function jobStatements(db: Database.Database) {
  return {
    add: db.prepare<[string, string, number, string, number, number]>(
      `INSERT INTO jobs (id, name, chain_id, account, state, created_at, blocks_total)
       VALUES (?, ?, ?, ?, 'queued', ?, ?)`,
    ),
    addPlan: db.prepare<[string, string]>('INSERT INTO plans (job_id, plan) VALUES (?, ?)'),
    count: db.prepare<[string], { open: number; stored: number }>(
      `SELECT count(*) AS stored, count(*) FILTER (WHERE state IN ('queued', 'running')) AS open
       FROM jobs WHERE account = ?`,
    ),
    entry: db.prepare<[string], EntryRow>('SELECT * FROM jobs WHERE id = ?'),
    plan: db.prepare<[string], { plan: string }>('SELECT plan FROM plans WHERE job_id = ?'),
    entries: db.prepare<[string, number], EntryRow>(
      'SELECT * FROM jobs WHERE id < ? ORDER BY id DESC LIMIT ?',
    ),
    entriesOf: db.prepare<[string, string, number], EntryRow>(
      'SELECT * FROM jobs WHERE account = ? AND id < ? ORDER BY id DESC LIMIT ?',
    ),
    open: db.prepare<[], EntryRow>(
      "SELECT * FROM jobs WHERE state IN ('queued', 'running') ORDER BY id",
    ),
    setState: db.prepare<[string, string | null, number | null, string]>(
      'UPDATE jobs SET state = ?, problem = ?, finished_at = ? WHERE id = ?',
    ),
    setOwner: db.prepare<[string, number, string]>(
      'UPDATE jobs SET owner = ?, owner_seen_at = ? WHERE id = ?',
    ),
    dropOwner: db.prepare<[string, string]>(
      'UPDATE jobs SET owner = NULL, owner_seen_at = NULL WHERE id = ? AND owner = ?',
    ),
    countBlock: db.prepare<[string]>('UPDATE jobs SET blocks_done = blocks_done + 1 WHERE id = ?'),
    drop: db.prepare<[string]>('DELETE FROM jobs WHERE id = ?'),
    dropPlan: db.prepare<[string]>('DELETE FROM plans WHERE job_id = ?'),
  }
}

export function blockStatements(db: Database.Database) {
  return {
    add: db.prepare<[string, number]>('INSERT INTO blocks (job_id, block_number) VALUES (?, ?)'),
    pending: db.prepare<[string], { block_number: number }>(
      'SELECT block_number FROM blocks WHERE job_id = ? AND block_hash IS NULL ORDER BY block_number',
    ),
    fill: db.prepare<[string, number, string, number]>(
      'UPDATE blocks SET block_hash = ?, timestamp = ? WHERE job_id = ? AND block_number = ? AND block_hash IS NULL',
    ),
    addRoute: db.prepare(
      `INSERT INTO routes VALUES (@job_id, @block_number, @position, @request, @variant, @amounts_out,
       @min_amounts_out, @gas, @gas_cost, @gas_cost_usd, @gas_cost_out, @price_impact, @price, @path, @error_code, @error_message,
       @error_details, @milliseconds, @warnings, @crosschain)`,
    ),
    addExecution: db.prepare(
      `INSERT INTO executions VALUES (@job_id, @block_number, @position, @delay, @request, @variant, @status,
       @amounts_out, @gas, @reason, @warnings)`,
    ),
    done: db.prepare<[string, number, number], BlockRow>(
      `SELECT block_number, block_hash, timestamp FROM blocks
       WHERE job_id = ? AND block_number >= ? AND block_hash IS NOT NULL ORDER BY block_number LIMIT ?`,
    ),
    routesBetween: db.prepare<[string, number, number], RouteRow>(
      'SELECT * FROM routes WHERE job_id = ? AND block_number BETWEEN ? AND ? ORDER BY block_number, position',
    ),
    executionsBetween: db.prepare<[string, number, number], ExecutionRow>(
      `SELECT * FROM executions WHERE job_id = ? AND block_number BETWEEN ? AND ?
       ORDER BY block_number, position, delay`,
    ),
    page: db.prepare<[string, number], { block_number: number }>(
      'SELECT block_number FROM blocks WHERE job_id = ? ORDER BY block_number LIMIT ?',
    ),
    drop: ['executions', 'routes', 'blocks'].map((table) =>
      db.prepare<[string, number]>(`DELETE FROM ${table} WHERE job_id = ? AND block_number <= ?`),
    ),
  }
}

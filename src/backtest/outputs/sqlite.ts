/** One SQLite file: the plan, the results as two tables, and the summary as tables. */
import type { BacktestBlock, BacktestJob, ResultOptions } from '../../domain/backtest.js'
import { bigintToString } from '../../domain/primitives.js'
import { openSqlite } from '../../platform/sqlite.js'
import { toPlanRecord } from '../../wire/plan.js'
import { quantileNames } from '../sample.js'
import type { BacktestSummary } from '../summary.js'
import { distributionsOf, type GroupSummary } from '../summary-cell.js'
import type { WantSummary } from './encoder.js'
import {
  type Column,
  deliveriesTable,
  executionsTable,
  type Record,
  routesTable,
  type Value,
} from './records.js'

const types: { readonly [T in Column['type']]: string } = {
  text: 'TEXT',
  amount: 'TEXT',
  integer: 'INTEGER',
  double: 'REAL',
  boolean: 'INTEGER',
  time: 'INTEGER',
}

/** A summary's row is about one request, one variant or both; null is "all". */
const schema = `
  CREATE TABLE plan (name TEXT NOT NULL, chain_id INTEGER NOT NULL, baseline TEXT NOT NULL, json TEXT NOT NULL);
  CREATE TABLE requests (name TEXT PRIMARY KEY, json TEXT NOT NULL);
  CREATE TABLE variants (name TEXT PRIMARY KEY, json TEXT NOT NULL);
  CREATE TABLE summary (
    request TEXT, variant TEXT, rows INTEGER, routes INTEGER, missed INTEGER, only_here INTEGER, only_baseline INTEGER,
    wins INTEGER, ties INTEGER, losses INTEGER,
    wins_after_gas INTEGER, ties_after_gas INTEGER, losses_after_gas INTEGER
  );
  CREATE TABLE summary_distributions (
    request TEXT, variant TEXT, measure TEXT NOT NULL, delay INTEGER, count INTEGER, mean REAL,
    min REAL, p5 REAL, p25 REAL, p50 REAL, p75 REAL, p95 REAL, max REAL
  );
  CREATE TABLE summary_delays (
    request TEXT, variant TEXT, delay INTEGER, filled INTEGER, reverted INTEGER, unknown INTEGER, fill_rate REAL
  );
  CREATE TABLE summary_deliveries (
    request TEXT, variant TEXT, seconds INTEGER, delivered INTEGER, fallback INTEGER, reverted INTEGER, unknown INTEGER,
    delivery_rate REAL
  );
  CREATE TABLE summary_errors (request TEXT, variant TEXT, code TEXT, rows INTEGER);
  CREATE TABLE summary_venues (variant TEXT, protocol TEXT, share REAL);
`

export interface SqliteFile {
  add(block: BacktestBlock): void
  end(): Promise<void>
  /** Closes it as it is. */
  close(): void
}

/** @param path - of a file that does not exist. Not durable before the caller has synced it. */
export function createSqliteFile(
  path: string,
  { plan }: Pick<BacktestJob, 'plan'>,
  { reproducible = false }: ResultOptions,
  wantSummary: WantSummary,
): SqliteFile {
  const summary = wantSummary()
  const db = openSqlite(path)
  // One transaction into a file that nobody reads before it is renamed: no journal is needed.
  db.pragma('journal_mode = OFF')
  db.pragma('synchronous = OFF')
  db.exec('BEGIN')
  db.exec(schema)
  const insert = (table: string, count: number) => {
    const statement = db.prepare(
      `INSERT INTO ${table} VALUES (${Array(count).fill('?').join(', ')})`,
    )
    return (...values: Record) => statement.run(values.map(toSqlite))
  }
  const json = (value: unknown) => JSON.stringify(value, bigintToString)
  const record = toPlanRecord(plan)
  insert('plan', 4)(plan.name, BigInt(plan.chainId), plan.baseline, json(record))
  for (const request of record.requests) insert('requests', 2)(request.name, json(request.request))
  for (const variant of plan.variants) insert('variants', 2)(variant.name, json(variant))
  const tables = [
    { name: 'routes', ...routesTable(plan, !reproducible), key: '' },
    { name: 'executions', ...executionsTable(plan), key: ', delay' },
    { name: 'deliveries', ...deliveriesTable(plan), key: ', seconds' },
  ].map(({ name, columns, recordsOf, key }) => {
    const definitions = columns.map((column) => `${column.name} ${types[column.type]}`).join(', ')
    db.exec(
      `CREATE TABLE ${name} (${definitions}, PRIMARY KEY (block_number, request, variant${key})) WITHOUT ROWID`,
    )
    return { recordsOf, add: insert(name, columns.length) }
  })
  return {
    add(block) {
      for (const { recordsOf, add } of tables) for (const row of recordsOf(block)) add(...row)
    },
    async end() {
      writeSummary(await summary(), insert)
      db.exec('COMMIT')
      db.close()
    },
    close: () => db.close(),
  }
}

function writeSummary(
  summary: BacktestSummary,
  insert: (table: string, count: number) => (...values: Record) => void,
): void {
  const rows = insert('summary', 13)
  const distributions = insert('summary_distributions', 13)
  const delays = insert('summary_delays', 7)
  const deliveries = insert('summary_deliveries', 8)
  const errors = insert('summary_errors', 4)
  const venues = insert('summary_venues', 3)
  const write = (request: string | null, variant: string | null, group: GroupSummary) => {
    const { rows: count, routes, missed, onlyHere, onlyBaseline } = group
    const wins = [group.againstBaseline, group.againstBaselineAfterGas].flatMap((part) => [
      part?.wins ?? null,
      part?.ties ?? null,
      part?.losses ?? null,
    ])
    rows(request, variant, count, routes, missed, onlyHere, onlyBaseline, ...wins)
    for (const [code, failed] of Object.entries(group.errors))
      errors(request, variant, code, failed)
    for (const { measure, at, values } of distributionsOf(group)) {
      const quantiles = quantileNames.map((name) => values[name])
      distributions(request, variant, measure, at, values.count, ...quantiles)
    }
    for (const { delay, filled, reverted, unknown, fillRate } of group.delays) {
      delays(request, variant, delay, filled, reverted, unknown, fillRate)
    }
    for (const { seconds, delivered, fallback, ...others } of group.deliveries) {
      const { reverted, unknown, deliveryRate } = others
      const counts = [delivered, fallback, reverted, unknown] as const
      deliveries(request, variant, seconds, ...counts, deliveryRate)
    }
  }
  for (const group of summary.variants) {
    write(null, group.variant, group)
    for (const { protocol, share } of group.venues) venues(group.variant, protocol, share)
  }
  for (const group of summary.requests) write(group.request, null, group)
  for (const group of summary.cells) write(group.request, group.variant, group)
}

const toSqlite = (value: Value) => (typeof value === 'boolean' ? Number(value) : value)

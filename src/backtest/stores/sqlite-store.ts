/**
 * Jobs and results in `backtests.sqlite` of the data folder. Several processes may use the folder at the same time.
 * @see docs/how-to/backtests.md for the tables.
 */
import { setImmediate } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import type {
  AccountLimits,
  BacktestEntry,
  JobBlock,
  JobPlan,
  JobState,
  ListQuery,
  PlannedJob,
} from '../../domain/backtest.js'
import type { Hex } from '../../domain/primitives.js'
import { planToJson } from '../../wire/json.js'
import { newJobId } from '../job-id.js'
import { guarded, openBacktestDatabase } from './sqlite-schema.js'
import { afterAll, type BacktestStore, claimMs, refuseTooMany } from './store.js'
import {
  type BlockRow,
  blocksAtOnceLike,
  type EntryRow,
  type ExecutionRow,
  type RouteRow,
  toBlock,
  toEntry,
  toJob,
  toRows,
} from './store-rows.js'

/** Blocks that are removed at once, so that others get their turn on the thread. */
const blocksAtOnce = 50

/** @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function openSqliteStore(dataDir: string): BacktestStore {
  return new SqliteStore(openBacktestDatabase(dataDir))
}

class SqliteStore implements BacktestStore {
  readonly #db: Database.Database
  readonly #jobs: ReturnType<typeof jobStatements>
  readonly #blocks: ReturnType<typeof blockStatements>

  constructor(db: Database.Database) {
    this.#db = db
    this.#jobs = jobStatements(db)
    this.#blocks = blockStatements(db)
  }

  async add(
    plan: JobPlan,
    blocks: readonly bigint[],
    accountId: Hex,
    limits: AccountLimits,
  ): Promise<PlannedJob> {
    const id = newJobId()
    const text = planToJson(plan)
    return this.#atomic(() => {
      refuseTooMany(this.#jobs.count.get(accountId) ?? { open: 0, stored: 0 }, limits)
      this.#jobs.add.run({
        id,
        kind: plan.kind ?? null,
        name: plan.name,
        chainId: plan.chainId,
        accountId,
        createdAt: Date.now(),
        blocks: blocks.length,
      })
      this.#jobs.addPlan.run(id, text)
      for (const block of blocks) this.#blocks.add.run(id, Number(block))
      return toJob({ ...(this.#jobs.entry.get(id) as EntryRow), plan: text })
    })
  }

  async job(id: string): Promise<PlannedJob | null> {
    const read = () => [this.#jobs.entry.get(id), this.#jobs.plan.get(id)] as const
    const [row, plan] = guarded(() => this.#db.transaction(read)())
    return row && plan ? toJob({ ...row, ...plan }) : null
  }

  async entry(id: string): Promise<BacktestEntry | null> {
    const row = guarded(() => this.#jobs.entry.get(id))
    return row ? toEntry(row) : null
  }

  async entries({ accountId, before = afterAll, limit }: ListQuery): Promise<BacktestEntry[]> {
    const rows = guarded(() =>
      accountId === undefined
        ? this.#jobs.entries.all(before, limit)
        : this.#jobs.entriesOf.all(accountId, before, limit),
    )
    return rows.map(toEntry)
  }

  async open(): Promise<BacktestEntry[]> {
    return guarded(() => this.#jobs.open.all()).map(toEntry)
  }

  async setState(
    id: string,
    state: JobState,
    problem: string | null = null,
    from?: readonly JobState[],
  ): Promise<boolean> {
    return this.#atomic(() => {
      const row = this.#jobs.entry.get(id)
      if (!row || (from && !from.includes(row.state))) return false
      const isOver = ['finished', 'cancelled', 'failed'].includes(state)
      const kept = state === 'failed' ? problem : null
      return this.#jobs.setState.run(state, kept, isOver ? Date.now() : null, id).changes > 0
    })
  }

  async claim(
    id: string,
    owner: string,
    isGone: (other: string) => boolean = () => false,
  ): Promise<boolean> {
    return this.#atomic(() => {
      const row = this.#jobs.entry.get(id)
      if (!row) return false
      const isFree =
        row.owner === null ||
        row.owner === owner ||
        Date.now() - (row.owner_seen_at ?? 0) > claimMs ||
        isGone(row.owner)
      if (isFree) this.#jobs.setOwner.run(owner, Date.now(), id)
      return isFree
    })
  }

  async release(id: string, owner: string): Promise<void> {
    guarded(() => this.#jobs.dropOwner.run(id, owner))
  }

  async pending(id: string): Promise<bigint[]> {
    const rows = guarded(() => this.#blocks.pending.all(id))
    return rows.map(({ block_number }) => BigInt(block_number))
  }

  async put(id: string, block: JobBlock): Promise<boolean> {
    const { routes, executions, hindsight } = toRows(block)
    return this.#atomic(() => {
      if (!this.#jobs.entry.get(id)) return false
      const number = Number(block.blockNumber)
      const { changes } = this.#blocks.fill.run(
        block.blockHash,
        Number(block.timestamp),
        hindsight,
        id,
        number,
      )
      if (!changes) return false
      for (const row of routes) this.#blocks.addRoute.run({ job_id: id, ...row })
      for (const row of executions) this.#blocks.addExecution.run({ job_id: id, ...row })
      this.#jobs.countBlock.run(id)
      return true
    })
  }

  async *results(id: string, from = 0n): AsyncGenerator<JobBlock> {
    let next = Number(from)
    for (let limit = 1; ; ) {
      const blocks = this.#page(id, next, limit)
      yield* blocks
      const last = blocks.at(-1)
      if (!last || blocks.length < limit) return
      next = Number(last.blockNumber) + 1
      limit = blocksAtOnceLike(last)
      await setImmediate()
    }
  }

  async remove(id: string): Promise<void> {
    this.#atomic(() => {
      this.#jobs.drop.run(id)
      this.#jobs.dropPlan.run(id)
    })
    while (this.#removeSome(id)) await setImmediate()
    guarded(() => this.#db.pragma('incremental_vacuum'))
  }

  async size(): Promise<number> {
    const [pages, pageSize] = ['page_count', 'page_size'].map((name) =>
      Number(guarded(() => this.#db.pragma(name, { simple: true }))),
    )
    return (pages ?? 0) * (pageSize ?? 0)
  }

  async close(): Promise<void> {
    this.#db.close()
  }

  /** Decides and writes with nobody in between. */
  #atomic<T>(work: () => T): T {
    return guarded(() => this.#db.transaction(work).immediate())
  }

  /** One transaction: a job that is removed meanwhile is read as it was. */
  #page(id: string, from: number, limit: number): JobBlock[] {
    const read = () => {
      const blocks = this.#blocks.done.all(id, from, limit)
      const last = blocks.at(-1)?.block_number ?? from
      const routes = byBlock(this.#blocks.routesBetween.all(id, from, last))
      const executions = byBlock(this.#blocks.executionsBetween.all(id, from, last))
      return blocks.map((block) =>
        toBlock(
          block,
          routes.get(block.block_number) ?? [],
          executions.get(block.block_number) ?? [],
        ),
      )
    }
    return guarded(() => this.#db.transaction(read)())
  }

  /** @returns whether there were blocks to remove. */
  #removeSome(id: string): boolean {
    return this.#atomic(() => {
      const last = this.#blocks.page.all(id, blocksAtOnce).at(-1)
      if (last) for (const drop of this.#blocks.drop) drop.run(id, last.block_number)
      return last !== undefined
    })
  }
}

/** Prepared once for a connection. */
function jobStatements(db: Database.Database) {
  return {
    add: db.prepare(
      `INSERT INTO jobs (id, kind, name, chain_id, account, state, created_at, blocks_total)
       VALUES (@id, @kind, @name, @chainId, @accountId, 'queued', @createdAt, @blocks)`,
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

/** Prepared once for a connection. */
function blockStatements(db: Database.Database) {
  return {
    add: db.prepare<[string, number]>('INSERT INTO blocks (job_id, block_number) VALUES (?, ?)'),
    pending: db.prepare<[string], { block_number: number }>(
      'SELECT block_number FROM blocks WHERE job_id = ? AND block_hash IS NULL ORDER BY block_number',
    ),
    fill: db.prepare<[string, number, string | null, string, number]>(
      `UPDATE blocks SET block_hash = ?, timestamp = ?, hindsight = ?
       WHERE job_id = ? AND block_number = ? AND block_hash IS NULL`,
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
      `SELECT block_number, block_hash, timestamp, hindsight FROM blocks
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

function byBlock<T extends { block_number: number }>(rows: readonly T[]): Map<number, T[]> {
  const found = new Map<number, T[]>()
  for (const row of rows) {
    const own = found.get(row.block_number)
    if (own) own.push(row)
    else found.set(row.block_number, [row])
  }
  return found
}

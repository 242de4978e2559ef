/**
 * Jobs and results in `backtests.sqlite` of the data folder. Several processes may use the folder at the same time.
 * @see docs/backtests.md for the tables.
 */
import { setImmediate } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import type {
  AccountLimits,
  BacktestBlock,
  BacktestEntry,
  BacktestJob,
  BacktestPlan,
  JobState,
  ListQuery,
} from '../../domain/backtest.js'
import type { Hex } from '../../domain/primitives.js'
import { planToJson } from '../../wire/json.js'
import { newJobId } from '../job-id.js'
import { guarded, openBacktestDatabase } from './sqlite-schema.js'
import { blockStatements, jobStatements } from './sqlite-statements.js'
import { afterAll, type BacktestStore, claimMs, refuseTooMany } from './store.js'
import {
  blocksAtOnceLike,
  type EntryRow,
  toBlock,
  toEntry,
  toExecutionRow,
  toJob,
  toRouteRow,
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
    plan: BacktestPlan,
    blocks: readonly bigint[],
    accountId: Hex,
    limits: AccountLimits,
  ): Promise<BacktestJob> {
    const id = newJobId()
    const text = planToJson(plan)
    return this.#atomic(() => {
      refuseTooMany(this.#jobs.count.get(accountId) ?? { open: 0, stored: 0 }, limits)
      this.#jobs.add.run(id, plan.name, plan.chainId, accountId, Date.now(), blocks.length)
      this.#jobs.addPlan.run(id, text)
      for (const block of blocks) this.#blocks.add.run(id, Number(block))
      return toJob({ ...(this.#jobs.entry.get(id) as EntryRow), plan: text })
    })
  }

  async job(id: string): Promise<BacktestJob | null> {
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

  async put(id: string, block: BacktestBlock): Promise<boolean> {
    return this.#atomic(() => {
      if (!this.#jobs.entry.get(id)) return false
      const number = Number(block.blockNumber)
      const { changes } = this.#blocks.fill.run(
        block.blockHash,
        Number(block.timestamp),
        id,
        number,
      )
      if (!changes) return false
      for (const [position, row] of block.rows.entries()) {
        this.#blocks.addRoute.run({ job_id: id, ...toRouteRow(row, position) })
        for (const execution of row.executions) {
          const values = toExecutionRow(row, position, execution)
          this.#blocks.addExecution.run({ job_id: id, ...values })
        }
      }
      this.#jobs.countBlock.run(id)
      return true
    })
  }

  async *results(id: string, from = 0n): AsyncGenerator<BacktestBlock> {
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
  #page(id: string, from: number, limit: number): BacktestBlock[] {
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

function byBlock<T extends { block_number: number }>(rows: readonly T[]): Map<number, T[]> {
  const found = new Map<number, T[]>()
  for (const row of rows) {
    const own = found.get(row.block_number)
    if (own) own.push(row)
    else found.set(row.block_number, [row])
  }
  return found
}

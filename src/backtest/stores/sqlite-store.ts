/**
 * Jobs and results in `backtests.sqlite` of the data folder. Several processes may use the folder at the same time.
 * @see docs/backtests.md for the tables.
 */
import { setImmediate } from 'node:timers/promises'
import type { BacktestBlock } from '../../domain/backtest.js'
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
  toExecutionRow,
  toJob,
  toRouteRow,
} from './store-rows.js'

/** Blocks that are removed at once, so that others get their turn on the thread. */
const blocksAtOnce = 50

/** @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function openSqliteStore(dataDir: string): BacktestStore {
  const db = openBacktestDatabase(dataDir)
  const addJob = db.prepare<[string, string, number, string, number, number]>(
    `INSERT INTO jobs (id, name, chain_id, account, state, created_at, blocks_total)
     VALUES (?, ?, ?, ?, 'queued', ?, ?)`,
  )
  const addPlan = db.prepare<[string, string]>('INSERT INTO plans (job_id, plan) VALUES (?, ?)')
  const countJobs = db.prepare<[string], { open: number; stored: number }>(
    `SELECT count(*) AS stored, count(*) FILTER (WHERE state IN ('queued', 'running')) AS open
     FROM jobs WHERE account = ?`,
  )
  const addBlock = db.prepare<[string, number]>(
    'INSERT INTO blocks (job_id, block_number) VALUES (?, ?)',
  )
  const oneEntry = db.prepare<[string], EntryRow>('SELECT * FROM jobs WHERE id = ?')
  const onePlan = db.prepare<[string], { plan: string }>('SELECT plan FROM plans WHERE job_id = ?')
  const allEntries = db.prepare<[string, number], EntryRow>(
    'SELECT * FROM jobs WHERE id < ? ORDER BY id DESC LIMIT ?',
  )
  const ownEntries = db.prepare<[string, string, number], EntryRow>(
    'SELECT * FROM jobs WHERE account = ? AND id < ? ORDER BY id DESC LIMIT ?',
  )
  const openEntries = db.prepare<[], EntryRow>(
    "SELECT * FROM jobs WHERE state IN ('queued', 'running') ORDER BY id",
  )
  const changeState = db.prepare<[string, string | null, number | null, string]>(
    'UPDATE jobs SET state = ?, problem = ?, finished_at = ? WHERE id = ?',
  )
  const changeOwner = db.prepare<[string, number, string]>(
    'UPDATE jobs SET owner = ?, owner_seen_at = ? WHERE id = ?',
  )
  const dropOwner = db.prepare<[string, string]>(
    'UPDATE jobs SET owner = NULL, owner_seen_at = NULL WHERE id = ? AND owner = ?',
  )
  const pendingBlocks = db.prepare<[string], { block_number: number }>(
    'SELECT block_number FROM blocks WHERE job_id = ? AND block_hash IS NULL ORDER BY block_number',
  )
  const fillBlock = db.prepare<[string, number, string, number]>(
    'UPDATE blocks SET block_hash = ?, timestamp = ? WHERE job_id = ? AND block_number = ? AND block_hash IS NULL',
  )
  const countBlock = db.prepare<[string]>(
    'UPDATE jobs SET blocks_done = blocks_done + 1 WHERE id = ?',
  )
  const addRoute = db.prepare(
    `INSERT INTO routes VALUES (@job_id, @block_number, @position, @request, @variant, @amounts_out,
     @min_amounts_out, @gas, @gas_cost, @gas_cost_usd, @gas_cost_out, @price_impact, @price, @path, @error_code, @error_message,
     @error_details, @milliseconds, @warnings, @crosschain)`,
  )
  const addExecution = db.prepare(
    `INSERT INTO executions VALUES (@job_id, @block_number, @position, @delay, @request, @variant, @status,
     @amounts_out, @gas, @reason, @warnings)`,
  )
  const doneBlocks = db.prepare<[string, number, number], BlockRow>(
    `SELECT block_number, block_hash, timestamp FROM blocks
     WHERE job_id = ? AND block_number >= ? AND block_hash IS NOT NULL ORDER BY block_number LIMIT ?`,
  )
  const routesBetween = db.prepare<[string, number, number], RouteRow>(
    'SELECT * FROM routes WHERE job_id = ? AND block_number BETWEEN ? AND ? ORDER BY block_number, position',
  )
  const executionsBetween = db.prepare<[string, number, number], ExecutionRow>(
    `SELECT * FROM executions WHERE job_id = ? AND block_number BETWEEN ? AND ?
     ORDER BY block_number, position, delay`,
  )
  const blockPage = db.prepare<[string, number], { block_number: number }>(
    'SELECT block_number FROM blocks WHERE job_id = ? ORDER BY block_number LIMIT ?',
  )
  const dropBlocks = ['executions', 'routes', 'blocks'].map((table) =>
    db.prepare<[string, number]>(`DELETE FROM ${table} WHERE job_id = ? AND block_number <= ?`),
  )
  const dropJob = db.prepare<[string]>('DELETE FROM jobs WHERE id = ?')
  const dropPlan = db.prepare<[string]>('DELETE FROM plans WHERE job_id = ?')

  /** Decides and writes with nobody in between. */
  function atomic<T>(work: () => T): T {
    return guarded(() => db.transaction(work).immediate())
  }

  function page(id: string, from: number, limit: number): BacktestBlock[] {
    // One transaction: a job that is removed meanwhile is read as it was.
    return guarded(() =>
      db.transaction(() => {
        const blocks = doneBlocks.all(id, from, limit)
        const last = blocks.at(-1)?.block_number ?? from
        const routes = byBlock(routesBetween.all(id, from, last))
        const executions = byBlock(executionsBetween.all(id, from, last))
        return blocks.map((block) =>
          toBlock(
            block,
            routes.get(block.block_number) ?? [],
            executions.get(block.block_number) ?? [],
          ),
        )
      })(),
    )
  }

  return {
    async add(plan, blocks, accountId, limits) {
      const id = newJobId()
      const text = planToJson(plan)
      return atomic(() => {
        refuseTooMany(countJobs.get(accountId) ?? { open: 0, stored: 0 }, limits)
        addJob.run(id, plan.name, plan.chainId, accountId, Date.now(), blocks.length)
        addPlan.run(id, text)
        for (const block of blocks) addBlock.run(id, Number(block))
        return toJob({ ...(oneEntry.get(id) as EntryRow), plan: text })
      })
    },

    async job(id) {
      const [row, plan] = guarded(() =>
        db.transaction(() => [oneEntry.get(id), onePlan.get(id)] as const)(),
      )
      return row && plan ? toJob({ ...row, ...plan }) : null
    },

    async entry(id) {
      const row = guarded(() => oneEntry.get(id))
      return row ? toEntry(row) : null
    },

    async entries({ accountId, before = afterAll, limit }) {
      const rows = guarded(() =>
        accountId === undefined
          ? allEntries.all(before, limit)
          : ownEntries.all(accountId, before, limit),
      )
      return rows.map(toEntry)
    },

    open: async () => guarded(() => openEntries.all()).map(toEntry),

    async setState(id, state, problem = null, from) {
      return atomic(() => {
        const row = oneEntry.get(id)
        if (!row || (from && !from.includes(row.state))) return false
        const isOver = ['finished', 'cancelled', 'failed'].includes(state)
        const kept = state === 'failed' ? problem : null
        return changeState.run(state, kept, isOver ? Date.now() : null, id).changes > 0
      })
    },

    async claim(id, owner, isGone = () => false) {
      return atomic(() => {
        const row = oneEntry.get(id)
        if (!row) return false
        const isFree =
          row.owner === null ||
          row.owner === owner ||
          Date.now() - (row.owner_seen_at ?? 0) > claimMs ||
          isGone(row.owner)
        if (isFree) changeOwner.run(owner, Date.now(), id)
        return isFree
      })
    },

    async release(id, owner) {
      guarded(() => dropOwner.run(id, owner))
    },

    pending: async (id) =>
      guarded(() => pendingBlocks.all(id)).map(({ block_number }) => BigInt(block_number)),

    async put(id, block) {
      return atomic(() => {
        if (!oneEntry.get(id)) return false
        const number = Number(block.blockNumber)
        const { changes } = fillBlock.run(block.blockHash, Number(block.timestamp), id, number)
        if (!changes) return false
        for (const [position, row] of block.rows.entries()) {
          addRoute.run({ job_id: id, ...toRouteRow(row, position) })
          for (const execution of row.executions) {
            addExecution.run({ job_id: id, ...toExecutionRow(row, position, execution) })
          }
        }
        countBlock.run(id)
        return true
      })
    },

    async *results(id, from = 0n) {
      let next = Number(from)
      for (let limit = 1; ; ) {
        const blocks = page(id, next, limit)
        yield* blocks
        const last = blocks.at(-1)
        if (!last || blocks.length < limit) return
        next = Number(last.blockNumber) + 1
        limit = blocksAtOnceLike(last)
        await setImmediate()
      }
    },

    async remove(id) {
      atomic(() => {
        dropJob.run(id)
        dropPlan.run(id)
      })
      for (;;) {
        const isGone = atomic(() => {
          const last = blockPage.all(id, blocksAtOnce).at(-1)
          if (last) for (const drop of dropBlocks) drop.run(id, last.block_number)
          return !last
        })
        if (isGone) break
        await setImmediate()
      }
      guarded(() => db.pragma('incremental_vacuum'))
    },

    async size() {
      const [pages, pageSize] = ['page_count', 'page_size'].map((name) =>
        Number(guarded(() => db.pragma(name, { simple: true }))),
      )
      return (pages ?? 0) * (pageSize ?? 0)
    },

    async close() {
      db.close()
    },
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

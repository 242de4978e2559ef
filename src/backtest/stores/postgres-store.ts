/**
 * Jobs and results in a schema of their own in Postgres, for coordinators and workers on any number of machines.
 * Connects when it is first asked; what is wrong with the database is an error of that call, and the next one tries again.
 */
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { BacktestBlock, BacktestJob } from '../../domain/backtest.js'
import { storageUnavailable } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import { newJobId } from '../job-id.js'
import { planToJson } from '../plan-json.js'
import { inTransaction, migrate } from './postgres-schema.js'
import { type BacktestStore, claimMs } from './store.js'
import {
  type BlockRow,
  type ExecutionRow,
  type JobRow,
  type RouteRow,
  toBlock,
  toExecutionRow,
  toJob,
  toRouteRow,
} from './store-rows.js'

/** Twenty workers and two coordinators stay below the hundred that Postgres takes by default. */
const connections = 4
const connectTimeoutMs = 10_000
const queryTimeoutMs = 60_000
/** A database that starts again is there by then. */
const patienceMs = 20_000
const retryMs = 500
/** A large job takes its time. */
const removeTimeoutMs = 600_000
const idleMs = 30_000
/** Blocks that are read at once. */
const blocksAtOnce = 50

const int8 = 20
const lost = 'connection lost'

export interface PostgresOptions {
  /** May carry a password: never shown. */
  readonly databaseUrl: string
  /** Installations with different names share a database without meeting each other. */
  readonly serviceName: string
}

export function openPostgresStore({ databaseUrl, serviceName }: PostgresOptions): BacktestStore {
  const schema = `forkroute_${serviceName}`
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    application_name: 'forkroute',
    // Block numbers and counts are safe as numbers; amounts are read as text.
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  })
  // Of a connection that nobody uses; the next query opens another.
  pool.on('error', () => {})

  let isClosed = false
  let migrated: Promise<void> | undefined
  async function ready(): Promise<void> {
    migrated ??= migrate(pool, schema).catch((error: unknown) => {
      migrated = undefined
      throw error
    })
    await migrated
  }

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      await ready()
      return await work()
    } catch (cause) {
      if (cause instanceof ForkrouteError) throw cause
      const what = 'The backtests in Postgres cannot be read or written'
      throw storageUnavailable(what, cause, reasonOf(cause))
    }
  }

  /** As `guarded`, for what jobs cannot do without: while the database starts again, it waits. Done twice, it is as if once. */
  async function patient<T>(work: () => Promise<T>): Promise<T> {
    for (const end = Date.now() + patienceMs; ; await setTimeout(retryMs)) {
      try {
        return await guarded(work)
      } catch (error) {
        const { cause } = error as Error
        if (isClosed || !cause || !isAway(cause) || Date.now() > end) throw error
      }
    }
  }

  async function rows<T>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return patient(async () => (await pool.query(text, [...values])).rows)
  }

  /** How many rows it changed. */
  async function change(text: string, values: readonly unknown[]): Promise<number> {
    return patient(async () => (await pool.query(text, [...values])).rowCount ?? 0)
  }

  const jobColumns = `id, plan::text AS plan, state, problem, blocks_total, owner,
    (extract(epoch FROM created_at) * 1000)::int8 AS created_at,
    (extract(epoch FROM finished_at) * 1000)::int8 AS finished_at,
    (SELECT count(*) FROM ${schema}.blocks WHERE job_id = id AND block_hash IS NOT NULL) AS blocks_done`

  async function page(id: string, from: bigint): Promise<BacktestBlock[]> {
    return guarded(() =>
      // A job that is removed meanwhile is read as it was.
      inTransaction(pool, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (client) => {
        const { rows: blocks } = await client.query<BlockRow>(
          `SELECT block_number, block_hash, "timestamp" FROM ${schema}.blocks
           WHERE job_id = $1 AND block_number >= $2 AND block_hash IS NOT NULL
           ORDER BY block_number LIMIT ${blocksAtOnce}`,
          [id, String(from)],
        )
        const between = [id, String(from), blocks.at(-1)?.block_number ?? String(from)]
        const { rows: routes } = await client.query<RouteRow>(
          `SELECT block_number, position, request, variant, array_to_string(amounts_out, ',') AS amounts_out,
             array_to_string(min_amounts_out, ',') AS min_amounts_out, gas::text, gas_cost::text, gas_cost_usd,
             gas_cost_out::text,             price_impact, price, path::text, error_code, error_message, error_details::text, milliseconds
           FROM ${schema}.routes WHERE job_id = $1 AND block_number BETWEEN $2 AND $3
           ORDER BY block_number, position`,
          between,
        )
        const { rows: executions } = await client.query<ExecutionRow>(
          `SELECT block_number, position, delay, request, variant, status,
             array_to_string(amounts_out, ',') AS amounts_out, gas::text, reason
           FROM ${schema}.executions WHERE job_id = $1 AND block_number BETWEEN $2 AND $3
           ORDER BY block_number, position, delay`,
          between,
        )
        return blocks.map((block) => {
          const own = (row: { block_number: number }) => row.block_number === block.block_number
          return toBlock(block, routes.filter(own), executions.filter(own))
        })
      }),
    )
  }

  return {
    async add(plan, blocks) {
      const id = newJobId()
      await guarded(() =>
        inTransaction(pool, 'BEGIN', async (client) => {
          await client.query(
            `INSERT INTO ${schema}.jobs (id, name, chain_id, plan, state, blocks_total)
             VALUES ($1, $2, $3, $4, 'queued', $5)`,
            [id, plan.name, plan.chainId, planToJson(plan), blocks.length],
          )
          await client.query(
            `INSERT INTO ${schema}.blocks (job_id, block_number) SELECT $1, unnest($2::int8[])`,
            [id, blocks.map(String)],
          )
        }),
      )
      const [row] = await rows<JobRow>(`SELECT ${jobColumns} FROM ${schema}.jobs WHERE id = $1`, [
        id,
      ])
      return toJob(row as JobRow)
    },

    async job(id) {
      const [row] = await rows<JobRow>(`SELECT ${jobColumns} FROM ${schema}.jobs WHERE id = $1`, [
        id,
      ])
      return row ? toJob(row) : null
    },

    async jobs(): Promise<BacktestJob[]> {
      const found = await rows<JobRow>(`SELECT ${jobColumns} FROM ${schema}.jobs ORDER BY id DESC`)
      return found.map(toJob)
    },

    async setState(id, state, problem = null, from) {
      const isOver = ['finished', 'cancelled', 'failed'].includes(state)
      const changed = await change(
        `UPDATE ${schema}.jobs SET state = $2, problem = $3,
           finished_at = CASE WHEN $4 THEN date_trunc('milliseconds', now()) END
         WHERE id = $1 AND ($5::text[] IS NULL OR state = ANY ($5))`,
        [id, state, state === 'failed' ? problem : null, isOver, from ?? null],
      )
      return changed > 0
    },

    async claim(id, owner, isGone = () => false) {
      const [other] = await rows<{ owner: string | null }>(
        `SELECT owner FROM ${schema}.jobs WHERE id = $1`,
        [id],
      )
      const gone = other?.owner && isGone(other.owner) ? other.owner : null
      const changed = await change(
        `UPDATE ${schema}.jobs SET owner = $2, owner_seen_at = now()
         WHERE id = $1 AND (owner IS NULL OR owner IN ($2, $3)
           OR owner_seen_at < now() - $4 * interval '1 millisecond')`,
        [id, owner, gone, claimMs],
      )
      return changed > 0
    },

    async release(id, owner) {
      await change(
        `UPDATE ${schema}.jobs SET owner = NULL, owner_seen_at = NULL WHERE id = $1 AND owner = $2`,
        [id, owner],
      )
    },

    async pending(id) {
      const found = await rows<{ block_number: number }>(
        `SELECT block_number FROM ${schema}.blocks
         WHERE job_id = $1 AND block_hash IS NULL ORDER BY block_number`,
        [id],
      )
      return found.map(({ block_number }) => BigInt(block_number))
    },

    async put(id, block) {
      const routes = block.rows.map(toRouteRow)
      const executions = block.rows.flatMap((row, position) =>
        row.executions.map((execution) => toExecutionRow(row, position, execution)),
      )
      // One statement, so all or nothing; who comes second finds the block filled.
      const [done] = await rows<{ count: number }>(
        `WITH filled AS (
           UPDATE ${schema}.blocks SET block_hash = $3, "timestamp" = $4
           WHERE job_id = $1 AND block_number = $2 AND block_hash IS NULL RETURNING 1
         ), added_routes AS (
           INSERT INTO ${schema}.routes
           SELECT $1, $2, position, request, variant, string_to_array(amounts_out, ',')::numeric(78, 0)[],
             string_to_array(min_amounts_out, ',')::numeric(78, 0)[], gas, gas_cost, gas_cost_usd, gas_cost_out, price_impact, price,
             path::json, error_code, error_message, error_details::json, milliseconds
           FROM json_to_recordset($5) AS r (position int4, request text, variant text, amounts_out text,
             min_amounts_out text, gas int8, gas_cost numeric, gas_cost_usd float8, gas_cost_out numeric, price_impact float8, price float8,
             path text, error_code text, error_message text, error_details text, milliseconds float8)
           WHERE EXISTS (SELECT FROM filled)
         ), added_executions AS (
           INSERT INTO ${schema}.executions
           SELECT $1, $2, position, delay, request, variant, status,
             string_to_array(amounts_out, ',')::numeric(78, 0)[], gas, reason
           FROM json_to_recordset($6) AS e (position int4, delay int4, request text, variant text, status text,
             amounts_out text, gas int8, reason text)
           WHERE EXISTS (SELECT FROM filled)
         )
         SELECT count(*) FROM filled`,
        [
          id,
          String(block.blockNumber),
          block.blockHash,
          String(block.timestamp),
          JSON.stringify(routes, storable),
          JSON.stringify(executions, storable),
        ],
      )
      return (done?.count ?? 0) > 0
    },

    async *results(id, from = 0n) {
      let next = from
      for (;;) {
        const blocks = await page(id, next)
        yield* blocks
        const last = blocks.at(-1)
        if (!last || blocks.length < blocksAtOnce) return
        next = last.blockNumber + 1n
      }
    },

    async remove(id) {
      const text = `DELETE FROM ${schema}.jobs WHERE id = $1`
      const query = { text, values: [id], query_timeout: removeTimeoutMs }
      await guarded(() => pool.query(query))
    },

    async size() {
      const [found] = await rows<{ bytes: number }>(
        `SELECT sum(pg_total_relation_size(oid))::int8 AS bytes FROM pg_class
         WHERE relnamespace = to_regnamespace($1) AND relkind = 'r'`,
        [schema],
      )
      return found?.bytes ?? 0
    },

    async close() {
      if (isClosed) return
      isClosed = true
      await pool.end()
    },
  }
}

/** Replacer for texts that contracts made up: Postgres takes no NUL and no half of a surrogate pair. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/[\0\p{Surrogate}]/gu, '\ufffd') : value
}

/** It was stopped, is starting, or lost the connection. */
function isAway(cause: unknown): boolean {
  const reason = reasonOf(cause)
  return (
    reason === lost || /^(57P|08)/.test(reason) || ['ECONNREFUSED', 'ECONNRESET'].includes(reason)
  )
}

/** The code of an error of Postgres or of the connection: its text may name hosts and users. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return code
  return /timeout/i.test(String(message)) ? 'timeout' : lost
}

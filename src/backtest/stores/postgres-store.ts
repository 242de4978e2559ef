/**
 * Jobs and results in a schema of their own in Postgres, for coordinators and workers on any number of machines.
 */
import type { BacktestEntry } from '../../domain/backtest.js'
import { planToJson } from '../../wire/json.js'
import { newJobId } from '../job-id.js'
import { putBlock, readBlocks } from './postgres-blocks.js'
import { connectPostgres } from './postgres-connection.js'
import { afterAll, type BacktestStore, claimMs, refuseTooMany } from './store.js'
import { type EntryRow, type JobRow, toEntry, toJob } from './store-rows.js'

/** A large job takes its time. */
const removeTimeoutMs = 600_000

export interface PostgresOptions {
  /** May carry a password: never shown. */
  readonly databaseUrl: string
  /** Installations with different names share a database without meeting each other. */
  readonly serviceName: string
}

export function openPostgresStore({ databaseUrl, serviceName }: PostgresOptions): BacktestStore {
  const schema = `forkroute_${serviceName}`
  const db = connectPostgres(databaseUrl, schema)
  const columns = `id, name, chain_id, account, state, problem, blocks_total, owner,
    (extract(epoch FROM created_at) * 1000)::int8 AS created_at,
    (extract(epoch FROM finished_at) * 1000)::int8 AS finished_at,
    (SELECT count(*) FROM ${schema}.blocks WHERE job_id = id AND block_hash IS NOT NULL) AS blocks_done`

  async function rowOf(id: string): Promise<JobRow | undefined> {
    const text = `SELECT ${columns}, plan::text AS plan FROM ${schema}.jobs WHERE id = $1`
    return (await db.rows<JobRow>(text, [id]))[0]
  }

  async function entriesWhere(text: string, values: unknown[] = []): Promise<BacktestEntry[]> {
    const found = await db.rows<EntryRow>(
      `SELECT ${columns} FROM ${schema}.jobs WHERE ${text}`,
      values,
    )
    return found.map(toEntry)
  }

  return {
    async add(plan, blocks, accountId, limits) {
      const id = newJobId()
      await db.transaction('BEGIN', async (client) => {
        // Of the account's jobs that are added at the same time each counts the ones before.
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
          `${schema} ${accountId}`,
        ])
        const { rows } = await client.query<{ open: number; stored: number }>(
          `SELECT count(*) AS stored, count(*) FILTER (WHERE state IN ('queued', 'running')) AS open
           FROM ${schema}.jobs WHERE account = $1`,
          [accountId],
        )
        refuseTooMany(rows[0] ?? { open: 0, stored: 0 }, limits)
        await client.query(
          `INSERT INTO ${schema}.jobs (id, name, chain_id, plan, account, state, blocks_total)
           VALUES ($1, $2, $3, $4, $5, 'queued', $6)`,
          [id, plan.name, plan.chainId, planToJson(plan), accountId, blocks.length],
        )
        await client.query(
          `INSERT INTO ${schema}.blocks (job_id, block_number) SELECT $1, unnest($2::int8[])`,
          [id, blocks.map(String)],
        )
      })
      return toJob((await rowOf(id)) as JobRow)
    },

    async job(id) {
      const row = await rowOf(id)
      return row ? toJob(row) : null
    },

    entry: async (id) => (await entriesWhere('id = $1', [id]))[0] ?? null,

    entries: ({ accountId, before = afterAll, limit }) =>
      entriesWhere('($1::text IS NULL OR account = $1) AND id < $2 ORDER BY id DESC LIMIT $3', [
        accountId ?? null,
        before,
        limit,
      ]),

    open: () => entriesWhere("state IN ('queued', 'running') ORDER BY id"),

    async setState(id, state, problem = null, from) {
      const isOver = ['finished', 'cancelled', 'failed'].includes(state)
      const changed = await db.change(
        `UPDATE ${schema}.jobs SET state = $2, problem = $3,
           finished_at = CASE WHEN $4 THEN date_trunc('milliseconds', now()) END
         WHERE id = $1 AND ($5::text[] IS NULL OR state = ANY ($5))`,
        [id, state, state === 'failed' ? problem : null, isOver, from ?? null],
      )
      return changed > 0
    },

    async claim(id, owner, isGone = () => false) {
      const [other] = await db.rows<{ owner: string | null }>(
        `SELECT owner FROM ${schema}.jobs WHERE id = $1`,
        [id],
      )
      const gone = other?.owner && isGone(other.owner) ? other.owner : null
      const changed = await db.change(
        `UPDATE ${schema}.jobs SET owner = $2, owner_seen_at = now()
         WHERE id = $1 AND (owner IS NULL OR owner IN ($2, $3)
           OR owner_seen_at < now() - $4 * interval '1 millisecond')`,
        [id, owner, gone, claimMs],
      )
      return changed > 0
    },

    async release(id, owner) {
      await db.change(
        `UPDATE ${schema}.jobs SET owner = NULL, owner_seen_at = NULL WHERE id = $1 AND owner = $2`,
        [id, owner],
      )
    },

    async pending(id) {
      const found = await db.rows<{ block_number: number }>(
        `SELECT block_number FROM ${schema}.blocks
         WHERE job_id = $1 AND block_hash IS NULL ORDER BY block_number`,
        [id],
      )
      return found.map(({ block_number }) => BigInt(block_number))
    },

    put: (id, block) => putBlock(db, schema, id, block),
    results: (id, from = 0n) => readBlocks(db, schema, id, from),
    remove: (id) => db.once(`DELETE FROM ${schema}.jobs WHERE id = $1`, [id], removeTimeoutMs),

    async size() {
      const [found] = await db.rows<{ bytes: number }>(
        `SELECT sum(pg_total_relation_size(oid))::int8 AS bytes FROM pg_class
         WHERE relnamespace = to_regnamespace($1) AND relkind = 'r'`,
        [schema],
      )
      return found?.bytes ?? 0
    },

    close: db.close,
  }
}

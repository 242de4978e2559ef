/**
 * Jobs and results in a schema of their own in Postgres, for coordinators and workers on any number of machines.
 */
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
import { putBlock, readBlocks, type Tables } from './postgres-blocks.js'
import { connectPostgres, type PostgresConnection } from './postgres-connection.js'
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

export function openPostgresStore(options: PostgresOptions): BacktestStore {
  return new PostgresStore(options)
}

class PostgresStore implements BacktestStore {
  readonly #schema: string
  readonly #db: PostgresConnection
  readonly #tables: Tables
  /** Columns of the jobs table that make an entry. */
  readonly #columns: string

  constructor({ databaseUrl, serviceName }: PostgresOptions) {
    const schema = `forkroute_${serviceName}`
    this.#schema = schema
    this.#db = connectPostgres(databaseUrl, schema)
    this.#tables = { db: this.#db, schema }
    this.#columns = `id, kind, name, chain_id, account, state, problem, blocks_total, owner,
    (extract(epoch FROM created_at) * 1000)::int8 AS created_at,
    (extract(epoch FROM finished_at) * 1000)::int8 AS finished_at,
    (SELECT count(*) FROM ${schema}.blocks WHERE job_id = id AND block_hash IS NOT NULL) AS blocks_done`
  }

  async add(
    plan: JobPlan,
    blocks: readonly bigint[],
    accountId: Hex,
    limits: AccountLimits,
  ): Promise<PlannedJob> {
    const schema = this.#schema
    const id = newJobId()
    await this.#db.transaction('BEGIN', async (client) => {
      // The lock makes each of the account's jobs that are added at the same time count the ones before it.
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
        `INSERT INTO ${schema}.jobs (id, kind, name, chain_id, plan, account, state, blocks_total)
         VALUES ($1, $2, $3, $4, $5, $6, 'queued', $7)`,
        [
          id,
          plan.kind ?? null,
          plan.name,
          plan.chainId,
          planToJson(plan),
          accountId,
          blocks.length,
        ],
      )
      await client.query(
        `INSERT INTO ${schema}.blocks (job_id, block_number) SELECT $1, unnest($2::int8[])`,
        [id, blocks.map(String)],
      )
    })
    return toJob((await this.#row(id)) as JobRow)
  }

  async job(id: string): Promise<PlannedJob | null> {
    const row = await this.#row(id)
    return row ? toJob(row) : null
  }

  async entry(id: string): Promise<BacktestEntry | null> {
    return (await this.#entries('id = $1', [id]))[0] ?? null
  }

  entries({ accountId, before = afterAll, limit }: ListQuery): Promise<BacktestEntry[]> {
    const text = '($1::text IS NULL OR account = $1) AND id < $2 ORDER BY id DESC LIMIT $3'
    return this.#entries(text, [accountId ?? null, before, limit])
  }

  open(): Promise<BacktestEntry[]> {
    return this.#entries("state IN ('queued', 'running') ORDER BY id")
  }

  async setState(
    id: string,
    state: JobState,
    problem: string | null = null,
    from?: readonly JobState[],
  ): Promise<boolean> {
    const isOver = ['finished', 'cancelled', 'failed'].includes(state)
    const changed = await this.#db.change(
      `UPDATE ${this.#schema}.jobs SET state = $2, problem = $3,
         finished_at = CASE WHEN $4 THEN date_trunc('milliseconds', now()) END
       WHERE id = $1 AND ($5::text[] IS NULL OR state = ANY ($5))`,
      [id, state, state === 'failed' ? problem : null, isOver, from ?? null],
    )
    return changed > 0
  }

  async claim(
    id: string,
    owner: string,
    isGone: (other: string) => boolean = () => false,
  ): Promise<boolean> {
    const schema = this.#schema
    const [other] = await this.#db.rows<{ owner: string | null }>(
      `SELECT owner FROM ${schema}.jobs WHERE id = $1`,
      [id],
    )
    const gone = other?.owner && isGone(other.owner) ? other.owner : null
    const changed = await this.#db.change(
      `UPDATE ${schema}.jobs SET owner = $2, owner_seen_at = now()
       WHERE id = $1 AND (owner IS NULL OR owner IN ($2, $3)
         OR owner_seen_at < now() - $4 * interval '1 millisecond')`,
      [id, owner, gone, claimMs],
    )
    return changed > 0
  }

  async release(id: string, owner: string): Promise<void> {
    await this.#db.change(
      `UPDATE ${this.#schema}.jobs SET owner = NULL, owner_seen_at = NULL WHERE id = $1 AND owner = $2`,
      [id, owner],
    )
  }

  async pending(id: string): Promise<bigint[]> {
    const found = await this.#db.rows<{ block_number: number }>(
      `SELECT block_number FROM ${this.#schema}.blocks
       WHERE job_id = $1 AND block_hash IS NULL ORDER BY block_number`,
      [id],
    )
    return found.map(({ block_number }) => BigInt(block_number))
  }

  put(id: string, block: JobBlock): Promise<boolean> {
    return putBlock(this.#tables, id, block)
  }

  results(id: string, from = 0n): AsyncIterable<JobBlock> {
    return readBlocks(this.#tables, id, from)
  }

  remove(id: string): Promise<void> {
    const text = `DELETE FROM ${this.#schema}.jobs WHERE id = $1`
    return this.#db.once(text, [id], removeTimeoutMs)
  }

  async size(): Promise<number> {
    const [found] = await this.#db.rows<{ bytes: number }>(
      `SELECT sum(pg_total_relation_size(oid))::int8 AS bytes FROM pg_class
       WHERE relnamespace = to_regnamespace($1) AND relkind = 'r'`,
      [this.#schema],
    )
    return found?.bytes ?? 0
  }

  close(): Promise<void> {
    return this.#db.close()
  }

  async #row(id: string): Promise<JobRow | undefined> {
    const text = `SELECT ${this.#columns}, plan::text AS plan FROM ${this.#schema}.jobs WHERE id = $1`
    return (await this.#db.rows<JobRow>(text, [id]))[0]
  }

  async #entries(condition: string, values: unknown[] = []): Promise<BacktestEntry[]> {
    const text = `SELECT ${this.#columns} FROM ${this.#schema}.jobs WHERE ${condition}`
    return (await this.#db.rows<EntryRow>(text, values)).map(toEntry)
  }
}

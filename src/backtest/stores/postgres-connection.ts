/**
 * The connections to Postgres, opened on first use: a problem with the database is an error of that call, and the next
 * call tries again.
 */
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { storageUnavailable } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import { inTransaction, migrateSchema } from './postgres-schema.js'

/** Twenty workers and two coordinators stay below the hundred that Postgres takes by default. */
const connections = 4
const connectTimeoutMs = 10_000
const queryTimeoutMs = 60_000
/** How long a query waits for a database that restarts. */
const patienceMs = 20_000
const retryMs = 500
const idleMs = 30_000

const int8 = 20
const lost = 'connection lost'

/** Methods throw ForkrouteError STORAGE_UNAVAILABLE. */
export interface PostgresConnection {
  /** A query for its effect, tried once, that may take longer than others. */
  once(text: string, values: readonly unknown[], timeoutMs: number): Promise<void>
  /** The rows of a query. Waits while the database restarts and may repeat the query, so it must be idempotent. */
  rows<T>(text: string, values?: readonly unknown[]): Promise<T[]>
  /** Runs like `rows`, and answers how many rows the statement changed. */
  change(text: string, values: readonly unknown[]): Promise<number>
  /** Tried once. @param begin - the statement that starts the transaction. */
  transaction<T>(begin: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** @param schema - made, or brought to this version, before the first query. */
export function connectPostgres(databaseUrl: string, schema: string): PostgresConnection {
  const pool = createPool(databaseUrl)
  let isClosed = false
  let migrated: Promise<void> | undefined
  async function ready(): Promise<void> {
    migrated ??= migrateSchema(pool, schema).catch((error: unknown) => {
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

  /** Like `guarded`, but waits while the database restarts and repeats the work, which must be idempotent. */
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

  return {
    async once(text, values, timeoutMs) {
      const query = { text, values: [...values], query_timeout: timeoutMs }
      await guarded(() => pool.query(query))
    },
    rows: (text, values = []) => patient(async () => (await pool.query(text, [...values])).rows),
    change: (text, values) =>
      patient(async () => (await pool.query(text, [...values])).rowCount ?? 0),
    transaction: (begin, work) => guarded(() => inTransaction(pool, begin, work)),
    async close() {
      if (isClosed) return
      isClosed = true
      await pool.end()
    },
  }
}

function createPool(databaseUrl: string): pg.Pool {
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
  // An error of an idle connection; the next query opens another.
  pool.on('error', () => {})
  return pool
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

/** The tables of backtests in Postgres: those of SQLite (docs/how-to/backtests.md), with types of their own for amounts and times. */
import type { Pool, PoolClient } from 'pg'
import { ForkrouteError } from '../../domain/errors.js'

/** Each of one more version; the name of the schema is put in. */
const migrations: readonly ((schema: string) => string)[] = [
  (s) => `
   CREATE TABLE ${s}.jobs (
     id text COLLATE "C" PRIMARY KEY,
     name text NOT NULL,
     chain_id int8 NOT NULL,
     plan json NOT NULL,
     state text NOT NULL CHECK (state IN ('queued', 'running', 'finished', 'cancelled', 'failed')),
     problem text,
     created_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
     finished_at timestamptz,
     blocks_total int4 NOT NULL,
     owner text,
     owner_seen_at timestamptz
   );
   CREATE TABLE ${s}.blocks (
     job_id text COLLATE "C" NOT NULL REFERENCES ${s}.jobs ON DELETE CASCADE,
     block_number int8 NOT NULL,
     block_hash text,
     "timestamp" int8,
     PRIMARY KEY (job_id, block_number)
   );
   CREATE INDEX blocks_done ON ${s}.blocks (job_id, block_number) WHERE block_hash IS NOT NULL;
   CREATE TABLE ${s}.routes (
     job_id text COLLATE "C" NOT NULL,
     block_number int8 NOT NULL,
     position int4 NOT NULL,
     request text NOT NULL,
     variant text NOT NULL,
     amounts_out numeric(78, 0)[],
     min_amounts_out numeric(78, 0)[],
     gas int8,
     gas_cost numeric(78, 0),
     gas_cost_usd float8,
     gas_cost_out numeric(78, 0),
     price_impact float8,
     price float8,
     path json,
     error_code text,
     error_message text,
     error_details json,
     milliseconds float8 NOT NULL,
     PRIMARY KEY (job_id, block_number, position),
     FOREIGN KEY (job_id, block_number) REFERENCES ${s}.blocks ON DELETE CASCADE
   );
   CREATE TABLE ${s}.executions (
     job_id text COLLATE "C" NOT NULL,
     block_number int8 NOT NULL,
     position int4 NOT NULL,
     delay int4 NOT NULL,
     request text NOT NULL,
     variant text NOT NULL,
     status text NOT NULL CHECK (status IN ('filled', 'reverted', 'unknown')),
     amounts_out numeric(78, 0)[],
     gas int8,
     reason text,
     PRIMARY KEY (job_id, block_number, position, delay),
     FOREIGN KEY (job_id, block_number) REFERENCES ${s}.blocks ON DELETE CASCADE
   );`,
  (s) => `
   ALTER TABLE ${s}.routes ADD COLUMN warnings json;
   ALTER TABLE ${s}.executions ADD COLUMN warnings json;`,
  (s) => `ALTER TABLE ${s}.routes ADD COLUMN crosschain json;`,
  // Postgres keeps a long plan beside its row by itself.
  (s) => `
   ALTER TABLE ${s}.jobs ADD COLUMN account text;
   CREATE INDEX open_jobs ON ${s}.jobs (id) WHERE state IN ('queued', 'running');
   CREATE INDEX jobs_by_account ON ${s}.jobs (account, id);`,
  (s) => `
   ALTER TABLE ${s}.jobs ADD COLUMN kind text;
   ALTER TABLE ${s}.blocks ADD COLUMN hindsight json;`,
]

/** Whoever changes a schema of ours holds this lock: any number that others are unlikely to use. */
const schemaLock = 7_305_911_402

/**
 * Creates the schema or brings it to this version; several processes may do so at the same time.
 * @throws ForkrouteError STORAGE_UNAVAILABLE when it is of a later version; what pg throws.
 */
export async function migrateSchema(pool: Pool, schema: string): Promise<void> {
  await inTransaction(pool, 'BEGIN', async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [schemaLock])
    const { rows } = await client.query(
      'SELECT to_regnamespace($1) IS NULL AS bare, to_regclass($2) IS NULL AS empty',
      [schema, `${schema}.schema_version`],
    )
    // Somebody with more rights may have made it for us.
    if (rows[0].bare) await client.query(`CREATE SCHEMA ${schema}`)
    if (rows[0].empty) {
      await client.query(`CREATE TABLE ${schema}.schema_version (version int4 NOT NULL)`)
      await client.query(`INSERT INTO ${schema}.schema_version VALUES (0)`)
    }
    const found = await client.query(`SELECT version FROM ${schema}.schema_version`)
    const version: number = found.rows[0].version
    if (version > migrations.length) {
      throw new ForkrouteError(
        'STORAGE_UNAVAILABLE',
        `The backtests in Postgres have schema version ${version}; this forkroute knows ${migrations.length}.`,
      )
    }
    for (const sql of migrations.slice(version)) await client.query(sql(schema))
    await client.query(`UPDATE ${schema}.schema_version SET version = $1`, [migrations.length])
  })
}

/** @param begin - the statement that starts it. */
export async function inTransaction<T>(
  pool: Pool,
  begin: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let problem: Error | undefined
  try {
    await client.query(begin)
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    // A connection whose state is not known is not used again, which rolls back.
    problem = error as Error
    throw error
  } finally {
    client.release(problem)
  }
}

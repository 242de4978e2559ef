/** Results of blocks in Postgres: written in one statement, read page by page. */
import type { JobBlock } from '../../domain/backtest.js'
import type { PostgresConnection } from './postgres-connection.js'
import {
  type BlockRow,
  blocksAtOnceLike,
  type ExecutionRow,
  type RouteRow,
  toBlock,
  toRows,
} from './store-rows.js'

export interface Tables {
  readonly db: PostgresConnection
  /** That holds them. */
  readonly schema: string
}

/** Ascending. */
export async function* readBlocks(
  tables: Tables,
  id: string,
  from: bigint,
): AsyncIterable<JobBlock> {
  let next = from
  for (let limit = 1; ; ) {
    const blocks = await readPage(tables, id, next, limit)
    yield* blocks
    const last = blocks.at(-1)
    if (!last || blocks.length < limit) return
    next = last.blockNumber + 1n
    limit = blocksAtOnceLike(last)
  }
}

function readPage(
  { db, schema }: Tables,
  id: string,
  from: bigint,
  limit: number,
): Promise<JobBlock[]> {
  // A job that is removed meanwhile is read as it was.
  return db.transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (client) => {
    const { rows: blocks } = await client.query<BlockRow>(
      `SELECT block_number, block_hash, "timestamp", hindsight::text FROM ${schema}.blocks
       WHERE job_id = $1 AND block_number >= $2 AND block_hash IS NOT NULL
       ORDER BY block_number LIMIT $3`,
      [id, String(from), limit],
    )
    const between = [id, String(from), blocks.at(-1)?.block_number ?? String(from)]
    const { rows: routes } = await client.query<RouteRow>(
      `SELECT block_number, position, request, variant, array_to_string(amounts_out, ',') AS amounts_out,
         array_to_string(min_amounts_out, ',') AS min_amounts_out, gas::text, gas_cost::text, gas_cost_usd,
         gas_cost_out::text, price_impact, price, path::text, error_code, error_message, error_details::text, milliseconds,
         warnings::text, crosschain::text
       FROM ${schema}.routes WHERE job_id = $1 AND block_number BETWEEN $2 AND $3
       ORDER BY block_number, position`,
      between,
    )
    const { rows: executions } = await client.query<ExecutionRow>(
      `SELECT block_number, position, delay, request, variant, status,
         array_to_string(amounts_out, ',') AS amounts_out, gas::text, reason, warnings::text
       FROM ${schema}.executions WHERE job_id = $1 AND block_number BETWEEN $2 AND $3
       ORDER BY block_number, position, delay`,
      between,
    )
    return blocks.map((block) => {
      const own = (row: { block_number: number }) => row.block_number === block.block_number
      return toBlock(block, routes.filter(own), executions.filter(own))
    })
  })
}

/** False, and nothing is written, where the block has its result already or the job is gone. */
export async function putBlock(
  { db, schema }: Tables,
  id: string,
  block: JobBlock,
): Promise<boolean> {
  const { routes, executions, hindsight } = toRows(block)
  // One statement, so all or nothing; who comes second finds the block filled.
  const [done] = await db.rows<{ count: number }>(
    `WITH filled AS (
       UPDATE ${schema}.blocks SET block_hash = $3, "timestamp" = $4, hindsight = $7
       WHERE job_id = $1 AND block_number = $2 AND block_hash IS NULL RETURNING 1
     ), added_routes AS (
       INSERT INTO ${schema}.routes
       SELECT $1, $2, position, request, variant, string_to_array(amounts_out, ',')::numeric(78, 0)[],
         string_to_array(min_amounts_out, ',')::numeric(78, 0)[], gas, gas_cost, gas_cost_usd, gas_cost_out, price_impact, price,
         path::json, error_code, error_message, error_details::json, milliseconds, warnings::json, crosschain::json
       FROM json_to_recordset($5) AS r (position int4, request text, variant text, amounts_out text,
         min_amounts_out text, gas int8, gas_cost numeric, gas_cost_usd float8, gas_cost_out numeric, price_impact float8, price float8,
         path text, error_code text, error_message text, error_details text, milliseconds float8, warnings text, crosschain text)
       WHERE EXISTS (SELECT FROM filled)
     ), added_executions AS (
       INSERT INTO ${schema}.executions
       SELECT $1, $2, position, delay, request, variant, status,
         string_to_array(amounts_out, ',')::numeric(78, 0)[], gas, reason, warnings::json
       FROM json_to_recordset($6) AS e (position int4, delay int4, request text, variant text, status text,
         amounts_out text, gas int8, reason text, warnings text)
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
      hindsight,
    ],
  )
  return (done?.count ?? 0) > 0
}

/** Replacer for texts that contracts made up: Postgres takes no NUL and no half of a surrogate pair. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/[\0\p{Surrogate}]/gu, '\ufffd') : value
}

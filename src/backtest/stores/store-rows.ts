/** Blocks of results as rows of the tables, and back. Pure. */
import type {
  BacktestEntry,
  BacktestRow,
  CrosschainRow,
  Execution,
  JobBlock,
  JobKind,
  JobState,
  PlannedJob,
} from '../../domain/backtest.js'
import { lengthOf } from '../../domain/backtest.js'
import { defined } from '../../domain/defined.js'
import type { ErrorCode } from '../../domain/errors.js'
import type { HindsightAnswer } from '../../domain/hindsight.js'
import type { Hex } from '../../domain/primitives.js'
import { fromJson, planFromJson, toJson } from '../../wire/json.js'

export interface EntryRow {
  id: string
  /** Null: a backtest. */
  kind: JobKind | null
  name: string
  chain_id: number
  account: Hex | null
  state: JobState
  problem: string | null
  created_at: number
  finished_at: number | null
  blocks_total: number
  blocks_done: number
  owner: string | null
  owner_seen_at: number | null
}

export interface JobRow extends EntryRow {
  plan: string
}

export interface BlockRow {
  block_number: number
  block_hash: Hex
  timestamp: number
  /** JSON as of `toJson`; null: the results are in the tables of backtests. */
  hindsight: string | null
}

export interface RouteRow {
  block_number: number
  position: number
  request: string
  variant: string
  amounts_out: string | null
  min_amounts_out: string | null
  gas: string | null
  gas_cost: string | null
  gas_cost_usd: number | null
  gas_cost_out: string | null
  price_impact: number | null
  price: number | null
  path: string | null
  error_code: string | null
  error_message: string | null
  error_details: string | null
  milliseconds: number
  warnings: string | null
  /** JSON as of `toJson`. */
  crosschain: string | null
}

export interface ExecutionRow {
  block_number: number
  position: number
  delay: number
  request: string
  variant: string
  status: Execution['status']
  amounts_out: string | null
  gas: string | null
  reason: string | null
  warnings: string | null
}

const rowsAtOnce = 2_000
const mostBlocksAtOnce = 50

/** How many blocks to read at once after this one, so that others get their turn: those of a job are about as long. */
export function blocksAtOnceLike(block: JobBlock): number {
  const rows = Math.max(1, lengthOf(block))
  return Math.min(mostBlocksAtOnce, Math.max(1, Math.floor(rowsAtOnce / rows)))
}

export function toJob(row: JobRow): PlannedJob {
  return { ...toEntry(row), plan: planFromJson(row.plan) }
}

export function toEntry(row: EntryRow): BacktestEntry {
  return {
    id: row.id,
    ...defined({ kind: row.kind ?? undefined }),
    name: row.name,
    chainId: row.chain_id,
    accountId: row.account,
    state: row.state,
    problem: row.problem,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    blocksTotal: row.blocks_total,
    blocksDone: row.blocks_done,
  }
}

/** What a block leaves in each table. */
export function toRows(block: JobBlock): {
  readonly routes: readonly RouteRow[]
  readonly executions: readonly ExecutionRow[]
  readonly hindsight: string | null
} {
  if (block.kind === 'hindsight') {
    const { transactions, warnings } = block
    return { routes: [], executions: [], hindsight: toJson({ transactions, warnings }) }
  }
  return {
    routes: block.rows.map(toRouteRow),
    executions: block.rows.flatMap((row, position) =>
      row.executions.map((execution) => toExecutionRow(row, position, execution)),
    ),
    hindsight: null,
  }
}

function toRouteRow(row: BacktestRow, position: number): RouteRow {
  const { outcome } = row
  const common = {
    block_number: Number(row.blockNumber),
    position,
    request: row.request,
    variant: row.variant,
    milliseconds: row.milliseconds,
  }
  return outcome.ok
    ? {
        ...common,
        amounts_out: toText(outcome.amountsOut),
        min_amounts_out: toText(outcome.minAmountsOut),
        gas: outcome.gas.toString(),
        gas_cost: outcome.gasCost.toString(),
        gas_cost_usd: outcome.gasCostUsd,
        gas_cost_out: outcome.gasCostOut?.toString() ?? null,
        price_impact: outcome.priceImpact,
        price: outcome.price,
        path: JSON.stringify(outcome.path),
        error_code: null,
        error_message: null,
        error_details: null,
        warnings: warningsText(outcome),
        crosschain: outcome.crosschain ? toJson(outcome.crosschain) : null,
      }
    : {
        ...common,
        amounts_out: null,
        min_amounts_out: null,
        gas: null,
        gas_cost: null,
        gas_cost_usd: null,
        gas_cost_out: null,
        price_impact: null,
        price: null,
        path: null,
        error_code: outcome.error.code,
        error_message: outcome.error.message,
        error_details: outcome.error.details ? JSON.stringify(outcome.error.details) : null,
        warnings: null,
        crosschain: null,
      }
}

function toExecutionRow(row: BacktestRow, position: number, execution: Execution): ExecutionRow {
  const common = {
    block_number: Number(row.blockNumber),
    position,
    delay: execution.delay,
    request: row.request,
    variant: row.variant,
    status: execution.status,
  }
  switch (execution.status) {
    case 'filled': {
      const { amountsOut, gas } = execution
      const found = { amounts_out: toText(amountsOut), gas: gas.toString(), reason: null }
      return { ...common, ...found, warnings: warningsText(execution) }
    }
    case 'reverted': {
      const { gas, reason } = execution
      const found = { amounts_out: null, gas: gas.toString(), reason }
      return { ...common, ...found, warnings: warningsText(execution) }
    }
    case 'unknown':
      return { ...common, amounts_out: null, gas: null, reason: execution.message, warnings: null }
  }
}

/** @param routes - of the block, by position. @param executions - of the block, by position, then delay. */
export function toBlock(
  { block_number, block_hash, timestamp, hindsight }: BlockRow,
  routes: readonly RouteRow[],
  executions: readonly ExecutionRow[],
): JobBlock {
  const facts = {
    blockNumber: BigInt(block_number),
    blockHash: block_hash,
    timestamp: BigInt(timestamp),
  }
  if (hindsight !== null) {
    return { kind: 'hindsight', ...facts, ...(fromJson(hindsight) as HindsightAnswer) }
  }
  const byPosition = new Map<number, Execution[]>()
  for (const row of executions) {
    const executionsOfRow = byPosition.get(row.position)
    if (executionsOfRow) executionsOfRow.push(toExecution(row))
    else byPosition.set(row.position, [toExecution(row)])
  }
  return {
    ...facts,
    rows: routes.map((row) => toRow(row, byPosition.get(row.position) ?? [])),
  }
}

function toRow(row: RouteRow, executions: readonly Execution[]): BacktestRow {
  return {
    blockNumber: BigInt(row.block_number),
    request: row.request,
    variant: row.variant,
    milliseconds: row.milliseconds,
    outcome:
      row.error_code === null
        ? {
            ok: true,
            amountsOut: fromText(row.amounts_out),
            minAmountsOut: fromText(row.min_amounts_out),
            gas: BigInt(row.gas ?? 0),
            gasCost: BigInt(row.gas_cost ?? 0),
            gasCostUsd: row.gas_cost_usd,
            gasCostOut: row.gas_cost_out === null ? null : BigInt(row.gas_cost_out),
            priceImpact: row.price_impact,
            price: row.price,
            path: JSON.parse(row.path ?? '[]'),
            ...warningsOf(row),
            ...(row.crosschain !== null && {
              crosschain: fromJson(row.crosschain) as CrosschainRow,
            }),
          }
        : {
            ok: false,
            error: {
              code: row.error_code as ErrorCode,
              message: row.error_message ?? '',
              ...(row.error_details && { details: JSON.parse(row.error_details) }),
            },
          },
    executions,
  }
}

function toExecution(row: ExecutionRow): Execution {
  const { delay, status, amounts_out, gas, reason } = row
  const gasFacts = { gas: BigInt(gas ?? 0), ...warningsOf(row) }
  switch (status) {
    case 'filled':
      return { delay, status, amountsOut: fromText(amounts_out), ...gasFacts }
    case 'reverted':
      return { delay, status, reason: reason ?? '', ...gasFacts }
    case 'unknown':
      return { delay, status, message: reason ?? '' }
  }
}

/** A JSON list; null: none. */
function warningsText({ warnings }: { readonly warnings?: readonly string[] }): string | null {
  return warnings ? JSON.stringify(warnings) : null
}

function warningsOf({ warnings }: { readonly warnings: string | null }) {
  return warnings === null ? {} : { warnings: JSON.parse(warnings) as string[] }
}

function toText(amounts: readonly bigint[]): string {
  return amounts.join(',')
}

function fromText(text: string | null): bigint[] {
  return text ? text.split(',').map(BigInt) : []
}

/** The tables of results, as CSV, Parquet and SQLite have them: a row per route sought, a row per execution. */
import type { BacktestBlock, BacktestPlan, Execution, PathPart } from '../../domain/backtest.js'
import type { LateDelivery } from '../../domain/bridges/terms.js'
import { amountOf, type ComparedRow, comparedRows } from '../comparison.js'
import { realisedCentiBps } from '../summary-cell.js'
import { deliveriesOf, shortfallCentiBps } from '../summary-deliveries.js'

/** `amount`: uint256 as decimal digits. `time`: unix seconds. `double`: also what is convenient but not exact. */
export interface Column {
  readonly name: string
  readonly type: 'text' | 'amount' | 'integer' | 'double' | 'boolean' | 'time'
}

export type Value = string | bigint | number | boolean | null
/** In the order of the columns. */
export type Record = readonly Value[]

export interface RecordTable<Block = BacktestBlock> {
  readonly columns: readonly Column[]
  recordsOf(block: Block): readonly Record[]
}

interface Source extends ComparedRow {
  readonly block: BacktestBlock
}
export type Field<S> = readonly [name: string, type: Column['type'], value: (source: S) => Value]

/** @param hasMilliseconds - false leaves out the one column that differs from run to run. */
export function routesTable(plan: BacktestPlan, hasMilliseconds: boolean): RecordTable {
  const fields = hasMilliseconds ? [...routeFields, milliseconds] : routeFields
  return tableOf(fields, (block) =>
    comparedRows(plan, block).flatMap((rows) => rows.map((compared) => ({ ...compared, block }))),
  )
}

export function executionsTable(plan: BacktestPlan): RecordTable {
  return tableOf(executionFields, (block) =>
    comparedRows(plan, block).flatMap((rows) =>
      rows.flatMap((compared) =>
        compared.row.executions.map((execution) => ({ ...compared, block, execution })),
      ),
    ),
  )
}

/** A row per delivery; none of rows that stay on their chain. */
export function deliveriesTable(plan: BacktestPlan): RecordTable {
  return tableOf(deliveryFields, (block) =>
    comparedRows(plan, block).flatMap((rows) =>
      rows.flatMap((compared) =>
        deliveriesOf(compared.row).map((delivery) => ({ ...compared, block, delivery })),
      ),
    ),
  )
}

const key: readonly Field<Source>[] = [
  ['block_number', 'integer', ({ block }) => block.blockNumber],
  ['request', 'text', ({ row }) => row.request],
  ['variant', 'text', ({ row }) => row.variant],
]

const routeFields: readonly Field<Source>[] = [
  ...key,
  ['block_hash', 'text', ({ block }) => block.blockHash],
  ['timestamp', 'time', ({ block }) => block.timestamp],
  ['ok', 'boolean', ({ row }) => row.outcome.ok],
  ['amounts_out', 'amount', ifFound(({ amountsOut }) => listOf(amountsOut))],
  ['amount_out', 'double', ({ row }) => approximate(amountOf(row))],
  ['min_amounts_out', 'amount', ifFound(({ minAmountsOut }) => listOf(minAmountsOut))],
  ['gas', 'integer', ifFound(({ gas }) => gas)],
  ['gas_cost_wei', 'amount', ifFound(({ gasCost }) => gasCost.toString())],
  ['gas_cost_usd', 'double', ifFound(({ gasCostUsd }) => gasCostUsd)],
  ['gas_cost_out', 'amount', ({ comparison }) => comparison.gasOut?.toString() ?? null],
  ['price', 'double', ifFound(({ price }) => price)],
  ['price_impact_bps', 'double', ifFound(({ priceImpact }) => priceImpact)],
  ['regret_bps', 'double', ({ comparison }) => bps(comparison.regret)],
  ['regret_after_gas_bps', 'double', ({ comparison }) => bps(comparison.regretAfterGas)],
  ['edge_bps', 'double', ({ comparison }) => bps(comparison.edge)],
  ['edge_after_gas_bps', 'double', ({ comparison }) => bps(comparison.edgeAfterGas)],
  ['path', 'text', ifFound(({ path }) => pathOf(path))],
  ['error_code', 'text', ({ row: { outcome } }) => (outcome.ok ? null : outcome.error.code)],
  ['error_message', 'text', ({ row: { outcome } }) => (outcome.ok ? null : outcome.error.message)],
  ['warnings', 'text', ifFound(warningsOf)],
  ['bridge', 'text', ifFound(({ crosschain }) => crosschain?.bridge ?? null)],
  [
    'destination_block',
    'integer',
    ifFound(({ crosschain }) => crosschain?.destinationBlock ?? null),
  ],
  [
    'bridge_fee_wei',
    'amount',
    ifFound(({ crosschain }) => crosschain?.bridgeFee.toString() ?? null),
  ],
]

const milliseconds: Field<Source> = ['milliseconds', 'double', ({ row }) => row.milliseconds]

type ExecutionSource = Source & { readonly execution: Execution }
const executionFields: readonly Field<ExecutionSource>[] = [
  ...key,
  ['delay', 'integer', ({ execution }) => BigInt(execution.delay)],
  [
    'executed_block',
    'integer',
    ({ block, execution }) => block.blockNumber + BigInt(execution.delay),
  ],
  ['status', 'text', ({ execution }) => execution.status],
  [
    'amounts_out',
    'amount',
    ({ execution }) => (execution.status === 'filled' ? listOf(execution.amountsOut) : null),
  ],
  [
    'amount_out',
    'double',
    ({ execution }) =>
      execution.status === 'filled' && execution.amountsOut.length === 1
        ? approximate(execution.amountsOut[0] ?? null)
        : null,
  ],
  ['realised_bps', 'double', ({ row, execution }) => bps(realisedCentiBps(row, execution))],
  ['gas', 'integer', ({ execution }) => (execution.status === 'unknown' ? null : execution.gas)],
  ['reason', 'text', ({ execution }) => reasonOf(execution)],
  [
    'warnings',
    'text',
    ({ execution }) => (execution.status === 'unknown' ? null : warningsOf(execution)),
  ],
]

type DeliverySource = Source & { readonly delivery: LateDelivery }
const deliveryFields: readonly Field<DeliverySource>[] = [
  ...key,
  ['seconds', 'integer', ({ delivery }) => BigInt(delivery.seconds)],
  [
    'delivered_block',
    'integer',
    ({ delivery }) => (delivery.status === 'unknown' ? null : delivery.blockNumber),
  ],
  ['status', 'text', ({ delivery }) => delivery.status],
  ['amount_quoted', 'amount', ({ row }) => amountOf(row)?.toString() ?? null],
  [
    'amount_out',
    'amount',
    ({ delivery }) => (delivery.status === 'delivered' ? delivery.amount.toString() : null),
  ],
  ['shortfall_bps', 'double', ({ row, delivery }) => bps(shortfallCentiBps(row, delivery))],
  [
    'fallback_token',
    'text',
    ({ delivery }) => (delivery.status === 'fallback' ? delivery.token : null),
  ],
  [
    'fallback_amount',
    'amount',
    ({ delivery }) => (delivery.status === 'fallback' ? delivery.amount.toString() : null),
  ],
  ['reason', 'text', ({ delivery }) => deliveryReason(delivery)],
]

type Found = Extract<Source['row']['outcome'], { ok: true }>

function ifFound(value: (outcome: Found) => Value): (source: Source) => Value {
  return ({ row: { outcome } }) => (outcome.ok ? value(outcome) : null)
}

export function tableOf<S, Block = BacktestBlock>(
  fields: readonly Field<S>[],
  sourcesOf: (block: Block) => readonly S[],
): RecordTable<Block> {
  return {
    columns: fields.map(([name, type]) => ({ name, type })),
    recordsOf: (block) =>
      sourcesOf(block).map((source) => fields.map(([, , value]) => value(source))),
  }
}

function deliveryReason(delivery: LateDelivery): string | null {
  if (delivery.status === 'delivered') return null
  return delivery.status === 'unknown' ? delivery.message : delivery.reason
}

function reasonOf(execution: Execution): string | null {
  if (execution.status === 'filled') return null
  return execution.status === 'reverted' ? execution.reason : execution.message
}

/** Sentences with a space between them; null: none. */
function warningsOf({ warnings }: { readonly warnings?: readonly string[] }): string | null {
  return warnings ? warnings.join(' ') : null
}

/** Several outputs are separated by semicolons. */
const listOf = (amounts: readonly bigint[]) => amounts.join(';')
const approximate = (amount: bigint | null) => (amount === null ? null : Number(amount))
const bps = (centi: number | null) => (centi === null ? null : centi / 100)
const pathOf = (path: readonly PathPart[]) =>
  path.map(({ protocol, pool, shareBps }) => `${protocol}:${pool}:${shareBps}`).join(';')

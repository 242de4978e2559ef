/** Schemas of the API's answers about backtests, and conversion of domain values to them. */
import { z } from 'zod'
import type {
  BacktestRow,
  CrosschainRow,
  Execution,
  JobBlock,
  JobProgress,
  PlannedJob,
} from '../../domain/backtest.js'
import type { LateDelivery } from '../../domain/bridges/terms.js'
import { defined } from '../../domain/defined.js'
import { toPlanRecord } from '../../wire/plan.js'
import { errorFacts } from '../errors.js'
import { HindsightTransaction, toHindsight } from './hindsight-records.js'
import { BacktestEntry, jobProgress, toEntry } from './job-entry.js'

const Raw = z.string().regex(/^\d+$/).meta({ description: 'Smallest unit, decimal string.' })
export const BacktestList = z
  .array(BacktestEntry)
  .meta({ id: 'BacktestList', description: 'Newest first.' })

export const Backtest = z
  .object({
    ...BacktestEntry.shape,
    plan: z
      .record(z.string(), z.unknown())
      .meta({ description: 'As it was understood: blocks as numbers, every default filled in.' }),
  })
  .meta({ id: 'Backtest' })

export const BacktestProgress = z
  .object({ ...jobProgress, etaSeconds: z.number().nullable() })
  .meta({ id: 'BacktestProgress' })

const execution = z.object({
  delay: z.int().meta({ description: 'Blocks after the one of the row.' }),
  status: z.enum(['filled', 'reverted', 'unknown']),
  amountsOut: z.array(Raw).optional(),
  gas: Raw.optional(),
  reason: z.string().optional(),
  warnings: z.array(z.string()).optional(),
})

const delivery = z.object({
  seconds: z.int().meta({ description: 'After the block of the row.' }),
  status: z.enum(['delivered', 'fallback', 'reverted', 'unknown']),
  blockNumber: z.int().optional().meta({ description: 'Of the destination.' }),
  amount: Raw.optional(),
  token: z.string().optional().meta({ description: 'Of a fallback: that of the bridge.' }),
  reason: z.string().optional(),
})

const row = z.object({
  request: z.string(),
  variant: z.string(),
  milliseconds: z.number(),
  amountsOut: z.array(Raw).optional(),
  minAmountsOut: z.array(Raw).optional(),
  gas: Raw.optional(),
  gasCost: Raw.optional(),
  gasCostUsd: z.number().nullable().optional(),
  gasCostOut: Raw.nullable().optional(),
  priceImpact: z.number().nullable().optional(),
  price: z.number().nullable().optional(),
  path: z
    .array(z.object({ protocol: z.string(), pool: z.string(), shareBps: z.number() }))
    .optional(),
  warnings: z.array(z.string()).optional(),
  crosschain: z
    .object({
      bridge: z.string().meta({ description: 'Slug.' }),
      destinationBlockNumber: z
        .int()
        .meta({ description: 'At which the request was quoted: the newest not after the block.' }),
      bridgeFee: Raw,
      deliveries: z
        .array(delivery)
        .meta({ description: 'In the order of deliverySeconds; one where the plan has none.' }),
    })
    .optional()
    .meta({ description: 'Of a request with another destinationChainId.' }),
  error: z.record(z.string(), z.unknown()).optional(),
  executions: z.array(execution),
})

export const BacktestPage = z
  .object({
    blocks: z.array(
      z.object({
        blockNumber: z.int(),
        blockHash: z.string(),
        timestamp: z.int(),
        rows: z.array(row).meta({ description: 'Of hindsight none.' }),
        transactions: z
          .array(HindsightTransaction)
          .optional()
          .meta({ description: 'Of hindsight only, in the order of the block.' }),
        warnings: z
          .array(z.string())
          .optional()
          .meta({ description: 'Of hindsight only; absent: none.' }),
      }),
    ),
    next: z.int().nullable().meta({ description: 'Block from which to ask on; null at the end.' }),
  })
  .meta({ id: 'BacktestPage' })

export function toBacktest(job: PlannedJob): z.output<typeof Backtest> {
  return { ...toEntry(job), plan: { ...toPlanRecord(job.plan) } }
}

export function toProgress(facts: JobProgress): z.output<typeof BacktestProgress> {
  const { state, problem, blocksTotal, blocksDone, etaSeconds } = facts
  return { state, problem, blocksTotal, blocksDone, etaSeconds }
}

export function toPage(
  blocks: readonly JobBlock[],
  next: bigint | null,
): z.output<typeof BacktestPage> {
  return {
    blocks: blocks.map((block) => ({
      blockNumber: Number(block.blockNumber),
      blockHash: block.blockHash,
      timestamp: Number(block.timestamp),
      ...(block.kind === 'hindsight'
        ? { rows: [], ...toHindsight(block) }
        : { rows: block.rows.map(toRow) }),
    })),
    next: next === null ? null : Number(next),
  }
}

function toRow({ request, variant, milliseconds, outcome, executions }: BacktestRow) {
  const common = { request, variant, milliseconds }
  const done = executions.map(toExecution)
  if (!outcome.ok) return { ...common, error: errorFacts(outcome.error), executions: done }
  return {
    ...common,
    amountsOut: outcome.amountsOut.map(String),
    minAmountsOut: outcome.minAmountsOut.map(String),
    gas: outcome.gas.toString(),
    gasCost: outcome.gasCost.toString(),
    gasCostUsd: outcome.gasCostUsd,
    gasCostOut: outcome.gasCostOut?.toString() ?? null,
    priceImpact: outcome.priceImpact,
    price: outcome.price,
    path: outcome.path.map((part) => ({ ...part })),
    ...defined({
      warnings: outcome.warnings && [...outcome.warnings],
      crosschain: outcome.crosschain && toCrosschainRow(outcome.crosschain),
    }),
    executions: done,
  }
}

function toCrosschainRow({ bridge, destinationBlock, bridgeFee, deliveries }: CrosschainRow) {
  return {
    bridge,
    destinationBlockNumber: Number(destinationBlock),
    bridgeFee: bridgeFee.toString(),
    deliveries: deliveries.map(toDelivery),
  }
}

function toDelivery(one: LateDelivery) {
  const { seconds, status } = one
  if (one.status === 'unknown') return { seconds, status, reason: one.message }
  const common = { seconds, status, blockNumber: Number(one.blockNumber) }
  if (one.status === 'reverted') return { ...common, reason: one.reason }
  const amount = one.amount.toString()
  return one.status === 'delivered'
    ? { ...common, amount }
    : { ...common, token: one.token, amount, reason: one.reason }
}

function toExecution(one: Execution) {
  const { delay, status } = one
  if (one.status === 'unknown') return { delay, status, reason: one.message }
  const gas = one.gas.toString()
  const warnings = one.warnings && { warnings: [...one.warnings] }
  return one.status === 'filled'
    ? { delay, status, amountsOut: one.amountsOut.map(String), gas, ...warnings }
    : { delay, status, gas, reason: one.reason, ...warnings }
}

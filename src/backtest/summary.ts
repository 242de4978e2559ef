/**
 * The summary of a backtest: per variant, per request, and per request and variant. docs/how-to/backtest-report.md has the
 * definitions. Blocks come one by one and are not kept. Kept are up to one number per row and measure, for the
 * quantiles, and executions at blocks that are still to come.
 */
import { setImmediate } from 'node:timers/promises'
import type { BacktestBlock, BacktestJob, ResultOptions } from '../domain/backtest.js'
import { amountOf, centiBps, comparedRows } from './comparison.js'
import {
  addRow,
  type Cell,
  createCell,
  type GroupSummary,
  summariseCells,
  type VenueShare,
  venuesOf,
} from './summary-cell.js'
import { deliveryMoments } from './summary-deliveries.js'

export interface BacktestSummary {
  /** Blocks with results, and the first and last of them; null without any. */
  readonly blocks: number
  readonly firstBlock: number | null
  readonly lastBlock: number | null
  /** In the order of the plan. */
  readonly variants: readonly (GroupSummary & {
    readonly variant: string
    readonly venues: readonly VenueShare[]
  })[]
  /** Over all variants. */
  readonly requests: readonly (GroupSummary & { readonly request: string })[]
  readonly cells: readonly (GroupSummary & {
    readonly request: string
    readonly variant: string
  })[]
}

/** A summary in the making. */
export interface Summariser {
  /** Blocks in ascending order. */
  add(block: BacktestBlock): void
  /** Sorts what may be many numbers: others get their turn in between. */
  finish(): Promise<BacktestSummary>
}

/** @param blocks - ascending. */
export async function summarise(
  job: Pick<BacktestJob, 'plan'>,
  blocks: AsyncIterable<BacktestBlock>,
  options: ResultOptions = {},
): Promise<BacktestSummary> {
  const summariser = createSummariser(job, options)
  for await (const block of blocks) summariser.add(block)
  return summariser.finish()
}

export function createSummariser(
  { plan }: Pick<BacktestJob, 'plan'>,
  { reproducible = false }: ResultOptions = {},
): Summariser {
  const shape = { delays: plan.delays, moments: deliveryMoments(plan) }
  const cells = new Map<string, Cell>()
  const cellOf = (request: string, variant: string): Cell => {
    const key = JSON.stringify([request, variant])
    const known = cells.get(key) ?? createCell(shape)
    cells.set(key, known)
    return known
  }
  const pending = createPendingExecutions(plan.delays, cellOf)
  let blocks = 0
  let firstBlock: number | null = null
  let lastBlock: number | null = null
  return {
    add(block) {
      blocks += 1
      firstBlock ??= Number(block.blockNumber)
      lastBlock = Number(block.blockNumber)
      pending.settle(block)
      for (const compared of comparedRows(plan, block)) {
        const any = compared.some(({ row }) => row.outcome.ok)
        const baseline = compared.find(({ row }) => row.variant === plan.baseline)
        for (const { row, comparison } of compared) {
          addRow(cellOf(row.request, row.variant), row, comparison, {
            any,
            baseline: baseline && baseline.row !== row ? baseline.row.outcome.ok : null,
          })
        }
      }
      pending.expect(block)
    },
    async finish() {
      const group = async (parts: readonly Cell[]) => {
        await setImmediate()
        return summariseCells(parts, shape, !reproducible)
      }
      const requests = plan.requests.map(({ name }) => name)
      const variants = plan.variants.map(({ name }) => name)
      return {
        blocks,
        firstBlock,
        lastBlock,
        variants: await inTurn(variants, async (variant) => {
          const parts = requests.map((request) => cellOf(request, variant))
          return { variant, ...(await group(parts)), venues: venuesOf(parts) }
        }),
        requests: await inTurn(requests, async (request) => ({
          request,
          ...(await group(variants.map((variant) => cellOf(request, variant)))),
        })),
        cells: await inTurn(
          requests.flatMap((request) => variants.map((variant) => ({ request, variant }))),
          async (key) => ({ ...key, ...(await group([cellOf(key.request, key.variant)])) }),
        ),
      }
    },
  }
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}

/**
 * What was delivered at a later block waits for the quote that the same variant gives there: both are of the state at the
 * end of that block, so their difference is the cost of the transaction's age alone.
 */
function createPendingExecutions(
  delays: readonly number[],
  cellOf: (request: string, variant: string) => Cell,
) {
  const waiting = new Map<bigint, { cell: Cell; index: number; delivered: bigint }[]>()
  return {
    expect({ blockNumber, rows }: BacktestBlock): void {
      for (const row of rows) {
        for (const [index, execution] of row.executions.entries()) {
          const delay = delays[index]
          if (execution.status !== 'filled' || delay === undefined || amountOf(row) === null)
            continue
          const [delivered] = execution.amountsOut
          if (delivered === undefined) continue
          const target = blockNumber + BigInt(delay)
          const known = waiting.get(target) ?? []
          known.push({ cell: cellOf(row.request, row.variant), index, delivered })
          waiting.set(target, known)
        }
      }
    },
    settle({ blockNumber, rows }: BacktestBlock): void {
      const due = waiting.get(blockNumber) ?? []
      for (const target of waiting.keys()) if (target <= blockNumber) waiting.delete(target)
      if (due.length === 0) return
      const fresh = new Map(rows.map((row) => [cellOf(row.request, row.variant), amountOf(row)]))
      for (const { cell, index, delivered } of due) {
        const amount = fresh.get(cell) ?? null
        const cost = amount === null ? null : centiBps(amount - delivered, amount)
        if (cost !== null) cell.delays[index]?.staleness.push(cost)
      }
    },
  }
}

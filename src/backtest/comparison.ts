/** Compares a row with the others of the same block and request. docs/how-to/backtest-report.md has the definitions. */
import { chainById } from '../chains/registry.js'
import type { BacktestBlock, BacktestPlan, BacktestRow, PlanRequest } from '../domain/backtest.js'
import { type Address, centiBpsDenominator, isNative } from '../domain/primitives.js'

/** In hundredths of a basis point, rounded to the nearest, halves away from zero; null where there is nothing to compare. */
export interface RowComparison {
  /** Behind the best variant of the same block and request; never negative. */
  readonly regret: number | null
  readonly regretAfterGas: number | null
  /** Over the baseline; negative where it is worse. Null for the baseline itself. */
  readonly edge: number | null
  readonly edgeAfterGas: number | null
  /** Gas in raw units of tokenOut, rounded up; null where its price is not known. */
  readonly gasOut: bigint | null
  /** What a row of the baseline is compared by: -1, 0, 1 as less, as much, more than the baseline gives. */
  readonly sign: -1 | 0 | 1 | null
  readonly signAfterGas: -1 | 0 | 1 | null
}

const nothing: RowComparison = {
  regret: null,
  regretAfterGas: null,
  edge: null,
  edgeAfterGas: null,
  gasOut: null,
  sign: null,
  signAfterGas: null,
}

/** `part` of `whole` in hundredths of a basis point, to the nearest, halves away from zero; null when `whole` is 0. */
export function centiBps(part: bigint, whole: bigint): number | null {
  if (whole <= 0n) return null
  const scaled = (part < 0n ? -part : part) * 2n * centiBpsDenominator
  const rounded = (scaled + whole) / (2n * whole)
  return part < 0n ? -Number(rounded) : Number(rounded)
}

/** The amount of a row that can be compared: of the only tokenOut; null without a route, or with several. */
export function amountOf(row: BacktestRow): bigint | null {
  const amounts = row.outcome.ok ? row.outcome.amountsOut : []
  return amounts.length === 1 ? (amounts[0] ?? null) : null
}

/**
 * Compares the rows of one block and request.
 *
 * @param rows - one per variant.
 * @returns One per row, in the same order.
 */
export function compareRows(
  plan: Pick<BacktestPlan, 'chainId' | 'baseline'>,
  request: PlanRequest,
  rows: readonly BacktestRow[],
): readonly RowComparison[] {
  const amounts = rows.map(amountOf)
  const best = maximum(amounts)
  if (best === null) return rows.map(() => nothing)
  const gas = rows.map((row) => gasInTokenOut(plan.chainId, request, row, best))
  const nets = amounts.map((amount, index) => minus(amount, gas[index] ?? null))
  const bestNet = maximum(nets)
  const at = rows.findIndex(({ variant }) => variant === plan.baseline)
  const baseline = amounts[at] ?? null
  const baselineNet = nets[at] ?? null
  return rows.map((_, index) => {
    const amount = amounts[index] ?? null
    const net = nets[index] ?? null
    const gain = index === at ? null : minus(amount, baseline)
    const netGain = index === at ? null : minus(net, baselineNet)
    return {
      regret: share(minus(best, amount), best),
      regretAfterGas: share(minus(bestNet, net), best),
      edge: share(gain, baseline),
      edgeAfterGas: share(netGain, baseline),
      gasOut: amount === null ? null : (gas[index] ?? null),
      sign: gain === null ? null : signOf(gain),
      signAfterGas: netGain === null ? null : signOf(netGain),
    }
  })
}

/** A row, and its comparison with the others of the same block and request. */
export interface ComparedRow {
  readonly row: BacktestRow
  readonly comparison: RowComparison
}

/** The rows of a block with their comparisons, by request in the order of the plan; each in the order of the block. */
export function comparedRows(
  plan: BacktestPlan,
  block: BacktestBlock,
): readonly (readonly ComparedRow[])[] {
  const rowsOf = new Map<string, BacktestRow[]>(plan.requests.map(({ name }) => [name, []]))
  for (const row of block.rows) rowsOf.get(row.request)?.push(row)
  return plan.requests.map((request) => {
    const rows = rowsOf.get(request.name) ?? []
    return compareRows(plan, request, rows).flatMap((comparison, index) => {
      const row = rows[index]
      return row ? [{ row, comparison }] : []
    })
  })
}

/**
 * Gas, and the fee of a bridge, in raw units of tokenOut. For a native tokenOut: the wei themselves. Otherwise as the row gives it, or, for a
 * request that pays with native only, converted at the price of the best variant.
 */
function gasInTokenOut(
  chainId: number,
  { request }: PlanRequest,
  { outcome }: BacktestRow,
  best: bigint,
): bigint | null {
  if (!outcome.ok) return null
  const { crosschain } = outcome
  const wrapped = chainById(chainId)?.wrappedNative
  const isNativeOrWrapped = (token: Address | undefined) =>
    token !== undefined && (isNative(token) || token === wrapped)
  if (!crosschain && isNativeOrWrapped(request.tokensOut[0])) return outcome.gasCost
  if (outcome.gasCostOut !== undefined && outcome.gasCostOut !== null) return outcome.gasCostOut
  const [input, ...others] = request.inputs
  if (!input?.amount || others.length || !isNativeOrWrapped(input.token)) return null
  const cost = outcome.gasCost + (crosschain?.bridgeFee ?? 0n)
  return (cost * best + input.amount - 1n) / input.amount
}

const minus = (a: bigint | null, b: bigint | null) => (a === null || b === null ? null : a - b)
const share = (part: bigint | null, whole: bigint | null) =>
  part === null || whole === null ? null : centiBps(part, whole)
const signOf = (value: bigint): -1 | 0 | 1 => (value > 0n ? 1 : value < 0n ? -1 : 0)

function maximum(values: readonly (bigint | null)[]): bigint | null {
  return values.reduce<bigint | null>(
    (most, value) => (value !== null && (most === null || value > most) ? value : most),
    null,
  )
}

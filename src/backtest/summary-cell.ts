/** Collects the figures of one request by one variant (a cell), and summarises one or several cells. */
import type { BacktestRow, Execution, PathPart } from '../domain/backtest.js'
import { amountOf, centiBps, type RowComparison } from './comparison.js'
import { type Distribution, distributionOf, roundTo } from './sample.js'
import {
  addDeliveries,
  createDeliveryCell,
  type DeliveryCell,
  type DeliverySummary,
  summariseDeliveries,
} from './summary-deliveries.js'

/** Against the baseline, over rows where both have a route. */
export interface Wins {
  readonly wins: number
  readonly ties: number
  readonly losses: number
}

export interface DelaySummary {
  /** Blocks. */
  readonly delay: number
  readonly filled: number
  readonly reverted: number
  readonly unknown: number
  /** filled / (filled + reverted), 0 to 1; null when neither. */
  readonly fillRate: number | null
  /** Basis points of what was delivered over what was quoted; filled only. */
  readonly realised: Distribution | null
  /** Basis points of what was delivered below a fresh quote at the block of execution; filled only. */
  readonly staleness: Distribution | null
}

/** Distributions are null where nothing could be measured; basis points unless said otherwise. */
export interface GroupSummary {
  readonly rows: number
  /** Rows with a route. */
  readonly routes: number
  /** Rows without, where another variant has one at the same block. */
  readonly missed: number
  /** Error code to number of rows, by code. */
  readonly errors: Readonly<Record<string, number>>
  readonly regret: Distribution | null
  readonly regretAfterGas: Distribution | null
  /** For each limit, the share of rows with a regret whose regret is at most so many basis points. */
  readonly regretShares: readonly { readonly atMostBps: number; readonly share: number }[]
  readonly edge: Distribution | null
  readonly edgeAfterGas: Distribution | null
  /** Null where nothing is compared, as of the baseline itself. */
  readonly againstBaseline: Wins | null
  readonly againstBaselineAfterGas: Wins | null
  /** Rows with a route where the baseline has none, and the other way round. */
  readonly onlyHere: number
  readonly onlyBaseline: number
  /** How far the minimum is below what was quoted, as the transaction enforces it. */
  readonly allowedSlippage: Distribution | null
  /** In the order of the plan. */
  readonly delays: readonly DelaySummary[]
  /** In the order of the plan; none where all requests stay on their chain. */
  readonly deliveries: readonly DeliverySummary[]
  /** Units of gas. */
  readonly gas: Distribution | null
  /** Wall time; absent in reproducible outputs, because no run repeats it. */
  readonly milliseconds?: Distribution | null
}

/** Share of the amounts that a protocol swaps, hops counted alike; 0 to 1. */
export interface VenueShare {
  readonly protocol: string
  readonly share: number
}

const regretThresholdsBps = [0, 0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000]

interface DelayCell {
  filled: number
  reverted: number
  unknown: number
  readonly realised: number[]
  readonly staleness: number[]
}

export interface Cell {
  rows: number
  routes: number
  missed: number
  onlyHere: number
  onlyBaseline: number
  readonly errors: Map<string, number>
  readonly regret: number[]
  readonly regretAfterGas: number[]
  readonly edge: number[]
  readonly edgeAfterGas: number[]
  readonly wins: Record<-1 | 0 | 1, number>
  readonly winsAfterGas: Record<-1 | 0 | 1, number>
  readonly allowedSlippage: number[]
  readonly gas: number[]
  readonly milliseconds: number[]
  readonly delays: readonly DelayCell[]
  readonly deliveries: readonly DeliveryCell[]
  /** Sum over rows of each protocol's share of the row. */
  readonly venues: Map<string, number>
}

/** What a plan says of the cells of its rows. */
export interface CellShape {
  readonly delays: readonly number[]
  /** The plan's `deliveryMoments`. */
  readonly moments: readonly (number | null)[]
}

export function createCell({ delays, moments }: CellShape): Cell {
  return {
    rows: 0,
    routes: 0,
    missed: 0,
    onlyHere: 0,
    onlyBaseline: 0,
    errors: new Map(),
    regret: [],
    regretAfterGas: [],
    edge: [],
    edgeAfterGas: [],
    wins: { [-1]: 0, 0: 0, 1: 0 },
    winsAfterGas: { [-1]: 0, 0: 0, 1: 0 },
    allowedSlippage: [],
    gas: [],
    milliseconds: [],
    delays: delays.map(() => ({
      filled: 0,
      reverted: 0,
      unknown: 0,
      realised: [],
      staleness: [],
    })),
    deliveries: moments.map(createDeliveryCell),
    venues: new Map(),
  }
}

/** @param beside - whether a variant has a route at the block; `baseline` is null for the baseline's own row. */
export function addRow(
  cell: Cell,
  row: BacktestRow,
  comparison: RowComparison,
  beside: { readonly any: boolean; readonly baseline: boolean | null },
): void {
  cell.rows += 1
  cell.milliseconds.push(row.milliseconds)
  const { outcome } = row
  if (outcome.ok) {
    cell.routes += 1
    cell.gas.push(Number(outcome.gas))
    for (const [protocol, share] of venueShares(outcome.path)) add(cell.venues, protocol, share)
    if (beside.baseline === false) cell.onlyHere += 1
  } else {
    add(cell.errors, outcome.error.code, 1)
    if (beside.any) cell.missed += 1
    if (beside.baseline === true) cell.onlyBaseline += 1
  }
  for (const measure of ['regret', 'regretAfterGas', 'edge', 'edgeAfterGas'] as const) {
    const value = comparison[measure]
    if (value !== null) cell[measure].push(value)
  }
  const allowed = allowedCentiBps(row)
  if (allowed !== null) cell.allowedSlippage.push(allowed)
  if (comparison.sign !== null) cell.wins[comparison.sign] += 1
  if (comparison.signAfterGas !== null) cell.winsAfterGas[comparison.signAfterGas] += 1
  for (const [index, execution] of row.executions.entries()) {
    const delay = cell.delays[index]
    if (!delay) continue
    delay[execution.status] += 1
    const realised = realisedCentiBps(row, execution)
    if (realised !== null) delay.realised.push(realised)
  }
  addDeliveries(cell.deliveries, row)
}

/** What was quoted above the minimum, in hundredths of a basis point; null without a route, or with several tokenOut. */
function allowedCentiBps(row: BacktestRow): number | null {
  const quoted = amountOf(row)
  const [minimum] = row.outcome.ok ? row.outcome.minAmountsOut : []
  return quoted === null || minimum === undefined ? null : centiBps(quoted - minimum, quoted)
}

/** What was delivered over what was quoted, in hundredths of a basis point; null unless filled with one tokenOut. */
export function realisedCentiBps(row: BacktestRow, execution: Execution): number | null {
  const quoted = amountOf(row)
  if (execution.status !== 'filled' || quoted === null) return null
  const [delivered] = execution.amountsOut
  return delivered === undefined ? null : centiBps(delivered - quoted, quoted)
}

/** Each part weighs as its share of its step, each step as much as another; the shares of a path sum up to 1. */
function venueShares(path: readonly PathPart[]): ReadonlyMap<string, number> {
  const total = path.reduce((sum, { shareBps }) => sum + shareBps, 0)
  const shares = new Map<string, number>()
  if (total > 0) for (const part of path) add(shares, part.protocol, part.shareBps / total)
  return shares
}

/** The summary over the rows of all cells. */
export function summariseCells(
  cells: readonly Cell[],
  { delays, moments }: CellShape,
  hasMilliseconds: boolean,
): GroupSummary {
  const count = (of: (cell: Cell) => number) => cells.reduce((sum, cell) => sum + of(cell), 0)
  const values = (of: (cell: Cell) => readonly number[]) => cells.flatMap(of)
  const bps = (of: (cell: Cell) => readonly number[]) => distributionOf(values(of), 100)
  const errors = new Map<string, number>()
  for (const cell of cells) for (const [code, rows] of cell.errors) add(errors, code, rows)
  return {
    rows: count((cell) => cell.rows),
    routes: count((cell) => cell.routes),
    missed: count((cell) => cell.missed),
    errors: Object.fromEntries([...errors].sort(([a], [b]) => (a < b ? -1 : 1))),
    regret: bps((cell) => cell.regret),
    regretAfterGas: bps((cell) => cell.regretAfterGas),
    regretShares: regretShares(values((cell) => cell.regret)),
    edge: bps((cell) => cell.edge),
    edgeAfterGas: bps((cell) => cell.edgeAfterGas),
    againstBaseline: winsOf(cells.map(({ wins }) => wins)),
    againstBaselineAfterGas: winsOf(cells.map(({ winsAfterGas }) => winsAfterGas)),
    onlyHere: count((cell) => cell.onlyHere),
    onlyBaseline: count((cell) => cell.onlyBaseline),
    allowedSlippage: bps((cell) => cell.allowedSlippage),
    delays: delays.map((delay, index) => {
      const parts = cells.flatMap((cell) => cell.delays[index] ?? [])
      const sum = (of: 'filled' | 'reverted' | 'unknown') =>
        parts.reduce((total, part) => total + part[of], 0)
      const [filled, reverted] = [sum('filled'), sum('reverted')]
      return {
        delay,
        filled,
        reverted,
        unknown: sum('unknown'),
        fillRate: filled + reverted === 0 ? null : roundTo(filled / (filled + reverted), 6),
        realised: distributionOf(
          parts.flatMap((part) => part.realised),
          100,
        ),
        staleness: distributionOf(
          parts.flatMap((part) => part.staleness),
          100,
        ),
      }
    }),
    deliveries: moments.map((seconds, index) =>
      summariseDeliveries(
        seconds,
        cells.flatMap((cell) => cell.deliveries[index] ?? []),
      ),
    ),
    gas: distributionOf(values((cell) => cell.gas)),
    ...(hasMilliseconds && {
      milliseconds: distributionOf(values((cell) => cell.milliseconds)),
    }),
  }
}

/** Largest share first; rows without a swap are left out. */
export function venuesOf(cells: readonly Cell[]): readonly VenueShare[] {
  const sums = new Map<string, number>()
  for (const { venues } of cells) for (const [slug, share] of venues) add(sums, slug, share)
  const total = [...sums.values()].reduce((sum, share) => sum + share, 0)
  return [...sums]
    .map(([protocol, sum]) => ({ protocol, share: roundTo(sum / total, 6) }))
    .sort((a, b) => b.share - a.share || (a.protocol < b.protocol ? -1 : 1))
}

function regretShares(values: readonly number[]): GroupSummary['regretShares'] {
  if (values.length === 0) return []
  return regretThresholdsBps.map((atMostBps) => {
    const within = values.filter((value) => value <= atMostBps * 100).length
    return { atMostBps, share: roundTo(within / values.length, 6) }
  })
}

function winsOf(parts: readonly Cell['wins'][]): Wins | null {
  const sum = (sign: -1 | 0 | 1) => parts.reduce((total, part) => total + part[sign], 0)
  const all = { wins: sum(1), ties: sum(0), losses: sum(-1) }
  return all.wins + all.ties + all.losses === 0 ? null : all
}

function add(map: Map<string, number>, key: string, value: number): void {
  map.set(key, (map.get(key) ?? 0) + value)
}

/** A distribution of a summary, by the name that every presentation has for it. */
export interface NamedDistribution {
  readonly measure: string
  /** Blocks later, or seconds later of a delivery; null: neither, or as long as the bridge estimates. */
  readonly at: number | null
  readonly values: Distribution
}

/** All distributions of a group that have values. */
export function distributionsOf(group: GroupSummary): readonly NamedDistribution[] {
  const ofDelay = (measure: 'realised' | 'staleness') =>
    group.delays.map((part) => ({
      measure: `${measure}_bps`,
      at: part.delay,
      values: part[measure],
    }))
  const all = [
    { measure: 'regret_bps', at: null, values: group.regret },
    { measure: 'regret_after_gas_bps', at: null, values: group.regretAfterGas },
    { measure: 'edge_bps', at: null, values: group.edge },
    { measure: 'edge_after_gas_bps', at: null, values: group.edgeAfterGas },
    { measure: 'allowed_slippage_bps', at: null, values: group.allowedSlippage },
    ...ofDelay('realised'),
    ...ofDelay('staleness'),
    ...group.deliveries.map(({ seconds, shortfall }) => ({
      measure: 'shortfall_bps',
      at: seconds,
      values: shortfall,
    })),
    { measure: 'gas', at: null, values: group.gas },
    { measure: 'milliseconds', at: null, values: group.milliseconds ?? null },
  ]
  return all.flatMap(({ values, ...named }) => (values ? [{ ...named, values }] : []))
}

/** What became of deliveries to another chain, over the rows of a cell; `summary-cell.ts` has the rest. */
import type { BacktestPlan, BacktestRow } from '../domain/backtest.js'
import type { LateDelivery } from '../domain/bridges/terms.js'
import { amountOf, centiBps } from './comparison.js'
import { type Distribution, distributionOf, roundTo } from './sample.js'

export interface DeliverySummary {
  /** After the block; null: as long as the bridge of the row usually takes. */
  readonly seconds: number | null
  readonly delivered: number
  /** The order failed, and the receiver got the token of the bridge. */
  readonly fallback: number
  readonly reverted: number
  readonly unknown: number
  /** delivered / (delivered + fallback + reverted), 0 to 1; null when none. */
  readonly deliveryRate: number | null
  /** Basis points by which what was delivered is below what was quoted, negative where it is more; delivered only. */
  readonly shortfall: Distribution | null
}

export interface DeliveryCell extends Record<LateDelivery['status'], number> {
  readonly shortfall: number[]
}

/** Entry by entry what rows of the plan have; none where all stay on their chain. */
export function deliveryMoments({
  requests,
  deliverySeconds,
}: Pick<BacktestPlan, 'requests' | 'deliverySeconds'>): readonly (number | null)[] {
  if (!requests.some(({ request }) => request.crosschain)) return []
  return deliverySeconds ?? [null]
}

export function deliveriesOf({ outcome }: BacktestRow): readonly LateDelivery[] {
  return (outcome.ok && outcome.crosschain?.deliveries) || []
}

/** What was delivered below what was quoted, in hundredths of a basis point; null unless delivered. */
export function shortfallCentiBps(row: BacktestRow, delivery: LateDelivery): number | null {
  const quoted = amountOf(row)
  if (delivery.status !== 'delivered' || quoted === null) return null
  return centiBps(quoted - delivery.amount, quoted)
}

export function createDeliveryCell(): DeliveryCell {
  return { delivered: 0, fallback: 0, reverted: 0, unknown: 0, shortfall: [] }
}

export function addDeliveries(cells: readonly DeliveryCell[], row: BacktestRow): void {
  for (const [index, delivery] of deliveriesOf(row).entries()) {
    const cell = cells[index]
    if (!cell) continue
    cell[delivery.status] += 1
    const shortfall = shortfallCentiBps(row, delivery)
    if (shortfall !== null) cell.shortfall.push(shortfall)
  }
}

export function summariseDeliveries(
  seconds: number | null,
  cells: readonly DeliveryCell[],
): DeliverySummary {
  const sum = (of: LateDelivery['status']) => cells.reduce((total, cell) => total + cell[of], 0)
  const [delivered, fallback, reverted] = [sum('delivered'), sum('fallback'), sum('reverted')]
  const known = delivered + fallback + reverted
  return {
    seconds,
    delivered,
    fallback,
    reverted,
    unknown: sum('unknown'),
    deliveryRate: known === 0 ? null : roundTo(delivered / known, 6),
    shortfall: distributionOf(
      cells.flatMap((cell) => cell.shortfall),
      100,
    ),
  }
}

/** What gas of a delivery costs the sender, who pays for it on the source. Pure. */
import type { Task } from '../block/task.js'

/**
 * How many times its gas a delivery costs the sender, roughly, in percent: whoever delivers takes a margin (Across), or is
 * paid for gas that only may be needed (Stargate).
 */
export const deliveryMarginPercent = 150n

/** The task at the price by which swaps of a delivery are chosen: gas counts as what the sender pays for it. */
export function atDeliveryPrice<T extends Pick<Task, 'gasPrice' | 'tip'>>(task: T): T {
  const gasPrice = withMargin(task.gasPrice)
  const tip = withMargin(task.tip)
  return { ...task, gasPrice, tip }
}

function withMargin(wei: bigint): bigint {
  return (wei * deliveryMarginPercent) / 100n
}

/** Where a delivery is, by the destination's state at the pinned block; its events only name transactions. */
import type { Delivery, DeliveryStatus, LogReader } from '../../bridges/bridge.js'
import { bridgeBySlug } from '../../bridges/registry.js'
import type { TaskRun } from '../context/task-context.js'

export interface DeliveryArgs {
  readonly delivery: Delivery
  /** Number of a block of the destination that is not after the delivery. */
  readonly since: bigint
}

export async function runDelivery(
  run: TaskRun,
  { delivery, since }: DeliveryArgs,
): Promise<DeliveryStatus> {
  const bridge = bridgeBySlug(delivery.bridge)
  if (!bridge) return { status: 'unknown', transactionHash: null }
  const logs: LogReader = ({ blockNumber, ...filter }) =>
    run.logs({
      ...filter,
      from: blockNumber ?? since,
      to: blockNumber ?? run.pin.number,
    })
  return bridge.status(delivery, run.block.chain, run.reader, logs)
}

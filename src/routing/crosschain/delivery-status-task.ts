/** Where a delivery is, by the destination's state at the pinned block; its events only name transactions. */
import type { Delivery, DeliveryStatus, LogReader } from '../../bridges/bridge.js'
import { bridgeBySlug } from '../../bridges/registry.js'
import type { Task } from '../block/task.js'
import { foretold } from './foretold.js'

export interface DeliveryStatusArgs {
  readonly delivery: Delivery
  /** Number of a block of the destination that is not after the delivery. */
  readonly since: bigint
}

export async function runDeliveryStatus(
  task: Task,
  { delivery, since }: DeliveryStatusArgs,
): Promise<DeliveryStatus> {
  const bridge = bridgeBySlug(delivery.bridge)
  if (!bridge) return { status: 'unknown', transactionHash: null }
  const logs: LogReader = ({ blockNumber, ...filter }) =>
    task.archive.logs({
      ...filter,
      from: blockNumber ?? since,
      to: blockNumber ?? task.pin.number,
    })
  return foretold(
    task,
    bridge,
    delivery,
    await bridge.status(delivery, task.chain, task.reader, logs, (to, data) =>
      task.archive.callNode(to, data),
    ),
  )
}

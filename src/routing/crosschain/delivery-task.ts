/** Where a delivery is, by the destination's state at the pinned block; its events only name transactions. */
import type { DeliveryStatus, LogReader } from '../../bridges/bridge.js'
import { bridgeBySlug } from '../../bridges/registry.js'
import type { TaskRun } from '../context/task-context.js'
import type { TaskTypes } from '../messages.js'

export async function runDelivery(
  run: TaskRun,
  { delivery, since }: TaskTypes['delivery']['args'],
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

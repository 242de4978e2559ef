/** Which transactions have sent over bridges from or to an account: the events of the bridges' contracts in a range of blocks. */
import { padHex, size, slice } from 'viem'
import type { Delivery } from '../../bridges/bridge.js'
import { bridges } from '../../bridges/registry.js'
import { trackedDeliveries } from '../../bridges/status.js'
import type { SentTransfer } from '../../domain/bridges/found.js'
import type { Address, Hex } from '../../domain/primitives.js'
import { executorAddress, walletAddress } from '../../executor/deployments.js'
import type { EventLog } from '../../rpc/node/mined/event-logs.js'
import type { Task } from '../block/task.js'
import type { PastBlocks } from './lane-history-task.js'

export interface SentTransfersArgs extends PastBlocks {
  readonly address: Address
}

/** @returns in the order of their blocks; null where the nodes of the chain give no events. */
export async function findSentTransfers(
  task: Task,
  { address, from, to }: SentTransfersArgs,
): Promise<readonly SentTransfer[] | null> {
  const { chain, pin } = task
  const filters = new Map(
    bridges
      .flatMap((bridge) => bridge.sentEvents(chain))
      // Two bridges over one messaging layer read the same events.
      .map((filter) => [JSON.stringify(filter), filter]),
  )
  const found = await Promise.all(
    [...filters.values()].map((filter) => task.archive.logs({ ...filter, from, to })),
  )
  const byTransaction = new Map<Hex, EventLog[]>()
  for (const logs of found) {
    if (logs === null) return null
    for (const log of logs) {
      const { transactionHash } = log
      byTransaction.set(transactionHash, [...(byTransaction.get(transactionHash) ?? []), log])
    }
  }
  const senders = [address, executorAddress(address), walletAddress(address)]
  const transfers = [...byTransaction].flatMap(([transactionHash, logs]): SentTransfer[] => {
    const [first] = logs
    const own = trackedDeliveries(logs, chain)
      .map(({ delivery }) => delivery)
      .filter((one) => senders.includes(one.sender) || isFor(address, one))
    if (!first || own.length === 0) return []
    const { blockNumber, timestamp } = first
    const age = Number(pin.number - blockNumber) * chain.blockTimeSeconds
    return [
      {
        chainId: chain.id,
        transactionHash,
        blockNumber: Number(blockNumber),
        timestamp: timestamp ?? Math.floor(Number(pin.timestamp) - age),
        bridges: [...new Set(own.map(({ bridge }) => bridge))],
      },
    ]
  })
  return transfers.toSorted((a, b) => a.blockNumber - b.blockNumber)
}

/** Whether the account is paid by the bridge, or by the message that the delivery carries. */
function isFor(address: Address, { receiver, message }: Delivery): boolean {
  if (receiver === address) return true
  return size(message) >= 32 && slice(message, 0, 32) === padHex(address, { size: 32 })
}

/** What deliveries over lanes have cost and taken of late: events of both chains in a range of blocks. */
import type { EventFilter, Lane, PastDelivery, PastDeposit, PastLog } from '../../bridges/bridge.js'
import { bridgeBySlug } from '../../bridges/registry.js'
import type { LaneHistory } from '../../domain/bridges/lane-history.js'
import type { Task } from '../block/task.js'

/** Blocks of the chain of the task, first and last. */
export interface PastBlocks {
  readonly from: bigint
  readonly to: bigint
}

export interface PastDepositsArgs extends PastBlocks {
  readonly bridge: string
  readonly destinationChainId: number
}

/** On the source. @returns null where its nodes give no events, or not when they were left. */
export async function readPastDeposits(
  task: Task,
  { bridge: slug, destinationChainId, ...blocks }: PastDepositsArgs,
): Promise<readonly PastDeposit[] | null> {
  const past = bridgeBySlug(slug)?.past
  const logs = await pastLogs(task, past?.deposits(task.chain, destinationChainId), blocks)
  return logs?.flatMap((log) => past?.readDeposit(log, task.chain) ?? []) ?? null
}

export interface LaneHistoriesArgs extends PastBlocks {
  /** Of one bridge, from one chain. */
  readonly lanes: readonly Lane[]
  readonly deposits: readonly PastDeposit[]
}

/** On the destination. @returns one for each lane; null where its nodes give no events, or not when they were left. */
export async function readLaneHistories(
  task: Task,
  { lanes, deposits, ...blocks }: LaneHistoriesArgs,
): Promise<readonly LaneHistory[] | null> {
  const [lane] = lanes
  const past = lane && bridgeBySlug(lane.bridge)?.past
  if (!past) return null
  const { chain, pin } = task
  const logs = await pastLogs(task, past.deliveries(chain, lane.sourceChainId), blocks)
  if (!logs) return null
  const deliveries: readonly PastDelivery[] = logs.flatMap((log) => past.readDelivery(log) ?? [])
  const since = Number(pin.number - blocks.to) * chain.blockTimeSeconds
  const until = Number(pin.timestamp) - Math.ceil(since)
  return lanes.map((one) => past.history(one, deposits, deliveries, until))
}

async function pastLogs(
  task: Task,
  filter: EventFilter | null | undefined,
  blocks: PastBlocks,
): Promise<readonly PastLog[] | null> {
  if (!filter) return null
  const found = await task.archive.logs({ ...filter, ...blocks })
  const timed = found?.flatMap((log) =>
    log.timestamp === null ? [] : [{ ...log, timestamp: log.timestamp }],
  )
  // Without times it is not known which deposits wait, so that nothing is told of any.
  return timed && timed.length === found?.length ? timed : null
}

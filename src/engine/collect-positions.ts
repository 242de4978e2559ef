/** A snapshot of a chain's positions, read at the newest block and at an earlier one to compute yields. */
import type { ListedPosition, PositionSnapshot } from '../catalog/position-store.js'
import type { ChainDefinition } from '../chains/chain.js'
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin } from '../domain/primitives.js'
import type { Unreadable } from '../protocols/pool.js'
import type { TaskKind, TaskTypes } from '../routing/dispatch.js'
import { apyOfSharePrices, withBaseApy } from '../routing/market/yield.js'
import type { ReadPosition } from '../routing/tasks/positions-task.js'

/** How far apart the two blocks are at most and at least. */
const daySeconds = 86_400
const leastSeconds = 300

export interface CollectParts {
  readonly chain: ChainDefinition
  /** @throws ForkrouteError UNKNOWN_BLOCK, and any error of the node. */
  pinAt(blockNumber: bigint): Promise<BlockPin>
  /** Leases forks of the block while the task runs. */
  run<K extends TaskKind>(
    kind: K,
    args: TaskTypes[K]['args'],
    pin: BlockPin,
  ): Promise<TaskTypes[K]['result']>
}

/**
 * @param previous - where a protocol cannot be listed, its positions are kept from here, without figures.
 * @param reach - distance of the two blocks in the last snapshot, in case the node goes back no further; null: unknown.
 * @throws ForkrouteError when the newest block itself cannot be read.
 */
export async function collectPositions(
  parts: CollectParts,
  pin: BlockPin,
  previous: PositionSnapshot | null,
  reach: number | null,
): Promise<{
  readonly positions: readonly ListedPosition[]
  readonly unreadable: readonly Unreadable[]
  readonly reach: number | null
}> {
  const newest = await parts.run('positions', {}, pin)
  const earned = await earnings(parts, pin, newest.positions, reach)
  const positions = newest.positions.map(
    (read): ListedPosition => ({
      position: read.position,
      token: read.token,
      underlyingTokens: read.underlyingTokens,
      ...withBaseApy(read.figures, earned.apys.get(read) ?? null),
    }),
  )
  const kept = (previous?.positions ?? [])
    .filter(({ position }) => newest.unlisted.includes(position.protocol))
    .map((one) => ({ ...one, tvl: null, apy: null, apyBase: null, apyReward: null }))
  return { positions: [...positions, ...kept], unreadable: newest.unreadable, reach: earned.reach }
}

/** Yield in percent per year of each position that has a share price at both blocks. */
async function earnings(
  parts: CollectParts,
  pin: BlockPin,
  positions: readonly ReadPosition[],
  lastReach: number | null,
): Promise<{ apys: ReadonlyMap<ReadPosition, number | null>; reach: number | null }> {
  const apys = new Map<ReadPosition, number | null>()
  let open = positions.filter(({ sharePrice }) => sharePrice !== null && sharePrice > 0n)
  let reach: number | null = null
  const { blockTimeSeconds } = parts.chain
  const day = Math.min(Math.floor(daySeconds / blockTimeSeconds), Number(pin.number))
  let span = lastReach === null ? day : Math.min(day, 2 * lastReach)
  while (open.length && span * blockTimeSeconds >= leastSeconds) {
    const before = await sharePricesAt(parts, pin.number - BigInt(span), open)
    for (const [read, price] of before?.prices ?? []) {
      const earlier = { price, timestamp: before?.timestamp ?? 0n }
      const later = { price: read.sharePrice ?? 0n, timestamp: pin.timestamp }
      apys.set(read, apyOfSharePrices(earlier, later))
      reach ??= span
    }
    open = open.filter((read) => !apys.has(read))
    span = Math.floor(span / 2)
  }
  return { apys, reach }
}

/** Share prices of the positions that have one at the block; null when the block cannot be read. */
async function sharePricesAt(
  parts: CollectParts,
  blockNumber: bigint,
  wanted: readonly ReadPosition[],
): Promise<{ timestamp: bigint; prices: Map<ReadPosition, bigint> } | null> {
  try {
    const pin = await parts.pinAt(blockNumber)
    const args = { positions: wanted.map(({ position }) => position) }
    const found = await parts.run('sharePrices', args, pin)
    const prices = new Map<ReadPosition, bigint>()
    for (const [index, read] of wanted.entries()) {
      const price = found[index]
      if (price) prices.set(read, price)
    }
    return { timestamp: pin.timestamp, prices }
  } catch (error) {
    // Old state is often unavailable where the newest is not; the yield is then unknown.
    if (error instanceof ForkrouteError && error.code !== 'OVERLOADED') return null
    throw error
  }
}

/** What a protocol makes of the events of a transaction that creates a pool, and of the storage of the pool. */
import { expect } from 'vitest'
import { type Hex, toAddress } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { SwapScene } from './swap-on-chain.js'

interface Log {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** The pools among the logs, from the contracts that the protocol names as their sources. */
export function poolsToldBy<State>(
  logs: readonly Log[],
  { adapter, venue }: SwapScene<State>,
): Pool[] {
  const events = adapter.index
  const sources = events?.sources(venue) ?? []
  expect(sources.length).toBeGreaterThan(0)
  return logs.flatMap((log) => {
    const isTold = sources.some(
      ({ address, topic }) => address === toAddress(log.address) && topic === log.topics[0],
    )
    return (isTold && events?.toPool(log, venue)) || []
  })
}

export async function depthOf<State>(
  pool: Pool,
  { adapter, context }: SwapScene<State>,
): Promise<readonly [bigint, bigint] | undefined> {
  const events = adapter.index
  const reader = await context.reader()
  const words = await reader.storage(events?.depthSlots?.(pool) ?? [])
  return events?.depth?.(words.map((word) => (word.ok ? BigInt(word.value) : 0n)))
}

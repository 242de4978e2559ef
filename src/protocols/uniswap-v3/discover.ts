import { toAddress } from '../../domain/primitives.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs } from '../protocol.js'
import { addressInWord, mappingSlot, nestedMappingSlot, toWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'

/** Base slots of the factory's mappings `feeAmountTickSpacing` and `getPool`. */
export interface FactorySlots {
  readonly tickSpacing: bigint
  readonly getPool: bigint
}

/** Pools of the pairs in every fee tier of the venue, from the factory's storage in one read. */
export async function discoverV3(
  slug: string,
  slots: FactorySlots,
  { reader, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const address = toAddress(String(venue.factory))
  const tiers = (Array.isArray(venue.feeTiers) ? venue.feeTiers : []).map(Number)
  const wanted = orderedPairs(pairs).flatMap(([token0, token1]) =>
    tiers.map((fee) => ({ token0, token1, fee })),
  )
  if (wanted.length === 0) return { pools: [], unreadable: [] }
  const results = await reader.storage([
    ...tiers.map((fee) => ({ address, slot: toWord(mappingSlot(BigInt(fee), slots.tickSpacing)) })),
    ...wanted.map(({ token0, token1, fee }) => ({
      address,
      slot: toWord(nestedMappingSlot([BigInt(token0), BigInt(token1), BigInt(fee)], slots.getPool)),
    })),
  ])
  const spacings = new Map(tiers.map((fee, index) => [fee, results[index]]))
  const pools: Pool[] = []
  const unreadable: Unreadable[] = []
  wanted.forEach(({ token0, token1, fee }, index) => {
    const subject = `getPool ${token0} ${token1} ${fee}`
    const pair = [token0, token1] as const
    const entry = results[tiers.length + index]
    if (!entry?.ok) {
      unreadable.push({ protocol: slug, subject, message: entry?.message ?? 'Not read.', pair })
      return
    }
    const pool = addressInWord(entry.value)
    if (!pool) return
    const spacing = spacings.get(fee)
    if (!spacing?.ok) {
      unreadable.push({ protocol: slug, subject, message: spacing?.message ?? 'Not read.', pair })
      return
    }
    pools.push({
      protocol: slug,
      id: pool,
      address: pool,
      tokens: [token0, token1],
      parameters: { fee, tickSpacing: Number(BigInt.asIntN(24, BigInt(spacing.value))) },
    })
  })
  return { pools, unreadable }
}

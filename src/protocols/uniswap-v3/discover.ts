import { keccak256 } from 'viem'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs } from '../protocol.js'
import { type ConcentratedSource, tickPlacesOf } from '../shared/concentrated/load.js'
import { type Creator, createdAddress } from '../shared/created-address.js'
import { addressInWord, mappingSlot, nestedMappingSlot, toWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'

/** Base slots of the factory's mappings `feeAmountTickSpacing` and `getPool`. */
export interface FactorySlots {
  readonly tickSpacing: bigint
  readonly getPool: bigint
}

/** The tick spacing of the fee tiers that are in use, for guesses. */
const usualSpacings: Readonly<Record<number, number>> = {
  100: 1,
  500: 10,
  2500: 50,
  3000: 60,
  10000: 200,
}

export interface V3Pools {
  readonly slug: string
  readonly factorySlots: FactorySlots
  readonly poolSlots: ConcentratedSource['slots']
  readonly initCodeHash: Creator['initCodeHash']
  /** What creates the pools, where the factory does not. */
  readonly deployer?: Address
}

/** Most pools lie where they follow from their tokens: their state comes with the look-up. */
function guessPools(
  { slug, poolSlots, initCodeHash, deployer }: V3Pools,
  reader: StateReader,
  factory: Address,
  wanted: readonly { readonly token0: Address; readonly token1: Address; readonly fee: number }[],
): void {
  const creator = { address: deployer ?? factory, initCodeHash }
  for (const { token0, token1, fee } of wanted) {
    reader.guess?.(`${slug} ${token0} ${token1} ${fee}`, () => {
      const tickSpacing = usualSpacings[fee]
      if (tickSpacing === undefined) return {}
      const words = [BigInt(token0), BigInt(token1), BigInt(fee)].map((word) =>
        toWord(word).slice(2),
      )
      const address = createdAddress(creator, keccak256(`0x${words.join('')}`))
      return { pools: [tickPlacesOf({ address, slots: poolSlots, tickSpacing })] }
    })
  }
}

/** Pools of the pairs in every fee tier of the venue, from the factory's storage in one read. */
export async function discoverV3(
  source: V3Pools,
  { reader, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const { slug, factorySlots: slots } = source
  const address = toAddress(String(venue.factory))
  const tiers = (Array.isArray(venue.feeTiers) ? venue.feeTiers : []).map(Number)
  const wanted = orderedPairs(pairs).flatMap(([token0, token1]) =>
    tiers.map((fee) => ({ token0, token1, fee })),
  )
  if (wanted.length === 0) return { pools: [], unreadable: [] }
  guessPools(source, reader, address, wanted)
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

/** Pools of Slipstream factories by tokens and tick spacing, from the factories' storage in two rounds. */
import { keccak256 } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs } from '../protocol.js'
import { poolsInList } from '../shared/factory-lists.js'
import { toWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'

/** Factory storage: the mapping `getPool`, and the length of the list of tick spacings. */
const getPoolSlot = 6n
const spacingsSlot = 9n
const spacingsBase = BigInt(keccak256(toWord(spacingsSlot)))
/** An int24 each; as many words are read as there is room for in any factory so far. */
const [spacingsPerWord, wordsOfSpacings] = [10, 2]

export function factoriesOf(venue: VenueParameters): Address[] {
  return (Array.isArray(venue.factories) ? venue.factories : []).map(toAddress)
}

export async function discoverPools(
  slug: string,
  { reader, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const wanted = orderedPairs(pairs)
  if (wanted.length === 0) return { pools: [], unreadable: [] }
  const found = await Promise.all(
    factoriesOf(venue).map((factory) => poolsOf(slug, reader, factory, wanted)),
  )
  return {
    pools: found.flatMap(({ pools }) => pools),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
  }
}

async function poolsOf(
  slug: string,
  reader: StateReader,
  factory: Address,
  pairs: readonly (readonly [Address, Address])[],
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const spacings = await readSpacings(reader, factory)
  if (typeof spacings === 'string') {
    const fact = { protocol: slug, subject: `tickSpacings ${factory}`, message: spacings }
    return { pools: [], unreadable: pairs.map((pair) => ({ ...fact, pair })) }
  }
  const wanted = pairs.flatMap((pair) =>
    spacings.map((tickSpacing) => {
      return { pair, keys: [BigInt(tickSpacing)], parameters: { factory, tickSpacing } }
    }),
  )
  return poolsInList(slug, reader, { factory, name: 'getPool', slot: getPoolSlot }, wanted)
}

/** @returns a sentence when they cannot be read. */
async function readSpacings(reader: StateReader, address: Address): Promise<number[] | string> {
  const words = Array.from({ length: wordsOfSpacings }, (_, k) => spacingsBase + BigInt(k))
  const reads = [spacingsSlot, ...words].map((slot) => ({ address, slot: toWord(slot) }))
  const results = await reader.storage(reads)
  const failed = results.find((result) => !result.ok)
  if (failed && !failed.ok) return failed.message
  const [length = 0n, ...packed] = results.map((result) => (result.ok ? BigInt(result.value) : 0n))
  const spacings = packed.flatMap((word) =>
    Array.from({ length: spacingsPerWord }, (_, k) =>
      Number(BigInt.asIntN(24, word >> BigInt(24 * k))),
    ),
  )
  return spacings.slice(0, Number(length))
}

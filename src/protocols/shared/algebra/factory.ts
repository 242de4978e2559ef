/** Pools by Algebra's factories: look-ups in their storage, the events of creation, and what tells the contracts. */
import { toEventSelector } from 'viem'
import type { VenueParameters } from '../../../chains/chain.js'
import { type Probe, probe } from '../../../chains/probe.js'
import { toAddress } from '../../../domain/primitives.js'
import type { Pool, Unreadable } from '../../pool.js'
import { addressIn, type PoolEvents, wordsOf } from '../../pool-events.js'
import type { DiscoverArgs } from '../../protocol.js'
import { virtualReserves } from '../concentrated/depth.js'
import type { ConcentratedSource } from '../concentrated/load.js'
import { poolsInList } from '../factory-lists.js'
import { addressesOf } from '../parameters.js'
import { toWord } from '../storage-slots.js'
import { orderedPairs } from '../token-pairs.js'

/** @param slot - of the factory's mapping `poolByPair`. */
export function poolsByPair(
  slug: string,
  slot: bigint,
  { reader, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const factory = toAddress(String(venue.factory))
  const wanted = orderedPairs(pairs).map((pair) => ({ pair, parameters: {} }))
  return poolsInList(slug, reader, { factory, name: 'poolByPair', slot }, wanted)
}

/** The same in every version. Pools of other deployers leave `CustomPool`, and are not looked at. */
const poolMade = toEventSelector('Pool(address,address,address)')

/** @param liquidityShift - bits below the active liquidity in its word. */
export function algebraPoolEvents(
  slug: string,
  slots: ConcentratedSource['slots'],
  liquidityShift = 0n,
): PoolEvents {
  const depthSlots = [slots.slot0, slots.liquidity].map(toWord)
  return {
    sources: ({ factory }) => [{ address: toAddress(String(factory)), topic: poolMade }],
    toPool({ topics, data }) {
      const [token0, token1, pool] = [topics[1], topics[2], wordsOf(data)[0]].map(addressIn)
      if (!token0 || !token1 || !pool) return null
      return { protocol: slug, id: pool, address: pool, tokens: [token0, token1], parameters: {} }
    },
    depthSlots: ({ address }) => depthSlots.map((slot) => ({ address, slot })),
    depth: ([slot0 = 0n, word = 0n]) => virtualReserves([slot0, word >> liquidityShift]),
  }
}

export function algebraProbes(name: string, { factory, quoter }: VenueParameters): Probe[] {
  const [made = 'address' as const] = addressesOf(factory)
  return [
    ...addressesOf(factory).map((to) =>
      probe(`factory of ${name}`, to, 'poolDeployer()', 'address'),
    ),
    ...addressesOf(quoter).map((to) => probe(`quoter of ${name}`, to, 'factory()', made)),
  ]
}

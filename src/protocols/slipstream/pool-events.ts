/** Pools by the events of their factories. */
import { toEventSelector } from 'viem'
import { addressIn, type PoolEvents, wordsOf } from '../pool-events.js'
import { virtualReserves } from '../shared/concentrated/depth.js'
import type { ConcentratedSource } from '../shared/concentrated/load.js'
import { toWord } from '../shared/storage-slots.js'
import { factoriesOf } from './discover.js'

/** @see aerodrome-finance/slipstream 7844368, contracts/core/interfaces/ICLFactory.sol */
const poolCreated = toEventSelector('PoolCreated(address,address,int24,address)')

export function slipstreamPoolEvents(slug: string, slots: ConcentratedSource['slots']): PoolEvents {
  const depthSlots = [slots.slot0, slots.liquidity].map(toWord)
  return {
    sources: (venue) => factoriesOf(venue).map((address) => ({ address, topic: poolCreated })),
    toPool({ address, topics, data }) {
      const [token0, token1, pool] = [topics[1], topics[2], wordsOf(data)[0]].map(addressIn)
      if (!token0 || !token1 || !pool || !topics[3]) return null
      const tickSpacing = Number(BigInt.asIntN(24, BigInt(topics[3])))
      return {
        protocol: slug,
        id: pool,
        address: pool,
        tokens: [token0, token1],
        parameters: { factory: address.toLowerCase(), tickSpacing },
      }
    },
    depthSlots: ({ address }) => depthSlots.map((slot) => ({ address, slot })),
    depth: virtualReserves,
  }
}

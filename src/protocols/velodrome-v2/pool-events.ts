/** Pools by the events of their factory. */
import { toEventSelector } from 'viem'
import { toAddress } from '../../domain/primitives.js'
import { addressIn, type PoolEvents, wordsOf } from '../pool-events.js'
import { poolSlots } from './load.js'

/** @see aerodrome-finance/contracts a5fae2e, contracts/interfaces/factories/IPoolFactory.sol */
const poolCreated = toEventSelector('PoolCreated(address,address,bool,address,uint256)')

export function velodromePoolEvents(slug: string): PoolEvents {
  return {
    sources: ({ factory }) => [{ address: toAddress(String(factory)), topic: poolCreated }],
    toPool({ topics, data }) {
      const [token0, token1, pool] = [topics[1], topics[2], wordsOf(data)[0]].map(addressIn)
      if (!token0 || !token1 || !pool || !topics[3]) return null
      return {
        protocol: slug,
        id: pool,
        address: pool,
        tokens: [token0, token1],
        parameters: { stable: BigInt(topics[3]) === 1n },
      }
    },
    depthSlots: ({ address }) => [
      { address, slot: poolSlots.reserve0 },
      { address, slot: poolSlots.reserve1 },
    ],
    depth: ([reserve0 = 0n, reserve1 = 0n]) => [reserve0, reserve1],
  }
}

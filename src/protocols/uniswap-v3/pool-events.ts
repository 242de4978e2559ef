/** Pools by the events of their factory: in fee tiers, too, that look-ups do not know. */
import { toEventSelector } from 'viem'
import { toAddress } from '../../domain/primitives.js'
import { addressIn, type PoolEvents, wordsOf } from '../pool-events.js'
import { virtualReserves } from '../shared/concentrated/depth.js'
import type { ConcentratedSource } from '../shared/concentrated/load.js'
import { toWord } from '../shared/storage-slots.js'

/** @see Uniswap/v3-core 1.0.0, contracts/interfaces/IUniswapV3Factory.sol */
const poolCreated = toEventSelector('PoolCreated(address,address,uint24,int24,address)')

export function v3PoolEvents(slug: string, slots: ConcentratedSource['slots']): PoolEvents {
  const depthSlots = [slots.slot0, slots.liquidity].map(toWord)
  return {
    sources: ({ factory }) => [{ address: toAddress(String(factory)), topic: poolCreated }],
    toPool({ topics, data }) {
      const [spacing, poolWord] = wordsOf(data)
      const [token0, token1, pool] = [topics[1], topics[2], poolWord].map(addressIn)
      if (!token0 || !token1 || !pool || spacing === undefined || !topics[3]) return null
      return {
        protocol: slug,
        id: pool,
        address: pool,
        tokens: [token0, token1],
        parameters: {
          fee: Number(BigInt.asUintN(24, BigInt(topics[3]))),
          tickSpacing: Number(BigInt.asIntN(24, spacing)),
        },
      }
    },
    depthSlots: ({ address }) => depthSlots.map((slot) => ({ address, slot })),
    depth: virtualReserves,
    feePips: ({ parameters: { fee } }) => Number(fee),
  }
}

/** Pairs by the events of their factory. */
import { toEventSelector } from 'viem'
import { toAddress } from '../../domain/primitives.js'
import { addressIn, type PoolEvents, wordsOf } from '../pool-events.js'
import { toWord } from '../shared/storage-slots.js'
import { pairPool } from './pairs.js'

/** @see Uniswap/v2-core 1.0.1, contracts/interfaces/IUniswapV2Factory.sol */
const pairCreated = toEventSelector('PairCreated(address,address,address,uint256)')
const reservesSlot = toWord(8n)

export function pairEvents(slug: string): PoolEvents {
  return {
    sources: ({ factory }) => [{ address: toAddress(String(factory)), topic: pairCreated }],
    toPool({ topics, data }, { feeBps }) {
      const [token0, token1, pair] = [topics[1], topics[2], wordsOf(data)[0]].map(addressIn)
      return token0 && token1 && pair
        ? pairPool(slug, pair, [token0, token1], Number(feeBps))
        : null
    },
    depthSlots: ({ address }) => [{ address, slot: reservesSlot }],
    depth: ([word = 0n]) => [BigInt.asUintN(112, word), BigInt.asUintN(112, word >> 112n)],
  }
}

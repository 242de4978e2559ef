/** Pairs by the events of a factory that tells them as Uniswap V2's does. */
import { toEventSelector } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import { addressIn, type PoolEvents, wordsOf } from '../pool-events.js'
import { toWord } from './storage-slots.js'

/** @see Uniswap/v2-core 1.0.1, contracts/interfaces/IUniswapV2Factory.sol */
const pairCreated = toEventSelector('PairCreated(address,address,address,uint256)')
/** Slot of both reserves, 112 bits each, in pairs that have the variables of Uniswap's in their order. */
const reservesSlot = toWord(8n)

export function pairEvents(
  toPool: (pair: Address, tokens: readonly [Address, Address], venue: VenueParameters) => Pool,
): PoolEvents {
  return {
    sources: ({ factory }) => [{ address: toAddress(String(factory)), topic: pairCreated }],
    toPool({ topics, data }, venue) {
      const [token0, token1, pair] = [topics[1], topics[2], wordsOf(data)[0]].map(addressIn)
      return token0 && token1 && pair ? toPool(pair, [token0, token1], venue) : null
    },
    depthSlots: ({ address }) => [{ address, slot: reservesSlot }],
    depth: ([word = 0n]) => [BigInt.asUintN(112, word), BigInt.asUintN(112, word >> 112n)],
    // Pairs without a fee of their own in the record may be stable ones, whose price their reserves do not tell.
    feePips: ({ parameters: { feeBps } }) => (typeof feeBps === 'number' ? feeBps * 100 : null),
  }
}

/** Pairs by the events of the factories. How deep they are shows only when they are loaded. */
import { toEventSelector } from 'viem'
import { toAddress } from '../../domain/primitives.js'
import { addressIn, type PoolEvents, wordsOf } from '../pool-events.js'
import { versionsOf } from './load.js'

/** Factories of both versions emit it. @see traderjoe-xyz/joe-v2 v2.1.1 and v2.2.0, src/interfaces/ILBFactory.sol */
const pairCreated = toEventSelector('LBPairCreated(address,address,uint256,address,uint256)')
/** 16 bits. */
const mostBinStep = 65_535n

export function bookEvents(slug: string): PoolEvents {
  return {
    sources: (venue) =>
      versionsOf(venue).map(({ factory }) => ({ address: factory, topic: pairCreated })),
    toPool({ address: source, topics, data }, venue) {
      const [tokenX, tokenY, pair] = [topics[1], topics[2], wordsOf(data)[0]].map(addressIn)
      const binStep = BigInt(topics[3] ?? '0x0')
      const made = versionsOf(venue).find(({ factory }) => factory === toAddress(source))
      if (!tokenX || !tokenY || !pair || !made || binStep > mostBinStep) return null
      return {
        protocol: slug,
        id: pair,
        address: pair,
        tokens: [tokenX, tokenY],
        parameters: { version: made.version, binStep: Number(binStep) },
      }
    },
  }
}

/**
 * Markets by the events of their factories, which name the PT alone: the factory stands in the record for the SY until the market
 * is asked. Expired markets trade no more.
 */
import { toEventSelector } from 'viem'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { zip } from '../../domain/lists.js'
import { toAddress } from '../../domain/primitives.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import { addressIn, type PoolEvents } from '../pool-events.js'
import { readAll } from '../shared/read-all.js'
import { readWord } from '../shared/read-word.js'
import { addressesIn, getter } from './abi.js'
import { factoriesOf, marketPool, slug } from './pools.js'

/** @see pendle-finance/pendle-core-v2-public e8c2cca, contracts/interfaces/IPMarketFactory.sol */
const created = toEventSelector('CreateNewMarket(address,address,int256,int256,uint256)')

export const marketEvents: PoolEvents = {
  sources: (venue) => factoriesOf(venue).map((address) => ({ address, topic: created })),
  standIns: factoriesOf,
  toPool({ address, topics }) {
    const [market, pt] = [topics[1], topics[2]].map(addressIn)
    if (!market || !pt || market === pt) return null
    const factory = toAddress(address)
    return {
      protocol: slug,
      id: market,
      address: market,
      tokens: [pt, factory],
      parameters: { factory },
    }
  },
  async complete({ reader, chain, pools: named }) {
    const time = nextBlockTime(reader.block, chain.blockTimeSeconds)
    const answers = await readAll(
      reader,
      named.map(({ address: to }) =>
        (['readTokens', 'expiry'] as const).map((name) => ({ to, data: getter(name) })),
      ),
    )
    const pools: Pool[] = []
    const unreadable: Unreadable[] = []
    for (const [pool, [parts, ends]] of zip(named, answers)) {
      const [sy, pt, yt] = addressesIn(parts, 3) ?? []
      const expiry = readWord(ends)
      const refused = [parts, ends].find((one) => one && !one.ok && one.reason === 'unreadable')
      if (refused && !refused.ok) unreadable.push(unreadablePool(pool, refused.message))
      else if (sy && pt && yt && pt === pool.tokens[0] && expiry !== null && expiry > time) {
        const factory = toAddress(String(pool.parameters.factory))
        pools.push(marketPool(pool.address, { pt, sy, yt, factory }))
      }
    }
    return { pools, unreadable }
  },
}

/**
 * Markets by the events of their factories, which name the PT alone: the factory stands in the record for the SY until the market
 * is asked. By which PT a YT is found other events tell.
 */
import { toEventSelector } from 'viem'
import { zip } from '../../domain/lists.js'
import { toAddress } from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import { addressIn, type PoolEvents, wordsOf } from '../pool-events.js'
import { readAll } from '../shared/read-all.js'
import { addressesIn, getter, tokensIn } from './abi.js'
import { factoriesOf, marketPool, slug, yieldFactoriesOf, yieldPool } from './pools.js'

/** @see pendle-finance/pendle-core-v2-public e8c2cca, contracts/interfaces/IPMarketFactory.sol */
const created = toEventSelector('CreateNewMarket(address,address,int256,int256,uint256)')
/** @see pendle-finance/pendle-core-v2-public e8c2cca, contracts/interfaces/IPYieldContractFactory.sol */
const split = toEventSelector('CreateYieldContract(address,uint256,address,address)')

export const marketEvents: PoolEvents = {
  sources: (venue) => [
    ...factoriesOf(venue).map((address) => ({ address, topic: created })),
    ...yieldFactoriesOf(venue).map((address) => ({ address, topic: split })),
  ],
  standIns: factoriesOf,
  toPool: (log) => (log.topics[0] === split ? linkOf(log) : marketOf(log)),
  async complete({ reader, pools: named }) {
    const markets = named.filter(({ parameters }) => parameters.factory !== undefined)
    const answers = await reader.call(
      markets.map(({ address: to }) => ({ to, data: getter('readTokens') })),
    )
    const pools: Pool[] = []
    const unreadable: Unreadable[] = []
    for (const [pool, answer] of zip(markets, answers)) {
      const [sy, pt, yt] = addressesIn(answer, 3) ?? []
      if (!answer.ok && answer.reason === 'unreadable') {
        unreadable.push(unreadablePool(pool, answer.message))
      } else if (sy && pt && yt && pt === pool.tokens[0]) {
        const factory = toAddress(String(pool.parameters.factory))
        pools.push(marketPool(pool.address, { pt, sy, yt, factory }))
      }
    }
    const yields = [...new Set(pools.flatMap(({ tokens }) => tokens[1] ?? []))]
    const lists = await readAll(
      reader,
      yields.map((to) =>
        (['getTokensIn', 'getTokensOut'] as const).map((name) => ({ to, data: getter(name) })),
      ),
    )
    // Whoever names shares alone names no SY by which its tokens would be found.
    for (const [sy, [into, out]] of zip(yields, lists)) {
      const tokens = new Set([...(tokensIn(into) ?? []), ...(tokensIn(out) ?? [])])
      tokens.delete(sy)
      for (const token of tokens) pools.push(yieldPool(sy, token))
    }
    return { pools, unreadable }
  },
}

function marketOf({ address, topics }: SimulationLog): Pool | null {
  const [market, pt] = [topics[1], topics[2]].map(addressIn)
  if (!market || !pt || market === pt) return null
  const factory = toAddress(address)
  return {
    protocol: slug,
    id: market,
    address: market,
    tokens: [pt, factory, market],
    parameters: { factory },
  }
}

/** A YT beside its PT, which markets are found by. Nothing trades there. */
function linkOf({ data }: SimulationLog): Pool | null {
  const words = wordsOf(data)
  const [pt, yt] = words.map(addressIn)
  if (words.length !== 2 || !pt || !yt || pt === yt) return null
  return { protocol: slug, id: yt, address: yt, tokens: [yt, pt], parameters: { kind: 'link' } }
}

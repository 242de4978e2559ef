import { type Address, isNative } from '../../domain/primitives.js'
import type { Unreadable } from '../pool.js'
import type { Position, PositionAdapter, PositionState } from '../positions.js'
import { readWord } from '../shared/read-word.js'
import { readTokenNames } from '../shared/token-names.js'
import { encodeRead } from './abi.js'
import { readMarkets } from './load.js'
import { allMarkets, describeMarkets, type Market, slug } from './markets.js'
import { accrued, yearly } from './math.js'

export const compoundPositions: PositionAdapter = {
  async list({ reader, chain, venue }) {
    const markets = await allMarkets({ reader, venue })
    if (!Array.isArray(markets)) return { positions: [], unreadable: [markets] }
    const described = await describeMarkets(reader, markets)
    const known = described.filter((market): market is Market => 'underlying' in market)
    const names = await readTokenNames(
      reader,
      known.flatMap(({ address, underlying }) => [address, underlying]),
    )
    const positions = known.map((market, index): Position => {
      const symbol = names[2 * index]?.symbol
      const subtitle = isNative(market.underlying)
        ? chain.nativeCurrency.symbol
        : names[2 * index + 1]?.symbol
      return {
        protocol: slug,
        key: market.address,
        token: market.address,
        primaryAddress: market.address,
        poolAddress: market.address,
        name: `Compound ${symbol ?? market.address}`,
        subtitle: subtitle ?? market.underlying,
        underlyingTokens: [market.underlying],
        rewardTokens: [],
        parameters: {},
      }
    })
    const unreadable = described.filter((market): market is Unreadable => 'message' in market)
    return { positions, unreadable }
  },

  async read({ reader, chain, positions }) {
    const addresses: Address[] = positions.map(({ primaryAddress }) => primaryAddress)
    const [stored, rates] = await Promise.all([
      readMarkets(reader, addresses),
      reader.call(addresses.map((to) => ({ to, data: encodeRead('supplyRatePerBlock') }))),
    ])
    return positions.map((position, index): PositionState | Unreadable => {
      const market = stored[index]
      if (!market || 'message' in market) {
        const message = market?.message ?? 'It was not read.'
        return { protocol: slug, subject: position.key, message }
      }
      const { cash, borrows, reserves } = accrued(market, reader.block.number)
      const [token] = position.underlyingTokens
      const rate = readWord(rates[index])
      return {
        holdings: token ? [{ token, amount: cash + borrows - reserves }] : null,
        base: rate === null ? null : annual(rate, chain.blockTimeSeconds),
        rewards: [],
      }
    })
  },
}

function annual(ratePerBlock: bigint, blockTimeSeconds: number) {
  return { kind: 'annual', rate: yearly(ratePerBlock, blockTimeSeconds) } as const
}

import type { Hex } from '../../domain/primitives.js'
import type { Unreadable } from '../pool.js'
import type { Position, PositionAdapter, PositionState } from '../positions.js'
import { readTokenNames } from '../shared/token-names.js'
import { positionKey } from './actions.js'
import {
  knownMarkets,
  type MarketParameters,
  morphoOf,
  readParameters,
  readRates,
  readTotals,
  slug,
} from './markets.js'
import { accrued, yearlySupply } from './math.js'

/** Every known market has two positions: the lent tokens, and the collateral. */
export const morphoPositions: PositionAdapter = {
  async list({ reader, venue }) {
    const morpho = morphoOf(venue)
    const ids = knownMarkets(venue)
    const facts = await readParameters(reader, morpho, ids)
    const unreadable: Unreadable[] = []
    const markets: (MarketParameters & { readonly id: Hex })[] = []
    ids.forEach((id, index) => {
      const found = facts[index]
      if (!found) return
      if ('message' in found) unreadable.push({ protocol: slug, subject: id, ...found })
      else markets.push({ ...found, id })
    })
    const names = await readTokenNames(
      reader,
      markets.flatMap(({ loanToken, collateralToken }) => [loanToken, collateralToken]),
    )
    const positions = markets.flatMap((market, index) => {
      const loan = names[2 * index]?.symbol ?? market.loanToken
      const collateral = names[2 * index + 1]?.symbol ?? market.collateralToken
      return positionsOf(market, morpho, loan, collateral)
    })
    return { positions, unreadable }
  },

  async read({ reader, venue, positions }) {
    const morpho = morphoOf(venue)
    const ids = positions.map(({ parameters }) => String(parameters.marketId) as Hex)
    const [facts, totals] = await Promise.all([
      readParameters(reader, morpho, ids),
      readTotals(reader, morpho, ids),
    ])
    const readable = positions.flatMap((position, index) => {
      const [parameters, total] = [facts[index], totals[index]]
      if (!parameters || 'message' in parameters || !total) return []
      return [{ key: position.key, parameters, totals: total }]
    })
    const rates = await readRates(reader, readable)
    const markets = new Map(
      readable.map((market, index) => [market.key, { ...market, rate: rates[index] ?? null }]),
    )
    return positions.map(({ key, parameters }): PositionState | Unreadable => {
      const market = markets.get(key)
      if (!market) return { protocol: slug, subject: key, message: 'The market was not read.' }
      // The contract keeps a total of the lent tokens, but of collateral only each owner's, which earns nothing.
      if (parameters.side === 'collateral') {
        return { holdings: null, base: { kind: 'annual', rate: 0 }, rewards: [] }
      }
      const { rate } = market
      const token = market.parameters.loanToken
      if (rate === null) {
        return {
          holdings: [{ token, amount: market.totals.supplyAssets }],
          base: null,
          rewards: [],
        }
      }
      const current = accrued(market.totals, rate, reader.block.timestamp)
      return {
        holdings: [{ token, amount: current.supplyAssets }],
        base: { kind: 'annual', rate: yearlySupply(current, rate) },
        rewards: [],
      }
    })
  },

  enter({ primaryAddress, parameters }, amounts) {
    const [amount] = amounts
    return {
      primaryAddress,
      marketId: parameters.marketId,
      tokenIn: amount?.token,
      amountIn: amount?.amount,
    }
  },
}

function positionsOf(
  market: MarketParameters & { readonly id: Hex },
  morpho: Hex,
  loan: string,
  collateral: string,
): Position[] {
  const { id, loanToken, collateralToken, lltv } = market
  const common = {
    protocol: slug,
    token: null,
    primaryAddress: morpho,
    poolAddress: morpho,
    name: `Morpho ${collateral}/${loan} ${Number(lltv / 10n ** 14n) / 100}%`,
    rewardTokens: [],
  }
  return [
    {
      ...common,
      key: positionKey(id, 'supply'),
      subtitle: `${loan} supply`,
      underlyingTokens: [loanToken],
      parameters: { marketId: id, side: 'supply' },
    },
    {
      ...common,
      key: positionKey(id, 'collateral'),
      subtitle: `${collateral} collateral`,
      underlyingTokens: [collateralToken],
      parameters: { marketId: id, side: 'collateral' },
    },
  ]
}

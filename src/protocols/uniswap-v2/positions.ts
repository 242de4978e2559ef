/** Shares of pairs as positions: listing and state. */
import type { StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { Position, PositionAdapter, PositionState } from '../positions.js'
import { squareRoot } from '../shared/square-root.js'
import { readTokenNames } from '../shared/token-names.js'
import { type PairRules, supplyWithFee } from './liquidity.js'
import { loadPairs } from './load.js'
import { type PairSource, pairPool, recogniseShares, sharesPool } from './pairs.js'

/** One, in the price of a share. */
const priceScale = 10n ** 18n

/** @param rulesOf - fees of a pool of the protocol. */
export function pairPositions(
  source: PairSource & { readonly name: string },
  rulesOf: (pool: Pool) => PairRules,
): PositionAdapter {
  const { slug } = source
  return {
    async list({ reader, venue, pools }) {
      const pairs = [...new Set(pools.map(({ address }) => address))]
      const shares = await recogniseShares(source, { reader, venue, tokens: pairs })
      const unreadable: Unreadable[] = []
      const known: Pool[] = []
      for (const [address, tokens] of shares) {
        if (!tokens) continue
        if ('message' in tokens) {
          unreadable.push({ protocol: slug, subject: address, message: tokens.message })
        } else known.push(pairPool(slug, address, tokens, Number(venue.feeBps)))
      }
      const positions = await named(source.name, reader, known)
      return { positions, unreadable }
    },

    async read({ reader, venue, positions }) {
      const pools = positions.map((position) => sharesPool(poolOf(position)))
      const loads = await loadPairs({ slug, reader, venue, pools })
      return loads.map((load): PositionState | Unreadable => {
        if (!('state' in load)) return load
        const { pool, state } = load
        const [token0, token1] = pool.tokens
        if (!token0 || !token1 || !('totalSupply' in state)) {
          return { protocol: slug, subject: pool.id, message: 'It is not a pair.' }
        }
        const { reserve0, reserve1 } = state
        // The exchange's part of the growth is not the holders'.
        const supply = supplyWithFee(state, rulesOf(pool))
        return {
          holdings: [
            { token: token0, amount: reserve0 },
            { token: token1, amount: reserve1 },
          ],
          base:
            supply === 0n
              ? null
              : {
                  kind: 'sharePrice',
                  price: (squareRoot(reserve0 * reserve1) * priceScale) / supply,
                },
          rewards: [],
        }
      })
    },
  }
}

function poolOf({ protocol, poolAddress, underlyingTokens, parameters }: Position): Pool {
  return {
    protocol,
    id: poolAddress,
    address: poolAddress,
    tokens: underlyingTokens,
    parameters: { feeBps: Number(parameters.feeBps) },
  }
}

async function named(
  exchange: string,
  reader: StateReader,
  pools: readonly Pool[],
): Promise<Position[]> {
  const tokens = [...new Set(pools.flatMap((pool) => pool.tokens))]
  const names = await readTokenNames(reader, tokens)
  const symbols = new Map(tokens.map((token, index) => [token, names[index]?.symbol ?? token]))
  return pools.map(({ protocol, address, tokens: own, parameters }) => {
    const subtitle = own.map((token) => symbols.get(token) ?? token).join('/')
    return {
      protocol,
      key: address,
      token: address,
      primaryAddress: address,
      poolAddress: address,
      name: `${exchange} ${subtitle}`,
      subtitle,
      underlyingTokens: own,
      rewardTokens: [],
      parameters,
    }
  })
}

import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { Unreadable } from '../pool.js'
import type { Position, PositionAdapter, PositionState } from '../positions.js'
import { readWord } from '../shared/read-word.js'
import { readTokenNames } from '../shared/token-names.js'
import { encodeRead } from './abi.js'
import { collateralKey } from './actions.js'
import { type Comet, collateralsOf, describeComets, knownComets, slug, wordAt } from './markets.js'
import { yearly } from './math.js'

/** Lent base is the market's token; collateral has no token. */
export const cometPositions: PositionAdapter = {
  async list({ reader, venue }) {
    const { comets, unreadable } = await describeComets(reader, knownComets(venue))
    const positions = await Promise.all(comets.map((comet) => positionsOf(reader, comet)))
    return { positions: positions.flat(), unreadable }
  },

  async read({ reader, positions }) {
    const comets = positions.map(({ primaryAddress }) => primaryAddress)
    const [amounts, utilizations] = await Promise.all([
      reader.call(
        positions.map(({ token, primaryAddress: to, underlyingTokens }) => ({
          to,
          data: token
            ? encodeRead('totalSupply')
            : encodeRead('totalsCollateral', [underlyingTokens[0]]),
        })),
      ),
      reader.call(comets.map((to) => ({ to, data: encodeRead('getUtilization') }))),
    ])
    const rates = await reader.call(
      comets.map((to, index) => {
        const utilization = readWord(utilizations[index]) ?? 0n
        return { to, data: encodeRead('getSupplyRate', [utilization]) }
      }),
    )
    return positions.map((position, index): PositionState | Unreadable => {
      const total = amounts[index]
      const [token] = position.underlyingTokens
      if (!total?.ok || !token) {
        return { protocol: slug, subject: position.key, message: 'Its total was not read.' }
      }
      const rate = position.token ? readWord(rates[index]) : 0n
      return {
        holdings: [{ token, amount: BigInt(wordAt(total.value, 0)) }],
        base: rate === null ? null : { kind: 'annual', rate: yearly(rate) },
        rewards: [],
      }
    })
  },

  enter({ primaryAddress }, amounts) {
    const [amount] = amounts
    return { primaryAddress, tokenIn: amount?.token, amountIn: amount?.amount }
  },
}

async function positionsOf(
  reader: StateReader,
  { address, baseToken }: Comet,
): Promise<Position[]> {
  const collaterals = await collateralsOf(reader, address)
  const asked: Address[] = [address, baseToken, ...collaterals]
  const names = await readTokenNames(reader, asked)
  const [symbol, base, ...others] = asked.map((token, index) => names[index]?.symbol ?? token)
  const common = {
    protocol: slug,
    primaryAddress: address,
    poolAddress: address,
    name: `Compound ${symbol}`,
    rewardTokens: [],
  }
  const lent: Position = {
    ...common,
    key: address,
    token: address,
    subtitle: base ?? baseToken,
    underlyingTokens: [baseToken],
    parameters: {},
  }
  const backing = collaterals.map(
    (asset, index): Position => ({
      ...common,
      key: collateralKey(address, asset),
      token: null,
      subtitle: `${others[index]} collateral`,
      underlyingTokens: [asset],
      parameters: { side: 'collateral' },
    }),
  )
  return [lent, ...backing]
}

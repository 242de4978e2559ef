/** stETH and wstETH as positions. A share of the first is a unit of the second, so both earn the same. */
import { encodeFunctionData, parseAbi } from 'viem'
import { type Address, nativeToken, toAddress } from '../../domain/primitives.js'
import type { Unreadable } from '../pool.js'
import type { PositionAdapter, PositionState } from '../positions.js'
import { issuedPositions } from '../shared/conversions/positions.js'
import { readWord } from '../shared/read-word.js'

const abi = parseAbi([
  'function totalSupply() view returns (uint256)',
  'function getPooledEthByShares(uint256 shares) view returns (uint256)',
])
/** Raw shares whose worth is the price: so many that each block's rounding is far below a day's interest. */
const priceProbe = 10n ** 30n
const supplyCall = encodeFunctionData({ abi, functionName: 'totalSupply' })
const worthCall = (shares: bigint) =>
  encodeFunctionData({ abi, functionName: 'getPooledEthByShares', args: [shares] })

export function lidoPositions(slug: string): PositionAdapter {
  return {
    async list({ reader, venue }) {
      const [stETH, wstETH] = [toAddress(String(venue.stETH)), toAddress(String(venue.wstETH))]
      const tokens = [
        {
          token: stETH,
          name: 'Liquid staked Ether',
          subtitle: 'stETH',
          underlying: nativeToken,
        },
        {
          token: wstETH,
          name: 'Wrapped liquid staked Ether',
          subtitle: 'wstETH',
          underlying: stETH,
        },
      ]
      return issuedPositions(reader, slug, tokens)
    },
    async read({ reader, venue, positions }) {
      const stETH = toAddress(String(venue.stETH))
      const [worth, ...supplies] = await reader.call([
        { to: stETH, data: worthCall(priceProbe) },
        ...positions.map(({ key }) => ({ to: toAddress(key), data: supplyCall })),
      ])
      const price = readWord(worth)
      const wrapped = supplies.map(readWord)
      const backing = await reader.call(
        wrapped.map((shares) => ({ to: stETH, data: worthCall(shares ?? 0n) })),
      )
      return positions.map(
        ({ key, underlyingTokens: [token] }, index): PositionState | Unreadable => {
          for (const result of [worth, supplies[index]]) {
            if (result && !result.ok && result.reason === 'unreadable') {
              return { protocol: slug, subject: key, message: result.message }
            }
          }
          const amount = key === stETH ? wrapped[index] : readWord(backing[index])
          return {
            holdings: holdingsOf(token, amount),
            base: price === null ? null : { kind: 'sharePrice', price },
            rewards: [],
          }
        },
      )
    },
  }
}

function holdingsOf(
  token: Address | undefined,
  amount: bigint | null | undefined,
): PositionState['holdings'] {
  return token && amount !== null && amount !== undefined ? [{ token, amount }] : null
}

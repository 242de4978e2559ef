/** Shares of vaults as positions: those of the chain file and of known pools. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Pool, Unreadable } from '../pool.js'
import type { Position, PositionAdapter, PositionState } from '../positions.js'
import { readWord } from '../read-word.js'
import { readTokenNames } from '../token-names.js'
import { vaultActions } from './actions.js'
import { namedVaults, readAssets } from './discover.js'
import { vaultErrors } from './errors.js'

const abi = parseAbi([
  'function totalAssets() view returns (uint256)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
])
/** Raw units of shares whose worth is the price: so many that a day's interest shows with an asset of few decimals. */
const priceProbe = 10n ** 30n
const questions = [
  encodeFunctionData({ abi, functionName: 'totalAssets' }),
  encodeFunctionData({ abi, functionName: 'convertToAssets', args: [priceProbe] }),
]

export function vaultPositions(slug: string): PositionAdapter {
  return {
    actions: vaultActions,
    errorsAbi: vaultErrors,
    async list({ reader, venue, pools }) {
      const known = pools.filter(isVault).map(({ address }) => address)
      const vaults = [...new Set([...namedVaults(venue), ...known])]
      if (vaults.length === 0) return { positions: [], unreadable: [] }
      const [answers, names] = await Promise.all([
        readAssets(reader, vaults),
        readTokenNames(reader, vaults),
      ])
      const positions: Position[] = []
      const unreadable: Unreadable[] = []
      vaults.forEach((vault, index) => {
        const answer = answers[index]
        if (answer && 'message' in answer) {
          unreadable.push({ protocol: slug, subject: vault, message: answer.message })
        }
        // One that is not there at the block says nothing, and is no position yet.
        if (!answer || !('asset' in answer) || !answer.asset) return
        positions.push({
          protocol: slug,
          key: vault,
          token: vault,
          primaryAddress: vault,
          poolAddress: vault,
          name: names[index]?.name ?? vault,
          subtitle: names[index]?.symbol ?? '',
          underlyingTokens: [answer.asset],
          rewardTokens: [],
          parameters: {},
        })
      })
      return { positions, unreadable }
    },
    async read({ reader, positions }) {
      const results = await reader.call(
        positions.flatMap(({ key }) =>
          questions.map((data) => ({ to: key as `0x${string}`, data })),
        ),
      )
      return positions.map((position, index): PositionState | Unreadable => {
        const answers = results.slice(index * questions.length, (index + 1) * questions.length)
        for (const answer of answers) {
          if (!answer.ok && answer.reason === 'unreadable') {
            return { protocol: slug, subject: position.key, message: answer.message }
          }
        }
        const [total = null, price = null] = answers.map(readWord)
        const [token] = position.underlyingTokens
        return {
          holdings: total === null || !token ? null : [{ token, amount: total }],
          base: price ? { kind: 'sharePrice', price } : null,
          rewards: [],
        }
      })
    },
  }
}

function isVault({ id, address, tokens }: Pool): boolean {
  return tokens.length === 2 && tokens[1] === address && id === address
}

/** Shares of vaults as positions: those of the chain definition, of registries on chain and of known pools. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Pool, Unreadable } from '../pool.js'
import type { PositionAdapter, PositionState } from '../positions.js'
import { readWord } from '../shared/read-word.js'
import { vaultPositionsOf } from '../shared/vault-parts.js'
import { vaultKind } from './actions.js'
import { namedVaults } from './discover.js'
import { registeredVaults } from './registry.js'

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
    async list({ reader, venue, pools }) {
      const known = pools.filter(isVault).map(({ address }) => address)
      const registered = await registeredVaults(slug, reader, venue)
      const vaults = [...new Set([...namedVaults(venue), ...registered.vaults, ...known])]
      const { positions, unreadable } = await vaultPositionsOf(vaultKind, { slug, reader, vaults })
      return { positions, unreadable: [...registered.unreadable, ...unreadable] }
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

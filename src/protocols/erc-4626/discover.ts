import { encodeFunctionData, parseAbi } from 'viem'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { DiscoverArgs, Pool, Unreadable } from '../protocol.js'
import { addressInWord } from '../storage-slots.js'
import { orderedPairs } from '../token-pairs.js'

const asset = encodeFunctionData({ abi: parseAbi(['function asset() view returns (address)']) })

/**
 * A token is a vault for a pair when its `asset()` is the other token. Connector tokens are not asked, as most tokens
 * of most look-ups are such: those that are vaults are named in the chain file.
 */
export async function discoverVaults(
  slug: string,
  { reader, chain, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const named = Array.isArray(venue.vaults) ? venue.vaults.map(String) : []
  const skipped = new Set<string>(chain.connectorTokens.filter((token) => !named.includes(token)))
  const wanted = orderedPairs(pairs)
  const tokens = [...new Set(wanted.flat())].filter((token) => !skipped.has(token))
  if (tokens.length === 0) return { pools: [], unreadable: [] }
  const results = await reader.call(tokens.map((to) => ({ to, data: asset })))
  const assets = new Map<Address, Address | null>()
  const unreadable: Unreadable[] = []
  tokens.forEach((token, index) => {
    const result = results[index]
    if (result?.ok) {
      const isWord = result.value.length === 66 && BigInt(result.value) < 2n ** 160n
      assets.set(token, isWord ? addressInWord(result.value) : null)
    } else if (result?.reason === 'unreadable') {
      const { message } = result
      for (const pair of wanted.filter((each) => each.includes(token))) {
        unreadable.push({ protocol: slug, subject: `asset ${token}`, message, pair })
      }
    }
  })
  const pools = wanted.flatMap(([a, b]) => [
    ...(assets.get(a) === b ? [vaultPool(slug, a, b)] : []),
    ...(assets.get(b) === a ? [vaultPool(slug, b, a)] : []),
  ])
  return { pools, unreadable }
}

function vaultPool(slug: string, vault: Address, underlying: Address): Pool {
  const address = toAddress(vault)
  return { protocol: slug, id: address, address, tokens: [underlying, address], parameters: {} }
}

import { encodeFunctionData, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs } from '../protocol.js'
import { addressInWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'
import type { AssetAnswer } from '../shared/vault-parts.js'

const asset = encodeFunctionData({ abi: parseAbi(['function asset() view returns (address)']) })

/** Vaults that the chain definition lists. */
export function namedVaults(venue: VenueParameters): Address[] {
  return Array.isArray(venue.vaults) ? venue.vaults.map((each) => toAddress(String(each))) : []
}

/** In the order asked. What names itself as its asset is no vault: nothing else would go in or come out. */
export async function readAssets(
  reader: StateReader,
  vaults: readonly Address[],
): Promise<AssetAnswer[]> {
  const results = await reader.call(vaults.map((to) => ({ to, data: asset })))
  return vaults.map((vault, index) => {
    const result = results[index]
    if (result?.ok) {
      const isWord = result.value.length === 66 && BigInt(result.value) < 2n ** 160n
      const address = isWord ? addressInWord(result.value) : null
      return { asset: address === vault ? null : address }
    }
    return result?.reason === 'unreadable' ? { message: result.message } : { asset: null }
  })
}

/**
 * Connector tokens are not asked, as most tokens of most look-ups are such: those that are vaults are named in the
 * chain file.
 */
function convertibleTokens(
  chain: ChainDefinition,
  venue: VenueParameters,
  tokens: readonly Address[],
): Address[] {
  const named = namedVaults(venue)
  const skipped = new Set(chain.connectorTokens.filter((token) => !named.includes(token)))
  return [...new Set(tokens)].filter((token) => !skipped.has(token))
}

/** A token is a vault for a pair when its `asset()` is the other token. */
export async function discoverVaults(
  slug: string,
  { reader, chain, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const wanted = orderedPairs(pairs)
  const tokens = convertibleTokens(chain, venue, wanted.flat())
  if (tokens.length === 0) return { pools: [], unreadable: [] }
  const answers = await readAssets(reader, tokens)
  const assets = new Map<Address, Address | null>()
  const unreadable: Unreadable[] = []
  tokens.forEach((token, index) => {
    const answer = answers[index]
    if (answer && 'asset' in answer) assets.set(token, answer.asset)
    else if (answer) {
      const { message } = answer
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

/** The assets of those tokens that are vaults. */
export async function underlyingAssets(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  readonly tokens: readonly Address[]
}): Promise<ReadonlyMap<Address, readonly Address[]>> {
  const tokens = convertibleTokens(args.chain, args.venue, args.tokens)
  const answers = tokens.length === 0 ? [] : await readAssets(args.reader, tokens)
  const found = new Map<Address, readonly Address[]>()
  tokens.forEach((token, index) => {
    const answer = answers[index]
    if (answer && 'asset' in answer && answer.asset) found.set(token, [answer.asset])
  })
  return found
}

export function vaultPool(slug: string, vault: Address, underlying: Address): Pool {
  const address = toAddress(vault)
  return { protocol: slug, id: address, address, tokens: [underlying, address], parameters: {} }
}

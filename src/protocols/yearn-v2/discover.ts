import { encodeFunctionData, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs, EndorsementArgs } from '../protocol.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'
import type { AssetAnswer } from '../shared/vault-parts.js'

const abi = parseAbi([
  'function token() view returns (address)',
  'function apiVersion() view returns (string)',
  'function numTokens() view returns (uint256)',
  'function tokens(uint256 index) view returns (address)',
  'function numVaults(address token) view returns (uint256)',
  'function vaults(address token, uint256 index) view returns (address)',
])
const token = encodeFunctionData({ abi, functionName: 'token' })
const version = encodeFunctionData({ abi, functionName: 'apiVersion' })

/** In the order asked; null for other contracts: they may have a `token()` too, but no `apiVersion()`. */
export async function readAssets(
  reader: StateReader,
  vaults: readonly Address[],
): Promise<AssetAnswer[]> {
  const results = await reader.call(
    vaults.flatMap((to) => [
      { to, data: token },
      { to, data: version },
    ]),
  )
  return vaults.map((_vault, index) => {
    const [asset, text] = results.slice(index * 2, index * 2 + 2)
    for (const result of [asset, text]) {
      if (result && !result.ok && result.reason === 'unreadable') return { message: result.message }
    }
    // A string of some characters: its offset, its length, its bytes.
    const hasVersion = text?.ok && text.value.length === 194
    return { asset: hasVersion ? addressOf(asset) : null }
  })
}

function addressOf(result: ReadResult | undefined): Address | null {
  if (!result?.ok || result.value.length !== 66 || BigInt(result.value) >= 2n ** 160n) return null
  return addressInWord(result.value)
}

/** A token is a vault for a pair when its `token()` is the other one. No connector token is one. */
export async function discoverVaults(
  slug: string,
  { reader, chain, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const wanted = orderedPairs(pairs)
  const tokens = others(chain, wanted.flat())
  const answers = tokens.length === 0 ? [] : await readAssets(reader, tokens)
  const pools: Pool[] = []
  const unreadable: Unreadable[] = []
  tokens.forEach((each, index) => {
    const answer = answers[index]
    for (const pair of wanted.filter((one) => one.includes(each))) {
      const [other] = pair.filter((one) => one !== each)
      if (answer && 'message' in answer) {
        const { message } = answer
        unreadable.push({ protocol: slug, subject: `token ${each}`, message, pair })
      } else if (answer?.asset && answer.asset === other) {
        pools.push(vaultPool(slug, each, answer.asset))
      }
    }
  })
  return { pools, unreadable }
}

/** The assets of those tokens that are vaults. */
export async function underlyingAssets(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly tokens: readonly Address[]
}): Promise<ReadonlyMap<Address, readonly Address[]>> {
  const tokens = others(args.chain, args.tokens)
  const answers = tokens.length === 0 ? [] : await readAssets(args.reader, tokens)
  const found = new Map<Address, readonly Address[]>()
  tokens.forEach((each, index) => {
    const answer = answers[index]
    if (answer && 'asset' in answer && answer.asset) found.set(each, [answer.asset])
  })
  return found
}

/**
 * Every vault that the registry endorses.
 *
 * @returns an Unreadable where the node refuses the registry; no vaults where there is none.
 */
export async function registeredVaults(
  slug: string,
  reader: StateReader,
  venue: VenueParameters,
): Promise<{ readonly vaults: Address[]; readonly unreadable: Unreadable[] }> {
  const to = toAddress(String(venue.registry))
  const unreadable: Unreadable[] = []
  const read = async (calls: Parameters<typeof encodeFunctionData<typeof abi>>[0][]) => {
    const results = await reader.call(calls.map((call) => ({ to, data: encodeFunctionData(call) })))
    const refused = results.find((result) => !result.ok && result.reason === 'unreadable')
    if (refused && !refused.ok && unreadable.length === 0) {
      unreadable.push({ protocol: slug, subject: `registry ${to}`, message: refused.message })
    }
    return results
  }
  const [count] = await read([{ abi, functionName: 'numTokens' }])
  const assets = await read(
    range(readWord(count)).map((index) => ({ abi, functionName: 'tokens', args: [index] })),
  )
  const tokens = assets.flatMap((result) => addressOf(result) ?? [])
  const counts = await read(
    tokens.map((each) => ({ abi, functionName: 'numVaults', args: [each] })),
  )
  const found = await read(
    tokens.flatMap((each, index) =>
      range(readWord(counts[index])).map((place) => {
        return { abi, functionName: 'vaults', args: [each, place] } as const
      }),
    ),
  )
  return { vaults: [...new Set(found.flatMap((result) => addressOf(result) ?? []))], unreadable }
}

/** Whether the registry endorses the vault for its asset; false where it cannot be read. */
export async function isRegistered({
  reader,
  venue,
  pool: {
    address,
    tokens: [asset],
  },
  listed,
}: EndorsementArgs): Promise<boolean> {
  if (listed) return true
  if (!asset || !venue.registry) return false
  const to = toAddress(String(venue.registry))
  const [count] = await reader.call([
    { to, data: encodeFunctionData({ abi, functionName: 'numVaults', args: [asset] }) },
  ])
  const found = await reader.call(
    range(readWord(count)).map((place) => ({
      to,
      data: encodeFunctionData({ abi, functionName: 'vaults', args: [asset, place] }),
    })),
  )
  return found.some((result) => addressOf(result) === address)
}

function range(count: bigint | null): bigint[] {
  return Array.from({ length: Number(count ?? 0n) }, (_, index) => BigInt(index))
}

function others(chain: ChainDefinition, tokens: readonly Address[]): Address[] {
  return [...new Set(tokens)].filter((each) => !chain.connectorTokens.includes(each))
}

function vaultPool(slug: string, vault: Address, asset: Address): Pool {
  const address = toAddress(vault)
  return { protocol: slug, id: address, address, tokens: [asset, address], parameters: {} }
}

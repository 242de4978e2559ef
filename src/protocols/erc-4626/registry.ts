/**
 * Vaults that registries on chain endorse: those of Yearn V3, whose governance decides what is in them. Anybody may make
 * a vault of MetaMorpho's factories: pool-events.ts lists those, and nobody endorses them.
 * @see yearn/vault-periphery 13a369a, src/registry/Registry.sol
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Unreadable } from '../pool.js'
import type { EndorsementArgs } from '../protocol.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord } from '../shared/storage-slots.js'
import { namedVaults } from './discover.js'

const abi = parseAbi([
  'function numAssets() view returns (uint256)',
  'function assets(uint256 index) view returns (address)',
  'function getEndorsedVaults(address asset) view returns (address[])',
  'function isEndorsed(address vault) view returns (bool)',
])
/** Bounds of what one registry adds to a list, in its own order. */
const mostAssets = 256
const mostVaults = 512

function registriesOf(venue: VenueParameters): Address[] {
  return Array.isArray(venue.registries)
    ? venue.registries.map((each) => toAddress(String(each)))
    : []
}

/** In the order of the registries; none where there is no registry at the block. */
export async function registeredVaults(
  slug: string,
  reader: StateReader,
  venue: VenueParameters,
): Promise<{ readonly vaults: Address[]; readonly unreadable: Unreadable[] }> {
  const lists = await Promise.all(
    registriesOf(venue).map((registry) => readRegistry(slug, reader, registry)),
  )
  return {
    vaults: [...new Set(lists.flatMap(({ vaults }) => vaults))],
    unreadable: lists.flatMap(({ unreadable }) => unreadable),
  }
}

async function readRegistry(slug: string, reader: StateReader, to: Address) {
  const unreadable: Unreadable[] = []
  const read = async (calls: readonly Hex[]): Promise<ReadResult[]> => {
    const results = calls.length ? await reader.call(calls.map((data) => ({ to, data }))) : []
    const refused = results.find((result) => !result.ok && result.reason === 'unreadable')
    if (refused && !refused.ok && unreadable.length === 0) {
      unreadable.push({ protocol: slug, subject: `registry ${to}`, message: refused.message })
    }
    return results
  }
  const [count] = await read([encodeFunctionData({ abi, functionName: 'numAssets' })])
  const length = Math.min(Number(readWord(count) ?? 0n), mostAssets)
  const assets = await read(
    Array.from({ length }, (_, index) =>
      encodeFunctionData({ abi, functionName: 'assets', args: [BigInt(index)] }),
    ),
  )
  const lists = await read(
    assets.flatMap((result) => {
      const asset = addressIn(result.ok && result.value.length === 66 ? result.value : '0x0')
      return asset
        ? [encodeFunctionData({ abi, functionName: 'getEndorsedVaults', args: [asset] })]
        : []
    }),
  )
  return { vaults: lists.flatMap(addressesIn).slice(0, mostVaults), unreadable }
}

/** Whether the service lists the vault or one of its registries endorses it; false where that cannot be read. */
export async function isEndorsed({
  reader,
  venue,
  pool: { address },
  listed,
}: EndorsementArgs): Promise<boolean> {
  if (listed || namedVaults(venue).includes(address)) return true
  const data = encodeFunctionData({ abi, functionName: 'isEndorsed', args: [address] })
  const registries = registriesOf(venue)
  const answers = registries.length ? await reader.call(registries.map((to) => ({ to, data }))) : []
  return answers.some((answer) => readWord(answer) === 1n)
}

/** Decodes a list of addresses: its offset, its length, its words. */
function addressesIn(result: ReadResult): Address[] {
  if (!result.ok) return []
  const words = result.value.slice(2).match(/.{64}/g) ?? []
  const length = Number(BigInt(`0x${words[1] ?? '0'}`))
  return words
    .slice(2, 2 + Math.min(length, mostVaults))
    .flatMap((word) => addressIn(`0x${word}`) ?? [])
}

function addressIn(word: Hex): Address | null {
  return BigInt(word) < 2n ** 160n ? addressInWord(word) : null
}

/** The markets that the venue names; those without code on the chain are left out. */
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Unreadable } from '../pool.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord } from '../shared/storage-slots.js'
import { encodeRead } from './abi.js'

export const slug = 'compound-v3'

export interface Comet {
  readonly address: Address
  readonly baseToken: Address
}

export function knownComets(venue: VenueParameters): Address[] {
  return Array.isArray(venue.comets) ? venue.comets.map((comet) => toAddress(String(comet))) : []
}

/** In the order asked, without those that have no code. */
export async function describeComets(
  reader: StateReader,
  addresses: readonly Address[],
): Promise<{ readonly comets: Comet[]; readonly unreadable: Unreadable[] }> {
  const results = await reader.call(addresses.map((to) => ({ to, data: encodeRead('baseToken') })))
  const comets: Comet[] = []
  const unreadable: Unreadable[] = []
  addresses.forEach((address, index) => {
    const result = results[index]
    const baseToken = addressIn(result)
    if (baseToken) comets.push({ address, baseToken })
    else if (result?.ok === false && result.reason === 'unreadable') {
      unreadable.push({ protocol: slug, subject: address, message: result.message })
    }
  })
  return { comets, unreadable }
}

/** What may back loans, in the market's order. */
export async function collateralsOf(reader: StateReader, to: Address): Promise<Address[]> {
  const [count] = await reader.call([{ to, data: encodeRead('numAssets') }])
  const indices = Array.from({ length: Number(readWord(count) ?? 0n) }, (_, index) => index)
  const results = await reader.call(
    indices.map((index) => ({ to, data: encodeRead('getAssetInfo', [index]) })),
  )
  return results.flatMap((result) => {
    const asset = result.ok ? addressInWord(wordAt(result.value, 1)) : null
    return asset ? [asset] : []
  })
}

export function wordAt(value: Hex, index: number): Hex {
  const start = 2 + 64 * index
  return value.length < start + 64 ? '0x0' : `0x${value.slice(start, start + 64)}`
}

function addressIn(result: ReadResult | undefined): Address | null {
  return result?.ok && result.value.length === 66 ? addressInWord(result.value) : null
}

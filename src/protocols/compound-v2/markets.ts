/** Lists the markets and the asset that each of them lends. */
import { decodeFunctionResult, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, type Hex, nativeToken, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Unreadable } from '../pool.js'
import { addressInWord } from '../shared/storage-slots.js'
import { encodeRead } from './abi.js'

export const slug = 'compound-v2'

const listAbi = parseAbi(['function getAllMarkets() view returns (address[])'])

interface Args {
  readonly reader: StateReader
  readonly venue: VenueParameters
}

export interface Market {
  readonly address: Address
  /** Native for the market of ether. */
  readonly underlying: Address
}

export function comptrollerOf(venue: VenueParameters): Address {
  return toAddress(String(venue.comptroller))
}

/** Every market that the Comptroller lists; none where it has no code. */
export async function allMarkets({ reader, venue }: Args): Promise<Address[] | Unreadable> {
  const to = comptrollerOf(venue)
  const [result] = await reader.call([{ to, data: encodeRead('getAllMarkets') }])
  if (result?.ok && result.value.length > 130) {
    const list = decodeFunctionResult({ abi: listAbi, data: result.value })
    return list.map(toAddress)
  }
  if (result && !result.ok && result.reason === 'unreadable') {
    return { protocol: slug, subject: `markets of ${to}`, message: result.message }
  }
  return []
}

/** In the order asked. The market of ether is the one without an `underlying()`. */
export async function describeMarkets(
  reader: StateReader,
  addresses: readonly Address[],
): Promise<(Market | Unreadable)[]> {
  const results = await reader.call(addresses.map((to) => ({ to, data: encodeRead('underlying') })))
  return addresses.map((address, index) => {
    const underlying = underlyingIn(results[index])
    if (typeof underlying === 'string') return { address, underlying }
    return { protocol: slug, subject: address, message: underlying.message }
  })
}

function underlyingIn(result: ReadResult | undefined): Address | { readonly message: string } {
  if (result?.ok) return addressInWord(firstWord(result.value)) ?? nativeToken
  if (result?.reason === 'unreadable') return { message: result.message }
  return nativeToken
}

function firstWord(value: Hex): Hex {
  return value.length < 66 ? '0x0' : (value.slice(0, 66) as Hex)
}

/** The market at an address; null where the Comptroller does not list it. */
export async function listedMarket(
  { reader, venue }: Args,
  address: Address,
): Promise<Market | null> {
  const data = encodeRead('markets', [address])
  const [[listed], [market]] = await Promise.all([
    reader.call([{ to: comptrollerOf(venue), data }]),
    describeMarkets(reader, [address]),
  ])
  const isListed = listed?.ok === true && BigInt(firstWord(listed.value)) === 1n
  return isListed && market && 'underlying' in market ? market : null
}

/** Reads addresses out of the parameters of a venue. */
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'

/** The one address of each of these parameters. @throws RangeError where the venue lacks one. */
export function namedAddresses<const Name extends string>(
  venue: VenueParameters,
  names: readonly Name[],
): Readonly<Record<Name, Address>> {
  const found = names.map((name) => {
    const [address] = addressesOf(venue[name])
    if (!address) throw new RangeError(`The venue has no ${name}.`)
    return [name, address] as const
  })
  return Object.fromEntries(found) as Record<Name, Address>
}

/** Addresses of a parameter that is one address, or several; none where it is absent. */
export function addressesOf(value: VenueParameters[string] | undefined): Address[] {
  return value === undefined ? [] : [value].flat().map((one) => toAddress(String(one)))
}

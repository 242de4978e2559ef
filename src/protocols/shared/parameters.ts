/** Reads addresses out of the parameters of a venue. */
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'

/** Addresses of a parameter that is one address, or several; none where it is absent. */
export function addressesOf(value: VenueParameters[string] | undefined): Address[] {
  return value === undefined ? [] : [value].flat().map((one) => toAddress(String(one)))
}

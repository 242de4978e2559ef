import type { Address } from '../../domain/primitives.js'

/**
 * Address of a helper contract that the adapter names in `helperContracts`.
 * @throws Error when the planner did not place it: a fault of ours, not of the request.
 */
export function helperAddress(helpers: Readonly<Record<string, Address>>, name: string): Address {
  const address = helpers[name]
  if (!address) throw new Error(`The helper contract ${name} was not placed.`)
  return address
}

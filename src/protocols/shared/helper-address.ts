import type { Address } from '../../domain/primitives.js'

/**
 * Address of a helper contract that the adapter declares in `helperContracts`.
 * @throws Error when the planner did not place it: a bug, not a mistake of the request.
 */
export function helperAddress(helpers: Readonly<Record<string, Address>>, name: string): Address {
  const address = helpers[name]
  if (!address) throw new Error(`The helper contract ${name} was not placed.`)
  return address
}

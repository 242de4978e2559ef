/**
 * Records of pools. A market is `[PT, SY, YT, market]` at its address, which is that of its shares, with the parameter `factory`; the redemption of an expired PT is `[PT, SY]` at its YT; an SY and one of its tokens are `[token, SY]` at the SY.
 */
import type { VenueParameters } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import { addressesOf } from '../shared/parameters.js'

export const slug = 'pendle'

export const routerOf = (venue: VenueParameters): Address | undefined =>
  addressesOf(venue.router)[0]
export const factoriesOf = (venue: VenueParameters): Address[] => addressesOf(venue.factories)
/** Of PT and YT. */
export const yieldFactoriesOf = (venue: VenueParameters): Address[] =>
  addressesOf(venue.yieldFactories)

export function marketPool(
  market: Address,
  parts: Readonly<Record<'pt' | 'sy' | 'yt' | 'factory', Address>>,
): Pool {
  const { pt, sy, yt, factory } = parts
  const parameters = { kind: 'market', factory }
  return { protocol: slug, id: market, address: market, tokens: [pt, sy, yt, market], parameters }
}

export function redemptionPool(yt: Address, pt: Address, sy: Address): Pool {
  const parameters = { kind: 'redemption' }
  return { protocol: slug, id: yt, address: yt, tokens: [pt, sy], parameters }
}

export function yieldPool(sy: Address, token: Address): Pool {
  const parameters = { kind: 'yield' }
  return { protocol: slug, id: `${sy}-${token}`, address: sy, tokens: [token, sy], parameters }
}

/**
 * What differs between chains. A new chain is one file here and one line in `registry.ts`.
 */
import type { ChainRules } from '../domain/chain-rules.js'
import { type Address, isNative } from '../domain/primitives.js'
import { wrappedNativeSlug } from '../domain/route-step.js'

/** Addresses and constants of one protocol on one chain; the protocol's folder says which keys it needs. */
export type VenueParameters = Readonly<Record<string, string | number | readonly string[]>>

export interface ChainDefinition extends ChainRules {
  readonly id: number
  readonly name: string
  readonly nativeCurrency: {
    readonly name: string
    readonly symbol: string
    readonly decimals: number
  }
  readonly wrappedNative: Address
  /** How to determine the cost of posting a transaction's data to L1, on top of its gas; absent where there is none. */
  readonly l1DataFee?: 'op-stack' | 'arbitrum'
  /** Tokens taken as one US dollar when no feed says otherwise. */
  readonly stableAnchors: readonly Address[]
  /** Tokens that paths may lead through. */
  readonly connectorTokens: readonly Address[]
  readonly chainlinkFeeds: readonly {
    readonly token: Address
    readonly feed: Address
    readonly heartbeatSeconds: number
  }[]
  /** Protocol slug to its parameters; a protocol without an entry is not on the chain. */
  readonly venues: Readonly<Record<string, VenueParameters>>
  /** Bridge slug to its parameters on this chain; the bridge's folder says which keys it needs. */
  readonly bridges?: Readonly<Record<string, VenueParameters>>
}

/** Adds what every chain has: the contract that wraps its native token. */
export function defineChain(chain: ChainDefinition): ChainDefinition {
  return { ...chain, venues: { ...chain.venues, [wrappedNativeSlug]: {} } }
}

/** Wrapped native in place of native: for uses that count the two as one, such as prices and look-ups of pools. */
export function canonicalToken(
  chain: Pick<ChainDefinition, 'wrappedNative'>,
  token: Address,
): Address {
  return isNative(token) ? chain.wrappedNative : token
}

/**
 * Venues that a chain has had since after cassettes named protocols, as `slug:chainId`. What knows one of them names it
 * beside the protocol, so that a replay of an earlier cassette reads none.
 */
export const laterVenues: readonly string[] = [42161, 8453, 10, 137, 43114, 100].map(
  (chainId) => `curve:${chainId}`,
)

/**
 * The chain with venues of these protocols alone; the same chain where it has no others, or none are given.
 *
 * @param protocols - slugs, and those of `laterVenues` that are known.
 */
export function withProtocols(
  chain: ChainDefinition,
  protocols: readonly string[] | undefined,
): ChainDefinition {
  const all = Object.entries(chain.venues)
  const isKnown = (slug: string) => {
    const venue = `${slug}:${chain.id}`
    const isNamed = !laterVenues.includes(venue) || protocols?.includes(venue)
    return isNamed && protocols?.includes(slug)
  }
  const own = protocols ? all.filter(([slug]) => isKnown(slug)) : all
  return own.length === all.length ? chain : { ...chain, venues: Object.fromEntries(own) }
}

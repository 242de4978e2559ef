/**
 * What differs between chains. A new chain is one file here and one line in `registry.ts`.
 */
import type { ChainRules } from '../domain/chain-rules.js'
import { defined } from '../domain/defined.js'
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
  /** Bridge slug, or its slug and what it has carried since later, to parameters on this chain; the bridge's folder says which keys it needs. */
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
export const laterVenues: readonly string[] = [42161, 8453, 10, 137, 43114, 100, 56, 146, 130].map(
  (chainId) => `curve:${chainId}`,
)

/**
 * Bridges that chains have had since after cassettes named protocols, as `bridge:slug`. They are named as later venues
 * are, so that a replay of an earlier cassette asks none of them.
 */
export const laterBridges: readonly string[] = [
  'cctp',
  'canonical',
  'oft',
  'canonical-tokens',
  'canonical-tickets',
].map((slug) => `bridge:${slug}`)

/**
 * The chain with venues of these protocols alone, and with the later bridges that are named; the same chain where it has
 * no others, or none are given.
 *
 * @param protocols - slugs, and those of `laterVenues` and `laterBridges` that are known.
 */
export function withProtocols(
  chain: ChainDefinition,
  protocols: readonly string[] | undefined,
): ChainDefinition {
  if (!protocols) return chain
  const isNamed = (later: readonly string[], name: string) =>
    !later.includes(name) || protocols.includes(name)
  const venues = entriesWhere(
    chain.venues,
    (slug) => protocols.includes(slug) && isNamed(laterVenues, `${slug}:${chain.id}`),
  )
  const bridges = entriesWhere(chain.bridges ?? {}, (slug) =>
    isNamed(laterBridges, `bridge:${slug}`),
  )
  if (!venues && !bridges) return chain
  return { ...chain, ...defined({ venues: venues ?? undefined, bridges: bridges ?? undefined }) }
}

/** Null where all of them are kept. */
function entriesWhere<T>(
  all: Readonly<Record<string, T>>,
  isKept: (name: string) => boolean,
): Record<string, T> | null {
  const entries = Object.entries(all)
  const kept = entries.filter(([name]) => isKept(name))
  return kept.length === entries.length ? null : Object.fromEntries(kept)
}

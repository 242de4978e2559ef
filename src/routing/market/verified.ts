/**
 * Which pools run no code but their protocol's own. A route through others is proven and returned as well, but its
 * outputs are counted where a stranger cannot add to them, and it comes after the routes that need no trust. Pure.
 */
import type { VenueParameters } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'
import type { LoadedPool, ProtocolAdapter } from '../../protocols/protocol.js'

/**
 * What speaks against a pool: `imported` where only an operator says that it is one, else the contract whose code
 * anybody may have written.
 */
export type Doubt = 'imported' | Address

/**
 * How the pool came into the market: its protocol's look-up at the block returned it, an event of its protocol's own
 * contract told of it, the service itself lists it (the pools of the sandbox), or only an operator's import names it.
 */
export type PoolOrigin = 'found' | 'indexed' | 'listed' | 'imported'

/**
 * Null: nothing. An import is not believed even where the address can be derived from a factory's: its tokens may be
 * anybody's too, and a hostile token between two honest pools does what a hostile pool does.
 */
export function doubtOf(
  origin: PoolOrigin,
  adapter: Pick<ProtocolAdapter, 'trust'>,
  { pool, state }: LoadedPool,
  venue: VenueParameters,
): Doubt | null {
  if (origin === 'listed') return null
  if (origin === 'imported') return 'imported'
  return adapter.trust?.foreignCode?.(pool, state, venue) ?? null
}

/**
 * What is in doubt about a pool of the index: a token that nobody has asked for, since its code is anybody's, comes
 * before what is doubted of a pool that was looked up.
 *
 * @param trusted - tokens of the request, of the chain and of the operator's lists, native and wrapped among them.
 */
export function doubtOfIndexed(
  adapter: Pick<ProtocolAdapter, 'trust'>,
  loaded: LoadedPool,
  venue: VenueParameters,
  trusted: ReadonlySet<Address>,
): Doubt | null {
  const { pool } = loaded
  const isOwn = (token: Address) => adapter.trust?.isOwnToken?.(pool, token) ?? false
  const stranger = pool.tokens.find((token) => !trusted.has(token) && !isOwn(token))
  return stranger ?? doubtOf('indexed', adapter, loaded, venue)
}

/**
 * @param named - contracts of tokens that the caller gives or wants. Their code runs in whatever route, so a pool is
 *   not doubted for being one of them.
 */
export function isVerified(
  { doubt }: { readonly doubt?: Doubt },
  named: ReadonlySet<Address> = new Set(),
): boolean {
  return doubt === undefined || (doubt !== 'imported' && named.has(doubt))
}

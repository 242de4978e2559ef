import { type Address, toAddress, zeroAddress } from '../../domain/primitives.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs } from '../protocol.js'
import { initialisedAmong } from '../shared/keyed/concentrated.js'
import { toCurrency, withNative } from '../shared/keyed/currencies.js'
import { mappingSlot } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'
import { poolIdOf } from './pool-key.js'

/** PoolManager: `mapping(PoolId => Pool.State) _pools`. */
const poolsSlot = 6n

/** Fee and tick spacing that pools without hooks use; any other combination is possible and must be imported. */
const usualTiers = [
  { fee: 100, tickSpacing: 1 },
  { fee: 500, tickSpacing: 10 },
  { fee: 3_000, tickSpacing: 60 },
  { fee: 10_000, tickSpacing: 200 },
] as const

/** First slot of the pool's state: slot0. */
export function poolStateSlot(poolId: string): bigint {
  return mappingSlot(BigInt(poolId), poolsSlot)
}

/**
 * Initialised pools without hooks of the pairs in the usual tiers.
 * Pairs with the wrapped native token are looked up with native itself too: both kinds of pool exist.
 */
export function discoverV4(
  slug: string,
  { reader, chain, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const address = toAddress(String(venue.poolManager))
  const candidates = orderedPairs(pairs)
    .flatMap((pair) => withNative(pair, chain.wrappedNative))
    .flatMap((tokens) => usualTiers.map((tier) => candidate(slug, address, tokens, tier)))
  return initialisedAmong({ reader }, candidates, poolStateSlot)
}

function candidate(
  slug: string,
  address: Address,
  tokens: readonly [Address, Address],
  tier: { readonly fee: number; readonly tickSpacing: number },
) {
  const id = poolIdOf({
    currency0: toCurrency(tokens[0]),
    currency1: toCurrency(tokens[1]),
    ...tier,
    hooks: zeroAddress,
  })
  const parameters = { ...tier, hooks: zeroAddress }
  return { protocol: slug, id, address, tokens, parameters } satisfies Pool
}

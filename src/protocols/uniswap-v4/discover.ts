import { type Address, nativeToken, toAddress, zeroAddress } from '../../domain/primitives.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs } from '../protocol.js'
import { tickPlacesOf } from '../shared/concentrated/load.js'
import { mappingSlot, toWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'
import { poolIdOf, toCurrency } from './pool-key.js'

/** PoolManager: `mapping(PoolId => Pool.State) _pools`. */
const poolsSlot = 6n

/** Fee and tick spacing that pools without hooks use; any other combination is possible and must be imported. */
const usualTiers = [
  { fee: 100, tickSpacing: 1 },
  { fee: 500, tickSpacing: 10 },
  { fee: 3_000, tickSpacing: 60 },
  { fee: 10_000, tickSpacing: 200 },
] as const

/** Where the PoolManager keeps the state of a pool. */
export function poolSlots(poolId: string) {
  const base = poolStateSlot(poolId)
  return { slot0: base, liquidity: base + 3n, ticks: base + 4n, tickBitmap: base + 5n }
}

/** First slot of the pool's state: slot0. */
export function poolStateSlot(poolId: string): bigint {
  return mappingSlot(BigInt(poolId), poolsSlot)
}

/**
 * Initialised pools without hooks of the pairs in the usual tiers.
 * Pairs with the wrapped native token are looked up with native itself too: both kinds of pool exist.
 */
export async function discoverV4(
  slug: string,
  { reader, chain, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const address = toAddress(String(venue.poolManager))
  const candidates = orderedPairs(pairs)
    .flatMap((pair) => withNative(pair, chain.wrappedNative))
    .flatMap((tokens) => usualTiers.map((tier) => candidate(slug, address, tokens, tier)))
  if (candidates.length === 0) return { pools: [], unreadable: [] }
  // The look-up is a word of the state already: the rest of it comes along.
  for (const { id, parameters } of candidates) {
    reader.guess?.(`${slug} ${id}`, () => {
      const { tickSpacing } = parameters
      const places = tickPlacesOf({ address, slots: poolSlots(id), tickSpacing })
      return { pools: [{ ...places, isLookUp: true }] }
    })
  }
  const results = await reader.storage(
    candidates.map(({ id }) => ({ address, slot: toWord(poolStateSlot(id)) })),
  )
  const pools: Pool[] = []
  const unreadable: Unreadable[] = []
  candidates.forEach((pool, index) => {
    const result = results[index]
    if (!result?.ok) {
      const { id, tokens } = pool
      const message = result?.message ?? 'Not read.'
      unreadable.push({ protocol: slug, subject: id, message, pair: tokens })
    } else if (BigInt(result.value) !== 0n) {
      pools.push(pool)
    }
  })
  return { pools, unreadable }
}

function withNative(
  [token0, token1]: readonly [Address, Address],
  wrapped: Address,
): (readonly [Address, Address])[] {
  const pairs: (readonly [Address, Address])[] = [[token0, token1]]
  // The zero address, which stands for native in a key, sorts before every token.
  if (token0 === wrapped) pairs.push([nativeToken, token1])
  if (token1 === wrapped) pairs.push([nativeToken, token0])
  return pairs
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

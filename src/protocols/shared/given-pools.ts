/** Pools that a protocol is given by the chain's parameters, without a look-up. */
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'

/** The pools that are for exactly one of the pairs. */
export function poolsOfPairs(
  chain: ChainDefinition,
  pools: readonly Pool[],
  pairs: readonly (readonly [Address, Address])[],
): Pool[] {
  const wanted = new Set(pairs.flatMap(([a, b]) => [`${a}-${b}`, `${b}-${a}`]))
  const key = ({ tokens }: Pool) => tokens.map((token) => canonicalToken(chain, token)).join('-')
  return pools.filter((pool) => wanted.has(key(pool)))
}

/** Tells whether a pool is one of the given ones, with their address and tokens, and not an import under its id. */
export function isGiven(pools: readonly Pool[]): (pool: Pool) => boolean {
  const identity = ({ id, address, tokens }: Pool) => [id, address, ...tokens].join()
  const known = new Set(pools.map(identity))
  return (pool) => known.has(identity(pool))
}

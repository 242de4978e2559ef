/** Pools that a protocol is given by the chain's parameters, without a look-up. */
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import { readWord } from './read-word.js'

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

/** A call of a pool's own contract, and the address that it answers where the contract is the one that it is taken for. */
export interface OwnAnswer {
  readonly data: Hex
  readonly expected: Address
}

/** The pools whose contracts answer as they should. Before they are deployed there are none, which is no failure. */
export async function deployedPools(
  reader: StateReader,
  pools: readonly Pool[],
  answerOf: (pool: Pool) => OwnAnswer,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  if (pools.length === 0) return { pools: [], unreadable: [] }
  const asked = pools.map((pool) => ({ pool, ...answerOf(pool) }))
  const answers = await reader.call(asked.map(({ pool, data }) => ({ to: pool.address, data })))
  return {
    pools: asked.flatMap(({ pool, expected }, index) =>
      readWord(answers[index]) === BigInt(expected) ? [pool] : [],
    ),
    unreadable: asked.flatMap(({ pool }, index) => {
      const answer = answers[index]
      if (!answer || answer.ok || answer.reason !== 'unreadable') return []
      return [unreadablePool(pool, answer.message)]
    }),
  }
}

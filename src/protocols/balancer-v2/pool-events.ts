/** Pools by the events of the Vault; what they are is asked of them when they are wanted. */
import { toEventSelector } from 'viem'
import type { Hex } from '../../domain/primitives.js'
import { addressIn, type PoolEvents, wordsOf } from '../pool-events.js'
import { describePools } from './discover.js'
import { vaultOf } from './load.js'
import { poolContract } from './parameters.js'

/** Pools register their tokens in the transaction that makes them. @see balancer-v2-monorepo, pkg/interfaces/contracts/vault/IVault.sol */
const tokensRegistered = toEventSelector('TokensRegistered(bytes32,address[],address[])')
/** The longest arrays that are decoded: more tokens are no pool. */
const mostTokens = 50

export const balancerPoolEvents: PoolEvents = {
  sources: (venue) => [{ address: vaultOf(venue), topic: tokensRegistered }],
  toPool({ topics, data }, venue) {
    const words = wordsOf(data)
    const start = Number(words[0] ?? 0n) / 32
    const count = words[start]
    const id = topics[1]
    if (!id || !count || count > BigInt(mostTokens)) return null
    const tokens = words.slice(start + 1, start + 1 + Number(count)).map(addressIn)
    if (tokens.length < 2 || tokens.length !== Number(count) || tokens.includes(null)) return null
    return {
      protocol: 'balancer-v2',
      id,
      address: vaultOf(venue),
      tokens: tokens.flatMap((token) => token ?? []),
      parameters: {},
    }
  },
  async complete({ reader, venue, pools }) {
    const named = pools.map((pool) => ({ share: poolContract(pool), id: pool.id as Hex }))
    const described = await describePools({ reader, venue }, named)
    return {
      pools: described.pools.map(({ pool }) => pool),
      unreadable: described.unreadable.map(({ share, message }) => {
        return { protocol: 'balancer-v2', subject: share, message }
      }),
    }
  },
}

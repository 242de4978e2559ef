/**
 * Velodrome V2 and the exchanges that run its code: pairs with a volatile or a stable curve.
 * Venue parameter: `factory`. Pool parameter: `stable`. Slipstream, its concentrated liquidity, is in ../slipstream.
 */

import { probe } from '../../chains/probe.js'
import { defineProtocol, type SwapAdapter } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { solidlySwaps } from '../shared/solidly-swap.js'
import { toWord } from '../shared/storage-slots.js'
import { discoverPools, type FactorySlots, loadPools } from './load.js'
import { type VelodromeState, velodromeSwap } from './math.js'
import { velodromePoolEvents } from './pool-events.js'

interface VelodromeRow {
  readonly slug: string
  readonly name: string
  readonly project: string
  readonly url: string
  readonly forkOf?: string
  readonly factorySlots: FactorySlots
}

/** Total supply, the lock, the address for fees, the length of the observations, the oracle's sums, fees per share. */
const swapSlots = [2n, 9n, 15n, 17n, 22n, 23n, 24n, 25n, 26n].map(toWord)

/** The token out, the fee into a contract of its own, balances read twice; a stable curve is evaluated several times. */
const gasPerSwap = { volatile: 105_000n, stable: 135_000n }

/** @returns Adapter for pools with the storage and arithmetic of Velodrome V2. */
function defineVelodromeLike(row: VelodromeRow): SwapAdapter<VelodromeState> {
  const { factorySlots, ...identity } = row
  return defineProtocol<VelodromeState>({
    ...identity,
    category: 'dex',
    description: `Volatile and stable pairs of ${row.name}.`,
    swaps: {
      ...solidlySwaps(velodromeSwap),
      discover: (args) => discoverPools(row.slug, factorySlots, args),
      load: (args) => loadPools(row.slug, factorySlots, args),
      swapSlots: () => swapSlots,
      gasEstimate: (_pool, { isStable }) => gasPerSwap[isStable ? 'stable' : 'volatile'],
    },
    trust: {
      probes: ({ factory }) =>
        addressesOf(factory).map((to) =>
          probe(`factory of ${row.name}`, to, 'allPoolsLength()', 'positive'),
        ),
    },
    index: velodromePoolEvents(row.slug),
  })
}

export const velodromeV2 = defineVelodromeLike({
  slug: 'velodrome-v2',
  name: 'Velodrome V2',
  project: 'velodrome',
  url: 'https://velodrome.finance',
  // Addresses of its first token's conversion lie before the mappings.
  factorySlots: { getPool: 8n, customFee: 11n },
})

export const aerodromeV1 = defineVelodromeLike({
  slug: 'aerodrome-v1',
  name: 'Aerodrome',
  project: 'aerodrome',
  url: 'https://aerodrome.finance',
  forkOf: 'velodrome-v2',
  factorySlots: { getPool: 5n, customFee: 8n },
})

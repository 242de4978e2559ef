/** Camelot's pairs: volatile or stable, with a fee for each direction. Venue parameter: `factory`. */

import { probe } from '../../chains/probe.js'
import { defineProtocol } from '../protocol.js'
import { pairEvents } from '../shared/pair-events.js'
import { addressesOf } from '../shared/parameters.js'
import { solidlySwaps } from '../shared/solidly-swap.js'
import { toWord } from '../shared/storage-slots.js'
import { discoverPairs, loadPairs } from './load.js'
import { type CamelotState, camelotSwap } from './math.js'

/** The lock; everything else is read with the state. */
const swapSlots = [13n].map(toWord)

const gasPerSwap = { volatile: 75_000n, stable: 130_000n }

const slug = 'camelot-v2'

export const camelotV2 = defineProtocol<CamelotState>({
  slug,
  name: 'Camelot V2',
  project: 'camelot',
  category: 'dex',
  url: 'https://camelot.exchange',
  description: 'Volatile and stable pairs of Camelot.',
  swaps: {
    ...solidlySwaps(camelotSwap),
    discover: (args) => discoverPairs(slug, args),
    load: (args) => loadPairs(slug, args),
    swapSlots: () => swapSlots,
    gasEstimate: (_pool, { isStable }) => gasPerSwap[isStable ? 'stable' : 'volatile'],
  },
  trust: {
    probes: ({ factory }) =>
      addressesOf(factory).map((to) =>
        probe('factory of Camelot V2', to, 'allPairsLength()', 'positive'),
      ),
  },
  index: pairEvents((pair, tokens) => ({
    protocol: slug,
    id: pair,
    address: pair,
    tokens,
    parameters: {},
  })),
})

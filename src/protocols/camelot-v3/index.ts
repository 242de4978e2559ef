/**
 * Camelot V3: Algebra's pools of version 1.9, one for each pair, with an adaptive fee for each direction.
 * Venue parameters: `factory`, `quoter`.
 */

import { defineProtocol } from '../protocol.js'
import { algebraPoolEvents, algebraProbes } from '../shared/algebra/factory.js'
import { algebraV1Parts, algebraV1Slots } from '../shared/algebra/v1.js'
import type { ConcentratedState } from '../shared/concentrated/swap.js'

const slug = 'camelot-v3'
/** The table has a bit for every tick, whatever the spacing of positions. */
const ticksPerBit = 1

export const camelotV3 = defineProtocol<ConcentratedState>({
  slug,
  name: 'Camelot V3',
  project: 'camelot',
  category: 'dex',
  url: 'https://camelot.exchange',
  description: 'Concentrated-liquidity pools of Camelot, with adaptive fees.',
  swaps: {
    ...algebraV1Parts(slug, ticksPerBit),
  },
  trust: {
    probes: (venue) => algebraProbes('Camelot V3', venue),
  },
  index: algebraPoolEvents(slug, algebraV1Slots),
})

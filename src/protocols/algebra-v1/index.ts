/**
 * Exchanges on Algebra V1 and V1.9 with one fee for both directions: one pool for each pair, whose fee adapts.
 * Venue parameters: `factory`, `quoter`.
 */
import { defineProtocol, type SwapAdapter } from '../protocol.js'
import { algebraPoolEvents, algebraProbes } from '../shared/algebra/factory.js'
import { algebraV1Parts, algebraV1Slots } from '../shared/algebra/v1.js'
import type { ConcentratedState } from '../shared/concentrated/swap.js'

interface AlgebraV1Row {
  readonly slug: string
  readonly name: string
  readonly project: string
  readonly url: string
  readonly forkOf?: string
  /** Ticks per bit of the tick table: 60 in V1, where positions have that spacing, and 1 in V1.9. */
  readonly ticksPerBit: 60 | 1
}

export function defineAlgebraV1Like(row: AlgebraV1Row): SwapAdapter<ConcentratedState> {
  const { ticksPerBit, ...identity } = row
  return defineProtocol<ConcentratedState>({
    ...identity,
    category: 'dex',
    description: `Concentrated-liquidity pools of ${row.name}, with adaptive fees.`,
    swaps: {
      ...algebraV1Parts(row.slug, ticksPerBit),
    },
    trust: {
      probes: (venue) => algebraProbes(row.name, venue),
    },
    index: algebraPoolEvents(row.slug, algebraV1Slots),
  })
}

export const quickswapV3 = defineAlgebraV1Like({
  slug: 'quickswap-v3',
  name: 'QuickSwap V3',
  project: 'quickswap',
  url: 'https://quickswap.exchange',
  ticksPerBit: 60,
})

export const thenaFusion = defineAlgebraV1Like({
  slug: 'thena-fusion-v1',
  name: 'THENA Fusion',
  project: 'thena',
  url: 'https://thena.fi',
  forkOf: 'quickswap-v3',
  ticksPerBit: 60,
})

export const lynexFusion = defineAlgebraV1Like({
  slug: 'lynex-fusion-v1',
  name: 'Lynex Fusion',
  project: 'lynex',
  url: 'https://lynex.fi',
  forkOf: 'quickswap-v3',
  ticksPerBit: 1,
})

/**
 * Exchanges on Algebra Integral: one pool of the factory for each pair, whose fee a plugin may set before each swap.
 * Venue parameters: `factory`, `quoter`.
 */
import { cautionsWhere } from '../../domain/caution.js'
import { defineProtocol, type SwapAdapter } from '../protocol.js'
import { algebraPoolEvents, algebraProbes, poolsByPair } from '../shared/algebra/factory.js'
import { concentratedParts } from '../shared/concentrated/adapter-parts.js'
import type { ConcentratedSource } from '../shared/concentrated/load.js'
import { v3Swap, v3SwapSlots } from '../shared/concentrated/v3-swap.js'
import { toWord } from '../shared/storage-slots.js'
import { type IntegralState, integralLoad } from './load.js'

interface IntegralVersion {
  /** Slot of the factory's mapping `poolByPair`. */
  readonly poolByPairSlot: bigint
  readonly poolSlots: ConcentratedSource['slots']
  /** Whether pools of other deployers exist, and the quoter asks for them. */
  readonly hasDeployers: boolean
  /** Whether plugins can have a swap pay a fee that the pool does not keep. */
  readonly mayAddFees: boolean
}

interface IntegralRow {
  readonly slug: string
  readonly name: string
  readonly project: string
  readonly url: string
  readonly forkOf?: string
  readonly version: IntegralVersion
}

/** @see cryptoalgebra/Algebra 839ceaa, branch integral-v1.0 */
export const integral10: IntegralVersion = {
  poolByPairSlot: 8n,
  poolSlots: { slot0: 2n, liquidity: 8n, ticks: 3n, tickBitmap: 7n },
  hasDeployers: false,
  mayAddFees: false,
}

/** @see cryptoalgebra/Algebra 357ae6b, branch integral-v1.2 */
export const integral12: IntegralVersion = {
  poolByPairSlot: 9n,
  poolSlots: { slot0: 2n, liquidity: 9n, ticks: 3n, tickBitmap: 8n },
  hasDeployers: true,
  mayAddFees: true,
}

/** The tick's neighbours in the list lie below it. */
const liquidityShift = 48n
/** Liquidity, its change with the neighbours, two fee growths. */
const wordsPerTick = 4n
const feeGrowthSlots = [0n, 1n].map(toWord)

/** Gas of a swap like V3's, with the plugin's oracle. */
const gasPerSwap = 170_000n

export function defineIntegralLike(row: IntegralRow): SwapAdapter<IntegralState> {
  const { version, ...identity } = row
  const { poolSlots } = version
  const parts = concentratedParts(({ address }) => ({
    address,
    slots: poolSlots,
    // The table has a bit for every tick, whatever the spacing of positions.
    tickSpacing: 1,
    liquidityShift,
    isNetInSecondWord: true,
    isTickList: true,
    feePips: (slot0) => {
      const fee = BigInt.asUintN(16, slot0 >> 184n)
      return [fee, fee]
    },
  }))
  return defineProtocol<IntegralState>({
    ...identity,
    category: 'dex',
    description: `Concentrated-liquidity pools of ${row.name}, with the fees of their plugins.`,
    swaps: {
      discover: (args) => poolsByPair(row.slug, version.poolByPairSlot, args),
      ...v3Swap,
      load: integralLoad(parts.load, poolSlots.slot0, version),
      isBeyondKnown: parts.isBeyondKnown,
      swap(pool, state, direction, amountIn) {
        const { amountOut, exact, after } = parts.swap(pool, state, direction, amountIn)
        const isOld = state.isHooked && { isHooked: true, isFeeOld: true }
        return { amountOut, exact, after: () => ({ ...after(), ...isOld }) }
      },
      swapSlots: (_pool, state) => [
        ...feeGrowthSlots,
        ...v3SwapSlots(poolSlots, wordsPerTick, state),
      ],
      gasEstimate: () => gasPerSwap,
      cautions: (_pool, { isHooked = false }) =>
        cautionsWhere([
          isHooked,
          'plugin',
          'A plugin sets the fee before each swap, by rules of its own.',
        ]),
    },
    trust: {
      probes: (venue) => algebraProbes(row.name, venue),
    },
    index: algebraPoolEvents(row.slug, poolSlots, liquidityShift),
  })
}

export const camelotV4 = defineIntegralLike({
  slug: 'camelot-v4',
  name: 'Camelot V4',
  project: 'camelot',
  url: 'https://camelot.exchange',
  version: integral12,
})

export const swapxV1 = defineIntegralLike({
  slug: 'swapx-v1',
  name: 'SwapX',
  project: 'swapx',
  url: 'https://swapx.fi',
  forkOf: 'camelot-v4',
  version: integral10,
})

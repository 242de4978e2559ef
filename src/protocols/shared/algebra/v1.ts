/**
 * Algebra's pools before Integral: one for each pair, with Uniswap V3's math and a fee that the first swap of a second
 * renews from the oracle before it trades. Whoever quotes the swap is asked for the fee of the next block.
 */
import { cautionsWhere } from '../../../domain/caution.js'
import { nextBlockTime } from '../../../domain/changes/what-if.js'
import { toAddress } from '../../../domain/primitives.js'
import type { Swaps } from '../../protocol.js'
import { concentratedParts } from '../concentrated/adapter-parts.js'
import type { ConcentratedSource } from '../concentrated/load.js'
import type { ConcentratedState } from '../concentrated/swap.js'
import { v3Swap, v3SwapSlots } from '../concentrated/v3-swap.js'
import { toWord } from '../storage-slots.js'
import { poolsByPair } from './factory.js'
import { quoteAnswer, quoteCall } from './quoter.js'

type Adapter = Swaps<ConcentratedState>

const adaptiveFee =
  'The first swap of a second renews the fee from the volatility that the oracle has seen.'

/** Slot of the factory's mapping `poolByPair`. */
export const poolByPairSlot = 4n
export const algebraV1Slots: ConcentratedSource['slots'] = {
  slot0: 2n,
  liquidity: 3n,
  ticks: 5n,
  tickBitmap: 6n,
}
/** Liquidity, two fee growths, the oracle's values. */
const wordsPerTick = 4n
/** Fee growth, and the address that counts rewards. */
const otherSlots = [0n, 1n, 4n].map(toWord)

/** Gas of a swap like V3's, with the oracle in a contract of its own, which is written and read for the fee. */
const gasPerSwap = 150_000n

/**
 * Venue parameters: `factory`, `quoter`.
 *
 * @param ticksPerBit - of the table of ticks: the spacing of positions, or 1 where it has a bit for every tick.
 */
export function algebraV1Parts(
  slug: string,
  ticksPerBit: number,
): typeof v3Swap &
  Pick<Adapter, 'discover' | 'load' | 'swap' | 'isBeyondKnown'> &
  Required<Pick<Adapter, 'swapSlots' | 'gasEstimate' | 'cautions'>> {
  const parts = concentratedParts(({ address }) => ({
    address,
    slots: algebraV1Slots,
    tickSpacing: ticksPerBit,
    // Asked of the quoter.
    feePips: () => [0n, 0n],
  }))
  return {
    ...v3Swap,
    ...parts,
    discover: (args) => poolsByPair(slug, poolByPairSlot, args),
    async load(args) {
      const { reader, chain, venue, pools } = args
      if (pools.length === 0) return []
      const quoter = toAddress(String(venue.quoter))
      const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
      const [loads, answers] = await Promise.all([
        parts.load(args),
        reader.call(
          pools.flatMap(({ tokens: [token0 = quoter, token1 = quoter] }) =>
            [
              { tokenIn: token0, tokenOut: token1 },
              { tokenIn: token1, tokenOut: token0 },
            ].map((way) => quoteCall({ quoter, ...way, amountIn: 1n, timestamp })),
          ),
        ),
      ])
      return loads.map((load, index) => {
        if (!('state' in load) || load.state.sqrtPriceX96 === 0n) return load
        const zeroForOne = quoteAnswer(answers[index * 2])
        const oneForZero = quoteAnswer(answers[index * 2 + 1])
        if (!zeroForOne || !oneForZero) {
          const message = 'The quoter tells no fee of the pool.'
          return { protocol: slug, subject: load.pool.id, message }
        }
        return { ...load, state: { ...load.state, feePips: [zeroForOne.fee, oneForZero.fee] } }
      })
    },
    swapSlots: (_pool, state) => [
      ...otherSlots,
      ...v3SwapSlots(algebraV1Slots, wordsPerTick, state),
    ],
    gasEstimate: () => gasPerSwap,
    cautions: () => cautionsWhere([true, 'fee', adaptiveFee]),
  }
}

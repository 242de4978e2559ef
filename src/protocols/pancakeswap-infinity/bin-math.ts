/**
 * Swaps of Infinity's bin pools: those of Liquidity Book, with one fee for all bins. Rounded as the manager rounds. Pure.
 * @see pancakeswap/infinity-core 7c04695, src/pool-bin/libraries/BinPool.sol (swap), BinHelper.sol (getAmountsOut),
 *   FeeHelper.sol, math/PackedUint128Math.sol (getProtocolFeeAmt)
 */
import { type BinsState, swapOverBins } from '../shared/bins/swap.js'
import { combinedFee } from '../shared/keyed/concentrated.js'
import { unlessReverted } from '../shared/reverts.js'

/** Structured-clonable. */
export interface BinPoolState extends BinsState {
  readonly activeId: number
  /** 1/1_000_000 of the input, of the first token in, of the second token in: the whole fee, and the protocol's part of it. */
  readonly feePips: readonly [bigint, bigint]
  readonly protocolPips: readonly [bigint, bigint]
}

interface Outcome {
  readonly amountOut: bigint
  /** False: the swap has left the known bins; amountOut is what they give. */
  readonly exact: boolean
  readonly after: BinPoolState
}

/** Fees of pools are in 1/1_000_000, those of bins in 1/10^18. */
const perPip = 10n ** 12n
/** Amounts are int128 in the manager. */
const maxAmount = 2n ** 127n - 1n

/** From the low end of slot0: active bin (24 bits), protocol fee (12 per direction), pool fee (24). */
export function binFees(slot0: bigint): Pick<BinPoolState, 'feePips' | 'protocolPips'> {
  const pool = BigInt.asUintN(24, slot0 >> 48n)
  const forY = BigInt.asUintN(12, slot0 >> 24n)
  const forX = BigInt.asUintN(12, slot0 >> 36n)
  return {
    feePips: [combinedFee(forY, pool), combinedFee(forX, pool)],
    protocolPips: [forY, forX],
  }
}

/**
 * @param forY - true: the first token in, the second out.
 * @param amountIn - raw units as the manager is told them.
 * @returns null where the manager refuses the swap: nothing would come out, or its bins do not hold enough.
 */
export function binPoolSwap(state: BinPoolState, forY: boolean, amountIn: bigint): Outcome | null {
  if (amountIn <= 0n || amountIn > maxAmount) return null
  const fee = state.feePips[forY ? 0 : 1]
  const protocol = state.protocolPips[forY ? 0 : 1]
  const swapped = unlessReverted(() =>
    swapOverBins(
      state,
      {
        activeId: state.activeId,
        feeAt: () => fee * perPip,
        protocolPart: (paid) => (protocol === 0n ? 0n : (paid * protocol) / fee),
        limitCounts: 'kept fee',
      },
      forY,
      amountIn,
    ),
  )
  if (!swapped || swapped.amountOut > maxAmount) return null
  const { amountOut, left, reservesX, reservesY, activeId } = swapped
  if (amountOut === 0n) return { amountOut, exact: false, after: state }
  return { amountOut, exact: left === 0n, after: { ...state, reservesX, reservesY, activeId } }
}

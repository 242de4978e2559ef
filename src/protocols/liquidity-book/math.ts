/**
 * Swaps over the bins of a Liquidity Book pair: a fee that grows with the bins crossed and decays with time. Rounded as the
 * pair rounds. Pure.
 * @see traderjoe-xyz/joe-v2 067c6cc, src/LBPair.sol (swap), src/libraries/PairParameterHelper.sol
 */
import { smaller } from '../../domain/lists.js'
import { type Address, bpsDenominator, maxUint128 } from '../../domain/primitives.js'
import { type BinsState, e18, swapOverBins } from '../shared/bins/swap.js'
import { unlessReverted } from '../shared/reverts.js'

/** Parameters from the word in which a pair keeps them; the time is the time of the swap. */
export interface BookParameters {
  readonly baseFactor: bigint
  readonly variableFeeControl: bigint
  /** Part of the fee that leaves the bins, 1/10_000. */
  readonly protocolShare: bigint
  readonly maxVolatility: bigint
  /** Both references hold as the swap begins, after what time has done to them. */
  readonly volatilityReference: bigint
  readonly idReference: number
  readonly activeId: number
  /** A second swap of the same second renews the references, too. */
  readonly isAlwaysRenewed: boolean
}

/** Structured-clonable. */
export interface BookState extends BinsState {
  readonly parameters: BookParameters
  /** The version limits what a bin may hold. */
  readonly hasBinLimit: boolean
  /** Code of somebody else that takes part in swaps. */
  readonly hooks: Address | null
  /** Something that is not known here may change amounts. */
  readonly isEstimate: boolean
}

interface Outcome {
  readonly amountOut: bigint
  /** False: the swap has left the known bins; amountOut is what they give. */
  readonly exact: boolean
  readonly after: BookState
}

const maxFee = e18 / 10n

/** Fee of a bin with the volatility of the moment; 1e18 is 100 %. */
function feeOf(
  { baseFactor, variableFeeControl }: BookParameters,
  binStep: bigint,
  volatility: bigint,
) {
  const moved = volatility * binStep
  const variable =
    variableFeeControl === 0n ? 0n : (moved * moved * variableFeeControl + 99n) / 100n
  const fee = baseFactor * binStep * 10n ** 10n + variable
  if (fee > maxFee) throw new RangeError('The fee is too large.')
  return fee
}

/**
 * @param forY - true: the first token in, the second out.
 * @param amountIn - raw units as the pair receives them.
 * @returns null where the pair refuses the swap: nothing would come out, or its bins do not hold enough.
 */
export function bookSwap(state: BookState, forY: boolean, amountIn: bigint): Outcome | null {
  return unlessReverted(() => swap(state, forY, amountIn))
}

function swap(state: BookState, forY: boolean, amountIn: bigint): Outcome | null {
  const { parameters, binStep } = state
  if (amountIn <= 0n || amountIn > maxUint128) return null
  const { activeId, idReference, volatilityReference, maxVolatility, protocolShare } = parameters
  const swapped = swapOverBins(
    state,
    {
      activeId,
      feeAt(id) {
        const reached = volatilityReference + BigInt(Math.abs(id - idReference)) * bpsDenominator
        return feeOf(parameters, binStep, smaller(reached, maxVolatility))
      },
      protocolPart: (fee) => (fee * protocolShare) / bpsDenominator,
      limitCounts: state.hasBinLimit ? 'whole fee' : null,
    },
    forY,
    amountIn,
  )
  if (!swapped) return null
  const { amountOut, left, reservesX, reservesY } = swapped
  if (amountOut === 0n) return { amountOut, exact: false, after: state }
  const after = {
    ...state,
    reservesX,
    reservesY,
    parameters: { ...parameters, activeId: swapped.activeId },
    isEstimate: state.isEstimate || parameters.isAlwaysRenewed,
  }
  return { amountOut, exact: left === 0n && !state.isEstimate, after }
}

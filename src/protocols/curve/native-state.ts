/** From the answers of a pool's getters to the state that the maths works on. Pure. */
import type { Hex } from '../../domain/primitives.js'
import { encodeGetter, encodePriceScale } from './abi.js'
import type { CurveParameters } from './parameters.js'
import { rampedAmp, withInvariant } from './stable-math.js'
import type { NativeState } from './state.js'

/** Calls whose answers `nativeState` takes, in its order; balances are read besides. */
export function getterCalls({ kind, decimals, aPrecision }: CurveParameters): Hex[] {
  if (kind === 'stable') {
    return [
      encodeGetter(aPrecision === 1n ? 'A' : 'A_precise'),
      encodeGetter('fee'),
      encodeGetter('admin_fee'),
      encodeGetter('initial_A'),
      encodeGetter('future_A'),
      encodeGetter('initial_A_time'),
      encodeGetter('future_A_time'),
    ]
  }
  return [
    encodeGetter('A'),
    encodeGetter('gamma'),
    encodeGetter('D'),
    encodeGetter('mid_fee'),
    encodeGetter('out_fee'),
    encodeGetter('fee_gamma'),
    ...decimals.slice(1).map((_d, k) => encodePriceScale(decimals.length, k)),
  ]
}

/**
 * @param balances - raw units; null: not readable.
 * @param words - answers of `getterCalls`.
 * @param timestamp - Unix seconds of the block in which swaps are simulated.
 * @returns null when a number is missing.
 */
export function nativeState(
  parameters: CurveParameters,
  balances: readonly (bigint | null)[],
  words: readonly (bigint | null)[],
  timestamp: bigint,
): NativeState | null {
  const known = balances.filter((balance) => balance !== null)
  if (known.length < parameters.decimals.length) return null
  return parameters.kind === 'stable'
    ? stableState(parameters, known, words, timestamp)
    : cryptoState(parameters, known, words)
}

function stableState(
  { decimals, aPrecision, legacy }: CurveParameters,
  balances: readonly bigint[],
  words: readonly (bigint | null)[],
  timestamp: bigint,
): NativeState | null {
  const [amp = null, fee = null, adminFee = null, ...ramp] = words
  if (amp === null || fee === null || adminFee === null) return null
  const [initial = null, future = null, initialTime = null, futureTime = null] = ramp
  // The first pools change A at once and have no ramp.
  const hasRamp = initial !== null && future !== null && initialTime !== null && futureTime !== null
  const state = withInvariant({
    kind: 'stable',
    balances,
    rates: decimals.map((places) => 10n ** BigInt(36 - places)),
    amp: hasRamp ? rampedAmp({ initial, future, initialTime, futureTime }, timestamp) : amp,
    ampPrecision: aPrecision,
    fee,
    adminFee,
    legacy,
  })
  return { ...state, exact: true }
}

function cryptoState(
  { decimals }: CurveParameters,
  balances: readonly bigint[],
  words: readonly (bigint | null)[],
): NativeState | null {
  if (decimals.some((places) => places > 18)) return null
  const [amp = null, gamma = null, invariant = null, midFee = null, outFee = null, ...rest] = words
  const [feeGamma = null, ...scales] = rest
  const priceScale = scales.filter((scale) => scale !== null)
  if (amp === null || gamma === null || invariant === null || feeGamma === null) return null
  if (midFee === null || outFee === null || priceScale.length < decimals.length - 1) return null
  return {
    kind: 'crypto',
    balances,
    precisions: decimals.map((places) => 10n ** BigInt(18 - places)),
    priceScale,
    invariant,
    amp,
    gamma,
    midFee,
    outFee,
    feeGamma,
    exact: false,
  }
}

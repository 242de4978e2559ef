/** What moves in a Curve pool although nobody trades there, by the kind of its math. Pure. */
import { cautionsWhere, type PoolCaution } from '../../domain/caution.js'
import type { StablePoolState } from './stable-math.js'
import type { CurveState } from './state.js'

/** A multiplier as large as the fee's denominator lets the fee stay. */
const noGrowth = 10n ** 10n

export function curveCautions(state: CurveState): readonly PoolCaution[] {
  switch (state.kind) {
    case 'stable':
      return stableCautions(state)
    case 'crypto':
      return cautionsWhere(
        [true, 'price', 'The pool moves the price around which it trades towards its own oracle.'],
        [state.midFee !== state.outFee, 'fee', 'The fee follows how balanced the pool is.'],
      )
    case 'meta':
      return [
        ...stableCautions(state.base.pool),
        ...cautionsWhere([
          state.isRateCached,
          'rate',
          'The worth of the base pool is kept for ten minutes, and the next swap renews it.',
        ]),
      ]
    case 'sampled':
      return cautionsWhere([
        true,
        'plugin',
        'The math of the pool is not known here, nor what may change it between two blocks.',
      ])
    case 'liquidity':
      return state.math.kind === 'native' ? stableCautions(state.math.base.pool) : []
  }
}

/** Rates of decimals alone are powers of ten. */
function stableCautions({ rates, offpegFeeMultiplier }: StablePoolState): readonly PoolCaution[] {
  const isRated = !rates.every((rate) => /^10*$/.test(String(rate)))
  return cautionsWhere(
    [isRated, 'rate', 'An oracle or a vault says what a coin is worth.'],
    [offpegFeeMultiplier > noGrowth, 'fee', 'The fee grows as the pool leaves its balance.'],
  )
}

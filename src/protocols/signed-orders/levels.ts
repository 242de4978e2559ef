/** What a maker offers to sign: it ranks and splits, and is signed before anything is simulated. Pure. */
import { maxUint256 } from '../../domain/primitives.js'
import type { MakerLevels } from '../../domain/signed-order.js'
import { concaveCurve } from '../shared/sampled/curve.js'
import { directionKey } from '../shared/sampled/sample.js'
import { nothingLeft, type OrderFacts } from './order-state.js'

export function offeredBy(offer: MakerLevels): OrderFacts {
  const samples = offer.levels.map(([amountIn, amountOut]) => ({
    amountIn: BigInt(amountIn),
    amountOut: BigInt(amountOut),
  }))
  return {
    ...nothingLeft,
    left: BigInt(offer.amountIn),
    leftOut: BigInt(offer.amountOut),
    held: maxUint256,
    sampled: {
      curves: new Map([[directionKey(offer), concaveCurve(samples)]]),
      spent: new Map(),
    },
  }
}

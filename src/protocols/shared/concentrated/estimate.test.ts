import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  concentratedStates,
  swapAmounts,
} from '../../../../test/support/protocols/concentrated-states.js'
import { concentratedEstimator } from './estimate.js'
import { type ConcentratedState, concentratedSwap } from './swap.js'
import { maxTick, minTick, roughSqrtPriceAtTick, sqrtPriceAtTick } from './tick-math.js'

/** One part of so many; more than floating point loses, less than any two pools differ by. */
const tolerance = 1_000_000_000n
const part = 1 / Number(tolerance)
/** Raw units that the contract's rounding may take at its stops. */
const rounded = 8n

/** Raw units between a price and a tick beside it that a double cannot tell apart. */
function unseen(
  { sqrtPriceX96, liquidity, liquidityNets }: ConcentratedState,
  zeroForOne: boolean,
): number {
  const price = Number(sqrtPriceX96) / 2 ** 96
  const nets = liquidityNets.map((net) => Math.abs(Number(net)))
  const most = Math.max(Number(liquidity), ...nets)
  return most * (zeroForOne ? price : 1 / price) * 2 ** -50
}

/** Known up to some ticks beyond the price, or with the fee of the last swap. */
const partlyKnown = fc
  .tuple(concentratedStates, fc.nat(2_000), fc.nat(2_000), fc.boolean())
  .map(([state, below, above, isFeeOld]): ConcentratedState => {
    const [lowerTick, upperTick] = [state.tick - below, state.tick + above + 1]
    const kept = [...state.ticks.entries()].filter(
      ([, tick]) => tick >= lowerTick && tick <= upperTick,
    )
    return {
      ...state,
      lowerTick,
      upperTick,
      ticks: kept.map(([, tick]) => tick),
      liquidityNets: kept.map(([index]) => state.liquidityNets[index] ?? 0n),
      ...(isFeeOld && { isFeeOld }),
    }
  })

test('property: the exact quote of an amount within 1e-9 and 8 units, to 1e-9 and 8 units', () => {
  const states = fc.oneof(concentratedStates, partlyKnown)
  fc.assert(
    fc.property(states, fc.boolean(), swapAmounts, (state, zeroForOne, amountIn) => {
      const exact = (amount: bigint) => {
        const swap = concentratedSwap(state, zeroForOne, amount)
        return swap.exact && swap.unspent > 0n ? 0 : Number(swap.amountOut)
      }
      const estimate = concentratedEstimator(state, zeroForOne)(Number(amountIn))
      const near = amountIn / tolerance + rounded
      const [less, more] = [amountIn > near ? amountIn - near : 1n, amountIn + near].map(exact)
      // Where a pool ends, an amount that is hardly larger is not served.
      const [low = 0, , high = 0] = [less ?? 0, more ?? 0, exact(amountIn)].sort((a, b) => a - b)
      const slack = Number(rounded) + unseen(state, zeroForOne)
      expect(estimate).toBeGreaterThanOrEqual(low * (1 - part) - slack)
      expect(estimate).toBeLessThanOrEqual(high * (1 + part) + slack)
    }),
    { numRuns: 1_000 },
  )
})

test('property: an amount gives the same after any others', () => {
  const states = fc.oneof(concentratedStates, partlyKnown)
  const amounts = fc.array(swapAmounts.map(Number), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(states, fc.boolean(), amounts, (state, zeroForOne, asked) => {
      const estimate = concentratedEstimator(state, zeroForOne)
      const alone = (amountIn: number) => concentratedEstimator(state, zeroForOne)(amountIn)
      expect(asked.map(estimate)).toEqual(asked.map(alone))
    }),
  )
})

test('a pool without a price gives nothing', () => {
  const state = fc.sample(concentratedStates, 1)[0] as ConcentratedState
  expect(concentratedEstimator({ ...state, sqrtPriceX96: 0n }, true)(1_000)).toBe(0)
})

test('property: the rough price of a tick is within 1e-14 of the exact one', () => {
  fc.assert(
    fc.property(fc.integer({ min: minTick, max: maxTick }), (tick) => {
      const exact = Number(sqrtPriceAtTick(tick)) / 2 ** 96
      // Near the lowest tick the exact one has 32 bits.
      const granule = 2 ** -96
      expect(Math.abs(roughSqrtPriceAtTick(tick) - exact)).toBeLessThanOrEqual(
        exact * 1e-14 + granule,
      )
    }),
  )
})

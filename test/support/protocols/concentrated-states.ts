/** Arbitraries of pools of concentrated liquidity. */
import fc from 'fast-check'
import type { ConcentratedState } from '../../../src/protocols/shared/concentrated/swap.js'
import {
  maxTick,
  minTick,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from '../../../src/protocols/shared/concentrated/tick-math.js'

/** All of the pool is known: positions around the price, narrow ones and some over several words of the bitmap. */
export const concentratedStates = fc
  .record({
    tickSpacing: fc.constantFrom(1, 10, 60, 200),
    fees: fc.tuple(fc.constantFrom(100n, 500n, 3_000n), fc.constantFrom(0n, 3_000n, 10_000n)),
    center: fc.integer({ min: -700, max: 700 }),
    isOnTick: fc.boolean(),
    offset: fc.bigInt({ min: 1n, max: 1n << 80n }),
    ranges: fc.array(
      fc.tuple(
        fc.integer({ min: -900, max: 900 }),
        fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 200, max: 900 })),
        fc.bigInt({ min: 10n ** 6n, max: 10n ** 24n }),
      ),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ tickSpacing, fees, center, isOnTick, offset, ranges }): ConcentratedState => {
    const sqrtPriceX96 = sqrtPriceAtTick(center * tickSpacing) + (isOnTick ? 0n : offset)
    const tick = tickAtSqrtPrice(sqrtPriceX96)
    const nets = new Map<number, bigint>()
    let liquidity = 0n
    for (const [start, width, amount] of ranges) {
      const [lower, upper] = [start * tickSpacing, (start + width) * tickSpacing]
      nets.set(lower, (nets.get(lower) ?? 0n) + amount)
      nets.set(upper, (nets.get(upper) ?? 0n) - amount)
      if (lower <= tick && tick < upper) liquidity += amount
    }
    const ticks = [...nets.keys()].sort((a, b) => a - b)
    return {
      sqrtPriceX96,
      tick,
      liquidity,
      feePips: fees,
      tickSpacing,
      ticks,
      liquidityNets: ticks.map((at) => nets.get(at) ?? 0n),
      lowerTick: minTick,
      upperTick: maxTick,
    }
  })

/** Raw units: of dust, of usual swaps, of more than pools hold. */
export const swapAmounts = fc.oneof(
  fc.bigInt({ min: 1n, max: 10_000n }),
  fc.bigInt({ min: 1n, max: 10n ** 24n }),
  fc.bigInt({ min: 1n, max: 10n ** 30n }),
)

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  maxSqrtPriceX96,
  maxTick,
  minSqrtPriceX96,
  minTick,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from './tick-math.js'

const ticks = fc.integer({ min: minTick, max: maxTick })
const prices = fc.bigInt({ min: minSqrtPriceX96, max: maxSqrtPriceX96 - 1n })

describe('sqrtPriceAtTick', () => {
  test('known vectors: tick 0 is 1, the outermost ticks are the limits', () => {
    expect(sqrtPriceAtTick(0)).toBe(1n << 96n)
    expect(sqrtPriceAtTick(minTick)).toBe(minSqrtPriceX96)
    expect(sqrtPriceAtTick(maxTick)).toBe(maxSqrtPriceX96)
  })
  // Vectors of v3-core's own tests (TickMath.spec.ts).
  test.each([
    [50, 79426470787362580746886972461n],
    [-50, 79030349367926598376800521322n],
    [500, 81233731461783161732293370115n],
    [-500, 77272108795590369356373805297n],
    [250_000, 21246587762933397357449903968194344n],
    [-250_000, 295440463448801648376846n],
  ])('known vector: tick %i is %i', (tick, price) => {
    expect(sqrtPriceAtTick(tick)).toBe(price)
  })
  test('property: rises with the tick', () => {
    fc.assert(
      fc.property(fc.integer({ min: minTick, max: maxTick - 1 }), (tick) => {
        expect(sqrtPriceAtTick(tick)).toBeLessThan(sqrtPriceAtTick(tick + 1))
      }),
    )
  })
  test('rejects ticks outside the range', () => {
    expect(() => sqrtPriceAtTick(maxTick + 1)).toThrow(RangeError)
    expect(() => sqrtPriceAtTick(minTick - 1)).toThrow(RangeError)
  })
})

describe('tickAtSqrtPrice', () => {
  test('property: finds the tick of its price, and the one below just under it', () => {
    fc.assert(
      fc.property(fc.integer({ min: minTick + 1, max: maxTick - 1 }), (tick) => {
        expect(tickAtSqrtPrice(sqrtPriceAtTick(tick))).toBe(tick)
        expect(tickAtSqrtPrice(sqrtPriceAtTick(tick) - 1n)).toBe(tick - 1)
      }),
    )
  })
  test('property: any price lies between its tick and the next', () => {
    fc.assert(
      fc.property(fc.oneof(prices, ticks.map(insideRange)), (price) => {
        const tick = tickAtSqrtPrice(price)
        expect(sqrtPriceAtTick(tick)).toBeLessThanOrEqual(price)
        expect(sqrtPriceAtTick(tick + 1)).toBeGreaterThan(price)
      }),
    )
  })
})

function insideRange(tick: number): bigint {
  return sqrtPriceAtTick(Math.min(tick, maxTick - 1)) + 1n
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sqrtPriceAtTick } from '../shared/concentrated/tick-math.js'
import { explainV3 } from './nft-abi.js'
import { fullRange, positionKey } from './nft-actions.js'
import { valueShares } from './nft-positions.js'

const ticks = fc.integer({ min: -800_000, max: 800_000 })

describe('valueShares', () => {
  test('over all prices half of the value lies in each token, whatever the price', () => {
    const { tickLower, tickUpper } = fullRange(10)
    for (const tick of [-200_000, 0, 200_000]) {
      expect(valueShares(sqrtPriceAtTick(tick), tickLower, tickUpper)).toEqual([5_000, 5_000])
    }
  })
  test('below the range all of it is token0, above it token1', () => {
    expect(valueShares(sqrtPriceAtTick(-10), 0, 10)).toEqual([10_000, 0])
    expect(valueShares(sqrtPriceAtTick(10), 0, 10)).toEqual([0, 10_000])
  })
  test('a price in the upper quarter of a narrow range leaves a quarter in token0', () => {
    expect(valueShares(sqrtPriceAtTick(75), 0, 100)).toEqual([2_502, 7_498])
  })
  test('property: the parts add up, and token0 falls as the price rises', () => {
    fc.assert(
      fc.property(ticks, ticks, ticks, ticks, (a, b, c, d) => {
        const [lower = 0, upper = 0] = [a, b].sort((x, y) => x - y)
        if (lower === upper) return
        const [below = 0, above = 0] = [c, d].sort((x, y) => x - y)
        const low = valueShares(sqrtPriceAtTick(below), lower, upper)
        const high = valueShares(sqrtPriceAtTick(above), lower, upper)
        expect([low[0] + low[1], high[0] + high[1]]).toEqual([10_000, 10_000])
        expect(low[0]).toBeGreaterThanOrEqual(high[0])
      }),
    )
  })
})

describe('fullRange', () => {
  test('ends at the last ticks that the spacing has', () => {
    expect(fullRange(1)).toEqual({ tickLower: -887_272, tickUpper: 887_272 })
    expect(fullRange(60)).toEqual({ tickLower: -887_220, tickUpper: 887_220 })
    expect(positionKey('0x01', -60, 60)).toBe('0x01--60-60')
  })
})

describe('explainV3', () => {
  test('codes are said in words, sentences say it themselves', () => {
    expect(explainV3('TLU')).toContain('lower tick')
    expect(explainV3('Transaction too old')).toBeNull()
  })
})

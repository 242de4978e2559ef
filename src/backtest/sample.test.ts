import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { distributionOf, roundTo } from './sample.js'

describe('distributionOf', () => {
  test('nearest rank: of 20 hundredths from 20 down to 1, p5 is the 1st, p25 the 5th, p95 the 19th', () => {
    const values = Array.from({ length: 20 }, (_, index) => 20 - index)
    expect(distributionOf(values, 100)).toEqual({
      count: 20,
      mean: 0.105,
      min: 0.01,
      p5: 0.01,
      p25: 0.05,
      p50: 0.1,
      p75: 0.15,
      p95: 0.19,
      max: 0.2,
    })
  })

  test('of one value every quantile is that value; of none there is no distribution', () => {
    expect(distributionOf([-7])).toEqual({
      count: 1,
      mean: -7,
      min: -7,
      p5: -7,
      p25: -7,
      p50: -7,
      p75: -7,
      p95: -7,
      max: -7,
    })
    expect(distributionOf([])).toBeNull()
  })

  test('property: p percent of the values do not exceed p, and fewer do not exceed anything below it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 60 }),
        (values) => {
          const found = distributionOf(values)
          for (const percent of [5, 25, 50, 75, 95] as const) {
            const quantile = found?.[`p${percent}`] ?? Number.NaN
            const share = (limit: number) =>
              (100 * values.filter((value) => value <= limit).length) / values.length
            expect(share(quantile)).toBeGreaterThanOrEqual(percent)
            expect(share(quantile - 1)).toBeLessThan(percent)
          }
        },
      ),
    )
  })
})

test('roundTo never gives a negative zero', () => {
  expect(Object.is(roundTo(-0.00001, 4), 0)).toBe(true)
})

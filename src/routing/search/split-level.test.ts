import fc from 'fast-check'
import { expect, test } from 'vitest'
import { equalised, type Way } from './split-level.js'

/** A way whose worth falls in a line, with an end. */
function way(value: number, curvature: number, amountIn: number, most: number): Way {
  return {
    value,
    curvature,
    amountIn,
    most,
    highest: value - curvature * amountIn,
    amountAt: (level) => Math.min(Math.max(amountIn + (level - value) / curvature, 0), most),
  }
}

/** Curvatures from that of a shallow pool to the least that an arc is given. */
const ways = fc.record({
  value: fc.double({ min: 0.9, max: 1.1, noNaN: true }),
  exponent: fc.integer({ min: -9, max: 0 }),
  amountIn: fc.integer({ min: 1, max: 1_000_000 }),
  room: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
})

test('property: amounts add up to the total, and none would gain by moving to another way', () => {
  fc.assert(
    fc.property(fc.array(ways, { minLength: 2, maxLength: 6 }), (parts) => {
      const own = parts.map(({ value, exponent, amountIn, room }) => {
        const curvature = (-value / amountIn) * 10 ** exponent
        const most = room === null ? Number.POSITIVE_INFINITY : amountIn + room
        return way(value, curvature, amountIn, most)
      })
      const total = own.reduce((sum, { amountIn }) => sum + amountIn, 0)
      const amounts = equalised(own, total)
      const sum = amounts.reduce((all, amount) => all + amount, 0)
      // A straight way takes a ten-millionth more where its worth falls by the least that doubles hold.
      expect(Math.abs(sum / total - 1)).toBeLessThan(1e-6)
      const worths = own.map((each, index) => {
        const amount = amounts[index] ?? 0
        return { worth: each.value + each.curvature * (amount - each.amountIn), amount, each }
      })
      const giving = worths.filter(({ amount }) => amount > 0).map(({ worth }) => worth)
      const taking = worths.filter(({ amount, each }) => amount < each.most)
      const least = Math.min(...giving)
      for (const { worth } of taking) expect(worth).toBeLessThanOrEqual(least * (1 + 1e-9))
    }),
  )
})

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

/** How many levels are looked at until the amounts add up. */
function looksAt(own: readonly Way[], total: number): number {
  const [first, ...others] = own
  if (!first) return 0
  let looks = 0
  const counted: Way = {
    ...first,
    amountAt(level) {
      looks++
      return first.amountAt(level)
    },
  }
  equalised([counted, ...others], total)
  return looks
}

test('closed form: amounts of two open ways are linear in the level, so the first cut hits it', () => {
  // Worths 1 - x / 100 and 1.1 - y / 200 are equal at x = 70 / 3, y = 200 / 3.
  const own = [way(1, -0.01, 0, 1_000), way(1.1, -0.005, 0, 1_000)]
  const [x = 0, y = 0] = equalised(own, 90)
  expect(x).toBeCloseTo(70 / 3, 9)
  expect(y).toBeCloseTo(200 / 3, 9)
  expect(looksAt(own, 90)).toBeLessThan(8)
})

test('a way that begins and ends at nearly one level takes what the other leaves', () => {
  const steep = way(1, -0.01, 50, 1_000)
  const flat = way(0.8, -1e-12, 100, 200)
  const own = [steep, flat]
  const [first = 0, second = 0] = equalised(own, 220)
  expect(first + second).toBeCloseTo(220, 4)
  expect(second).toBeGreaterThan(100)
})

test('ways that bend more than their slope says are looked at lower, until their amounts suffice', () => {
  // Takes a tenth as much of what lies beyond 100 as the slope there promises.
  const bending = (open: Way): Way => ({
    ...open,
    amountAt: (level) => {
      const amount = open.amountAt(level)
      return amount > 100 ? 100 + (amount - 100) / 10 : amount
    },
  })
  const own = [bending(way(1, -0.001, 100, 1e6)), bending(way(1, -0.001, 100, 1e6))]
  const [first = 0, second = 0] = equalised(own, 300)
  expect(first).toBeCloseTo(150, 6)
  expect(second).toBeCloseTo(150, 6)
})

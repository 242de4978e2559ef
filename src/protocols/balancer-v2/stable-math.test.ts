import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { one } from '../shared/balancer-math/fixed-point.js'
import { stableInvariant, stableInvariantDown } from './stable-math.js'

describe('invariants of stable pools', () => {
  test('an empty pool has none, a pool without one token has no root', () => {
    for (const roundsUp of [true, false]) {
      expect(stableInvariant(200_000n, [0n, 0n], roundsUp)).toBe(0n)
    }
    expect(stableInvariantDown(200_000n, [0n, 0n])).toBe(0n)
    expect(() => stableInvariant(200_000n, [0n, one], false)).toThrow(RangeError)
  })

  test('property: rounding down at each step is never above rounding up, and some units below at most', () => {
    const balances = fc.array(fc.bigInt(10n ** 21n, 3n * 10n ** 21n), {
      minLength: 2,
      maxLength: 5,
    })
    fc.assert(
      fc.property(balances, fc.bigInt(100_000n, 5_000_000n), (held, amp) => {
        const [low, high] = [stableInvariantDown(amp, held), stableInvariant(amp, held, true)]
        expect(low).toBeLessThanOrEqual(high)
        expect(high - low).toBeLessThanOrEqual(8n * BigInt(held.length))
      }),
    )
  })
})

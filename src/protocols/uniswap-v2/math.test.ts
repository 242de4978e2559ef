import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { constantProductOut } from './math.js'

const reserves = fc.bigInt({ min: 1_000n, max: 10n ** 30n })
const amounts = fc.bigInt({ min: 1n, max: 10n ** 30n })
const fees = fc.bigInt({ min: 0n, max: 100n })

describe('constantProductOut', () => {
  test('known vector: 1000 into 1e6/1e6 at 30 bps gives 996', () => {
    expect(constantProductOut(1_000n, 1_000_000n, 1_000_000n, 30n)).toBe(996n)
  })
  test('known vector: 1e18 into 5e18/10e18 at 30 bps gives 1662497915624478906', () => {
    const e18 = 10n ** 18n
    expect(constantProductOut(e18, 5n * e18, 10n * e18, 30n)).toBe(1662497915624478906n)
  })
  test('gives nothing without reserves, for nothing, and past uint112', () => {
    expect(constantProductOut(1_000n, 0n, 0n, 30n)).toBe(0n)
    expect(constantProductOut(1_000n, 0n, 1_000n, 30n)).toBe(0n)
    expect(constantProductOut(1_000n, 1_000n, 0n, 30n)).toBe(0n)
    expect(constantProductOut(-500n, 1_000n, 1_000n, 30n)).toBe(0n)
    expect(constantProductOut(0n, 1_000n, 1_000n, 30n)).toBe(0n)
    const max = (1n << 112n) - 1n
    expect(constantProductOut(max - 1_000n, 1_000n, max, 30n)).toBeGreaterThan(0n)
    expect(constantProductOut(max - 999n, 1_000n, max, 30n)).toBe(0n)
  })
  test('property: the product of the reserves never falls', () => {
    fc.assert(
      fc.property(amounts, reserves, reserves, fees, (x, reserveIn, reserveOut, fee) => {
        const out = constantProductOut(x, reserveIn, reserveOut, fee)
        expect(out).toBeLessThan(reserveOut)
        expect((reserveIn + x) * (reserveOut - out)).toBeGreaterThanOrEqual(reserveIn * reserveOut)
      }),
    )
  })
  test('property: more in never gives less out', () => {
    fc.assert(
      fc.property(amounts, amounts, reserves, reserves, fees, (x, more, a, b, fee) => {
        expect(constantProductOut(x + more, a, b, fee)).toBeGreaterThanOrEqual(
          constantProductOut(x, a, b, fee),
        )
      }),
    )
  })
  test('property: two swaps in a row never give more than one of the sum', () => {
    fc.assert(
      fc.property(amounts, amounts, reserves, reserves, fees, (x, y, a, b, fee) => {
        const first = constantProductOut(x, a, b, fee)
        const second = constantProductOut(y, a + x, b - first, fee)
        expect(first + second).toBeLessThanOrEqual(constantProductOut(x + y, a, b, fee))
      }),
    )
  })
  test('property: there and back never gains', () => {
    fc.assert(
      fc.property(amounts, reserves, reserves, fees, (x, a, b, fee) => {
        const there = constantProductOut(x, a, b, fee)
        expect(constantProductOut(there, b - there, a + x, fee)).toBeLessThanOrEqual(x)
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CamelotState, camelotSwap } from './math.js'

const [e6, e18, million] = [10n ** 6n, 10n ** 18n, 1_000_000n]
const state = (isStable: boolean, change: Partial<CamelotState> = {}): CamelotState => ({
  isStable,
  reserve0: million * e18,
  reserve1: million * e6,
  unit0: e18,
  unit1: e6,
  fees: [300n, 40n],
  ownerShare: 0n,
  ...change,
})

describe('camelotSwap', () => {
  test('volatile: 1,000 of a million at 0.3 % gives 996.006981 and leaves the fee in the pair', () => {
    const swap = camelotSwap(state(false), true, 1_000n * e18)
    expect(swap?.amountOut).toBe(996_006_981n)
    expect(swap?.after.reserve0).toBe(1_001_000n * e18)
  })

  test('the other direction has its own fee: 0.04 %', () => {
    const swap = camelotSwap(state(false), false, 1_000n * e6)
    expect(swap?.amountOut).toBe(998_601_797_643_075_981_249n)
  })

  test('stable: nearly all of it, and half of the fee is paid out', () => {
    const whole = camelotSwap(state(true), true, 1_000n * e18)
    const halved = camelotSwap(state(true, { ownerShare: 50_000n }), true, 1_000n * e18)
    expect(whole?.amountOut).toBe(halved?.amountOut)
    expect(whole?.amountOut).toBeGreaterThan(996_999_000n)
    expect(whole?.amountOut).toBeLessThan(997_000_001n)
    expect(halved?.after.reserve0).toBe(million * e18 + 1_000n * e18 - (3n * e18) / 2n)
  })

  test('a reserve above uint112, dust, and an empty pair give nothing', () => {
    expect(camelotSwap(state(false), true, 1n << 112n)).toBeNull()
    expect(camelotSwap(state(false), true, 5n)).toBeNull()
    expect(camelotSwap(state(true, { reserve0: 0n, reserve1: 0n }), true, e18)).toBeNull()
  })

  test('property: what comes in and does not leave stays, and no more than the reserve comes out', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 28n })
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.boolean(),
        amount,
        amount,
        amount,
        (stable, zeroForOne, a, b, amountIn) => {
          const before = state(stable, { reserve0: a, reserve1: b, ownerShare: 33_333n })
          const swap = camelotSwap(before, zeroForOne, amountIn)
          if (!swap) return
          const { after, amountOut } = swap
          const [inBefore, outBefore] = zeroForOne ? [a, b] : [b, a]
          const [inAfter, outAfter] = zeroForOne
            ? [after.reserve0, after.reserve1]
            : [after.reserve1, after.reserve0]
          expect(outAfter).toBe(outBefore - amountOut)
          expect(outAfter).toBeGreaterThan(0n)
          expect(inAfter).toBeLessThanOrEqual(inBefore + amountIn)
          expect(inAfter).toBeGreaterThanOrEqual(inBefore + (amountIn * 99n) / 100n)
        },
      ),
    )
  })
})

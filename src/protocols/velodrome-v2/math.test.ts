import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type VelodromeState, velodromeSwap } from './math.js'

const million = 1_000_000n
const state = (
  isStable: boolean,
  [unit0, unit1]: readonly [bigint, bigint],
  [reserve0, reserve1]: readonly [bigint, bigint],
  feeBps = isStable ? 5n : 30n,
): VelodromeState => ({
  isStable,
  reserve0,
  reserve1,
  unit0,
  unit1,
  feeBps,
  isPaused: false,
})
const [e6, e18] = [10n ** 6n, 10n ** 18n]

describe('velodromeSwap', () => {
  test.each([
    [true, 1763571428n, 1762689638173043189842n],
    [false, 32921666666666666666666n, 32904619677n],
    [true, 17n, 16999999999999n],
    [false, 1500000000000000000000000n, 872218758106n],
  ])(
    'known vector of the compiled contract: stable, 6 and 18 decimals, zeroForOne %s, %s gives %s',
    (zeroForOne, amountIn, amountOut) => {
      const even = state(true, [e6, e18], [million * e6, million * e18])
      expect(velodromeSwap(even, zeroForOne, amountIn)?.amountOut).toBe(amountOut)
    },
  )

  test.each([
    [true, 1763571428n, 820686356n],
    [false, 32921666666n, 69312922950n],
    [true, 17n, 7n],
    [false, 1500000000000n, 2002921061276n],
  ])(
    'known vector: stable, six times as much of token0, zeroForOne %s, %s gives %s',
    (zeroForOne, amountIn, amountOut) => {
      const uneven = state(true, [e6, e6], [6n * million * e6 + 3n, million * e6])
      expect(velodromeSwap(uneven, zeroForOne, amountIn)?.amountOut).toBe(amountOut)
    },
  )

  test.each([
    [true, 1763571428571428571428n, 1755194589n],
    [false, 32921666666n, 31779796530482698615305n],
    [false, 1500000000000n, 599278701662993388098577n],
  ])('known vector: volatile, zeroForOne %s, %s gives %s', (zeroForOne, amountIn, amountOut) => {
    const even = state(false, [e18, e6], [million * e18, million * e6])
    expect(velodromeSwap(even, zeroForOne, amountIn)?.amountOut).toBe(amountOut)
  })

  test.each([
    [643_929n, undefined],
    [643_930n, 6_977_061n],
  ])(
    'known vector: a test of the contract takes scaled amounts for raw ones, so that %s gives %s',
    (amountIn, amountOut) => {
      const uneven = state(true, [e6, e6], [3_962_862_637n, 121_732_899n])
      expect(velodromeSwap(uneven, false, amountIn)?.amountOut).toBe(amountOut)
    },
  )

  test('nothing comes out of an empty pool, a paused one, for nothing, or for dust', () => {
    const even = state(false, [e18, e6], [million * e18, million * e6])
    expect(velodromeSwap({ ...even, reserve0: 0n, reserve1: 0n }, true, e18)).toBeNull()
    expect(
      velodromeSwap({ ...even, isStable: true, reserve0: 0n, reserve1: 0n }, true, e18),
    ).toBeNull()
    expect(velodromeSwap({ ...even, isPaused: true }, true, e18)).toBeNull()
    expect(velodromeSwap(even, true, 0n)).toBeNull()
    expect(velodromeSwap(even, true, 17n)).toBeNull()
  })

  test('what the contract cannot calculate is refused', () => {
    const even = state(true, [e18, e18], [million * e18, million * e18])
    expect(velodromeSwap(even, true, 2n ** 255n)).toBeNull()
    expect(velodromeSwap({ ...even, isStable: false }, true, 2n ** 255n)).toBeNull()
    expect(velodromeSwap({ ...even, unit0: 0n }, true, e18)).toBeNull()
  })

  test('property: a swap never lowers the curve, pays less than the reserve, and takes all but the fee', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
    const unit = fc.constantFrom(e6, 10n ** 8n, e18)
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.boolean(),
        fc.tuple(unit, unit),
        fc.tuple(amount, amount),
        amount,
        fc.constantFrom(0n, 5n, 300n),
        (isStable, zeroForOne, units, reserves, amountIn, feeBps) => {
          const before = state(isStable, units, reserves, feeBps)
          const swap = velodromeSwap(before, zeroForOne, amountIn)
          if (!swap) return
          const { amountOut, after } = swap
          const fee = (amountIn * feeBps) / 10_000n
          const [inBefore, outBefore] = zeroForOne ? reserves : [reserves[1], reserves[0]]
          const [inAfter, outAfter] = zeroForOne
            ? [after.reserve0, after.reserve1]
            : [after.reserve1, after.reserve0]
          expect(inAfter).toBe(inBefore + amountIn - fee)
          expect(outAfter).toBe(outBefore - amountOut)
          expect(outAfter).toBeGreaterThan(0n)
          if (!isStable) expect(inAfter * outAfter).toBeGreaterThanOrEqual(inBefore * outBefore)
        },
      ),
    )
  })
})

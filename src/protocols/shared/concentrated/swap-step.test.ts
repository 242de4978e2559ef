import { describe, expect, test } from 'vitest'
import { rangeTo, swapStep } from './swap-step.js'

const one = 1n << 96n
const e18 = 10n ** 18n

/** Vectors of v3-core's own tests (SwapMath.spec.ts), exact input. */
describe('swapStep', () => {
  test('known vector: capped at the target, price 1 to 1.01, fee 600 pips', () => {
    const target = 79623317895830914510639640423n
    expect(swapStep(rangeTo(one, target, 2n * e18), e18, 600n)).toEqual({
      sqrtPriceX96: target,
      consumed: 9975124224178055n + 5988667735148n,
      amountOut: 9925619580021728n,
    })
  })
  test('known vector: spent before the target, price 1 to 10, fee 600 pips', () => {
    const target = 250541448375047931186413801569n
    const step = swapStep(rangeTo(one, target, 2n * e18), e18, 600n)
    expect(step.consumed).toBe(e18)
    expect(step.amountOut).toBe(666399946655997866n)
    expect(step.sqrtPriceX96).toBeLessThan(target)
  })
  test('known vector: an input of 10 units is all fee where liquidity is large', () => {
    const range = rangeTo(2413n, 79887613182836312n, 1985041575832132834610021537970n)
    const step = swapStep(range, 10n, 1872n)
    expect(step).toEqual({ sqrtPriceX96: 2413n, consumed: 10n, amountOut: 0n })
  })
  test('without liquidity the price moves to the target for nothing', () => {
    expect(swapStep(rangeTo(one, one / 2n, 0n), e18, 3_000n)).toEqual({
      sqrtPriceX96: one / 2n,
      consumed: 0n,
      amountOut: 0n,
    })
  })
  test('a fee of a million pips takes everything and moves nothing', () => {
    expect(swapStep(rangeTo(one, one / 2n, e18), e18, 1_000_000n)).toEqual({
      sqrtPriceX96: one,
      consumed: e18,
      amountOut: 0n,
    })
  })
  test('token0 in at a price where the product overflows 256 bits rounds as the contract does', () => {
    const price = (1n << 159n) + 12_345n
    const amount = 1n << 100n
    const liquidity = (1n << 128n) - 1n
    const step = swapStep(rangeTo(price, one, liquidity), amount, 0n)
    const numerator = liquidity << 96n
    const divisor = numerator / price + amount
    expect(step.sqrtPriceX96).toBe((numerator + divisor - 1n) / divisor)
    const precise = (numerator * price) / (numerator + amount * price) + 1n
    expect(step.sqrtPriceX96).not.toBe(precise)
  })
})

import { describe, expect, test } from 'vitest'
import { isOtherWay, priceOf, type Size, sizesBetween } from './sizes.js'

describe('sizesBetween', () => {
  test('grows by a factor, to two digits, ends as they are', () => {
    expect(sizesBetween(100n, 10_000n, 5)).toEqual([100n, 310n, 1_000n, 3_100n, 10_000n])
    expect(sizesBetween(123_456n, 12_345_678n, 3)).toEqual([123_456n, 1_200_000n, 12_345_678n])
  })
  test('names none twice where they are close', () => {
    expect(sizesBetween(1n, 3n, 14)).toEqual([1n, 2n, 3n])
  })
})

const size = (pools: readonly string[], amountOut = 3_000_000_000n) =>
  ({
    amountIn: 10n ** 18n,
    problem: null,
    quote: {
      amountOut,
      route: [{ internalRoutes: pools.map((pool) => ({ pool, protocol: 'uniswap-v3' })) }],
    },
  }) as unknown as Size

test('priceOf is units of the second token for one of the first', () => {
  expect(priceOf(size([]), 18, 6)).toBe(3000)
  expect(priceOf({ amountIn: 1n, quote: null, problem: 'None.' }, 18, 6)).toBe(null)
})

test('isOtherWay tells other pools, not another order', () => {
  expect(isOtherWay(size(['a', 'b']), size(['b', 'a']))).toBe(false)
  expect(isOtherWay(size(['a']), size(['b', 'a']))).toBe(true)
  expect(isOtherWay(size(['a']), undefined)).toBe(false)
})

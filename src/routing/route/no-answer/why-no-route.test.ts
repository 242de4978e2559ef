import { describe, expect, test } from 'vitest'
import { smallestAmount } from './why-no-route.js'

/** A market that gives something from this amount on, and how often it is searched. */
function givingFrom(least: bigint) {
  let searches = 0
  const isFound = (amount: bigint) => {
    searches += 1
    return amount >= least
  }
  return { isFound, searches: () => searches }
}

describe('smallestAmount', () => {
  test.each([
    [1n, 2n],
    [1n, 16n],
    [1n, 17n],
    [1n, 332_506_874n],
    [7n, 612_000_000_000_001n],
    [1n, 2n ** 64n - 1n],
    [10n ** 18n, 10n ** 18n + 1n],
  ])('from %s on, where %s is the smallest, it is that one', (tooSmall, least) => {
    expect(smallestAmount(tooSmall, givingFrom(least).isFound)).toEqual({
      amount: least,
      isExact: true,
    })
  })

  test.each([2n ** 70n, 10n ** 30n + 1n, 2n ** 123n + 1n])(
    'of %s it is one that works, at most 1e-18 larger, and says so',
    (least) => {
      const found = smallestAmount(1n, givingFrom(least).isFound)
      const amount = found?.amount ?? 0n
      expect(amount).toBeGreaterThanOrEqual(least)
      expect((amount - least) * 10n ** 18n).toBeLessThanOrEqual(least)
      expect(found?.isExact).toBe(amount === least)
    },
  )

  test.each([2n ** 40n, 2n ** 100n, 2n ** 123n + 1n, 2n ** 200n])(
    'for %s there are at most 96 searches',
    (least) => {
      const { isFound, searches } = givingFrom(least)
      smallestAmount(1n, isFound)
      expect(searches()).toBeLessThanOrEqual(96)
    },
  )

  test('there is none where nothing is found below 2^128', () => {
    expect(smallestAmount(1n, () => false)).toBeNull()
    expect(smallestAmount(2n ** 127n, () => false)).toBeNull()
  })
})

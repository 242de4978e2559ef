import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accrued, compounded, type MarketTotals, toSharesDown, yearlySupply } from './math.js'

const scale = 10n ** 18n
const market: MarketTotals = {
  supplyAssets: 1_000_000n,
  supplyShares: 1_000_000_000_000n,
  borrowAssets: 500_000n,
  borrowShares: 500_000_000_000n,
  lastUpdate: 1_000n,
  fee: 0n,
}

describe('toSharesDown', () => {
  test('known vector: the first deposit of a market gives a million shares per unit', () => {
    expect(toSharesDown(7n, 0n, 0n)).toBe(7_000_000n)
  })
  test('known vector: 1,000 into 1,000,000 that are 10^12 shares are 10^9', () => {
    expect(toSharesDown(1_000n, 1_000_000n, 1_000_000_000_000n)).toBe(1_000_000_000n)
  })
})

describe('compounded', () => {
  test('known vector: a tenth in one second is 0.1 + 0.005 + 0.0001666…', () => {
    expect(compounded(scale / 10n, 1n)).toBe(105_166_666_666_666_666n)
  })
  test('property: never below simple interest', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 12n })
    fc.assert(
      fc.property(amount, amount, (rate, seconds) => {
        expect(compounded(rate, seconds)).toBeGreaterThanOrEqual(rate * seconds)
      }),
    )
  })
})

describe('accrued', () => {
  test('known vector: interest goes to both sides, its fee becomes shares', () => {
    const after = accrued({ ...market, fee: scale / 10n }, scale / 100n, 1_001n)
    // 1.0050166… percent of 500,000 are 5,025; a tenth of it is 502.
    expect(after).toMatchObject({ supplyAssets: 1_005_025n, borrowAssets: 505_025n })
    expect(after.supplyShares - market.supplyShares).toBe(499_739_679n)
    expect(after.borrowShares).toBe(market.borrowShares)
  })
  test('at its own time nothing is added', () => {
    expect(accrued(market, scale, 1_000n)).toEqual(market)
  })
})

describe('yearlySupply', () => {
  test('known vector: 4 percent on one half of what is lent are 2.04, less a tenth as fee 1.84', () => {
    const rate = (scale * 4n) / 100n / 31_536_000n
    expect(yearlySupply(market, rate)).toBeCloseTo(0.0204, 4)
    expect(yearlySupply({ ...market, fee: scale / 10n }, rate)).toBeCloseTo(0.01836, 4)
  })
  test('a market without anything lent earns nothing', () => {
    expect(yearlySupply({ ...market, supplyAssets: 0n, borrowAssets: 0n }, scale)).toBe(0)
  })
})

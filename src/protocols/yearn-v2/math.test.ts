import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  afterDeposit,
  afterWithdrawal,
  assetsFor,
  freeFundsAt,
  sharesFor,
  type YearnState,
} from './math.js'

const state: YearnState = {
  totalAssets: 1_200n,
  freeFunds: 1_100n,
  idle: 300n,
  totalSupply: 1_000n,
  depositLimit: 2_000n,
  knownDeposits: true,
  knownWithdrawals: true,
}

describe('freeFundsAt', () => {
  const facts = {
    totalAssets: 1_000n,
    lockedProfit: 100n,
    lastReport: 50n,
    degradation: 10n ** 17n,
  }
  test('known vector: a tenth of the gain is free after each second, all of it after ten', () => {
    expect([50n, 51n, 59n, 60n, 1_000n].map((time) => freeFundsAt(facts, time))).toEqual([
      900n,
      910n,
      990n,
      1_000n,
      1_000n,
    ])
  })
  test('what is unlocked is rounded down', () => {
    expect(freeFundsAt({ ...facts, lockedProfit: 19n }, 51n)).toBe(1_000n - 19n + 1n)
  })
})

describe('sharesFor', () => {
  test('known vector: 120 assets buy 100 shares at the price with the locked gain', () => {
    expect(sharesFor(state, 120n)).toBe(100n)
  })
  test('up to the limit and not a unit more; nothing where the vault is shut down', () => {
    expect([sharesFor(state, 800n), sharesFor(state, 801n)]).toEqual([666n, 0n])
    expect(sharesFor({ ...state, depositLimit: 0n }, 1n)).toBe(0n)
  })
  test('nothing or less buys nothing, and shares of a vault that has lost all cannot be bought', () => {
    expect([sharesFor(state, 0n), sharesFor(state, -120n)]).toEqual([0n, 0n])
    expect(sharesFor({ ...state, totalAssets: 0n, freeFunds: 0n }, 120n)).toBe(0n)
  })
  test('an empty vault gives a share for each asset', () => {
    expect(sharesFor({ ...state, totalSupply: 0n, totalAssets: 0n, freeFunds: 0n }, 7n)).toBe(7n)
  })
})

describe('assetsFor', () => {
  test('known vector: 100 shares are paid 110 assets, of what is free', () => {
    expect([assetsFor(state, 100n), assetsFor(state, 1_001n)]).toEqual([110n, 0n])
  })
  test('all shares are paid all that is free; nothing or less is paid nothing', () => {
    expect(assetsFor(state, 1_000n)).toBe(1_100n)
    expect([assetsFor(state, 0n), assetsFor(state, -100n)]).toEqual([0n, 0n])
    expect(assetsFor({ ...state, totalSupply: 0n }, 0n)).toBe(0n)
  })
  test('what is idle is paid first, down to nothing', () => {
    // 272 shares are paid 299, and 273 are paid 300.
    expect(afterWithdrawal(state, 272n)).toEqual({
      ...state,
      totalAssets: 901n,
      freeFunds: 801n,
      idle: 1n,
      totalSupply: 728n,
    })
    expect(afterWithdrawal(state, 273n)).toMatchObject({ freeFunds: 800n, idle: 0n })
  })
  test('what cannot be paid changes nothing', () => {
    expect(afterWithdrawal(state, 1_001n)).toBe(state)
    const lost = { ...state, freeFunds: 0n }
    expect(afterWithdrawal(lost, 100n)).toBe(lost)
  })
  test('what strategies have to pay leaves nothing idle', () => {
    expect(afterWithdrawal(state, 500n)).toMatchObject({
      totalAssets: 650n,
      freeFunds: 550n,
      idle: 0n,
      totalSupply: 500n,
    })
  })
})

describe('afterDeposit', () => {
  test('assets, what is free and idle of them, and shares grow', () => {
    expect(afterDeposit(state, 120n)).toEqual({
      ...state,
      totalAssets: 1_320n,
      freeFunds: 1_220n,
      idle: 420n,
      totalSupply: 1_100n,
    })
  })
  test('what is refused changes nothing', () => {
    expect(afterDeposit(state, 801n)).toBe(state)
    // One asset buys no share.
    expect(afterDeposit(state, 1n)).toBe(state)
  })
})

test('property: a deposit that is withdrawn at once brings no more than went in', () => {
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 27n })
  fc.assert(
    fc.property(amounts, amounts, amounts, amounts, (free, locked, totalSupply, assets) => {
      const totalAssets = free + locked
      const depositLimit = 10n ** 30n
      const before = { ...state, totalAssets, freeFunds: free, totalSupply, depositLimit }
      const shares = sharesFor(before, assets)
      if (shares === 0n) return
      expect(assetsFor(afterDeposit(before, assets), shares)).toBeLessThanOrEqual(assets)
    }),
  )
})

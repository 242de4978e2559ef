import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accrued,
  afterMint,
  afterRedeem,
  exchangeRate,
  type MarketState,
  minted,
  redeemed,
  type StoredMarket,
  tokensFor,
  yearly,
} from './maths.js'

const scale = 10n ** 18n
const stored: StoredMarket = {
  cash: 1_000_000n,
  borrows: 2_000_000n,
  reserves: 1_000n,
  supply: 100_000_000n,
  reserveFactor: scale / 10n,
  accruedAt: 100n,
  borrowRate: scale / 1_000n,
  emptyRate: 2n * 10n ** 14n,
}
const state = (changes: Partial<MarketState> = {}): MarketState => ({
  cash: 1_000_000n,
  borrows: 2_000_000n,
  reserves: 1_000n,
  supply: 100_000_000n,
  emptyRate: 2n * 10n ** 14n,
  isMintPaused: false,
  isProven: true,
  ...changes,
})

describe('accrued', () => {
  test('known vector: 5 blocks at a thousandth on 2,000,000 are 10,000, a tenth of it reserves', () => {
    expect(accrued(stored, 105n)).toMatchObject({ borrows: 2_010_000n, reserves: 2_000n })
  })
  test('at its own block nothing is added', () => {
    expect(accrued(stored, 100n)).toMatchObject({ borrows: 2_000_000n, reserves: 1_000n })
  })
})

describe('exchangeRate', () => {
  test('known vector: 2,999,000 over 100,000,000 tokens are 0.02999', () => {
    expect(exchangeRate(state())).toBe(29_990n * 10n ** 12n)
  })
  test('without a token it is the initial one', () => {
    expect(exchangeRate(state({ supply: 0n }))).toBe(2n * 10n ** 14n)
  })
})

describe('minted and redeemed', () => {
  test('known vector: 1,000 are 33,344 tokens, and these are 999', () => {
    expect(minted(state(), 1_000n)).toBe(33_344n)
    expect(redeemed(state(), 33_344n)).toBe(999n)
  })
  test('a paused market takes nothing and pays still', () => {
    expect(minted(state({ isMintPaused: true }), 1_000n)).toBe(0n)
    expect(redeemed(state({ isMintPaused: true }), 33_344n)).toBe(999n)
  })
  test('more than the cash or than there are tokens is worth nothing', () => {
    expect(redeemed(state(), 34_000_000n)).toBe(0n)
    expect(redeemed(state({ cash: 10n ** 9n }), 100_000_001n)).toBe(0n)
  })

  const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
  const states = fc
    .record({
      cash: fc.bigInt({ min: 0n, max: 10n ** 28n }),
      borrows: fc.bigInt({ min: 0n, max: 10n ** 28n }),
      supply: fc.bigInt({ min: 1n, max: 10n ** 28n }),
    })
    .map((part) => state({ ...part, reserves: 0n }))
  test('property: what is supplied and redeemed at once never comes back as more', () => {
    fc.assert(
      fc.property(states, amount, (market, assets) => {
        const tokens = minted(market, assets)
        expect(redeemed(afterMint(market, assets), tokens)).toBeLessThanOrEqual(assets)
      }),
    )
  })
  test('property: the tokens for an amount redeem at least it, and one fewer does not', () => {
    fc.assert(
      fc.property(states, amount, (market, assets) => {
        const rate = exchangeRate(market)
        fc.pre(rate > 0n)
        const tokens = tokensFor(market, assets)
        expect((tokens * rate) / scale).toBeGreaterThanOrEqual(assets)
        expect(((tokens - 1n) * rate) / scale).toBeLessThan(assets)
      }),
    )
  })
  test('property: a redemption never lowers the rate', () => {
    fc.assert(
      fc.property(states, amount, (market, tokens) => {
        fc.pre(tokens < market.supply)
        expect(exchangeRate(afterRedeem(market, tokens))).toBeGreaterThanOrEqual(
          exchangeRate(market),
        )
      }),
    )
  })
})

describe('yearly', () => {
  test('known vector: 20 * 10^-9 a block of 12 seconds are 5.40 percent', () => {
    expect(yearly(20_000_000_000n, 12)).toBeCloseTo(0.054, 4)
  })
})

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
} from './math.js'

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
    const lent = state({ borrows: 0n })
    expect(redeemed(lent, 100_000_000n)).toBe(999_000n)
    expect(redeemed(lent, 100_000_001n)).toBe(0n)
  })
  test('at a rate of one, all of the cash can be redeemed, and not a unit more', () => {
    // A token is worth one unit.
    const even = { borrows: 90n, reserves: 0n, supply: 100n }
    expect(redeemed(state({ ...even, cash: 10n }), 10n)).toBe(10n)
    expect(redeemed(state({ ...even, cash: 10n }), 11n)).toBe(0n)
    expect(tokensFor(state({ ...even, cash: 10n }), 10n)).toBe(10n)
  })
  test('nothing for nothing or less', () => {
    for (const amount of [0n, -1_000n]) {
      expect(minted(state(), amount)).toBe(0n)
      expect(redeemed(state(), amount)).toBe(0n)
    }
  })
  test('a market worth nothing mints nothing, and no number of its tokens is an amount', () => {
    const worthless = state({ cash: 0n, borrows: 0n, reserves: 0n })
    expect([minted(worthless, 1_000n), tokensFor(worthless, 1_000n)]).toEqual([0n, 0n])
    const owing = state({ cash: 0n, borrows: 0n })
    expect([minted(owing, 1_000n), tokensFor(owing, 1_000n)]).toEqual([0n, 0n])
  })
  test('cash and tokens move together; what is refused changes nothing', () => {
    const moved = { cash: 1_001_000n, supply: 100_033_344n }
    expect(afterMint(state(), 1_000n)).toEqual(state(moved))
    expect(afterRedeem(state(), 33_344n)).toEqual(state({ cash: 999_001n, supply: 99_966_656n }))
    const paused = state({ isMintPaused: true })
    expect(afterMint(paused, 1_000n)).toBe(paused)
    const dry = state({ cash: 998n })
    expect(afterRedeem(dry, 34_000_000n)).toBe(dry)
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

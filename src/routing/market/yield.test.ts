import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../domain/primitives.js'
import type { PositionState } from '../../protocols/positions.js'
import { apyOfSharePrices, figuresOf, valuer, withBaseApy } from './yield.js'

const usdc: Address = `0x${'a'.repeat(40)}`
const weth: Address = `0x${'b'.repeat(40)}`
const odd: Address = `0x${'c'.repeat(40)}`
const usdOf = valuer(
  new Map([
    [usdc, { decimals: 6, priceUsd: 1 }],
    [weth, { decimals: 18, priceUsd: 2_000 }],
    [odd, { decimals: 18, priceUsd: null }],
  ]),
)

const state = (change: Partial<PositionState> = {}): PositionState => ({
  holdings: [
    { token: usdc, amount: 1_500_000_000n },
    { token: weth, amount: 5n * 10n ** 17n },
  ],
  base: null,
  rewards: [],
  ...change,
})

describe('apyOfSharePrices', () => {
  const at = (price: bigint, timestamp: bigint) => ({ price, timestamp })

  test('0.01 % in a day is 3.7172 % in a year', () => {
    const apy = apyOfSharePrices(at(10n ** 18n, 0n), at(10n ** 18n + 10n ** 14n, 86_400n))
    expect(apy).toBeCloseTo(3.7172, 4)
  })

  test('a falling price is a negative yield, an equal one is none', () => {
    expect(apyOfSharePrices(at(10_000n, 0n), at(9_999n, 86_400n))).toBeCloseTo(-3.584, 3)
    expect(apyOfSharePrices(at(10_000n, 0n), at(10_000n, 86_400n))).toBe(0)
  })

  test('keeps what a share earns in minutes', () => {
    const apy = apyOfSharePrices(at(10n ** 27n, 0n), at(10n ** 27n + 4n * 10n ** 20n, 300n))
    expect(apy).toBeCloseTo(4.2942, 3)
  })

  test.each([
    ['no time in between', at(1n, 5n), at(2n, 5n)],
    ['no price before', at(0n, 0n), at(2n, 86_400n)],
    ['no price after', at(2n, 0n), at(0n, 86_400n)],
    ['a share that doubled within a day', at(1n, 0n), at(2n, 86_400n)],
    ['a share that halved within a day', at(2n, 0n), at(1n, 86_400n)],
  ])('null for %s', (_case, before, after) => {
    expect(apyOfSharePrices(before, after)).toBeNull()
  })

  test('property: null or a number from -99 to 9900', () => {
    const price = fc.bigInt({ min: 0n, max: 10n ** 36n })
    fc.assert(
      fc.property(price, price, fc.bigInt({ min: 0n, max: 10n ** 7n }), (a, b, seconds) => {
        const apy = apyOfSharePrices(at(a, 0n), at(b, seconds))
        expect(apy === null || (apy >= -99.001 && apy <= 9_900.001)).toBe(true)
      }),
    )
  })
})

describe('figuresOf', () => {
  test('the value of all holdings in USD', () => {
    expect(figuresOf(state(), null, usdOf)).toEqual({
      tvl: 2_500,
      apy: null,
      apyBase: null,
      apyReward: null,
    })
  })

  test('one holding without a price makes the TVL unknown, unless there is none of it', () => {
    const holding = (amount: bigint) => state({ holdings: [{ token: odd, amount }] })
    expect(figuresOf(holding(1n), null, usdOf).tvl).toBeNull()
    expect(figuresOf(holding(0n), null, usdOf).tvl).toBe(0)
    expect(figuresOf(state({ holdings: null }), null, usdOf).tvl).toBeNull()
    expect(figuresOf(null, null, usdOf).tvl).toBeNull()
  })

  test('rewards of 250 USD a year on 2,500 are 10 %, on top of the base', () => {
    const paid = state({ rewards: [{ token: usdc, perYear: 250_000_000n }] })
    expect(figuresOf(paid, 4.5, usdOf)).toMatchObject({ apy: 14.5, apyBase: 4.5, apyReward: 10 })
    expect(figuresOf(paid, null, usdOf)).toMatchObject({ apy: 10, apyBase: null, apyReward: 10 })
  })

  test('rewards are not known without a price or a TVL; the base still is', () => {
    const unpriced = state({ rewards: [{ token: odd, perYear: 1n }] })
    expect(figuresOf(unpriced, 4.5, usdOf)).toMatchObject({ apy: 4.5, apyReward: null })
    const empty = state({ holdings: [], rewards: [{ token: usdc, perYear: 1n }] })
    expect(figuresOf(empty, null, usdOf)).toMatchObject({ tvl: 0, apy: null, apyReward: null })
  })

  test('a rate that is no number is not known', () => {
    expect(figuresOf(state(), Number.NaN, usdOf)).toMatchObject({ apy: null, apyBase: null })
  })
})

describe('withBaseApy', () => {
  test('adds to the reward, and leaves all as it is without a yield', () => {
    const figures = figuresOf(
      state({ rewards: [{ token: usdc, perYear: 250_000_000n }] }),
      null,
      usdOf,
    )
    expect(withBaseApy(figures, 2.5)).toMatchObject({ apy: 12.5, apyBase: 2.5, apyReward: 10 })
    expect(withBaseApy(figures, null)).toBe(figures)
  })
})

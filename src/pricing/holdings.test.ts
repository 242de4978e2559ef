import { describe, expect, test } from 'vitest'
import type { Address } from '../domain/primitives.js'
import type { Holdings } from '../protocols/positions.js'
import { type PricedPart, priceHoldings } from './holdings.js'

const a: Address = '0x00000000000000000000000000000000000000aa'
const b: Address = '0x00000000000000000000000000000000000000bb'

function parts(...list: readonly [Address, decimals: number, usd: number, confidence: number][]) {
  return new Map<Address, PricedPart | null>(
    list.map(([token, decimals, priceUsd, confidence]) => [
      token,
      { decimals, price: { priceUsd, confidence, source: 'pools' } },
    ]),
  )
}

describe('priceHoldings', () => {
  test('a share of reserves: 3,000 of 6 decimals and 1 of 18 for a share of 1,000', () => {
    const holdings: Holdings = {
      shares: 1_000n * 10n ** 18n,
      amounts: [
        { token: a, amount: 3_000_000n * 10n ** 6n },
        { token: b, amount: 1_000n * 10n ** 18n },
      ],
    }
    expect(priceHoldings(holdings, 18, parts([a, 6, 1, 0.9], [b, 18, 3_000, 0.5]))).toEqual({
      priceUsd: 6_000,
      confidence: 0.7,
      source: 'holdings',
    })
  })

  test('every digit of a price passes through a token that is one to one', () => {
    const holdings: Holdings = { shares: 1n, amounts: [{ token: a, amount: 1n }] }
    for (const usd of [0.1, 3_606.6506045885553, 1.00004195, 2.3e-11, 89_423.43820624, 4.5e13]) {
      expect(priceHoldings(holdings, 18, parts([a, 18, usd, 1]))?.priceUsd).toBe(usd)
    }
  })

  test('a share of few decimals keeps the digits that one raw unit of it does not show', () => {
    const rate = { shares: 10n ** 18n, amounts: [{ token: a, amount: 200_113_537_459_929n }] }
    const price = priceHoldings(rate, 8, parts([a, 6, 1, 1]))
    expect(price?.priceUsd).toBe(0.0200113537459929)
  })

  test('a doubtful price counts for as much of the confidence as it makes up of the value', () => {
    const holdings: Holdings = {
      shares: 1n,
      amounts: [
        { token: a, amount: 1n },
        { token: b, amount: 1n },
      ],
    }
    const price = (usd: number) =>
      priceHoldings(holdings, 0, parts([a, 0, 1, 0.99], [b, 0, usd, 0.05]))
    expect(price(1)?.confidence).toBe(0.52)
    expect(price(100)?.confidence).toBe(0.06)
  })

  test('a part without a price leaves none, unless nothing of it is held', () => {
    const known = parts([a, 0, 1, 1])
    const both = (amount: bigint): Holdings => ({
      shares: 2n,
      amounts: [
        { token: a, amount: 4n },
        { token: b, amount },
      ],
    })
    expect(priceHoldings(both(1n), 0, new Map([...known, [b, null]]))).toBeNull()
    expect(priceHoldings(both(1n), 0, known)).toBeNull()
    expect(priceHoldings(both(0n), 0, known)?.priceUsd).toBe(2)
  })

  test('shares that own nothing have no price', () => {
    const holdings: Holdings = { shares: 5n, amounts: [{ token: a, amount: 0n }] }
    expect(priceHoldings(holdings, 18, parts([a, 18, 1, 1]))).toBeNull()
  })
})

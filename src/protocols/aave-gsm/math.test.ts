import { describe, expect, test } from 'vitest'
import { buy, type GsmState, ray, sell } from './math.js'

const [dollar, ether] = [10n ** 6n, 10n ** 18n]
/** A share is worth 1.25; no fees. */
const plain: GsmState = {
  rate: (ray * 125n) / 100n,
  ratio: ether,
  unit: dollar,
  buyFee: 0n,
  sellFee: 0n,
  depositable: 10n ** 12n,
  redeemable: 10n ** 12n,
  room: 400n * dollar,
  stock: 800n * dollar,
  used: 1_000n * ether,
  limit: 2_000n * ether,
  reserve: 5_000n * ether,
}

describe('sell', () => {
  test('the asset is worth as much GHO, rounded to what whole shares are worth', () => {
    expect(sell(plain, 10n * dollar)?.amountOut).toBe(10n * ether)
    // 8 shares of a millionth are worth 10 of the asset; a ninth would be worth 11.25.
    expect(sell(plain, 11n)?.amountOut).toBe(10n * 10n ** 12n)
    expect(sell({ ...plain, sellFee: 20n }, 10n * dollar)?.amountOut).toBe(
      (10n * ether * 998n) / 1_000n,
    )
  })

  test('adds to what it holds and has used', () => {
    expect(sell(plain, 10n * dollar)?.after).toEqual({
      ...plain,
      depositable: 10n ** 12n - 10n * dollar,
      room: 392n * dollar,
      stock: 808n * dollar,
      used: 1_010n * ether,
      reserve: 4_990n * ether,
    })
  })

  test.each([
    ['the vault', { depositable: 10n * dollar - 1n }],
    ['the cap', { room: 8n * dollar - 1n }],
    ['the limit', { limit: 1_010n * ether - 1n }],
    ['the reserve', { reserve: 10n * ether - 1n }],
  ])('gives nothing above the bound of %s', (_name, bound) => {
    const [key] = Object.keys(bound) as [keyof GsmState]
    expect(sell({ ...plain, ...bound }, 10n * dollar)).toBeNull()
    expect(
      sell({ ...plain, [key]: (Object.values(bound)[0] ?? 0n) + 1n }, 10n * dollar),
    ).not.toBeNull()
  })

  test('gives nothing for less than a share', () => {
    expect(sell(plain, 1n)).toBeNull()
  })
})

describe('buy', () => {
  test('GHO buys as much of the asset, less the fee', () => {
    expect(buy(plain, 10n * ether)?.amountOut).toBe(10n * dollar)
    expect(buy({ ...plain, buyFee: 25n }, 1_002_500_000_000_000_000n)?.amountOut).toBe(dollar)
  })

  test('what the shares have earned is used first', () => {
    // 800 shares are worth 1,000 GHO, of which 700 are used.
    const earned = { ...plain, used: 700n * ether }
    expect(buy(earned, 10n * ether)?.after).toMatchObject({
      stock: 792n * dollar,
      room: 408n * dollar,
      used: 990n * ether,
      reserve: (5_000n - 300n + 10n) * ether,
    })
    expect(buy({ ...earned, reserve: 299n * ether }, 10n * ether)).toBeNull()
    expect(buy({ ...earned, limit: 705n * ether }, 10n * ether)?.after.used).toBe(695n * ether)
  })

  test.each([
    ['what it holds', { stock: 8n * dollar - 1n }],
    ['what the vault redeems', { redeemable: 8n * dollar - 1n }],
    ['what it has used', { used: 10n * ether - 1n, limit: 0n }],
  ])('gives nothing above %s', (_name, bound) => {
    expect(buy({ ...plain, ...bound }, 10n * ether)).toBeNull()
  })

  test('gives nothing for what buys no share', () => {
    expect(buy(plain, 10n ** 12n)).toBeNull()
  })
})

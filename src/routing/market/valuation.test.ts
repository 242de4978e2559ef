import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import { gasInToken, netValue, priceImpactBps } from './valuation.js'

const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const weth = ethereum.wrappedNative
const priced = new Map([
  [weth, { decimals: 18, priceUsd: 2_000 }],
  [nativeToken, { decimals: 18, priceUsd: 2_000 }],
  [usdc, { decimals: 6, priceUsd: 1 }],
])

describe('gasInToken', () => {
  test('150,000 gas at 10 gwei and 2,000 USD per ether is 3 USDC', () => {
    expect(gasInToken(ethereum, priced, usdc, 150_000n * 10_000_000_000n)).toBe(3_000_000n)
  })
  test('is null without a price of the token', () => {
    expect(gasInToken(ethereum, new Map(), usdc, 1n)).toBeNull()
  })
})

describe('priceImpactBps', () => {
  const inputs = [{ token: weth, amount: 10n ** 18n }]
  test('1 ether of 2,000 USD into 1,990 USDC is 50 bps', () => {
    expect(priceImpactBps(inputs, [{ token: usdc, amount: 1_990_000_000n }], priced)).toBe(50)
  })
  test('an output worth more than the input is negative', () => {
    expect(priceImpactBps(inputs, [{ token: usdc, amount: 2_002_000_000n }], priced)).toBe(-10)
  })
  test.each([
    // Of 2,000 USDC 1,000 units are 0.005 bps.
    [0n, 0],
    [200_001n, 1],
    [200_999n, 1],
    [201_000n, 1.01],
    [201_999n, 1.01],
    [202_000n, 1.01],
    [999n, 0],
    [1_000n, 0.01],
    [-999n, 0],
    [-1_000n, -0.01],
    [-201_000n, -1.01],
    [-200_999n, -1],
  ])('%s units less are %s bps: rounded, a half away from zero', (less, bps) => {
    const outputs = [{ token: usdc, amount: 2_000_000_000n - less }]
    expect(priceImpactBps(inputs, outputs, priced)).toBe(bps)
  })
  test('is null where a price is missing', () => {
    expect(
      priceImpactBps(
        inputs,
        [{ token: usdc, amount: 1n }],
        new Map([[weth, { decimals: 18, priceUsd: 1 }]]),
      ),
    ).toBeNull()
  })
})

describe('netValue', () => {
  test('one output: amount less gas', () => {
    expect(netValue([{ token: usdc, amount: 100n }], 30n, priced)).toBe(70n)
  })
  test('several outputs: their worth in USD times 1e18, gas taken from the first', () => {
    const outputs = [
      { token: usdc, amount: 5_000_000n },
      { token: weth, amount: 10n ** 18n },
    ]
    expect(netValue(outputs, 2_000_000n, priced)).toBe(2_003n * 10n ** 18n)
  })
  test('several outputs without a price: the first amount alone', () => {
    const outputs = [
      { token: usdc, amount: 5n },
      { token: weth, amount: 7n },
    ]
    expect(netValue(outputs, 2n, new Map())).toBe(5n)
  })
  test('one output without a price: the amount alone', () => {
    expect(netValue([{ token: usdc, amount: 100n }], null, new Map())).toBe(100n)
  })
})

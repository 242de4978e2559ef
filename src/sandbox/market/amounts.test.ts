import { describe, expect, test } from 'vitest'
import { sandboxToken } from '../tokens.js'
import { liquidityWorth, rawWorth, sqrtPriceX96, squareRoot } from './amounts.js'
import { ethereumMarket } from './market-pools.js'

const { startPrices } = ethereumMarket

const weth = sandboxToken('WETH')
const usdc = sandboxToken('USDC')

describe('squareRoot', () => {
  test('is the largest whole number whose square is not above', () => {
    for (const value of [0n, 1n, 2n, 3n, 4n, 99n, 100n, 10n ** 40n, 2n ** 255n - 19n]) {
      const root = squareRoot(value)
      expect(root * root <= value && (root + 1n) * (root + 1n) > value, `${value}`).toBe(true)
    }
  })
})

describe('rawWorth', () => {
  test('3000 dollars are one WETH or 3000 USDC', () => {
    expect(rawWorth(weth, 3_000, startPrices)).toBe(10n ** 18n)
    expect(rawWorth(usdc, 3_000, startPrices)).toBe(3_000_000_000n)
  })
})

describe('sqrtPriceX96', () => {
  test('of USDC in WETH at 3000 dollars squares to 10^12 / 3000', () => {
    const price = Number(sqrtPriceX96(usdc, weth, startPrices)) / 2 ** 96
    expect(price ** 2 / (1e12 / 3_000)).toBeCloseTo(1, 9)
  })
})

describe('liquidityWorth', () => {
  test('a narrower range gives more liquidity for the same dollars', () => {
    const sqrtPrice = sqrtPriceX96(usdc, weth, startPrices)
    const worth = (width: number) =>
      liquidityWorth({
        token1: weth,
        sqrtPrice,
        dollars: 1_000_000,
        below: width,
        above: width,
        prices: startPrices,
      })
    expect(worth(200)).toBeGreaterThan(worth(6_000))
    expect(worth(6_000)).toBeGreaterThan(worth(0))
  })
})

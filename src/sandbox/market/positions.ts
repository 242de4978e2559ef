/** How the liquidity of a concentrated pool is spread over positions when the market opens. */

import type { SandboxToken } from '../tokens.js'
import { liquidityWorth, type Prices, sqrtPriceX96 } from './amounts.js'
import { tickSpacings } from './catalog.js'

/** Ticks below and above the price, part of the depth; zero = to the end. The last one lies off the middle. */
const volatileRanges = [
  { below: 0, above: 0, percent: 10 },
  { below: 6000, above: 6000, percent: 20 },
  { below: 1500, above: 1500, percent: 35 },
  { below: 400, above: 400, percent: 25 },
  { below: 300, above: 4000, percent: 10 },
] as const
const calmRanges = [
  { below: 0, above: 0, percent: 2 },
  { below: 200, above: 200, percent: 18 },
  { below: 12, above: 12, percent: 60 },
  { below: 3, above: 8, percent: 20 },
] as const

/** Tokens whose prices move together. */
const calmGroups = [
  ['USDC', 'USDT', 'DAI', 'FRAX', 'sUSD'],
  ['WETH', 'wstETH'],
]

export interface OpeningPosition {
  readonly below: number
  readonly above: number
  readonly liquidity: bigint
}

export function openingPositions(args: {
  readonly tokens: readonly [SandboxToken, SandboxToken]
  readonly fee: number
  readonly depthUsd: number
  readonly prices: Prices
}): OpeningPosition[] {
  const { tokens, fee, depthUsd, prices } = args
  const [token0, token1] = tokens
  const sqrtPrice = sqrtPriceX96(token0, token1, prices)
  const isCalm = calmGroups.some((group) => tokens.every(({ symbol }) => group.includes(symbol)))
  const spacing = tickSpacings[fee] ?? 1
  // No narrower than the spacing of the ticks allows.
  const widen = (width: number) => (width === 0 ? 0 : Math.max(width, spacing))
  return (isCalm ? calmRanges : volatileRanges).map(({ percent, ...range }) => {
    const widths = { below: widen(range.below), above: widen(range.above) }
    const dollars = Math.ceil((depthUsd * percent) / 100)
    return {
      ...widths,
      liquidity: liquidityWorth({ token1, sqrtPrice, dollars, prices, ...widths }),
    }
  })
}

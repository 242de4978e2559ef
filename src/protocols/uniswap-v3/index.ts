/**
 * Uniswap V3 and the exchanges that run its code with other fee tiers or another storage layout.
 * Venue parameters: `factory`, `feeTiers`, `positionManager` where there is one, `routers` that a swap may name. Pool parameters: `fee` (1/1_000_000), `tickSpacing`.
 */
import { defineUniswapV3Like } from './adapter.js'

export const uniswapV3 = defineUniswapV3Like({
  slug: 'uniswap-v3',
  name: 'Uniswap V3',
  project: 'uniswap',
  url: 'https://uniswap.org',
  factorySlots: { tickSpacing: 4n, getPool: 5n },
  poolSlots: { slot0: 0n, liquidity: 4n, ticks: 5n, tickBitmap: 6n },
  hasPositions: true,
})

/** Uniswap's own code under another factory. */
export const sushiswapV3 = defineUniswapV3Like({
  slug: 'sushiswap-v3',
  name: 'SushiSwap V3',
  project: 'sushiswap',
  url: 'https://www.sushi.com',
  forkOf: 'uniswap-v3',
  factorySlots: { tickSpacing: 4n, getPool: 5n },
  poolSlots: { slot0: 0n, liquidity: 4n, ticks: 5n, tickBitmap: 6n },
})

/** The protocol fee has 32 bits, so slot0 fills two words and everything after it lies one further. */
export const pancakeswapV3 = defineUniswapV3Like({
  slug: 'pancakeswap-v3',
  name: 'PancakeSwap V3',
  project: 'pancakeswap',
  url: 'https://pancakeswap.finance',
  forkOf: 'uniswap-v3',
  factorySlots: { tickSpacing: 1n, getPool: 2n },
  poolSlots: { slot0: 0n, liquidity: 5n, ticks: 6n, tickBitmap: 7n },
})

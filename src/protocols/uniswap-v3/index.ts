/**
 * Uniswap V3 and the exchanges that run its code with other fee tiers or another storage layout.
 * Venue parameters: `factory`, `feeTiers`, `positionManager` where there is one, `routers` that a swap may name. Pool parameters: `fee` (1/1_000_000), `tickSpacing`.
 */
import { defineUniswapV3Like } from './adapter.js'

/** Hash of the creation code of Uniswap's pools. @see Uniswap/v3-periphery, contracts/libraries/PoolAddress.sol */
export const poolInitCodeHash = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54'

export const uniswapV3 = defineUniswapV3Like({
  slug: 'uniswap-v3',
  name: 'Uniswap V3',
  project: 'uniswap',
  url: 'https://uniswap.org',
  factorySlots: { tickSpacing: 4n, getPool: 5n },
  poolSlots: { slot0: 0n, liquidity: 4n, ticks: 5n, tickBitmap: 6n },
  initCodeHash: poolInitCodeHash,
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
  initCodeHash: poolInitCodeHash,
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
  // @see pancakeswap/pancake-v3-contracts, projects/v3-periphery/contracts/libraries/PoolAddress.sol
  initCodeHash: '0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2',
  deployer: '0x41ff9aa7e16b8b1a8a8dc4f0efacd93d02d071c9',
})

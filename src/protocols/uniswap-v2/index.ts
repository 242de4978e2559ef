/**
 * Uniswap V2 and the exchanges that run its code: constant product, one storage word per pair.
 * Venue parameters: `factory`, `feeBps`, and `router` where actions and swaps may name it.
 * Pool parameters: `feeBps`; a pool with the pair itself as its third token trades the pair's shares.
 */
import { defineUniswapV2Like } from './adapter.js'

/** A sixth of the growth. */
const sixth = { numerator: 1n, root: 5n, rootLast: 1n }

export const uniswapV2 = defineUniswapV2Like({
  slug: 'uniswap-v2',
  name: 'Uniswap V2',
  project: 'uniswap',
  url: 'https://uniswap.org',
  getPairSlots: [2n],
  protocolFee: sixth,
})

/** Sushi's factory has one variable more in front of its pairs; factories of the original code run too. */
export const sushiswapV2 = defineUniswapV2Like({
  slug: 'sushiswap-v2',
  name: 'SushiSwap V2',
  project: 'sushiswap',
  url: 'https://www.sushi.com',
  forkOf: 'uniswap-v2',
  getPairSlots: [3n, 2n],
  protocolFee: sixth,
})

/** The factory and the pairs are laid out as Uniswap's; the fee is 25 bps, 8 of which are the exchange's. */
export const pancakeswapV2 = defineUniswapV2Like({
  slug: 'pancakeswap-v2',
  name: 'PancakeSwap V2',
  project: 'pancakeswap',
  url: 'https://pancakeswap.finance',
  forkOf: 'uniswap-v2',
  getPairSlots: [2n],
  protocolFee: { numerator: 8n, root: 17n, rootLast: 8n },
})

/**
 * Uniswap V2 and the exchanges that run its code: constant product, one storage word per pair.
 * Venue parameters: `factory`, `feeBps`, and `router` where actions and swaps may name it.
 * Pool parameters: `feeBps`; a pool with the pair itself as its third token trades the pair's shares.
 */
import { defineUniswapV2Like } from './adapter.js'

/** A sixth of the growth. */
const sixth = { numerator: 1n, root: 5n, rootLast: 1n }

/** Hash of the creation code of Uniswap's pairs. @see Uniswap/v2-periphery, contracts/libraries/UniswapV2Library.sol */
export const pairInitCodeHash = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f'

export const uniswapV2 = defineUniswapV2Like({
  slug: 'uniswap-v2',
  name: 'Uniswap V2',
  project: 'uniswap',
  url: 'https://uniswap.org',
  getPairSlots: [2n],
  initCodeHash: pairInitCodeHash,
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
  // @see sushiswap/sushiswap, protocols/sushiswap/contracts/libraries/UniswapV2Library.sol
  initCodeHash: '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303',
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
  // @see pancakeswap/pancake-frontend, packages/swap-sdk-evm: of every chain but BNB Smart Chain
  initCodeHash: '0x57224589c67f3f30a6b0d7a1b54cf3153ab84563bc609ef41dfb34f8b2974d2d',
  protocolFee: { numerator: 8n, root: 17n, rootLast: 8n },
})

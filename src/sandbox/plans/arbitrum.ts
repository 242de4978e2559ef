/** Arbitrum in small: Uniswap's pools of V2 and V3 and Sushi's pairs, a bridged dollar beside the native one, traps. */
import { arbitrum } from '../../chains/arbitrum.js'
import { createMarket } from '../market/market-pools.js'
import { pairs, tiers } from '../market/market-specs.js'
import { pricesBeside } from '../market/price-walk.js'
import { toTokens } from '../tokens.js'
import { headHashes } from '../version.js'
import { chainsBeside, endOfHistory, factoriesOf, type SandboxPlan } from './plan.js'

/** Blocks with trades, and of all. */
const tradingBlocks = 120
const lastBlock = 131
/** Blocks come when there is something to put into them. */
const blockSeconds = 3

const k = 1_000
const m = 1_000_000

const market = createMarket({
  chain: arbitrum,
  tokens: toTokens([
    ['WETH', 'Wrapped Ether', arbitrum.wrappedNative, 18, 'wrapped-native', 3000],
    ['USDC', 'USD Coin', '0xaf88d065e77c8cc2239327c5edb3a432268e5831', 6, 'proxied', 1],
    [
      ...(['USDC.e', 'Bridged USDC', '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8'] as const),
      ...([6, 'standard', 0.9998] as const),
    ],
    ['USDT', 'USD₮0', '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9', 6, 'standard', 0.9996],
    [
      ...(['DAI', 'Dai Stablecoin', '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1'] as const),
      ...([18, 'standard', 0.9999] as const),
    ],
    [
      ...(['WBTC', 'Wrapped BTC', '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f'] as const),
      ...([8, 'standard', 90_000] as const),
    ],
    ['ARB', 'Arbitrum', '0x912ce59144191c1204e64559fe8253a0e49e6548', 18, 'standard', 0.45],
    ['LINK', 'ChainLink Token', '0xf97f4df75117a78c1a5a0dbb814af92458539fb4', 18, 'standard', 15],
    ['HNY', 'Honeypot', '0xf702e70000000000000000000000000000000002', 18, 'honeypot', 0.5],
  ]),
  ...factoriesOf(arbitrum),
  routers: {
    swapRouter02: '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
    universalRouter: '0xa51afafe0263b40edaef0df8781ea9aa03e381a3',
  },
  v2Pools: [
    ...pairs('uniswap-v2', {
      'WETH/USDC': 6 * m,
      'ARB/WETH': 900 * k,
      'WBTC/WETH': 700 * k,
      'HNY/WETH@9000': 400 * k,
    }),
    ...pairs('sushiswap-v2', {
      'WETH/USDC.e': 4 * m,
      'LINK/WETH': 600 * k,
      // Stale: nobody traded it for long.
      'ARB/WETH@9200': 5 * k,
    }),
  ],
  v3Pools: tiers({
    'WETH/USDC': { 100: 2 * m, 500: 60 * m, 3000: 9 * m },
    'WETH/USDT': { 500: 22 * m },
    'DAI/WETH': { 3000: 2 * m },
    'WBTC/WETH': { 500: 40 * m },
    'WBTC/USDC': { 500: 8 * m },
    'USDC/USDC.e': { 100: 12 * m },
    'USDC/USDT': { 100: 15 * m },
    'DAI/USDC': { 100: 3 * m },
    'ARB/WETH': { 500: 9 * m, 3000: 5 * m },
    'ARB/USDC': { 500: 4 * m },
    'LINK/WETH': { 3000: 3 * m },
    // A great spot price with next to nothing behind it.
    'ARB/USDC@9000': { 10000: 50 },
  }),
  v4Pools: [],
  baskets: [],
})

export const arbitrumPlan: SandboxPlan = {
  market,
  venues: [],
  genesisTimestamp: endOfHistory - lastBlock * blockSeconds,
  blockSeconds,
  prices: () => pricesBeside(market, tradingBlocks, blockSeconds),
  others: chainsBeside(market.chain),
  headHash: headHashes[42161],
}

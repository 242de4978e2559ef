/** Base in small: Uniswap's pools of V2 and V3 and Sushi's pairs, a bridged dollar beside the native one, traps. */
import { base } from '../../chains/base.js'
import { createMarket } from '../market/market-pools.js'
import { pairs, tiers } from '../market/market-specs.js'
import { pricesBeside } from '../market/price-walk.js'
import { toTokens } from '../tokens.js'
import { headHashes } from '../version.js'
import { chainsBeside, endOfHistory, factoriesOf, type SandboxPlan } from './plan.js'

/** Blocks with trades, and of all. */
const tradingBlocks = 120
const lastBlock = 131

const k = 1_000
const m = 1_000_000

const market = createMarket({
  chain: base,
  tokens: toTokens([
    ['WETH', 'Wrapped Ether', base.wrappedNative, 18, 'wrapped-native', 3000],
    ['USDC', 'USD Coin', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 6, 'proxied', 1],
    [
      ...(['USDbC', 'USD Base Coin', '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca'] as const),
      ...([6, 'standard', 0.9997] as const),
    ],
    [
      ...(['DAI', 'Dai Stablecoin', '0x50c5725949a6f0c72e6c4a641f24049a917db0cb'] as const),
      ...([18, 'standard', 0.9999] as const),
    ],
    [
      ...(['cbBTC', 'Coinbase Wrapped BTC', '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf'] as const),
      ...([8, 'standard', 90_000] as const),
    ],
    ['AERO', 'Aerodrome', '0x940181a94a35a4569e4529a3cdfb74e38fd98631', 18, 'standard', 0.9],
    ['FRZN', 'Frozen Token', '0xf702e70000000000000000000000000000000001', 18, 'frozen', 2],
  ]),
  ...factoriesOf(base),
  routers: {
    swapRouter02: '0x2626664c2603336e57b271c5c0b26f421741e481',
    universalRouter: '0x6ff5693b99212da76ad316178a184ab56d299b43',
  },
  v2Pools: [
    ...pairs('uniswap-v2', {
      'WETH/USDC': 5 * m,
      'AERO/WETH': 700 * k,
      'FRZN/WETH@8000': 200 * k,
    }),
    ...pairs('sushiswap-v2', {
      'WETH/USDbC': 600 * k,
      'AERO/WETH@9200': 5 * k,
    }),
  ],
  v3Pools: tiers({
    'WETH/USDC': { 100: 3 * m, 500: 45 * m, 3000: 8 * m },
    'WETH/USDbC': { 500: 3 * m },
    'cbBTC/WETH': { 500: 20 * m, 3000: 2 * m },
    'cbBTC/USDC': { 500: 12 * m },
    'USDC/USDbC': { 100: 5 * m },
    'DAI/USDC': { 100: 2 * m },
    'DAI/WETH': { 3000: 1 * m },
    'AERO/WETH': { 3000: 4 * m },
    'AERO/USDC': { 3000: 2 * m },
    'AERO/USDC@9000': { 10000: 50 },
  }),
  v4Pools: [],
  baskets: [],
})

export const basePlan: SandboxPlan = {
  market,
  venues: [],
  genesisTimestamp: endOfHistory - lastBlock * base.blockTimeSeconds,
  blockSeconds: base.blockTimeSeconds,
  prices: () => pricesBeside(market, tradingBlocks, base.blockTimeSeconds),
  others: chainsBeside(market.chain),
  headHash: headHashes[8453],
}

import { defineChain } from './chain.js'

const weth = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const usdc = '0xaf88d065e77c8cc2239327c5edb3a432268e5831'
const usdt = '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9'
const dai = '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1'
const wbtc = '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f'

export const arbitrum = defineChain({
  id: 42161,
  name: 'Arbitrum One',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: weth,
  // There are four blocks per second, but timestamps are whole seconds.
  blockTimeSeconds: 1,
  // Set by the backlog of gas over seconds, not by the block before.
  // @see OffchainLabs/nitro, arbos/l2pricing/model.go, UpdatePricingModel
  baseFee: 'unchanged',
  priorityFeePerGas: 0n,
  // ArbOS 11, 20, 40 and 51, whose headers keep the fields of London.
  // @see alloy-rs/hardforks, arbitrum/mainnet.rs; the last: OffchainLabs/arbitrum-docs, ArbOS 51 upgrade notice
  unshownHardForks: [
    { hardFork: 'shanghai', since: 1_708_804_873n },
    { hardFork: 'cancun', since: 1_710_424_089n },
    { hardFork: 'prague', since: 1_750_201_532n },
    { hardFork: 'osaka', since: 1_767_891_600n },
  ],
  l1DataFee: 'arbitrum',
  stableAnchors: [usdc, usdt, dai],
  connectorTokens: [weth, usdc, usdt, dai, wbtc, '0x912ce59144191c1204e64559fe8253a0e49e6548'],
  chainlinkFeeds: [
    { token: weth, feed: '0x639fe6ab55c921f74e7fac1ee960c0b6293ba612', heartbeatSeconds: 86_400 },
    { token: wbtc, feed: '0x6ce185860a4963106506c203335a2910413708e9', heartbeatSeconds: 86_400 },
    { token: usdc, feed: '0x50834f3163758fcc1df9973b6e91f0f0f0434ad3', heartbeatSeconds: 86_400 },
    { token: usdt, feed: '0x3f3f5df88dc9f13eac63df89ec16ef6e7e25dde7', heartbeatSeconds: 86_400 },
  ],
  venues: {
    'uniswap-v2': {
      factory: '0xf1d7cc64fb4452f05c498126312ebe29f30fbcf9',
      feeBps: 30,
      router: '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24',
    },
    'sushiswap-v2': {
      factory: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      feeBps: 30,
      router: '0x1b02da8cb0d097eb8d57a175b88c7d8b47997506',
    },
    'pancakeswap-v2': {
      factory: '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
      feeBps: 25,
      router: '0x8cfe327cec66d1c090dd72bd0ff11d690c33a2eb',
    },
    'uniswap-v3': {
      factory: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
      feeTiers: ['100', '500', '3000', '10000'],
      positionManager: '0xc36442b4a4522e871399cd717abdd847ab11fe88',
      routers: [
        '0xe592427a0aece92de3edee1f18e0157c05861564',
        '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
      ],
    },
    'sushiswap-v3': {
      factory: '0x1af415a1eba07a4986a52b6f2e7de7003d82231e',
      feeTiers: ['100', '500', '3000', '10000'],
      routers: ['0x8a21f6768c1f8075791d08546dadf6daa0be820c'],
    },
    'pancakeswap-v3': {
      factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
      feeTiers: ['100', '500', '2500', '10000'],
      routers: [
        '0x1b81d678ffb9c0263b24a97847620c99d213eb14',
        '0x32226588378236fd0c7c4053999f88ac0e5cac77',
      ],
    },
    'uniswap-v4': { poolManager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32' },
    'balancer-v2': { vault: '0xba12222222228d8ba445958a75a0704d566bf2c8' },
    'erc-4626': {},
    'aave-v3': { pool: '0x794a61358d6845594f94dc1db02a252b5b4814ad' },
  },
})

import { defineChain } from './chain.js'

const weth = '0x4200000000000000000000000000000000000006'
const usdc = '0x078d782b760474a361dda0af3839290b0ef57ad6'
const usdt = '0x9151434b16b9763660705744891fa906f660ecc5'
const wbtc = '0x927b51f251480a681271180da4de28d44ec4afb8'
const uni = '0x8f187aa05619a017077f5308904739877ce9ea21'

export const unichain = defineChain({
  id: 130,
  name: 'Unichain',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: weth,
  blockTimeSeconds: 1,
  // These parameters hold before Holocene (January 2025); blocks since then state their own.
  // @see ethereum-optimism/superchain-registry 8336d2a, superchain/configs/mainnet/unichain.toml
  baseFee: { elasticity: 6n, denominator: 250n, isInHeader: true },
  priorityFeePerGas: 1_000_000n,
  // Karst. @see the same file, karst_time
  unshownHardForks: [{ hardFork: 'osaka', since: 1_783_526_401n }],
  l1DataFee: 'op-stack',
  stableAnchors: [usdc, usdt],
  connectorTokens: [weth, usdc, usdt, wbtc, uni],
  chainlinkFeeds: [],
  venues: {
    'uniswap-v2': {
      factory: '0x1f98400000000000000000000000000000000002',
      feeBps: 30,
      router: '0x284f11109359a7e1306c3e447ef14d38400063ff',
    },
    'uniswap-v3': {
      factory: '0x1f98400000000000000000000000000000000003',
      feeTiers: ['100', '500', '3000', '10000'],
      positionManager: '0x943e6e07a7e8e791dafc44083e54041d743c46e9',
      routers: ['0x73855d06de49d0fe4a9c42636ba96c62da12ff9c'],
    },
    'uniswap-v4': { poolManager: '0x1f98400000000000000000000000000000000004' },
    // @see curvefi/curve-core b4c27f3, deployments/prod/unichain.yaml
    curve: {
      metaRegistry: '0x5eee3091f747e60a045a2e715a4c71e600e31f6e',
      stableCoreFactory: '0x604388bb1159afd21eb5191ce22b4decdee2ae22',
      twocryptoFactory: '0xc9fe0c63af9a39402e8a5514f9c43af0322b665f',
      tricryptoFactory: '0x5702bdb1ec244704e3cbbaae11a0275ae5b07499',
    },
    'erc-4626': { factories: ['0xe9ede3929f43a7062a007c3e8652e4aca610bdc0'] },
    // @see compound-finance/comet d5a30b0, deployments/unichain/*/roots.json
    'compound-v3': {
      comets: [
        '0x2c7118c4c88b9841fcf839074c26ae8f035f2921',
        '0x6c987dde50db1dcdd32cd4175778c2a291978e2a',
      ],
    },
    // @see sparkdotfi/spark-address-registry 5348de2, src/Unichain.sol
    'spark-psm3': {
      psm: '0x7b42ed932f26509465f7ce3faf76ffce1275312f',
      usdc,
      usds: '0x7e10036acc4b56d4dfca3b77810356ce52313f9c',
      susds: '0xa06b10db9f390990364a3984c04fadf1c13691b5',
    },
    // @see euler-xyz/euler-interfaces 8007d05, addresses/130/EulerSwapAddresses.json
    'euler-swap': { registry: '0x9d9ce1540b986ef77c02f8d40603193852d2e723' },
  },
  bridges: {
    // A deposit is taken once the sequencer has seen some blocks over the one that it is in.
    canonical: {
      settlesOn: 1,
      messenger: '0x9a3d64e386c18cb1d6d5179a9596a4b5736e98a6',
      portal: '0x0bd48f6b86a26d3a217d0fa6ffe2b491b956a7a2',
      systemConfig: '0xc407398d063f942febbcc6f80a156b47f3f1bda6',
      estimatedSeconds: 180,
      // Withdrawals: about an hour to an output root, and the portal's delay of seven days.
      provableSeconds: 3_600,
      maturitySeconds: 604_800,
    },
    // By its addresses here and on Ethereum. @see ethereum-optimism.github.io 0d77a0e, data/WBTC
    'canonical-tokens': {
      bridge: '0x81014f44b0a345033bb2b3b21c7a1a308b35feea',
      tokens: [
        'WBTC:0x927b51f251480a681271180da4de28d44ec4afb8:0x2260fac5e5542a773aa44fbcfedf7c193bc2c599',
      ],
    },
    across: {
      spokePool: '0x09aea4b2242abc8bb4bb78d537a67a245a7bec64',
      tokens: [
        'WETH:0x4200000000000000000000000000000000000006',
        'USDC:0x078d782b760474a361dda0af3839290b0ef57ad6:6',
        'USDT:0x9151434b16b9763660705744891fa906f660ecc5:6',
      ],
    },
    stargate: {
      eid: 30320,
      endpoint: '0x6f475642a6e85809b1c36fa62763669b1b48dd5b',
      tokenMessaging: '0xb1eead6959cb5bb9b20417d6689922523b2b86c3',
      pools: [
        'ETH:0xe9aba835f813ca05e50a6c0ce65d0d74390f7de7:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
      ],
    },
    // @see DefiLlama/bridges-server db4a7a9, src/adapters/usdt0/index.ts
    oft: {
      pools: [
        'USDT0:0xc07be8994d035631c36fb4a89c918cefb2f03ec3:0x9151434b16b9763660705744891fa906f660ecc5',
      ],
    },
  },
})

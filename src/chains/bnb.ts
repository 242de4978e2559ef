import { defineChain } from './chain.js'

const wbnb = '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'
const usdt = '0x55d398326f99059ff775485246999027b3197955'
const usdc = '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d'
const fdusd = '0xc5f0f7b66764f6ec8c8dff7ba683102295e16409'
const eth = '0x2170ed0880ac9a755fd29b2688956bd959f933f8'
const btcb = '0x7130d2a12b9bcbfae4f2634d864a1ee1ce3ead9c'

export const bnb = defineChain({
  id: 56,
  name: 'BNB Smart Chain',
  nativeCurrency: { name: 'BNB', symbol: 'BNB', decimals: 18 },
  wrappedNative: wbnb,
  // There are more than two blocks per second, but timestamps are whole seconds.
  blockTimeSeconds: 1,
  // Always zero: senders pay the tip alone.
  baseFee: 'unchanged',
  priorityFeePerGas: 50_000_000n,
  // @see foundry-rs/foundry 1.7.2, foundry_evm_networks, BSC_MAINNET_OSAKA_TIMESTAMP
  unshownHardForks: [{ hardFork: 'osaka', since: 1_777_343_400n }],
  stableAnchors: [usdt, usdc, fdusd],
  connectorTokens: [wbnb, usdt, usdc, fdusd, eth, btcb],
  chainlinkFeeds: [
    { token: wbnb, feed: '0x0567f2323251f0aab15c8dfb1967e4e8a7d42aee', heartbeatSeconds: 86_400 },
    { token: eth, feed: '0x9ef1b8c0e4f7dc8bf5719ea496883dc6401d5b2e', heartbeatSeconds: 86_400 },
    { token: btcb, feed: '0x264990fbd0a4796a3e3d8e37c4d5f87a3aca5ebf', heartbeatSeconds: 86_400 },
    { token: usdt, feed: '0xb97ad0e74fa7d920791e90258a6e2085088b4320', heartbeatSeconds: 86_400 },
    { token: usdc, feed: '0x51597f405303c4377e36123cbc172b13269ea163', heartbeatSeconds: 86_400 },
    { token: fdusd, feed: '0x390180e80058a8499930f0c13963ad3e0d86bfc9', heartbeatSeconds: 86_400 },
  ],
  venues: {
    'uniswap-v2': {
      factory: '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
      feeBps: 30,
      router: '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24',
    },
    'sushiswap-v2': {
      factory: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      feeBps: 30,
      router: '0x1b02da8cb0d097eb8d57a175b88c7d8b47997506',
    },
    'pancakeswap-v2': {
      factory: '0xca143ce32fe78f1f7019d7d551a6402fc5350c73',
      feeBps: 25,
      router: '0x10ed43c718714eb63d5aa57b78b54704e256024e',
    },
    'uniswap-v3': {
      factory: '0xdb1d10011ad0ff90774d0c6bb92e5c5c8b4461f7',
      feeTiers: ['100', '500', '3000', '10000'],
      positionManager: '0x7b8a01b39d58278b5de7e48c8449c9f4f5170613',
      routers: ['0xb971ef87ede563556b2ed4b1c0b0019111dd85d2'],
    },
    'sushiswap-v3': {
      factory: '0x126555dd55a39328f69400d6ae4f782bd4c34abb',
      feeTiers: ['100', '500', '3000', '10000'],
    },
    'pancakeswap-v3': {
      factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
      feeTiers: ['100', '500', '2500', '10000'],
      routers: ['0x13f4ea83d0bd40e75c8222255bc855a974568dd4'],
    },
    // @see cryptoalgebra/algebra-gitbook 7d44550, overview-faq/partners/algebra-v1.0/thena.md
    'thena-fusion-v1': {
      factory: '0x306f06c147f064a010530292a1eb6737c3e378e4',
      quoter: '0xea68020d6a9532eec42d4db0f92b83580c39b2ca',
    },
    'uniswap-v4': { poolManager: '0x28e2ea090877bf75740558f6bfb36a5ffee9e9df' },
    // The same on both chains. @see pancakeswap/infinity-core 7c04695, script/config; infinity-universal-router 8b03511, deploy-addresses
    'pancakeswap-infinity-cl': {
      poolManager: '0xa0ffb9c1ce1fe56963b0321b32e7a0302114058b',
      router: '0xd9c500dff816a1da21a48a732d3498bf09dc9aeb',
    },
    'pancakeswap-infinity-bin': {
      poolManager: '0xc697d2898e0d09264376196696c51d7abbbaa4a9',
      router: '0xd9c500dff816a1da21a48a732d3498bf09dc9aeb',
    },
    // The same on all chains. @see Instadapp/fluid-contracts-public a9949b4, deployments/deployments.md
    'fluid-dex-t1': {
      factory: '0x91716c4eda1fb55e84bf8b4c7085f84285c19085',
      resolver: '0x05bd8269a20c472b148246de20e6852091bf16ff',
    },
    'balancer-v2': {
      vault: '0xba12222222228d8ba445958a75a0704d566bf2c8',
      // Factories of weighted pools and of every kind of stable pool, in the order of their deployment.
      // @see balancer/balancer-deployments 6826feb, addresses/bsc.json
      factories: [
        '0xf302f9f50958c5593770fdf4d4812309ff77414f',
        '0xc128a9954e6c874ea3d62ce62b468ba073093f25',
        '0x85a80afee867adf27b50bdb7b76da70f1e853062',
        '0xacaac3e6d6df918bf3c809dfc7d42de0e4a72d4c',
        '0x6e4cf292c5349c79ccd66349c3ed56357dd11b46',
        '0x1802953277fd955f9a254b80aa0582f193cf1d77',
        '0x230a59f4d9adc147480f03b0d3fffecd56c3289a',
        '0x4fb47126fa83a8734991e41b942ac29a3266c968',
        '0x6b5da774890db7b7b96c6f44e6a4b0f657399e2e',
      ],
    },
    // @see CurveDocs/curve-docs dbe555e, deployment-data.json; curvefi/curve-js 8cb9f82, src/constants/network_constants.ts
    curve: {
      metaRegistry: '0x4c7a5a5d57f98d362f1c00d7135f0da5b6f82227',
      stableFactory: '0xefde221f306152971d8e9f181bfe998447975810',
      stableNgFactory: '0xd7e72f3615aa65b92a4dbdc211e296a35512988b',
      cryptoFactory: '0xbd5fbd2fa58cb15228a9abdac9ec994f79e3483c',
      twocryptoFactory: '0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f',
      tricryptoFactory: '0x38f8d93406fa2d9924dcfcb67db5b0521fb20f7d',
    },
    'erc-4626': {
      stataFactories: ['0x929b8a21a604b93dd7e95d5b9aaa3adf5be250ae'],
      factories: ['0x92983687e672ca6d96530f9dbe11a196ce905d72'],
    },
    // @see @pendle/core-v2 6.11.0, deployments: factories of versions 3 to 6, those that there are
    pendle: {
      router: '0x888888888889758f76e7103c6cbf23abbf58f946',
      factories: [
        '0xc40febf5a33b8c92b187d9be0fd3fe0ac2e4b07c',
        '0x7d20e644d2a9e149e5be9be9ad2ab243a7835d37',
        '0x7c7f73f7a320364dbb3c9aaa9bccd402040ee0f9',
        '0x80ce46449df1c977f6ba60495125ce282f83ddfb',
      ],
      yieldFactories: [
        '0x40ae6da2d92aa3dcb7f8d7a7209fd12bdfcb7c85',
        '0xdb6380041441a94050199b4a46771d8d93553509',
        '0xe006760020384a20774dea977c313ef5f51fe17d',
        '0xd8c12d46dde7a04f782d417fae78516448cb2c5b',
      ],
    },
    'aave-v3': { pool: '0x6807dc923806fe8fd134338eabca509979a7e0cb' },
    // Tokens of which WOOFi has vaults. @see woonetwork/docs 218fb51, references/readme/bnb-smart-chain.md
    'woofi-v2': {
      router: '0x4c4af8dbc524681930a27b2f1af5bcc8062e6fb7',
      pools: [`0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4:${usdt}:${wbnb}`],
    },
    // @see euler-xyz/euler-interfaces 8007d05, addresses/56/EulerSwapAddresses.json
    'euler-swap': { registry: '0xbc0f4dd9b5a10b15e6fa65e939dbb1f98e7b08b7' },
    // @see DODOEX/contractV2 c58c067, config/bsc-config.js
    'dodo-v2': {
      dvmFactory: '0x790b4a80fb1094589a3c0efc8740aa9b0c1733fb',
      dppFactory: '0xd9cac3d964327e47399aebd8e1e6dcc4c251daae',
      dspFactory: '0x0fb9815938ad069bf90e14fe6c596c514bede767',
    },
    // @see DefiLlama/DefiLlama-Adapters 01c6cc7, projects/wombat-exchange/config.js; Sotatek-PhucTa/wombat 0b9804f, config
    wombat: {
      pools: [
        `0x312bc7eaaf93f1c60dc5afc115fccde161055fb0:0xe9e7cea3dedca5984780bafc599bd69add087d56:${usdt}:${usdc}:0x1af3f329e8be154074d8769d1ffa4ee058b1dbc3:largest=10000000000000000000000000,10000000000000000000000000,10000000000000000000000000,10000000000000000000000000`,
        `0x8b892b6ea1d0e5b29b719d6bd6eb9354f1cde060:0xa2e3356610840701bdf5611a53974510ae27e2e1:${eth}:rates=true:largest=10000000000000000000000,10000000000000000000000`,
      ],
    },
    // @see maverickprotocol/maverick-v2-examples 68e4d2f, javascript/src/constants.ts
    'maverick-v2': {
      factory: '0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e',
      quoter: '0xb40afdb85a07f37ae217e7d6462e609900dd8d7a',
    },
  },
  bridges: {
    across: {
      spokePool: '0x4e8e101924ede233c13e2d8622dc8aed2872d505',
      tokens: [
        'WETH:0x2170ed0880ac9a755fd29b2688956bd959f933f8',
        'USDC:0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d:18',
        'USDT:0x55d398326f99059ff775485246999027b3197955:18',
      ],
    },
    stargate: {
      eid: 30102,
      endpoint: '0x1a44076050125825900e736c501f859c50fe728c',
      tokenMessaging: '0x6e3d884c96d640526f273c61dfcf08915ebd7e2b',
      pools: [
        'USDC:0x962bd449e630b0d928f308ce63f1a21f02576057:0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d:18',
        'USDT:0x138eb30f73bc423c6455c53df6d89cb01d9ebc63:0x55d398326f99059ff775485246999027b3197955:18',
      ],
    },
  },
})

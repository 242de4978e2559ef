import { defineChain } from './chain.js'

const wavax = '0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7'
const usdc = '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'
const usdt = '0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7'
const dai = '0xd586e7f844cea2f87f50152665bcbc2c279d8d70'
const weth = '0x49d5c2bdffac6ce2bfdb6640f4f80f226bc10bab'
const wbtc = '0x50b7545627a5162f82a992c33b87adc75187b218'
const btcb = '0x152b9d0fdc40c096757f570a51e494bd4b943e50'

export const avalanche = defineChain({
  id: 43114,
  name: 'Avalanche C-Chain',
  nativeCurrency: { name: 'Avalanche', symbol: 'AVAX', decimals: 18 },
  wrappedNative: wavax,
  blockTimeSeconds: 2,
  // Since Fortuna (April 2025) by ACP-176, a price of gas that rises and falls with its backlog.
  baseFee: 'unchanged',
  priorityFeePerGas: 1n,
  unshownHardForks: [],
  stableAnchors: [usdc, usdt, dai],
  connectorTokens: [wavax, usdc, usdt, dai, weth, wbtc, btcb],
  chainlinkFeeds: [
    { token: wavax, feed: '0x0a77230d17318075983913bc2145db16c7366156', heartbeatSeconds: 86_400 },
    { token: weth, feed: '0x976b3d034e162d8bd72d6b9c989d545b839003b0', heartbeatSeconds: 86_400 },
    { token: wbtc, feed: '0x86442e3a98558357d46e6182f4b262f76c4fa26f', heartbeatSeconds: 86_400 },
    { token: btcb, feed: '0x2779d32d5166baaa2b2b658333ba7e6ec0c65743', heartbeatSeconds: 86_400 },
    { token: usdc, feed: '0xf096872672f44d6eba71458d74fe67f9a77a23b9', heartbeatSeconds: 86_400 },
    { token: usdt, feed: '0xebe676ee90fe1112671f19b6b7459bc678b67e8a', heartbeatSeconds: 86_400 },
    { token: dai, feed: '0x51d7180eda2260cc4f6e4eebb82fef5c3c2b8300', heartbeatSeconds: 86_400 },
  ],
  venues: {
    'uniswap-v2': {
      factory: '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c',
      feeBps: 30,
      router: '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24',
    },
    'sushiswap-v2': {
      factory: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      feeBps: 30,
      router: '0x1b02da8cb0d097eb8d57a175b88c7d8b47997506',
    },
    'uniswap-v3': {
      factory: '0x740b1c1de25031c31ff4fc9a62f554a55cdc1bad',
      feeTiers: ['100', '500', '3000', '10000'],
      positionManager: '0x655c406ebfa14ee2006250925e54ec43ad184f8b',
      routers: ['0xbb00ff08d01d300023c629e8ffffcb65a5a578ce'],
    },
    'sushiswap-v3': {
      factory: '0x3e603c14af37ebdad31709c4f848fc6ad5bec715',
      feeTiers: ['100', '500', '3000', '10000'],
    },
    'uniswap-v4': { poolManager: '0x06380c0e0912312b5150364b9dc4542ba0dbbc85' },
    // Versions 2.1 and 2.2, at the same addresses as on Arbitrum.
    'liquidity-book': {
      factory21: '0x8e42f2f4101563bf679975178e880fd87d3efd4e',
      factory22: '0xb43120c4745967fa9b93e79c149e66b0f2d6fe0c',
    },
    'balancer-v2': {
      vault: '0xba12222222228d8ba445958a75a0704d566bf2c8',
      // Factories of weighted pools and of every kind of stable pool, in the order of their deployment.
      // @see balancer/balancer-deployments 6826feb, addresses/avalanche.json
      factories: [
        '0x94f68b54191f62f781fe8298a8a5fa3ed772d227',
        '0x3b1eb8eb7b43882b385ab30533d9a2bef9052a98',
        '0x230a59f4d9adc147480f03b0d3fffecd56c3289a',
        '0xe42ffa682a26ef8f25891db4882932711d42e467',
        '0xb9f8ab3ed3f3acba64bc6cd2dca74b7f38fd7b88',
      ],
    },
    'balancer-v3': {
      vault: '0xba1333333333a1ba1108e8412f11850a5c319ba9',
      // Factories of weighted and stable pools, in the order of their deployment.
      // @see balancer/balancer-deployments 6826feb, addresses/avalanche.json
      factories: [
        '0xd961e30156c2e0d0d925a0de45f931cb7815e970',
        '0xeaedc32a51c510d35ebc11088fd5ff2b47aacf2e',
        '0xbdbadc891bb95dee80ebc491699228ef0f7d6ff1',
        '0x16b50f6bf8c8ca73c07e17762188c5deee7ae5db',
      ],
    },
    // Which registry is the one in use, sources do not agree on. @see curvefi/metaregistry b18e83e, scripts; curvefi/curve-core b4c27f3, deployments/prod/avalanche.yaml
    curve: {
      addressProvider: '0x5ffe7fb82894076ecb99a30d6a32e969e6e35e98',
      stableFactory: '0xb17b674d9c5cb2e441f8e196a2f048a81355d031',
      stableNgFactory: '0x1764ee18e8b3cca4787249ceb249356192594585',
      twocryptoFactory: '0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f',
      tricryptoFactory: '0x3d6cb2f6dcf47cdd9c13e4e3beae9af041d8796a',
    },
    'erc-4626': { stataFactories: ['0xc2e7a608d868817dd58438913ed72955a0567561'] },
    'aave-v3': { pool: '0x794a61358d6845594f94dc1db02a252b5b4814ad' },
    // Tokens of which WOOFi has vaults. @see woonetwork/docs 218fb51, references/readme/avalanche-c-chain.md
    'woofi-v2': {
      router: '0x4c4af8dbc524681930a27b2f1af5bcc8062e6fb7',
      pools: [`0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4:${usdc}:${wavax}:${btcb}`],
    },
    // @see euler-xyz/euler-interfaces 8007d05, addresses/43114/EulerSwapAddresses.json
    'euler-swap': { registry: '0xf9f2df8a5cc71a0424dfa9ebdfdff8a082c19184' },
    // @see DODOEX/contractV2 c58c067, config/avax-config.js
    'dodo-v2': {
      dvmFactory: '0xff133a6d335b50bdaa6612d19e1352b049a8ae6a',
      dppFactory: '0xb7865a5cee051d35b09a48b624d7057d3362655a',
      dspFactory: '0x2b0d94eb7a63b8a2909de1cb3951ecf7ae76d2fe',
    },
  },
  bridges: {
    stargate: {
      eid: 30106,
      endpoint: '0x1a44076050125825900e736c501f859c50fe728c',
      tokenMessaging: '0x17e450be3ba9557f2378e20d64ad417e59ef9a34',
      pools: [
        'USDC:0x5634c4a5fed09819e3c46d86a965dd9447d86e47:0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e:6',
        'USDT:0x12dc9256acc9895b076f6638d628382881e62cee:0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7:6',
      ],
    },
  },
})

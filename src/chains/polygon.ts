import { defineChain } from './chain.js'

const wpol = '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270'
const usdc = '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359'
const usdce = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'
const usdt = '0xc2132d05d31c914a87c6611c10748aeb04b58e8f'
const dai = '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063'
const weth = '0x7ceb23fd6bc0add59e62ac25578270cff1b9f619'
const wbtc = '0x1bfd67037b42cf73acf2047067bd4f2c47d9bfd6'

export const polygon = defineChain({
  id: 137,
  name: 'Polygon PoS',
  nativeCurrency: { name: 'POL', symbol: 'POL', decimals: 18 },
  wrappedNative: wpol,
  blockTimeSeconds: 2,
  // The fee follows a target and a denominator that upgrades and operators have changed, and that no header states.
  baseFee: 'unchanged',
  priorityFeePerGas: 30_000_000_000n,
  // Agra, Napoli and Bhilai, by block; headers keep the fields of London.
  // @see 0xPolygon/bor, params/config.go, BorMainnetChainConfig
  unshownHardForks: [
    { hardFork: 'shanghai', sinceBlock: 50_523_000n },
    { hardFork: 'cancun', sinceBlock: 54_876_000n },
    { hardFork: 'prague', sinceBlock: 73_440_256n },
  ],
  stableAnchors: [usdc, usdce, usdt, dai],
  connectorTokens: [wpol, usdc, usdce, usdt, dai, weth, wbtc],
  chainlinkFeeds: [
    { token: wpol, feed: '0xab594600376ec9fd91f8e885dadf0ce036862de0', heartbeatSeconds: 86_400 },
    { token: weth, feed: '0xf9680d99d6c9589e2a93a78a04a279e509205945', heartbeatSeconds: 86_400 },
    { token: wbtc, feed: '0xde31f8bfbd8c84b5360cfacca3539b938dd78ae6', heartbeatSeconds: 86_400 },
    { token: usdc, feed: '0xfe4a8cc5b5b2366c1b58bea3858e81843581b2f7', heartbeatSeconds: 86_400 },
    { token: usdt, feed: '0x0a6513e40db6eb1b165753ad52e80663aea50545', heartbeatSeconds: 86_400 },
    { token: dai, feed: '0x4746dec9e833a82ec7c2c1356372ccf2cfcd2f3d', heartbeatSeconds: 86_400 },
  ],
  venues: {
    'uniswap-v2': {
      factory: '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c',
      feeBps: 30,
      router: '0xedf6066a2b290c185783862c7f4776a2c8077ad1',
    },
    'sushiswap-v2': {
      factory: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      feeBps: 30,
      router: '0x1b02da8cb0d097eb8d57a175b88c7d8b47997506',
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
      factory: '0x917933899c6a5f8e37f31e19f92cdbff7e8ff0e2',
      feeTiers: ['100', '500', '3000', '10000'],
    },
    // @see https://docs.quickswap.exchange/technical-reference/smart-contracts/v3/factory; cryptoalgebra/algebra-gitbook 7d44550
    'quickswap-v3': {
      factory: '0x411b0facc3489691f28ad58c47006af5e3ab3a28',
      quoter: '0xa15f0d7377b2a0c0c10db057f641bed21028fc89',
    },
    'uniswap-v4': { poolManager: '0x67366782805870060151383f4bbff9dab53e5cd6' },
    // The same on all chains. @see Instadapp/fluid-contracts-public a9949b4, deployments/deployments.md
    'fluid-dex-t1': {
      factory: '0x91716c4eda1fb55e84bf8b4c7085f84285c19085',
      resolver: '0x05bd8269a20c472b148246de20e6852091bf16ff',
    },
    'balancer-v2': {
      vault: '0xba12222222228d8ba445958a75a0704d566bf2c8',
      // Factories of weighted pools and of every kind of stable pool, in the order of their deployment.
      // @see balancer/balancer-deployments 6826feb, addresses/polygon.json
      factories: [
        '0x8e9aa87e45e92bad84d5f8dd1bff34fb92637de9',
        '0xa5bf2ddf098bb0ef6d120c98217dd6b141c74ee0',
        '0xc66ba2b6595d3613ccab350c886ace23866ede24',
        '0xdae7e32adc5d490a43ccba1f0c736033f2b4efca',
        '0xc128a9954e6c874ea3d62ce62b468ba073093f25',
        '0xca96c4f198d343e251b1a01f3eba061ef3da73c1',
        '0x136fd06fa01ecf624c7f2b3cb15742c1339dc2c4',
        '0x0e39c3d9b2ec765efd9c5c70bb290b1fcd8536e3',
        '0x85a80afee867adf27b50bdb7b76da70f1e853062',
        '0x7bc6c0e73edaa66ef3f6e2f27b0ee8661834c6c9',
        '0x82e4cfaef85b1b6299935340c964c942280327f4',
        '0x6ab5549bbd766a43afb687776ad8466f8b42f777',
        '0xfc8a407bba312ac761d8bfe04ce1201904842b76',
        '0xe2fa4e1d17725e72dcdafe943ecf45df4b9e285b',
        '0xeaedc32a51c510d35ebc11088fd5ff2b47aacf2e',
      ],
    },
    // @see curvefi/metaregistry b18e83e, deployments.yaml; curvefi/curve-js 8cb9f82, src/constants/network_constants.ts
    curve: {
      metaRegistry: '0x296d2b5c23833a70d07c8fcbb97d846c1ff90ddd',
      stableFactory: '0x722272d36ef0da72ff51c5a65db7b870e2e8d4ee',
      stableNgFactory: '0x1764ee18e8b3cca4787249ceb249356192594585',
      cryptoFactory: '0xe5de15a9c9bbedb4f5ec13b131e61245f2983a69',
      twocryptoFactory: '0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f',
      tricryptoFactory: '0xc1b393efef38140662b91441c6710aa704973228',
    },
    'erc-4626': {
      stataFactories: ['0x1504f1d7b6892600ae0d394f9042e696dd9f87fa'],
      factories: ['0xa9c87dab340631c34bb738625c70499e29dddc98'],
    },
    // @see compound-finance/comet d5a30b0, deployments/polygon/*/roots.json
    'compound-v3': {
      comets: [
        '0xf25212e676d1f7f89cd72ffee66158f541246445',
        '0xaeb318360f27748acb200ce616e389a6c9409a07',
      ],
    },
    'aave-v3': { pool: '0x794a61358d6845594f94dc1db02a252b5b4814ad' },
    // Tokens of which WOOFi has vaults. @see woonetwork/docs 218fb51, references/readme/polygon-pos.md
    'woofi-v2': {
      router: '0x4c4af8dbc524681930a27b2f1af5bcc8062e6fb7',
      pools: [`0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4:${usdc}:${wpol}:${weth}`],
    },
    // @see DODOEX/contractV2 c58c067, config/matic-config.js
    'dodo-v2': {
      dvmFactory: '0x79887f65f83bdf15bcc8736b5e5bcdb48fb8fe13',
      dppFactory: '0xd24153244066f0afa9415563bfc7ba248bfb7a51',
      dspFactory: '0x43c49f8dd240e1545f147211ec9f917376ac1e87',
    },
  },
  bridges: {
    across: {
      spokePool: '0x9295ee1d8c5b022be115a2ad3c30c72e34e7f096',
      tokens: [
        'WETH:0x7ceb23fd6bc0add59e62ac25578270cff1b9f619',
        'USDC:0x3c499c542cef5e3811e1192ce70d8cc03d5c3359:6',
        'USDT:0xc2132d05d31c914a87c6611c10748aeb04b58e8f:6',
        'DAI:0x8f3cf7ad23cd3cadbd9735aff958023239c6a063',
        'WBTC:0x1bfd67037b42cf73acf2047067bd4f2c47d9bfd6',
      ],
    },
    stargate: {
      eid: 30109,
      endpoint: '0x1a44076050125825900e736c501f859c50fe728c',
      tokenMessaging: '0x6ce9bf8cdab780416ad1fd87b318a077d2f50eac',
      pools: [
        'USDC:0x9aa02d4fae7f58b8e8f34c66e756cc734dac7fe4:0x3c499c542cef5e3811e1192ce70d8cc03d5c3359:6',
        'USDT:0xd47b03ee6d86cf251ee7860fb2acf9f91b9fd4d7:0xc2132d05d31c914a87c6611c10748aeb04b58e8f:6',
      ],
    },
    // @see DefiLlama/bridges-server db4a7a9, src/adapters/usdt0/index.ts
    oft: {
      pools: [
        'USDT0:0x6ba10300f0dc58b7a1e4c0e41f5dabb7d7829e13:0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
      ],
    },
  },
})

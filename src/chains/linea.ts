import { defineChain } from './chain.js'

const weth = '0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f'
const usdc = '0x176211869ca2b568f2a7d4ee941e073a821ee1ff'
const usdt = '0xa219439258ca9da29e9cc4ce5596924745e12b93'
const wbtc = '0x3aab2285ddcddad8edf438c1bab47e1a9d05a9b4'
const wsteth = '0xb5bedd42000b71fdde22d3ee8a79bd49a568fc8f'

export const linea = defineChain({
  id: 59144,
  name: 'Linea',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: weth,
  blockTimeSeconds: 2,
  // The same 7 wei at each block: what posting to L1 costs is in the tip that the sequencer asks for.
  baseFee: 'unchanged',
  priorityFeePerGas: 40_000_000n,
  // Fusaka, at the minute that it came to Ethereum.
  // @see https://docs.linea.build/network/how-to/run-a-node/beta-v4-migration
  unshownHardForks: [{ hardFork: 'osaka', since: 1_764_798_551n }],
  stableAnchors: [usdc, usdt],
  connectorTokens: [weth, usdc, usdt, wbtc, wsteth],
  chainlinkFeeds: [
    { token: weth, feed: '0x3c6cd9cc7c7a4c2cf5a82734cd249d7d593354da', heartbeatSeconds: 86_400 },
    { token: wbtc, feed: '0x7a99092816c8bd5ec8ba229e3a6e6da1e628e1f9', heartbeatSeconds: 86_400 },
    { token: usdc, feed: '0xaadaa473c1bdf7317ec07c915680af29debfdcb5', heartbeatSeconds: 86_400 },
    { token: usdt, feed: '0xefca2bbe0edd0e22b2e0d2f8248e99f4bef4a7db', heartbeatSeconds: 86_400 },
  ],
  venues: {
    // @see cryptoalgebra/algebra-gitbook 7d44550, overview-faq/partners/algebra-v1.9/lynex.md
    'lynex-fusion-v1': {
      factory: '0x622b2c98123d303ae067db4925cd6282b3a08d0f',
      quoter: '0x851d97fd7823e44193d227682e32234ef8cac83e',
    },
    'uniswap-v2': {
      factory: '0x114a43df6c5f54ebb8a9d70cd1951d3dd68004c7',
      feeBps: 30,
      router: '0x8702463e73f74d0b6765abceb314ef07acb92650',
    },
    'sushiswap-v2': {
      factory: '0xfbc12984689e5f15626bad03ad60160fe98b303c',
      feeBps: 30,
      router: '0x2abf469074dc0b54d793850807e6eb5faf2625b1',
    },
    'pancakeswap-v2': {
      factory: '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
      feeBps: 25,
      router: '0x8cfe327cec66d1c090dd72bd0ff11d690c33a2eb',
    },
    'uniswap-v3': {
      factory: '0x31fafd4889fa1269f7a13a66ee0fb458f27d72a9',
      feeTiers: ['100', '500', '3000', '10000'],
      positionManager: '0x4615c383f85d0a2bbed973d83ccecf5cb7121463',
      routers: ['0x3d4e44eb1374240ce5f1b871ab261cd16335b76a'],
    },
    'sushiswap-v3': {
      factory: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      feeTiers: ['100', '500', '3000', '10000'],
    },
    'pancakeswap-v3': {
      factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
      feeTiers: ['100', '500', '2500', '10000'],
      routers: ['0x678aa4bf4e210cf2166753e054d5b7c31cc7fa86'],
    },
    'uniswap-v4': { poolManager: '0x248083fb965359d82b06c1f5322480dcfc1ad857' },
    'erc-4626': {
      stataFactories: ['0xc25da0ddab750739d2500dfd4e31eb4e83622f54'],
      factories: ['0xa148a8223b622a72dc36472de1492abb5c089ba7'],
    },
    // @see compound-finance/comet d5a30b0, deployments/linea/*/roots.json
    'compound-v3': {
      comets: [
        '0x8d38a3d6b3c3b7d96d6536da7eef94a9d7dbc991',
        '0x60f2058379716a64a7a5d29219397e79bc552194',
      ],
    },
    'aave-v3': { pool: '0xc47b8c00b0f69a36fa203ffeac0334874574a8ac' },
    // Tokens of which WOOFi has vaults. @see woonetwork/docs 218fb51, references/readme/linea.md
    'woofi-v2': {
      router: '0x4c4af8dbc524681930a27b2f1af5bcc8062e6fb7',
      pools: [`0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4:${usdc}:${weth}`],
    },
    // @see euler-xyz/euler-interfaces 8007d05, addresses/59144/EulerSwapAddresses.json
    'euler-swap': { registry: '0xea3050e8a25f56ad0dbc90c3dcf016d8f5effe25' },
    // @see DODOEX/contractV2 c58c067, config/linea-config.js
    'dodo-v2': {
      dvmFactory: '0xc0f9553df63de5a97fe64422c8578d0657c360f7',
      dppFactory: '0x97bbf5bb1dcfc93a8c67e97e50bea19db3416a83',
      dspFactory: '0x2933c0374089d7d98ba0c71c5e02e1a0e09debee',
    },
  },
  bridges: {
    across: {
      spokePool: '0x7e63a5f1a8f0b4d0934b2f2327daed3f6bb2ee75',
      tokens: [
        'WETH:0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f',
        'USDC:0x176211869ca2b568f2a7d4ee941e073a821ee1ff:6',
        'USDT:0xa219439258ca9da29e9cc4ce5596924745e12b93:6',
        'DAI:0x4af15ec2a0bd43db75dd04e62faa3b8ef36b00d5',
        'WBTC:0x3aab2285ddcddad8edf438c1bab47e1a9d05a9b4',
      ],
    },
    stargate: {
      eid: 30183,
      endpoint: '0x1a44076050125825900e736c501f859c50fe728c',
      tokenMessaging: '0x5f688f563dc16590e570f97b542fa87931af2fed',
      pools: [
        'ETH:0x81f6138153d473e8c5ecebd3dc8cd4903506b075:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
      ],
    },
  },
})

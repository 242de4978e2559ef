import { defineChain } from './chain.js'

const ws = '0x039e2fb66102314ce7b64ce5ce3e5183bc94ad38'
const usdc = '0x29219dd400f2bf60e5a23d13be72b486d4038894'
const weth = '0x50c42deacd8fc9773493ed674b675be577f2634b'
const sts = '0xe5da20f15420ad15de0fa650600afc998bbe3955'

export const sonic = defineChain({
  id: 146,
  name: 'Sonic',
  nativeCurrency: { name: 'Sonic', symbol: 'S', decimals: 18 },
  wrappedNative: ws,
  // There are more blocks than one per second, but timestamps are whole seconds.
  blockTimeSeconds: 1,
  // The fee follows gas per second, not the block before, and is never below 50 gwei.
  baseFee: 'unchanged',
  priorityFeePerGas: 0n,
  unshownHardForks: [],
  stableAnchors: [usdc],
  connectorTokens: [ws, usdc, weth, sts],
  chainlinkFeeds: [
    { token: ws, feed: '0xc76dfb89ff298145b417d221b2c747d84952e01d', heartbeatSeconds: 86_400 },
    { token: weth, feed: '0x824364077993847f71293b24cca8567c00c2de11', heartbeatSeconds: 86_400 },
    { token: usdc, feed: '0x55bca887199d5520b3ce285d41e6dc10c08716c9', heartbeatSeconds: 86_400 },
  ],
  venues: {
    // @see cryptoalgebra/algebra-gitbook 7d44550, overview-faq/partners/integral-1.0/swapx.md
    'swapx-v1': {
      factory: '0x8121a3f8c4176e9765deea0b95fa2bdfd3016794',
      quoter: '0x05270fbbb6db1d8da76bbf70509efa57971a7ae5',
    },
    'sushiswap-v2': {
      factory: '0xb45e53277a7e0f1d35f2a77160e91e25507f1763',
      feeBps: 30,
      router: '0x9b3336186a38e1b6c21955d112dbb0343ee061ee',
    },
    'uniswap-v3': {
      factory: '0xcb2436774c3e191c85056d248ef4260ce5f27a9d',
      feeTiers: ['100', '500', '3000', '10000'],
    },
    'sushiswap-v3': {
      factory: '0x46b3fdf7b5cde91ac049936bf0bdb12c5d22202e',
      feeTiers: ['100', '500', '3000', '10000'],
    },
    'balancer-v3': {
      vault: '0xba1333333333a1ba1108e8412f11850a5c319ba9',
      // The newest factories of weighted and of stable pools: nobody publishes earlier ones.
      // @see @balancer/sdk 6.1.1
      factories: [
        '0x7f43e26a3f58446c4df021a690dc56a3968962ed',
        '0x3ed9b71b5cc9cb5987ecb63b88923824c890e0f9',
      ],
    },
    // @see curvefi/curve-core b4c27f3, deployments/prod/sonic.yaml
    curve: {
      metaRegistry: '0x1764ee18e8b3cca4787249ceb249356192594585',
      stableCoreFactory: '0x7c2085419be6a04f4ad88ea91bc9f5c6e6c463d8',
      twocryptoFactory: '0x1a83348f9ccfd3fe1a8c0adba580ac4e267fe495',
      tricryptoFactory: '0x635742dcc8313dcf8c904206037d962c042eafbd',
    },
    'erc-4626': {
      stataFactories: ['0xfeeb6fe430b7523fef2a38327241ee7153779535'],
      factories: ['0x0ce9e3512cb4df8ae7e265e62fb9258dc14f12e8'],
    },
    // @see @pendle/core-v2 6.11.0, deployments: factories of versions 3 to 6, those that there are
    pendle: {
      router: '0x888888888889758f76e7103c6cbf23abbf58f946',
      factories: [
        '0xfee31a6ec6ebefa0b5a594bf5b1139e3c6faa0fb',
        '0x0ab3ae25c42a2f3748a018556989355d568fa6d6',
      ],
      yieldFactories: [
        '0x0582d93fd9c9d42f26be5d86a5f75291f92102c2',
        '0x4adf7b42ca2878ba8081b1742af3297e0dba67cc',
      ],
    },
    'aave-v3': { pool: '0x5362dbb1e601abf3a4c14c22ffeda64042e5eaa3' },
    // Tokens of which WOOFi has vaults. @see woonetwork/docs 218fb51, references/readme/sonic.md
    'woofi-v2': {
      router: '0x4c4af8dbc524681930a27b2f1af5bcc8062e6fb7',
      pools: [`0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4:${usdc}:${ws}:${weth}`],
    },
    // @see euler-xyz/euler-interfaces 8007d05, addresses/146/EulerSwapAddresses.json
    'euler-swap': { registry: '0x0601a38324d3cde22ebd531c799ad318a6b8cf93' },
    // @see curvefi/curve-stablecoin edbb5ef, deployment-logs/sonic-deployment-2.log
    llamalend: { lendingFactories: '0x30d1859dad5a52ae03b6e259d1b48c4b12933993' },
  },
  bridges: {
    stargate: {
      eid: 30332,
      endpoint: '0x6f475642a6e85809b1c36fa62763669b1b48dd5b',
      tokenMessaging: '0x2086f755a6d9254045c257ea3d382ef854849b0f',
      pools: [
        'USDC:0xa272ffe20cffe769cdfc4b63088dcd2c82a2d8f9:0x29219dd400f2bf60e5a23d13be72b486d4038894:6',
      ],
    },
  },
})

import { defineChain } from './chain.js'

const weth = '0x4200000000000000000000000000000000000006'
const usdc = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const dai = '0x50c5725949a6f0c72e6c4a641f24049a917db0cb'
const cbbtc = '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf'

export const base = defineChain({
  id: 8453,
  name: 'Base',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: weth,
  blockTimeSeconds: 2,
  // These parameters hold since Canyon; blocks since Holocene (January 2025) state their own.
  // @see ethereum-optimism/superchain-registry, superchain/configs/mainnet/base.toml, [optimism]
  baseFee: { elasticity: 6n, denominator: 250n, isInHeader: true },
  priorityFeePerGas: 1_000_000n,
  // Base Azul. @see https://docs.base.org/base-chain/specs/upgrades/azul/overview
  unshownHardForks: [{ hardFork: 'osaka', since: 1_779_991_200n }],
  l1DataFee: 'op-stack',
  stableAnchors: [usdc, dai],
  connectorTokens: [weth, usdc, dai, cbbtc],
  chainlinkFeeds: [
    { token: weth, feed: '0x71041dddad3595f9ced3dccfbe3d1f4b0a16bb70', heartbeatSeconds: 1_200 },
    { token: cbbtc, feed: '0x64c911996d3c6ac71f9b455b1e8e7266bcbd848f', heartbeatSeconds: 1_200 },
    { token: usdc, feed: '0x7e860098f58bbfc8648a4311b374b1d669a2bc6b', heartbeatSeconds: 86_400 },
  ],
  venues: {
    'uniswap-v2': {
      factory: '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
      feeBps: 30,
      router: '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24',
    },
    'sushiswap-v2': {
      factory: '0x71524b4f93c58fcbf659783284e38825f0622859',
      feeBps: 30,
    },
    'pancakeswap-v2': {
      factory: '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
      feeBps: 25,
      router: '0x8cfe327cec66d1c090dd72bd0ff11d690c33a2eb',
    },
    'uniswap-v3': {
      factory: '0x33128a8fc17869897dce68ed026d694621f6fdfd',
      feeTiers: ['100', '500', '3000', '10000'],
      positionManager: '0x03a520b32c04bf3beef7beb72e919cf822ed34f1',
      routers: ['0x2626664c2603336e57b271c5c0b26f421741e481'],
    },
    'sushiswap-v3': {
      factory: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      feeTiers: ['100', '500', '3000', '10000'],
      routers: ['0xfb7ef66a7e61224dd6fcd0d7d9c3be5c8b049b9f'],
    },
    'pancakeswap-v3': {
      factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
      feeTiers: ['100', '500', '2500', '10000'],
      routers: [
        '0x1b81d678ffb9c0263b24a97847620c99d213eb14',
        '0x678aa4bf4e210cf2166753e054d5b7c31cc7fa86',
      ],
    },
    'uniswap-v4': { poolManager: '0x498581ff718922c3f8e6a244956af099b2652b2b' },
    // The same on both chains. @see pancakeswap/infinity-core 7c04695, script/config; infinity-universal-router 8b03511, deploy-addresses
    'pancakeswap-infinity-cl': {
      poolManager: '0xa0ffb9c1ce1fe56963b0321b32e7a0302114058b',
      router: '0xd9c500dff816a1da21a48a732d3498bf09dc9aeb',
    },
    'pancakeswap-infinity-bin': {
      poolManager: '0xc697d2898e0d09264376196696c51d7abbbaa4a9',
      router: '0xd9c500dff816a1da21a48a732d3498bf09dc9aeb',
    },
    // @see aerodrome-finance/contracts a5fae2e, README.md
    'aerodrome-v1': { factory: '0x420dd381b31aef6683db6b902084cb0ffece40da' },
    // Factories of pools whose gauges have no caps on emissions, and of those whose gauges have them.
    // @see aerodrome-finance/slipstream 7844368, script/constants/output/DeployCL-Base.json, DeployCL-Base-Gauge-Caps.json
    'aerodrome-slipstream': {
      factories: [
        '0x5e7bb104d84c7cb9b682aac2f3d509f5f406809a',
        '0xade65c38cd4849adba595a4323a8c7ddfe89716a',
      ],
    },
    // The same on all chains. @see Instadapp/fluid-contracts-public a9949b4, deployments/deployments.md
    'fluid-dex-t1': {
      factory: '0x91716c4eda1fb55e84bf8b4c7085f84285c19085',
      resolver: '0x05bd8269a20c472b148246de20e6852091bf16ff',
    },
    'balancer-v2': {
      vault: '0xba12222222228d8ba445958a75a0704d566bf2c8',
      // Factories of weighted pools and of every kind of stable pool, in the order of their deployment.
      // @see balancer/balancer-deployments 010f474, addresses/base.json
      factories: [
        '0x4c32a8a8fda4e24139b51b456b42290f51d6a1c4',
        '0x8df317a729fcaa260306d7de28888932cb579b88',
        '0x956ccab09898c0af2aca5e6c229c3ad4e93d9288',
      ],
    },
    'balancer-v3': {
      vault: '0xba1333333333a1ba1108e8412f11850a5c319ba9',
      // Factories of weighted and stable pools, in the order of their deployment.
      // @see balancer/balancer-deployments 6826feb, addresses/base.json
      factories: [
        '0x5cf4928a3205728bd12830e1840f7db85c62a4b9',
        '0xb9f8ab3ed3f3acba64bc6cd2dca74b7f38fd7b88',
        '0xc49ca921c4cd1117162eaeec0ee969649997950c',
        '0xbdbadc891bb95dee80ebc491699228ef0f7d6ff1',
        '0xfc2986feab34713e659da84f3b1fa32c1da95832',
      ],
    },
    // @see CurveDocs/curve-docs dbe555e, deployment-data.json; curvefi/curve-js 8cb9f82, src/constants/network_constants.ts
    curve: {
      metaRegistry: '0x87dd13dd25a1dbde0e1edcf5b8fa6cfff7eabcad',
      stableFactory: '0x3093f9b57a428f3eb6285a589cb35bea6e78c336',
      stableNgFactory: '0xd2002373543ce3527023c75e7518c274a51ce712',
      cryptoFactory: '0x5ef72230578b3e399e6c6f4f6360edf95e83bbfd',
      twocryptoFactory: '0xc9fe0c63af9a39402e8a5514f9c43af0322b665f',
      tricryptoFactory: '0xa5961898870943c68037f6848d2d866ed2016bcb',
    },
    'erc-4626': {
      stataFactories: ['0x78d33bf0014ab169725f2ea5a62b200f2977faee'],
      factories: [
        '0xa9c3d3a366466fa809d1ae982fb2c46e5fc41101',
        '0xff62a7c278c62ed665133147129245053bbf5918',
      ],
    },
    // @see @pendle/core-v2 6.11.0, deployments: factories of versions 3 to 6, those that there are
    pendle: {
      router: '0x888888888889758f76e7103c6cbf23abbf58f946',
      factories: [
        '0x59968008a703dc13e6beaeced644bdce4ee45d13',
        '0x81e80a50e56d10c501ff17b5fe2f662bd9ea4590',
      ],
      yieldFactories: [
        '0x963ddbb35c1ae44e2a159e3b5fb5177e0b32660d',
        '0xddbfa21ecf024971486684e4e1600998adeabc88',
      ],
    },
    'aave-v3': { pool: '0xa238dd80c259a72e81d7e4664a9801593f98d1c5' },
    // @see sparkdotfi/spark-address-registry 5348de2, src/Base.sol
    'spark-psm3': {
      psm: '0x1601843c5e9bc251a3272907010afa41fa18347e',
      usdc,
      usds: '0x820c137fa70c8691f0e44dc420a5e53c168921dc',
      susds: '0x5875eee11cf8398102fdad704c9e96607675467a',
    },
    // Tokens of which WOOFi has vaults. @see woonetwork/docs 218fb51, references/readme/base.md
    'woofi-v2': {
      router: '0x4c4af8dbc524681930a27b2f1af5bcc8062e6fb7',
      pools: [`0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4:${usdc}:${weth}:${cbbtc}`],
    },
    // @see euler-xyz/euler-interfaces 8007d05, addresses/8453/EulerSwapAddresses.json
    'euler-swap': { registry: '0x35d410a5052c7362ecdd72cfb65651a71adfaf61' },
    // @see DODOEX/contractV2 c58c067, config/base-config.js
    'dodo-v2': {
      dvmFactory: '0x0226fce8c969604c3a0ad19c37d1fafac73e13c2',
      dppFactory: '0xc0f9553df63de5a97fe64422c8578d0657c360f7',
      dspFactory: '0x200d866edf41070de251ef92715a6ea825a5eb80',
    },
    // @see maverickprotocol/maverick-v2-examples 68e4d2f, javascript/src/constants.ts
    'maverick-v2': {
      factory: '0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e',
      quoter: '0xb40afdb85a07f37ae217e7d6462e609900dd8d7a',
    },
  },
  bridges: {
    // A deposit is taken once the sequencer has seen some blocks over the one that it is in.
    canonical: {
      settlesOn: 1,
      messenger: '0x866e82a600a1414e583f7f13623f1ac5d58b0afa',
      portal: '0x49048044d57e1c92a77f79988d21fa8faf74e97e',
      systemConfig: '0x73a79fab69143498ed3712e519a88a918e1f4072',
      estimatedSeconds: 180,
      // Withdrawals: about an hour to an output root, and the portal's delay of seven days.
      provableSeconds: 3_600,
      maturitySeconds: 604_800,
    },
    // Each by its addresses here and on Ethereum. @see ethereum-optimism.github.io 00c4b6e, data; USDC's is USDbC.
    'canonical-tokens': {
      bridge: '0x3154cf16ccdb4c6d922629664174b904d80f2c35',
      tokens: [
        'DAI:0x50c5725949a6f0c72e6c4a641f24049a917db0cb:0x6b175474e89094c44da98b954eedeac495271d0f',
        'USDC:0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      ],
    },
    across: {
      spokePool: '0x09aea4b2242abc8bb4bb78d537a67a245a7bec64',
      tokens: [
        'WETH:0x4200000000000000000000000000000000000006',
        'USDC:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913:6',
        'DAI:0x50c5725949a6f0c72e6c4a641f24049a917db0cb',
      ],
    },
    stargate: {
      eid: 30184,
      endpoint: '0x1a44076050125825900e736c501f859c50fe728c',
      tokenMessaging: '0x5634c4a5fed09819e3c46d86a965dd9447d86e47',
      pools: [
        'USDC:0x27a16dc786820b16e5c9028b75b99f6f604b5d26:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913:6',
        'ETH:0xdc181bd607330aeebef6ea62e03e5e1fb4b6f7c7:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
      ],
    },
    cctp: {
      domain: 6,
      tokenMessenger: '0x28b5a0e9c621a5badaa536219b3a228c8168cf5d',
      messageTransmitter: '0x81d40f21f12a8f0e3252bccb954d722d4c464b64',
      tokenMinter: '0xfd78ee919681417d192449715b2594ab58f5d002',
      // Circle asks one; less than it asks makes a burn wait as a standard one.
      fastFeeBps: 2,
      tokens: ['USDC:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'],
    },
  },
})

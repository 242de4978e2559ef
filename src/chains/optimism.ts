import { defineChain } from './chain.js'

const weth = '0x4200000000000000000000000000000000000006'
const usdc = '0x0b2c639c533813f4aa9d7837caf62653d097ff85'
const usdce = '0x7f5c764cbc14f9669b88837ca1490cca17c31607'
const usdt = '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58'
const dai = '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1'
const wbtc = '0x68f180fcce6836688e9084f035309e29bf0a2095'
const op = '0x4200000000000000000000000000000000000042'

export const optimism = defineChain({
  id: 10,
  name: 'OP Mainnet',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: weth,
  blockTimeSeconds: 2,
  // These parameters hold since Canyon; blocks since Holocene (January 2025) state their own. Bedrock brought the fee.
  // @see ethereum-optimism/superchain-registry 8336d2a, superchain/configs/mainnet/op.toml
  baseFee: { elasticity: 6n, denominator: 250n, isInHeader: true, firstBlock: 105_235_063n },
  priorityFeePerGas: 1_000_000n,
  // Karst. @see the same file, karst_time
  unshownHardForks: [{ hardFork: 'osaka', since: 1_783_526_401n }],
  l1DataFee: 'op-stack',
  stableAnchors: [usdc, usdce, usdt, dai],
  connectorTokens: [weth, usdc, usdce, usdt, dai, wbtc, op],
  chainlinkFeeds: [
    { token: weth, feed: '0x13e3ee699d1909e989722e753853ae30b17e08c5', heartbeatSeconds: 1_200 },
    { token: wbtc, feed: '0x718a5788b89454aae3a028ae9c111a29be6c2a6f', heartbeatSeconds: 1_200 },
    { token: usdc, feed: '0x16a9fa2fda030272ce99b29cf780dfa30361e0f3', heartbeatSeconds: 86_400 },
    { token: usdt, feed: '0xecef79e109e997bca29c1c0897ec9d7b03647f5e', heartbeatSeconds: 86_400 },
    { token: dai, feed: '0x8dba75e83da73cc766a7e5a0ee71f656bab470d6', heartbeatSeconds: 86_400 },
    { token: op, feed: '0x0d276fc14719f9292d5c1ea2198673d1f4269246', heartbeatSeconds: 1_200 },
  ],
  venues: {
    'uniswap-v2': {
      factory: '0x0c3c1c532f1e39edf36be9fe0be1410313e074bf',
      feeBps: 30,
      router: '0x4a7b5da61326a6379179b40d00f57e5bbdc962c2',
    },
    'sushiswap-v2': {
      factory: '0xfbc12984689e5f15626bad03ad60160fe98b303c',
      feeBps: 30,
      router: '0x2abf469074dc0b54d793850807e6eb5faf2625b1',
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
      factory: '0x9c6522117e2ed1fe5bdb72bb0ed5e3f2bde7dbe0',
      feeTiers: ['100', '500', '3000', '10000'],
    },
    'uniswap-v4': { poolManager: '0x9a13f98cb987694c9f086b1f5eb990eea8264ec3' },
    // @see velodrome-finance/contracts 1ea5fee, README.md
    'velodrome-v2': { factory: '0xf1046053aa5682b4f9a81b5481394da16be5ff5a' },
    // @see velodrome-finance/slipstream 193a6b8, README.md
    'velodrome-slipstream': {
      factories: [
        '0xcc0bddb707055e04e497ab22a59c2af4391cd12f',
        '0xe13dd1fba721aa81a1826d9523ac9bc7d260c879',
      ],
    },
    'balancer-v2': {
      vault: '0xba12222222228d8ba445958a75a0704d566bf2c8',
      // Factories of weighted pools and of every kind of stable pool, in the order of their deployment.
      // @see balancer/balancer-deployments 6826feb, addresses/optimism.json
      factories: [
        '0xdae7e32adc5d490a43ccba1f0c736033f2b4efca',
        '0x0f3e0c4218b7b0108a3643cfe9d3ec0d4f57c54e',
        '0x41b953164995c11c81da73d212ed8af25741b7ac',
        '0xb08e16cfc07c684daa2f93c70323badb2a6cbfd2',
        '0xeb151668006cd04dadd098afd0a82e78f77076c3',
        '0xf145cafb67081895ee80eb7c04a30cf87f07b745',
        '0xad901309d9e9dbc5df19c84f729f429f0189a633',
        '0x85a80afee867adf27b50bdb7b76da70f1e853062',
        '0xe2e901ab09f37884ba31622df3ca7fc19aa443be',
        '0xa0dabebaad1b243bbb243f933013d560819eb66f',
        '0x1802953277fd955f9a254b80aa0582f193cf1d77',
        '0x230a59f4d9adc147480f03b0d3fffecd56c3289a',
        '0x043a2dad730d585c44fb79d2614f295d2d625412',
        '0x4bdcc2fb18aeb9e2d281b0278d946445070eada7',
      ],
    },
    'balancer-v3': {
      vault: '0xba1333333333a1ba1108e8412f11850a5c319ba9',
      // Factories of weighted and stable pools, in the order of their deployment.
      // @see balancer/balancer-deployments 6826feb, addresses/optimism.json
      factories: [
        '0x0f08eef2c785aa5e7539684af04755dec1347b7c',
        '0x268e2ee1413d768b6e2dc3f5a4ddc9ae03d9af42',
        '0x254f3a2974b97dc2e675f6115c845567c55f83b0',
        '0x1780e8185199dac45284039bb3e3b64060d943ab',
      ],
    },
    // @see curvefi/metaregistry b18e83e, deployments.yaml; curvefi/curve-js 8cb9f82, src/constants/network_constants.ts
    curve: {
      metaRegistry: '0xc65cb3156225380beda366610bab18d5835a1647',
      stableFactory: '0x2db0e83599a91b508ac268a6197b8b14f5e72840',
      stableNgFactory: '0x5eee3091f747e60a045a2e715a4c71e600e31f6e',
      twocryptoFactory: '0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f',
      tricryptoFactory: '0xc6c09471ee39c7e30a067952fcc89c8922f9ab53',
    },
    'erc-4626': {
      stataFactories: ['0x170d6d6fcabf0ba3932a03d5f470c16c39c18e39'],
      factories: ['0x3bb6a6a0bc85b367efe0a5bac81c5e52c892839a'],
    },
    // @see compound-finance/comet d5a30b0, deployments/optimism/*/roots.json
    'compound-v3': {
      comets: [
        '0x2e44e174f7d53f0212823acc11c01a11d58c5bcb',
        '0x995e394b8b2437ac8ce61ee0bc610d617962b214',
        '0xe36a30d249f7761327fd973001a32010b521b6fd',
      ],
    },
    // @see @pendle/core-v2 6.11.0, deployments: factories of versions 3 to 6, those that there are
    pendle: {
      router: '0x888888888889758f76e7103c6cbf23abbf58f946',
      factories: [
        '0x4a2b38b9cbd83c86f261a4d64c243795d4d44abc',
        '0x73be47237f12f36203823bac9a4d80dc798b7015',
        '0x02adf72d5d06a9c92136562eb237c07696833a84',
        '0x95a937f7064c75c6bc257160088c0a9d58cca333',
      ],
      yieldFactories: [
        '0xfa6b22fc4c3ad88b68c16b3061a16b1714f6bd57',
        '0xf799e4c029d14f41dc1918c9a4c67242f565710e',
        '0xcca0977ea3809c8fb785737eb9facd5b19626e81',
        '0x2ba5e078b1ff6f1ab02a3b4462f3be6e950e60e8',
      ],
    },
    'aave-v3': { pool: '0x794a61358d6845594f94dc1db02a252b5b4814ad' },
    // @see sparkdotfi/spark-address-registry 5348de2, src/Optimism.sol
    'spark-psm3': {
      psm: '0xe0f9978b907853f354d79188a3defbd41978af62',
      usdc,
      usds: '0x4f13a96ec5c4cf34e442b46bbd98a0791f20edc3',
      susds: '0xb5b2dc7fd34c249f4be7fb1fcea07950784229e0',
    },
    // Tokens of which WOOFi has vaults. @see woonetwork/docs 218fb51, references/readme/op-mainnet.md
    'woofi-v2': {
      router: '0x4c4af8dbc524681930a27b2f1af5bcc8062e6fb7',
      pools: [`0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4:${usdc}:${weth}:${op}`],
    },
    // @see DODOEX/contractV2 c58c067, config/optimism-config.js
    'dodo-v2': {
      dvmFactory: '0x2b800dc6270726f7e2266ce8cd5a3f8436fe0b40',
      dppFactory: '0xdb9c53f2ced34875685b607c97a61a65da2f30a8',
      dspFactory: '0x1f83858cd6d0ae7a08ab1fd977c06dabece6d711',
    },
    // @see curvefi/curve-stablecoin edbb5ef, deployment-logs/optimism-lending.log; cf1d05f, deployments/llamalend/optimism/factory.jsonc
    llamalend: {
      lendingFactories: [
        '0x5ea8f3d674c70b020586933a0a5b250734798bef',
        '0x5f94073e3f51c1fff92ffc6b4b06b7af193b3640',
      ],
    },
  },
  bridges: {
    // A deposit is taken once the sequencer has seen some blocks over the one that it is in.
    canonical: {
      settlesOn: 1,
      messenger: '0x25ace71c97b33cc4729cf772ae268934f7ab5fa1',
      portal: '0xbeb5fc579115071764c7423a4f12edde41f106ed',
      systemConfig: '0x229047fed2591dbec1ef1118d64f7af3db9eb290',
      estimatedSeconds: 180,
      // Withdrawals: about an hour to an output root, and the portal's delay of seven days.
      provableSeconds: 3_600,
      maturitySeconds: 604_800,
    },
    // Each by its addresses here and on Ethereum; DAI has a bridge of its own. @see ethereum-optimism.github.io 00c4b6e, data
    'canonical-tokens': {
      bridge: '0x99c9fc46f92e8a1c0dec1b1747d010903e884be1',
      tokens: [
        'USDC:0x7f5c764cbc14f9669b88837ca1490cca17c31607:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
        'USDT:0x94b008aa00579c1307b0ef2c499ad98a8ce58e58:0xdac17f958d2ee523a2206206994597c13d831ec7',
        'WBTC:0x68f180fcce6836688e9084f035309e29bf0a2095:0x2260fac5e5542a773aa44fbcfedf7c193bc2c599',
      ],
    },
    across: {
      spokePool: '0x6f26bf09b1c792e3228e5467807a900a503c0281',
      tokens: [
        'WETH:0x4200000000000000000000000000000000000006',
        'USDC:0x0b2c639c533813f4aa9d7837caf62653d097ff85:6',
        'USDT:0x94b008aa00579c1307b0ef2c499ad98a8ce58e58:6',
        'DAI:0xda10009cbd5d07dd0cecc66161fc93d7c9000da1',
        'WBTC:0x68f180fcce6836688e9084f035309e29bf0a2095',
      ],
    },
    stargate: {
      eid: 30111,
      endpoint: '0x1a44076050125825900e736c501f859c50fe728c',
      tokenMessaging: '0xf1fcb4cbd57b67d683972a59b6a7b1e2e8bf27e6',
      pools: [
        'USDC:0xce8cca271ebc0533920c83d39f417ed6a0abb7d0:0x0b2c639c533813f4aa9d7837caf62653d097ff85:6',
        'USDT:0x19cfce47ed54a88614648dc3f19a5980097007dd:0x94b008aa00579c1307b0ef2c499ad98a8ce58e58:6',
        'ETH:0xe8cdf27acd73a434d661c84887215f7598e7d0d3:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
      ],
    },
    cctp: {
      domain: 2,
      tokenMessenger: '0x28b5a0e9c621a5badaa536219b3a228c8168cf5d',
      messageTransmitter: '0x81d40f21f12a8f0e3252bccb954d722d4c464b64',
      tokenMinter: '0xfd78ee919681417d192449715b2594ab58f5d002',
      // Circle asks one; less than it asks makes a burn wait as a standard one.
      fastFeeBps: 2,
      tokens: ['USDC:0x0b2c639c533813f4aa9d7837caf62653d097ff85'],
    },
    // @see DefiLlama/bridges-server db4a7a9, src/adapters/usdt0/index.ts
    oft: {
      pools: [
        'USDT0:0xf03b4d9ac1d5d1e7c4cef54c2a313b9fe051a0ad:0x01bff41798a0bcf287b996046ca68b395dbc1071',
      ],
    },
  },
})

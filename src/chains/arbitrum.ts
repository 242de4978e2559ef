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
    // @see https://docs.camelot.exchange/contracts/arbitrum/one-mainnet; DefiLlama-Adapters, projects/camelot
    'camelot-v2': { factory: '0x6eccab422d763ac031210895c81787e87b43a652' },
    // @see https://docs.camelot.exchange/contracts/arbitrum/one-mainnet; paraswap-dex-lib, src/dex/algebra/config.ts
    'camelot-v3': {
      factory: '0x1a3c9b1d2f0529d97f2afc5136cc23e58f1fd35b',
      quoter: '0x0fc73040b26e9bc8514fa028d998e73a254fa76e',
    },
    // @see https://docs.camelot.exchange/contracts/arbitrum/one-mainnet
    'camelot-v4': {
      factory: '0xbefc4b405041c5833f53412ff997ed2f697a2f37',
      quoter: '0xfe24b2cdff01b644995bc248ba8497467d688f7b',
    },
    // Versions 2.1 and 2.2, at the same addresses on Avalanche. @see https://developers.lfj.gg/deployment-addresses/arbitrum
    'liquidity-book': {
      factory21: '0x8e42f2f4101563bf679975178e880fd87d3efd4e',
      factory22: '0xb43120c4745967fa9b93e79c149e66b0f2d6fe0c',
    },
    // The same on all chains. @see Instadapp/fluid-contracts-public a9949b4, deployments/deployments.md
    'fluid-dex-t1': {
      factory: '0x91716c4eda1fb55e84bf8b4c7085f84285c19085',
      resolver: '0x05bd8269a20c472b148246de20e6852091bf16ff',
    },
    'balancer-v2': {
      vault: '0xba12222222228d8ba445958a75a0704d566bf2c8',
      // Factories of weighted pools and of every kind of stable pool, in the order of their deployment.
      // @see balancer/balancer-deployments 010f474, addresses/arbitrum.json
      factories: [
        '0x7dfdef5f355096603419239ce743bfaf1120312b',
        '0xcf0a32bbef8f064969f21f7e02328fb577382018',
        '0x2433477a10fc5d31b9513c638f19ee85caed53fd',
        '0xebfd5681977e38af65a7487dc70b8221d089ccad',
        '0xdae7e32adc5d490a43ccba1f0c736033f2b4efca',
        '0xef44d6786b2b4d544b7850fe67ce6381626bf2d6',
        '0xaeb406b0e430bf5ea2dc0b9fe62e4e53f74b3a33',
        '0x8df6efec5547e31b0eb7d1291b511ff8a2bf987c',
        '0x85a80afee867adf27b50bdb7b76da70f1e853062',
        '0x1c99324edc771c82a0dccb780cc7dda0045e50e7',
        '0xf1665e19bc105be4edd3739f88315cc699cc5b65',
        '0x2498a2b0d6462d2260eac50ae1c3e03f4829ba95',
        '0xc7e5ed1054a24ef31d827e6f86caa58b3bc168d7',
        '0xa8920455934da4d853faac1f94fe7bef72943ef1',
        '0x4bdcc2fb18aeb9e2d281b0278d946445070eada7',
      ],
    },
    'balancer-v3': {
      vault: '0xba1333333333a1ba1108e8412f11850a5c319ba9',
      // Factories of weighted and stable pools, in the order of their deployment.
      // @see balancer/balancer-deployments 6826feb, addresses/arbitrum.json
      factories: [
        '0xd961e30156c2e0d0d925a0de45f931cb7815e970',
        '0xeb1eeabf0126d813589c3d2cfeffe410d9ae3863',
        '0x44d33798dddcdabc93fe6a40c80588033dc502d3',
        '0x83bf399fa3dc49af8fb5c34031a50c7c93f56129',
        '0x1fc7f1f84cfe61a04224ac8d3f87f56214fec08c',
      ],
    },
    // @see curvefi/metaregistry b18e83e, deployments.yaml; curvefi/curve-js 8cb9f82, src/constants/network_constants.ts
    curve: {
      metaRegistry: '0x13526206545e2dc7ccfbaf28dc88f440ce7ad3e0',
      stableFactory: '0xb17b674d9c5cb2e441f8e196a2f048a81355d031',
      stableNgFactory: '0x9af14d26075f142eb3f292d5065eb3faa646167b',
      twocryptoFactory: '0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f',
      tricryptoFactory: '0xbc0797015fcfc47d9c1856639cae50d0e69fbee8',
    },
    'erc-4626': {
      stataFactories: ['0xd85922fff51ba4130cec7c499db4ac3eb9981ead'],
      factories: ['0x878988f5f561081deea117717052164ea1ef0c82'],
    },
    // @see @pendle/core-v2 6.11.0, deployments: factories of versions 3 to 6, those that there are
    pendle: {
      router: '0x888888888889758f76e7103c6cbf23abbf58f946',
      factories: [
        '0x2fcb47b58350cd377f94d3821e7373df60bd9ced',
        '0xd9f5e9589016da862d2abce980a5a5b99a94f3e8',
        '0xd29e76c6f15ada0150d10a1d3f45accd2098283b',
        '0x49f2f7002669e0e4425fa0203975625ab4af3143',
      ],
      yieldFactories: [
        '0xeb38531db128eca928aea1b1ce9e5609b15ba146',
        '0xc7f8f9f1dde1104664b6fc8f33e49b169c12f41e',
        '0xff29e023910fb9bfc86729c1050af193a45a0c0c',
        '0xba814bf6e27a6d6bae4a8ac65c8bc3d8e9b0aacf',
      ],
    },
    'aave-v3': { pool: '0x794a61358d6845594f94dc1db02a252b5b4814ad' },
    // @see sparkdotfi/spark-address-registry 5348de2, src/Arbitrum.sol
    'spark-psm3': {
      psm: '0x2b05f8e1cacc6974fd79a673a341fe1f58d27266',
      usdc,
      usds: '0x6491c05a82219b8d1479057361ff1654749b876b',
      susds: '0xddb46999f8891663a8f2828d25298f70416d7610',
    },
    // Tokens of which WOOFi has vaults. @see woonetwork/docs 218fb51, references/readme/arbitrum-one.md
    'woofi-v2': {
      router: '0x4c4af8dbc524681930a27b2f1af5bcc8062e6fb7',
      pools: [
        `0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4:${usdc}:${weth}:${wbtc}:0x912ce59144191c1204e64559fe8253a0e49e6548`,
      ],
    },
    // @see euler-xyz/euler-interfaces 8007d05, addresses/42161/EulerSwapAddresses.json
    'euler-swap': { registry: '0x99c341f07098ba70ac1130c479103dc2366dbbd7' },
    // @see DODOEX/contractV2 c58c067, config/arb-config.js
    'dodo-v2': {
      dvmFactory: '0xda4c4411c55b0785e501332354a036c04833b72b',
      dppFactory: '0xa6cf3d163358af376ec5e8b7cc5e102a05fde63d',
      dspFactory: '0xc8fe2440744dcd733246a4db14093664defd5a53',
    },
    // @see curvefi/curve-stablecoin edbb5ef, deployment-logs/arbitrum-deployment-addresses.txt
    llamalend: { lendingFactories: '0xcaec110c784c9df37240a8ce096d352a75922dea' },
    // @see DefiLlama/DefiLlama-Adapters 01c6cc7, projects/wombat-exchange/config.js; Sotatek-PhucTa/wombat 0b9804f, config
    wombat: {
      pools: [
        `0xc6bc781e20f9323012f6e422bdf552ff06ba6cd1:${usdt}:${usdc}:0xff970a61a04b1ca14834a43f5de4533ebddb5cc8:${dai}:largest=10000000000000,10000000000000,10000000000000,10000000000000000000000000`,
        `0xe14302040c0a1eb6fb5a4a79efa46d60029358d9:${weth}:0x5979d7b546e38e414f7e9822514be443a4800529:rates=true:largest=10000000000000000000000,10000000000000000000000`,
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
      spokePool: '0xe35e9842fceaca96570b734083f4a58e8f7c5f2a',
      tokens: [
        'WETH:0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
        'USDC:0xaf88d065e77c8cc2239327c5edb3a432268e5831:6',
        'USDT:0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9:6',
        'DAI:0xda10009cbd5d07dd0cecc66161fc93d7c9000da1',
        'WBTC:0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f',
      ],
    },
    stargate: {
      eid: 30110,
      endpoint: '0x1a44076050125825900e736c501f859c50fe728c',
      tokenMessaging: '0x19cfce47ed54a88614648dc3f19a5980097007dd',
      pools: [
        'USDC:0xe8cdf27acd73a434d661c84887215f7598e7d0d3:0xaf88d065e77c8cc2239327c5edb3a432268e5831:6',
        'USDT:0xce8cca271ebc0533920c83d39f417ed6a0abb7d0:0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9:6',
        'ETH:0xa45b5130f36cdca45667738e2a258ab09f4a5f7f:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
      ],
    },
    cctp: {
      domain: 3,
      tokenMessenger: '0x28b5a0e9c621a5badaa536219b3a228c8168cf5d',
      messageTransmitter: '0x81d40f21f12a8f0e3252bccb954d722d4c464b64',
      tokenMinter: '0xfd78ee919681417d192449715b2594ab58f5d002',
      // Circle asks one; less than it asks makes a burn wait as a standard one.
      fastFeeBps: 2,
      tokens: ['USDC:0xaf88d065e77c8cc2239327c5edb3a432268e5831'],
    },
    // Inbox and bridge are on Ethereum, the precompile is here. @see OffchainLabs/arbitrum-sdk, src/lib/dataEntities/networks.ts
    'canonical-tickets': {
      settlesOn: 1,
      inbox: '0x4dbd4fc535ac27206064b68ffcf827b0a60bab3f',
      bridge: '0x8315177ab297ba92a06054ce80a67ed4dbd7ed3a',
      retryables: '0x000000000000000000000000000000000000006e',
      estimatedSeconds: 600,
    },
    // @see DefiLlama/bridges-server db4a7a9, src/adapters/usdt0/index.ts
    oft: {
      pools: [
        'USDT0:0x14e4a1b13bf7f943c8ff7c51fb60fa964a298d92:0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9',
      ],
    },
  },
})

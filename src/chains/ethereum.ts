import { defineChain } from './chain.js'

const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const dai = '0x6b175474e89094c44da98b954eedeac495271d0f'
const wbtc = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const wsteth = '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0'

/** Ethereum mainnet; the sandbox uses this definition too. */
export const ethereum = defineChain({
  id: 1,
  name: 'Ethereum',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: weth,
  blockTimeSeconds: 12,
  // @see EIP-1559, ELASTICITY_MULTIPLIER, BASE_FEE_MAX_CHANGE_DENOMINATOR and INITIAL_FORK_BLOCK_NUMBER
  baseFee: { elasticity: 2n, denominator: 8n, firstBlock: 12_965_000n },
  priorityFeePerGas: 100_000_000n,
  // @see ethereum/execution-specs, forks/osaka/__init__.py, FORK_CRITERIA
  unshownHardForks: [{ hardFork: 'osaka', since: 1_764_798_551n }],
  stableAnchors: [usdc, usdt, dai],
  connectorTokens: [weth, usdc, usdt, dai, wbtc, wsteth],
  chainlinkFeeds: [
    { token: weth, feed: '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419', heartbeatSeconds: 3_600 },
    { token: usdc, feed: '0x8fffffd4afb6115b954bd326cbe7b4ba576818f6', heartbeatSeconds: 86_400 },
    { token: usdt, feed: '0x3e7d1eab13ad0104d2750b8863b489d65364e32d', heartbeatSeconds: 86_400 },
    { token: dai, feed: '0xaed0c38402a5d19df6e4c03f4e2dced6e29c1ee9', heartbeatSeconds: 3_600 },
    // BTC/USD: there is no feed of WBTC itself in USD.
    { token: wbtc, feed: '0xf4030086522a5beea4988f8ca5b36dbc97bee88c', heartbeatSeconds: 3_600 },
    {
      token: '0x514910771af9ca656af840dff83e8264ecf986ca',
      feed: '0x2c1d072e956affc0d435cb7ac38ef18d24d9127c',
      heartbeatSeconds: 3_600,
    },
    {
      token: '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984',
      feed: '0x553303d460ee0afb37edff9be42922d8ff63220e',
      heartbeatSeconds: 3_600,
    },
    {
      token: '0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9',
      feed: '0x547a514d5e3769680ce22b2361c10ea13619e8a9',
      heartbeatSeconds: 3_600,
    },
  ],
  venues: {
    'uniswap-v2': {
      factory: '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
      feeBps: 30,
      router: '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
    },
    'sushiswap-v2': {
      factory: '0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac',
      feeBps: 30,
      router: '0xd9e1ce17f2641f24ae83637ab66a2cca9c378b9f',
    },
    'pancakeswap-v2': {
      factory: '0x1097053fd2ea711dad45caccc45eff7548fcb362',
      feeBps: 25,
      router: '0xeff92a263d31888d860bd50809a8d171709b7b1c',
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
      factory: '0xbaceb8ec6b9355dfc0269c18bac9d6e2bdc29c4f',
      feeTiers: ['100', '500', '3000', '10000'],
      routers: ['0x2e6cd2d30aa43f40aa81619ff4b6e0a41479b13f'],
    },
    'pancakeswap-v3': {
      factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
      feeTiers: ['100', '500', '2500', '10000'],
      routers: [
        '0x1b81d678ffb9c0263b24a97847620c99d213eb14',
        '0x13f4ea83d0bd40e75c8222255bc855a974568dd4',
      ],
    },
    'uniswap-v4': {
      poolManager: '0x000000000004444c5dc75cb358380d2e3de08a90',
      routers: ['0x66a9893cc07d91d95644aedd05d03f95e1dba8af'],
    },
    // The same on all chains. @see Instadapp/fluid-contracts-public a9949b4, deployments/deployments.md
    'fluid-dex-t1': {
      factory: '0x91716c4eda1fb55e84bf8b4c7085f84285c19085',
      resolver: '0x05bd8269a20c472b148246de20e6852091bf16ff',
    },
    // @see Instadapp/fluid-contracts-public a9949b4, deployments/deployments.md
    'fluid-dex-lite': {
      dex: '0xbbcb91440523216e2b87052a99f69c604a7b6e00',
      resolver: '0x12a47ceb96a952e8d4a6ea9fe3b40b79bbaeb4e9',
    },
    'balancer-v2': {
      vault: '0xba12222222228d8ba445958a75a0704d566bf2c8',
      // Factories of weighted, stable, meta-stable, phantom and composable pools, in the order of their deployment.
      // @see balancer/balancer-deployments 00f9148, addresses/mainnet.json; the last two from docs.balancer.fi
      factories: [
        '0x8e9aa87e45e92bad84d5f8dd1bff34fb92637de9',
        '0xa5bf2ddf098bb0ef6d120c98217dd6b141c74ee0',
        '0xc66ba2b6595d3613ccab350c886ace23866ede24',
        '0x67d27634e44793fe63c467035e31ea8635117cd4',
        '0xb08e16cfc07c684daa2f93c70323badb2a6cbfd2',
        '0x8df6efec5547e31b0eb7d1291b511ff8a2bf987c',
        '0xf9ac7b9df2b3454e841110cce5550bd5ac6f875f',
        '0xcc508a455f5b0073973107db6a878ddbdab957bc',
        '0x85a80afee867adf27b50bdb7b76da70f1e853062',
        '0xdba127fbc23fb20f5929c546af220a991b5c6e01',
        '0x5dd94da3644ddd055fcf6b3e1aa310bb7801eb8b',
        '0xfada0f4547ab2de89d1304a668c39b3e09aa7c76',
        '0x897888115ada5773e02aa29f775430bfb5f34c51',
        '0xdb8d758bcb971e482b2c45f7f8a7740283a1bd3a',
        '0x5b42ec6d40f7b7965be5308c70e2603c0281c1e9',
      ],
    },
    'balancer-v3': {
      vault: '0xba1333333333a1ba1108e8412f11850a5c319ba9',
      // Factories of weighted and stable pools, in the order of their deployment.
      // @see balancer/balancer-deployments 6826feb, addresses/mainnet.json
      factories: [
        '0x201efd508c8dfe9de1a13c2452863a78cb2a86cc',
        '0xb9d01ca61b9c181da1051bfdd28e1097e920ab14',
        '0xe42c2e153bb0a8899b59c73f5ff941f9742f1197',
        '0x332694ef46d880df6ea9593e04cb8abee5f81d99',
        '0x4efcd8bce8ac9b94bd76648e2c85bef6c40f3228',
      ],
    },
    curve: {
      metaRegistry: '0xf98b45fa17de75fb1ad0e7afd971b0ca00e379fc',
      stableFactory: '0xb9fc157394af804a3578134a6585c0dc9cc990d4',
      stableNgFactory: '0x6a8cbed756804b16e05e741edabd5cb544ae21bf',
      cryptoFactory: '0xf18056bbd320e96a48e3fbf8bc061322531aac99',
      twocryptoFactory: '0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f',
      tricryptoFactory: '0x0c0e5f2ff0ff18a3be9b835635039256dc4b4963',
      // sUSD
      zaps: [
        '0xa5407eae9ba41422680e2e00537571bcc53efbfd:0xfcba3e75865d2d561be8d220616520c171f12851',
      ],
    },
    'erc-4626': {
      stataFactories: [
        '0xcb0b5ca20b6c5c02a9a3b2ce433650768ed2974f',
        '0x347c75d19718a05148687e13dca259ad016ab411',
      ],
      // Savings DAI and USDS, staked USDe, FRAX and frxETH.
      vaults: [
        '0x83f20f44975d03b1b09e64809b757c47f942beea',
        '0xa3931d71877c0e7a3148cb7eb4463524fec27fbd',
        '0x9d39a5de30e57443bff2a8307a4256c8797a3497',
        '0xa663b02cf0a4b149d2ad41910cb81e23e1c41c32',
        '0xac3e018457b222d93114458476f3e3416abbe38f',
      ],
      registries: ['0xd40ecf29e001c76dcc4cc0d9cd50520ce845b038'],
      // MetaMorpho 1.0 and 1.1.
      factories: [
        '0xa9c3d3a366466fa809d1ae982fb2c46e5fc41101',
        '0x1897a8997241c1cd4bd0698647e4eb7213535c24',
      ],
    },
    'yearn-v2': { registry: '0x50c1a2ea0a861a967d9d0ffe2ae4012c2e053804' },
    // @see @pendle/core-v2 6.11.0, deployments: factories of versions 3 to 6, those that there are
    pendle: {
      router: '0x888888888889758f76e7103c6cbf23abbf58f946',
      factories: [
        '0x1a6fcc85557bc4fb7b534ed835a03ef056552d52',
        '0x3d75bd20c983edb5fd218a1b7e0024f1056c7a2f',
        '0x6fcf753f2c67b83f7b09746bbc4fa0047b35d050',
        '0x6d247b1c044fa1e22e6b04fa9f71baf99eb29a9f',
      ],
      yieldFactories: [
        '0xdf3601014686674e53d1fa52f7602525483f9122',
        '0x273b4bfa3bb30fe8f32c467b5f0046834557f072',
        '0x35a338522a435d46f77be32c70e215b813d0e3ac',
        '0x3e6eba46abc5ab18ed95f6667d8b2fd4020e4637',
      ],
    },
    'staking-rewards': {
      // Uniswap's of 2020: LP tokens of WETH with USDT, USDC, DAI and WBTC for UNI.
      gauges: [
        '0x6c3e4cb2e96b01f4b866965a91ed4437839a121a',
        '0x7fba4b8dc5e7616e59622806932dbea72537a56b',
        '0xa1484c3aa22a66c62b77e0ae78e15258bd0cb711',
        '0xca35e32e7926b96a9988f61d510e038108d8068e',
      ],
    },
    'curve-gauge': {
      controller: '0x2f50d538606fa9edd2b11e2446beb18c9d5846bb',
      minter: '0xd061d61a4d941c39e5453435b6345dc261c2fce0',
    },
    'balancer-gauge': {
      controller: '0xc128468b7ce63ea702c1f104d55a2566b13d3abd',
      minter: '0x239e55f427d44c3cc793f49bfb507ebe76638a2b',
    },
    'compound-v2': { comptroller: '0x3d9819210a31b4961b30ef54be2aed79b9c9cd3b' },
    'compound-v3': {
      comets: [
        '0xc3d688b66703497daa19211eedff47f25384cdc3',
        '0xa17581a9e3356d9a858b789d68b4d866e593ae94',
        '0x3afdc9bca9213a35503b077a6072f3d0d5ab0840',
      ],
    },
    'aave-v3': { pool: '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2' },
    'spark-lend': { pool: '0xc13e21b648a5ee794902342038ff3adab66be987' },
    lido: { stETH: '0xae7ab96520de3a18e5e111b5eaab095312d7fe84', wstETH: wsteth },
    'rocket-pool': {
      storage: '0x1d8f8f00cfa6758d7be78336684788fb0ee0fa46',
      rETH: '0xae78736cd615f374d3085123a210448e74fc6393',
    },
    'ether-fi': {
      liquidityPool: '0x308861a430be4cce5502d0a12724771fc6daf216',
      eETH: '0x35fa164735182de50811e8e2e824cfb9b6118ac2',
      weETH: '0xcd5fe23c85820f7b72d0926fc9b05b43e359b7ee',
    },
    'frax-ether': {
      minter: '0xbafa44efe7901e04e39dad13167d089c559c1138',
      frxETH: '0x5e8422345238f34275888049021821e8e08caa1f',
    },
    sky: {
      converter: '0x3225737a9bbb6473cb4a45b7244aca2befdb276a',
      dai,
      usds: '0xdc035d45d973e3ec169d2276ddab16f1e407384f',
    },
    // @see makerdao/dss-lite-psm dbf0022, README.md; sparkdotfi/spark-address-registry 5348de2, src/Ethereum.sol
    'sky-psm': {
      psm: '0xf6e72db5454dd049d0788e411b06cfaf16853042',
      wrapper: '0xa188eec8f81263234da3622a406892f3d630f98c',
      pocket: '0x37305b1cd40574e4c5ce33f8e8306be057fd7341',
      dai,
      usds: '0xdc035d45d973e3ec169d2276ddab16f1e407384f',
      usdc,
    },
    // @see bgd-labs/aave-address-book f61c976, src/GhoEthereum.sol and AaveV3Ethereum.sol
    'aave-gsm': {
      gho: '0x40d16fc0246ad3160ccc09b8d0d3a2cd28ae6c2f',
      reserve: '0x54c58157def387a880ae62332d1445f03adbe7e9',
      // The vaults are waEthUSDC and waEthUSDT.
      modules: [
        `0x3a3868898305f04bec7fea77becff04c13444112:0xd4fa2d31b7968e448877f69a96de69f5de8cd23e:${usdc}`,
        `0x882285e62656b9623af136ce3078c6bdcc33f5e3:0x7bc3485026ac48b6cf9baf0a377477fff5703af8:${usdt}`,
      ],
    },
    'morpho-blue': {
      morpho: '0xbbbbbbbbbb9cc5e90e3b3af64bdaf62c37eeffcb',
      markets: [
        // wstETH for USDC at 86 percent, WBTC for USDC at 86, wstETH for WETH at 94.5.
        '0xb323495f7e4148be5643a4ea4a8221eef163e4bccfdedc2a6f4696baacbc86cc',
        '0x3a85e619751152991742810df6ec69ce473daef99e28a64ab2340d7b7ccfee49',
        '0xc54d7acf14de29e0e5527cabd7a576506870346a78a11a6762e2cca66322ec41',
      ],
    },
    // @see euler-xyz/euler-interfaces 8007d05, addresses/1/EulerSwapAddresses.json
    'euler-swap': { registry: '0x5fccb84363f020c0cade052c9c654aabf932814a' },
    // @see DODOEX/contractV2 c58c067, config/eth-config.js
    'dodo-v2': {
      dvmFactory: '0x72d220ce168c4f361dd4dee5d826a01ad8598f6c',
      dppFactory: '0x5336ede8f971339f6c0e304c66ba16f1296a2fbe',
      dspFactory: '0x6fddb76c93299d985f4d3fc7ac468f9a168577a4',
    },
    // @see curvefi/curve-stablecoin edbb5ef, deployment-logs; cf1d05f, deployments/llamalend/ethereum/factory.jsonc
    llamalend: {
      controllerFactory: '0xc9332fdcb1c491dcc683bae86fe3cb70360738bc',
      stablecoin: '0xf939e0a03fb07f59a73314e73794be0e57ac1b4e',
      lendingFactories: [
        '0xea6876dde9e3467564acbee1ed5bac88783205e0',
        '0x8f6b56ec5ddf1f2691a1059f1d3cd97ac9eab0bd',
      ],
    },
    // @see DefiLlama/DefiLlama-Adapters 01c6cc7, projects/wombat-exchange/config.js; Sotatek-PhucTa/wombat 0b9804f, config
    wombat: {
      pools: [
        `0x9c02eaf31efe3fee36ebe5aebca12ca979df25cc:0x853d955acef822db058eb8505911ed77f175b99e:${usdt}:largest=10000000000000000000000000,10000000000000`,
        `0xf8e32ca46ac28799c8fb7dce1ac11a4541160734:${weth}:${wsteth}:rates=true:largest=10000000000000000000000,10000000000000000000000`,
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
      spokePool: '0x5c7bcd6e7de5423a257d81b442095a1a6ced35c5',
      estimatedSeconds: 30,
      tokens: [
        'WETH:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
        'USDC:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48:6',
        'USDT:0xdac17f958d2ee523a2206206994597c13d831ec7:6',
        'DAI:0x6b175474e89094c44da98b954eedeac495271d0f',
        'WBTC:0x2260fac5e5542a773aa44fbcfedf7c193bc2c599',
      ],
    },
    stargate: {
      eid: 30101,
      endpoint: '0x1a44076050125825900e736c501f859c50fe728c',
      tokenMessaging: '0x6d6620efa72948c5f68a3c8646d58c00d3f4a980',
      // Verifiers wait for 15 blocks.
      estimatedSeconds: 210,
      pools: [
        'USDC:0xc026395860db2d07ee33e05fe50ed7bd583189c7:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48:6',
        'USDT:0x933597a323eb81cae705c5bc29985172fd5a3973:0xdac17f958d2ee523a2206206994597c13d831ec7:6',
        'ETH:0x77b2043768d28e9c9ab44e1abfc95944bce57931:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
      ],
    },
    cctp: {
      domain: 0,
      tokenMessenger: '0x28b5a0e9c621a5badaa536219b3a228c8168cf5d',
      messageTransmitter: '0x81d40f21f12a8f0e3252bccb954d722d4c464b64',
      tokenMinter: '0xfd78ee919681417d192449715b2594ab58f5d002',
      // Circle asks one; less than it asks makes a burn wait as a standard one.
      fastFeeBps: 2,
      tokens: ['USDC:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
    },
    // @see DefiLlama/bridges-server db4a7a9, src/adapters/usdt0/index.ts
    oft: {
      pools: [
        'USDT0:0x6c96de32cea08842dcc4058c14d3aaad7fa41dee:0xdac17f958d2ee523a2206206994597c13d831ec7',
      ],
    },
  },
})

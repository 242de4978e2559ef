import { defineChain } from './chain.js'

const wxdai = '0xe91d153e0b41518a2ce8dd3d7944fa863463a97d'
const usdc = '0xddafbb505ad214d7b80b1f830fccc89b60fb7a83'
const usdce = '0x2a22f9c3b484c3629090feed35f17ff8f88f76f0'
const weth = '0x6a023ccd1ff6f2045c3309768ead9e68f978f6e1'
const gno = '0x9c58bacc331c9aa871afd802db6379a98e80cedb'
const wsteth = '0x6c76971f98945ae98dd7d4dfca8711ebea946ea6'
const sdai = '0xaf204776c7245bf4147c2612bf6e5972ee483701'

export const gnosis = defineChain({
  id: 100,
  name: 'Gnosis',
  nativeCurrency: { name: 'xDAI', symbol: 'XDAI', decimals: 18 },
  wrappedNative: wxdai,
  blockTimeSeconds: 5,
  // @see EIP-1559; the block: gnosischain/specs, network-upgrades/london.md
  baseFee: { elasticity: 2n, denominator: 8n, firstBlock: 19_040_000n },
  priorityFeePerGas: 1_000_000n,
  // Fusaka on Gnosis, epoch 1,714,688.
  unshownHardForks: [{ hardFork: 'osaka', since: 1_776_168_380n }],
  stableAnchors: [wxdai, usdc, usdce],
  connectorTokens: [wxdai, usdc, usdce, weth, gno, wsteth, sdai],
  chainlinkFeeds: [
    { token: wxdai, feed: '0x678df3415fc31947da4324ec63212874be5a82f8', heartbeatSeconds: 86_400 },
    { token: weth, feed: '0xa767f745331d267c7751297d982b050c93985627', heartbeatSeconds: 86_400 },
    { token: gno, feed: '0x22441d81416430a54336ab28765abd31a792ad37', heartbeatSeconds: 86_400 },
    { token: usdc, feed: '0x26c31ac71010af62e6b486d1132e266d6298857d', heartbeatSeconds: 86_400 },
    { token: usdce, feed: '0x26c31ac71010af62e6b486d1132e266d6298857d', heartbeatSeconds: 86_400 },
  ],
  venues: {
    'sushiswap-v2': {
      factory: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      feeBps: 30,
      router: '0x1b02da8cb0d097eb8d57a175b88c7d8b47997506',
    },
    'uniswap-v3': {
      factory: '0xe32f7dd7e3f098d518ff19a22d5f028e076489b1',
      feeTiers: ['100', '500', '3000', '10000'],
    },
    'sushiswap-v3': {
      factory: '0xf78031cbca409f2fb6876bdfdbc1b2df24cf9bef',
      feeTiers: ['100', '500', '3000', '10000'],
    },
    'balancer-v2': {
      vault: '0xba12222222228d8ba445958a75a0704d566bf2c8',
      // Factories of weighted pools and of every kind of stable pool, in the order of their deployment.
      // @see balancer/balancer-deployments 6826feb, addresses/gnosis.json
      factories: [
        '0xf23b4db826dba14c0e857029dff076b1c0264843',
        '0xf302f9f50958c5593770fdf4d4812309ff77414f',
        '0x76578ecf9a141296ec657847fb45b0585bcda3a6',
        '0xc128468b7ce63ea702c1f104d55a2566b13d3abd',
        '0xc128a9954e6c874ea3d62ce62b468ba073093f25',
        '0xd87f44df0159dc78029ab9ca7d7e57e7249f5acd',
        '0x6cad2ea22bfa7f4c14aae92e47f510cd5c509bc7',
        '0x4bdcc2fb18aeb9e2d281b0278d946445070eada7',
        '0x47b489bf5836f83abd928c316f8e39bc0587b020',
      ],
    },
    'balancer-v3': {
      vault: '0xba1333333333a1ba1108e8412f11850a5c319ba9',
      // Factories of weighted and stable pools, in the order of their deployment.
      // @see balancer/balancer-deployments 6826feb, addresses/gnosis.json
      factories: [
        '0xeb1eeabf0126d813589c3d2cfeffe410d9ae3863',
        '0x22625eedd92c81a219a83e1dc48f88d54786b017',
        '0x161f4014c27773840ccb4ec1957113e6dd028846',
        '0x78ad1e1c10033b18ceaa20088e4e490be42a5417',
        '0x9338f9484120fdfe8f8abea8e5d6d9d8d055962d',
      ],
    },
    // @see curvefi/metaregistry b18e83e, deployments.yaml; curvefi/curve-js 8cb9f82, src/constants/network_constants.ts
    curve: {
      metaRegistry: '0xb6265659d7e9feccb59e076e949da556fc5e1429',
      stableFactory: '0xd19baeadc667cf2015e395f2b08668ef120f41f5',
      stableNgFactory: '0xbc0797015fcfc47d9c1856639cae50d0e69fbee8',
      twocryptoFactory: '0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f',
      tricryptoFactory: '0xb47988ad49dce8d909c6f9cf7b26caf04e1445c8',
    },
    'erc-4626': { stataFactories: ['0x33992721c565da3248bd3af80524e054f5f05b42'], vaults: [sdai] },
    'aave-v3': { pool: '0xb50201558b00496a145fe76f7424749556e326d8' },
  },
  bridges: {
    stargate: {
      eid: 30145,
      endpoint: '0x1a44076050125825900e736c501f859c50fe728c',
      tokenMessaging: '0xaf368c91793cb22739386dfcbbb2f1a9e4bcbebf',
      pools: [
        'USDC:0xb1eead6959cb5bb9b20417d6689922523b2b86c3:0x2a22f9c3b484c3629090feed35f17ff8f88f76f0:6',
        'ETH:0xe9aba835f813ca05e50a6c0ce65d0d74390f7de7:0x6a023ccd1ff6f2045c3309768ead9e68f978f6e1:18',
      ],
    },
  },
})

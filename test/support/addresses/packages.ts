/**
 * Packages whose authors state addresses of contracts. Their tarballs are fetched once and compared with their integrity;
 * what they state is kept in the cache, and nothing of them is installed, run or committed.
 */
import type { WantedFiles } from '../../../src/sandbox/contracts/package-files.js'

/** Names of chains in the packages' files, by chain id. */
export const chainNames = {
  aave: {
    1: 'Ethereum',
    10: 'Optimism',
    56: 'BNB',
    100: 'Gnosis',
    137: 'Polygon',
    146: 'Sonic',
    8453: 'Base',
    42161: 'Arbitrum',
    43114: 'Avalanche',
    59144: 'Linea',
  },
  curve: {
    1: 'ETHEREUM',
    10: 'OPTIMISM',
    56: 'BSC',
    100: 'XDAI',
    137: 'POLYGON',
    8453: 'BASE',
    42161: 'ARBITRUM',
    43114: 'AVALANCHE',
  },
  balancer: {
    1: 'mainnet',
    10: 'optimism',
    56: 'bsc',
    100: 'gnosis',
    137: 'polygon',
    42161: 'arbitrum',
  },
  enzyme: { 1: 'ethereum', 137: 'polygon', 8453: 'base', 42161: 'arbitrum' },
  stargate: {
    1: 'ethereum',
    10: 'optimism',
    56: 'bsc',
    100: 'gnosis',
    130: 'unichain',
    137: 'polygon',
    146: 'sonic',
    8453: 'base',
    42161: 'arbitrum',
    43114: 'avalanche',
    59144: 'zkconsensys',
  },
} as const satisfies Record<string, Readonly<Record<number, string>>>

export const stargateContracts = [
  ...['TokenMessaging', 'StargatePoolUSDC', 'StargatePoolUSDT', 'StargatePoolNative'],
  'StargatePoolETH',
]

/** Chains on which Pendle has markets. */
export const pendleChains = [1, 10, 56, 146, 8453, 42161]

const sushi = 'package/_esm/evm/config/features'

export const addressPackages = {
  uniswap: {
    name: '@uniswap/sdk-core',
    version: '7.19.4',
    integrity:
      'sha512-jV9qVMMD6qvEATgfFnZ3QgrhIMv5lullzeGPWjyC4+sUctatft+1M+OtAZxxjbFm8NQfJA73hqIeFPOg4cUyoA==',
    paths: ['package/dist/esm/src/addresses.js'],
  },
  universalRouter: {
    name: '@uniswap/universal-router-sdk',
    version: '5.13.0',
    integrity:
      'sha512-eAk5or7kZMV2ZlVr+NN0taDOm8MQs9KMfSEwXvC4ggfufVuswux/uVk2sNFx7C69f2Pj6bXLkZHoNH4xv1eqiA==',
    paths: ['package/dist/esm/src/utils/constants.js'],
  },
  tokenList: {
    name: '@uniswap/default-token-list',
    version: '22.21.0',
    integrity:
      'sha512-X6OAvgmVR8lqd8Reyjm8pAozrWZXdfjlgevDSFofKafZD5SFXCMBnLPXImMcMdh0I15hre/1EO0xXL6h37KWYQ==',
    paths: ['package/build/uniswap-default.tokenlist.json'],
  },
  aave: {
    name: '@bgd-labs/aave-address-book',
    version: '4.44.22',
    integrity:
      'sha512-25dt74TdSJxpCu++QbfRcsSlXZJ2HnktkzekVa0n97X/wNDmJx49GxzZLQI3wIAvSsY/iNRGwBMsHq/LTc1qUg==',
    paths: [
      'package/tokenlist.json',
      ...Object.values(chainNames.aave).flatMap((name) => [
        `package/dist/Chainlink${name}.mjs`,
        `package/dist/AaveV3${name}.mjs`,
      ]),
    ],
  },
  balancer: {
    name: '@balancer-labs/v2-deployments',
    version: '3.2.0',
    integrity:
      'sha512-pghD7qyTVp1832d7F7yHgAeh/EZvS2/GLvUx9ieM671NMh1KTprYZOBCpEVVC9JnE1Vpru5rc9DDNlFw3capVw==',
    paths: Object.values(chainNames.balancer).map((name) => `package/dist/addresses/${name}.json`),
  },
  balancerSdk: {
    name: '@balancer/sdk',
    version: '6.1.1',
    integrity:
      'sha512-SnEK+NypOx+RJnjJOqZHF7URyrqFKzwfR9md8iKaOhZNz+1l+B7dH74D3apcQGzBp4NdkyJHno4lTss/DFjmzg==',
    paths: ['package/dist/index.mjs'],
  },
  pancakeV2: {
    name: '@pancakeswap/v2-sdk',
    version: '1.2.2',
    integrity:
      'sha512-HfTNZIxs8Rn1whnV8/sbZTvSxR2Xp7jhbe4KNSQMyO7XqIJx5k32MHufOYK9e569vZf8719SW/KyLVm2qxtZMw==',
    paths: ['package/dist/index.mjs'],
  },
  pancakeV3: {
    name: '@pancakeswap/v3-sdk',
    version: '3.10.2',
    integrity:
      'sha512-jHx+aEG4aYBnMU9Ks5uSRV9Y8mCM6JCwV47tD8mWRMk+EpOQc7S9zMeIqj+9LhNxKqZovmo870m7nk0XWTxz3Q==',
    paths: ['package/dist/index.mjs'],
  },
  pancakeRouters: {
    name: '@pancakeswap/smart-router',
    version: '7.7.3',
    integrity:
      'sha512-Ar1Fbo287arowv4X8AG7scaIwCCuEnNgGWYZBW9tCnH3B/9WeD9fHpKH3KeQmOeYriIGm9WAJSUMmapvd6E5gQ==',
    paths: ['package/dist/chunk-545EKHJP.mjs'],
  },
  sushi: {
    name: 'sushi',
    version: '7.3.15',
    integrity:
      'sha512-i4L2qg7QDb/3Wb0Zk0YTSP/qWkrxuhezZ/CsGj6J8sj7hAuyrT/fVAlOMToKhBEY3WOJZuwiZiuvnzAUK9j9RA==',
    paths: [`${sushi}/sushiswap-v2.js`, `${sushi}/sushiswap-v3.js`, `${sushi}/uniswap-v3.js`],
  },
  stargate: {
    name: '@stargatefinance/stg-evm-v2',
    version: '2.0.6',
    integrity:
      'sha512-62PAwn7u+r0F1DGE6AmQxI/HDwajzayVyE3CylEswb9JRtY+taESA1Wqn6zKixJGAa0AitieUSNSVIiiGTfluw==',
    paths: Object.values(chainNames.stargate).flatMap((name) =>
      stargateContracts.map((contract) => `package/deployments/${name}-mainnet/${contract}.json`),
    ),
  },
  across: {
    name: '@across-protocol/contracts',
    version: '4.1.12',
    integrity:
      'sha512-+d1xTLBxGNHDMuZDMaZPunDb46SYzAsIfqrwK6252cP0+9dG7XFX+6hBXpeqyytp7ESe+W8UgpGQdSCxXAdhkw==',
    paths: ['package/dist/deployments/deployments.json', 'package/dist/deploy/consts.js'],
  },
  acrossTokens: {
    name: '@across-protocol/constants',
    version: '3.1.127',
    integrity:
      'sha512-gTmLS6BBY0tdqptd0n+019lRNlt318H4g0gOog06+84NkJSi6uZlRha3BxYUyyFFwVdqsw/pujQVd/s9nbiVfQ==',
    paths: ['package/dist/cjs/tokens.js'],
  },
  enzyme: {
    name: '@enzymefinance/environment',
    version: '6.3.61',
    integrity:
      'sha512-gL9MT9csPbnOPcq+sC10HdbmU0FyuXTpgWnxEO/hYE1ksATrQag4in6JJjho3Vj6eEMWf1liGIPGLVZ9DpmPjw==',
    paths: [
      'package/dist/esm/deployments/ethereum.js',
      ...Object.values(chainNames.enzyme).map((name) => `package/dist/esm/assets/${name}.js`),
    ],
  },
  curve: {
    name: '@curvefi/api',
    version: '2.70.1',
    integrity:
      'sha512-Ri+DqW7BISubW1pILxMFuaDKMV5I4wuEdgZy9TM9DJtO7O5CB3o3In4PuFngzw0sxoudLIzv93iCHpB6OE3qow==',
    paths: [
      'package/lib/constants/pools/ethereum.js',
      'package/lib/constants/network_constants.js',
    ],
  },
  morpho: {
    name: '@morpho-org/morpho-ts',
    version: '2.8.0',
    integrity:
      'sha512-I+fSrYjx8VYHgzaTGUdGmxKM7qDrOWNBM4Yz/6hgum2tlCcgb5MN1sJVgztbO4nOk5C9Ly9I752CiyyYr2oeOg==',
    paths: ['package/lib/esm/addresses.js'],
  },
  pendle: {
    name: '@pendle/core-v2',
    version: '6.11.0',
    integrity:
      'sha512-Q7h2KaYzYl8kZKNPe5qWKHYtdToVEL9FqCH0/5ab9/H34JBdutQoqo8hcggfaPYlziOOQ79dgbWfvyzMDJNQCw==',
    paths: pendleChains.map((id) => `package/deployments/${id}-core.json`),
  },
} as const satisfies Record<string, WantedFiles>

export type AddressPackage = keyof typeof addressPackages

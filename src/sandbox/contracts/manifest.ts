/**
 * Third-party contracts of the sandbox: pinned npm packages that ship them compiled.
 * Nothing of them is committed; they are fetched once into the cache and checked against `integrity`.
 */

import { aaveV3Packages } from '../venues/aave-v3-packages.js'
import type { ArtifactPackage } from './artifact-package.js'
import { bridgePackages } from './bridge-packages.js'

const balancerTasks = 'package/dist/tasks'
const morphoFactories = 'package/types/factories/lib'
const compoundAbi = 'package/external/abi/compound'

export const artifactPackages: readonly ArtifactPackage[] = [
  {
    name: 'canonical-weth',
    version: '1.4.0',
    integrity:
      'sha512-9rkLfAFndWALLhxd5lpyTX4RkV36WmVBZ92NYtYr1kWdAUmclRp7I5KkK4wvogzDcCI++yw53TLwx/GCPcocMg==',
    files: { weth9: { path: 'package/build/contracts/WETH9.json', field: 'bytecode' } },
  },
  {
    name: '@uniswap/v2-core',
    version: '1.0.1',
    integrity:
      'sha512-MtybtkUPSyysqLY2U210NBDeCHX+ltHt3oADGdjqoThZaFRDKwM6k1Nb3F0A3hk5hwuQvytFWhrWHOEq6nVJ8Q==',
    files: { v2Factory: { path: 'package/build/UniswapV2Factory.json', field: 'bytecode' } },
  },
  {
    name: '@uniswap/v2-periphery',
    version: '1.1.0-beta.0',
    integrity:
      'sha512-6dkwAMKza8nzqYiXEr2D86dgW3TTavUvCR0w2Tu33bAbM8Ah43LKAzH7oKKPRT5VJQaMi1jtkGs1E8JPor1n5g==',
    files: { v2Router: { path: 'package/build/UniswapV2Router02.json', field: 'bytecode' } },
  },
  {
    name: '@uniswap/v3-core',
    version: '1.0.1',
    integrity:
      'sha512-7pVk4hEm00j9tc71Y9+ssYpO6ytkeI0y7WE9P6UcmNzhxPePwyAxImuhVsTqWK9YFvzgtvzJHi64pBl4jUzKMQ==',
    files: {
      v3Factory: {
        path: 'package/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
        field: 'bytecode',
      },
    },
  },
  {
    name: '@uniswap/v3-periphery',
    version: '1.4.4',
    integrity:
      'sha512-S4+m+wh8HbWSO3DKk4LwUCPZJTpCugIsHrWR86m/OrUyvSqGDTXKFfc2sMuGXCZrD1ZqO3rhQsKgdWg3Hbb2Kw==',
    files: {
      v3PositionManager: {
        path: 'package/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json',
        field: 'bytecode',
      },
    },
  },
  {
    name: '@uniswap/swap-router-contracts',
    version: '1.3.1',
    integrity:
      'sha512-mh/YNbwKb7Mut96VuEtL+Z5bRe0xVIbjjiryn+iMMrK2sFKhR4duk/86mEz0UO5gSx4pQIw9G5276P5heY/7Rg==',
    files: {
      swapRouter02: {
        path: 'package/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
        field: 'bytecode',
      },
    },
  },
  {
    name: '@uniswap/universal-router',
    version: '2.1.0',
    integrity:
      'sha512-rt18RUsZd9xDfyVfIONJo+TEQ8w+olOYxu9+A1g4Thil1R7IMa+8mnyVQjdLPK2REhejScDwjYbOGpeaAce0hg==',
    files: {
      universalRouter: {
        path: 'package/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json',
        field: 'bytecode',
      },
    },
  },
  {
    name: '@balancer-labs/v2-deployments',
    version: '3.2.0',
    integrity:
      'sha512-pghD7qyTVp1832d7F7yHgAeh/EZvS2/GLvUx9ieM671NMh1KTprYZOBCpEVVC9JnE1Vpru5rc9DDNlFw3capVw==',
    files: {
      balancerVault: {
        path: `${balancerTasks}/20210418-vault/bytecode/Vault.json`,
        field: 'creationCode',
      },
      balancerWeightedFactory: {
        path: `${balancerTasks}/20210418-weighted-pool/bytecode/WeightedPoolFactory.json`,
        field: 'creationCode',
      },
      balancerStableFactory: {
        path: `${balancerTasks}/deprecated/20210624-stable-pool/bytecode/StablePoolFactory.json`,
        field: 'creationCode',
      },
      balancerFeeProvider: {
        path: `${balancerTasks}/20220725-protocol-fee-percentages-provider/bytecode/ProtocolFeePercentagesProvider.json`,
        field: 'creationCode',
      },
      balancerComposableFactory: {
        path: `${balancerTasks}/20230206-composable-stable-pool-v3/artifact/ComposableStablePoolFactory.json`,
        field: 'bytecode',
      },
    },
  },
  {
    name: '@setprotocol/set-protocol-v2',
    version: '0.0.45',
    integrity:
      'sha512-c+ZReo5MIxiApPoEfHRJEpxBzY/xM6p/Tj8Jl0cDSVhqL2MSv7bFAN8rXfg0H0H5oMp+Q+jAVbQ47drbaN8RXg==',
    files: {
      curvePool: { path: 'package/external/abi/curve/Stableswap.json', field: 'bytecode' },
      curveZap: { path: 'package/external/abi/curve/CurveDeposit.json', field: 'bytecode' },
      compoundComptroller: { path: `${compoundAbi}/Comptroller.json`, field: 'bytecode' },
      compoundUnitroller: { path: `${compoundAbi}/Unitroller.json`, field: 'bytecode' },
      compoundToken: { path: `${compoundAbi}/CERc20.json`, field: 'bytecode' },
      compoundEther: { path: `${compoundAbi}/CEther.json`, field: 'bytecode' },
      compoundRates: {
        path: `${compoundAbi}/WhitePaperInterestRateModel.json`,
        field: 'bytecode',
      },
    },
  },
  {
    name: '@morpho-org/morpho-blue-bundlers',
    version: '1.1.2',
    integrity:
      'sha512-LdxnmFXZKS0kqr6BbFD3tGh0ECuNBT8N5iKrMs9ijstbs4t9pa+pEMd4msX5PVNCWAx377eJQ+SGNgnGjnJqug==',
    files: {
      morphoBlue: {
        path: `${morphoFactories}/morpho-blue/src/Morpho__factory.js`,
        field: '_bytecode',
      },
      morphoRates: {
        path: `${morphoFactories}/morpho-blue-irm/src/adaptive-curve-irm/AdaptiveCurveIrm__factory.js`,
        field: '_bytecode',
      },
    },
  },
  {
    name: '@setprotocol/set-protocol-v2',
    version: '0.1.16',
    integrity:
      'sha512-84/rvT7b2k5SFaF5C/vh2SKV/DS4F+9i7E/5rkQBlU+XnNRnGjG/xROsbYYLkkMaz5YPQVDnDZI5tbZ+JsZYhg==',
    files: {
      yearnVault: { path: 'package/external/abi/yearn/Vault.json', field: 'bytecode' },
      yearnRegistry: { path: 'package/external/abi/yearn/Registry.json', field: 'bytecode' },
    },
  },
  {
    name: '@uniswap/liquidity-staker',
    version: '1.0.2',
    integrity:
      'sha512-Rdj+QqapWO3sY1SJdLUQ8dhf26yXg9DC3XU3cpNoh5jrJ0UhAnKqciZss1F6oxBLbNWXzekuigLgSVbVb1BFcw==',
    files: { stakingRewards: { path: 'package/build/StakingRewards.json', field: 'bytecode' } },
  },
  {
    name: '@uniswap/v4-core',
    version: '1.0.2',
    integrity:
      'sha512-X15Tm2wWd+USAzEExMbo+g9naA6QN6mPgWm0MzDwRNlOfaNlepfUpSyt9RSrUfEODspwbyWbcLg6t5nwc/e7lg==',
    files: {
      v4PoolManager: {
        path: 'package/out/PoolManager.sol/PoolManager.json',
        field: 'bytecode.object',
      },
    },
  },
  {
    name: '@1inch/solidity-utils',
    version: '6.9.16',
    integrity:
      'sha512-SnOB37v1BC5rGT60d7gUi0cEhwpUczoHdIfilKeehbmX7o3CDENgvbMpOv2jmSADh/iq+zhs+RDum+nJ+uUwTQ==',
    files: { permit2Runtime: { path: 'package/dist/src/permit2.json', field: 'bytecode' } },
  },
  ...aaveV3Packages,
  ...bridgePackages,
]

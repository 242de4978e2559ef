/** Bridges as they run on Ethereum: Stargate V2 over LayerZero's EndpointV2, and Across. */
import type { ArtifactPackage } from './artifact-package.js'

const deployments = 'package/deployments/ethereum-mainnet'

export const bridgePackages: readonly ArtifactPackage[] = [
  {
    name: '@layerzerolabs/lz-evm-protocol-v2',
    version: '3.0.168',
    integrity:
      'sha512-1m9uZDcROJrFjjFZ06J6kmXIqFoJ4r2VH95bL5wsKjkmffNrRYyxbTr2pael7EP8dcq55HpCKc9dg4G1SfTOVQ==',
    files: {
      lzEndpoint: {
        path: 'package/artifacts/contracts/EndpointV2.sol/EndpointV2.json',
        field: 'bytecode',
      },
    },
  },
  {
    name: '@stargatefinance/stg-evm-v2',
    version: '2.0.6',
    integrity:
      'sha512-62PAwn7u+r0F1DGE6AmQxI/HDwajzayVyE3CylEswb9JRtY+taESA1Wqn6zKixJGAa0AitieUSNSVIiiGTfluw==',
    files: {
      // The same code runs on all chains; that of the package's artifacts is another.
      stargateMessaging: { path: `${deployments}/TokenMessaging.json`, field: 'bytecode' },
      stargatePoolUSDC: { path: `${deployments}/StargatePoolUSDC.json`, field: 'bytecode' },
      stargatePoolUSDT: { path: `${deployments}/StargatePoolUSDT.json`, field: 'bytecode' },
      stargatePoolETH: { path: `${deployments}/StargatePoolNative.json`, field: 'bytecode' },
      stargateFees: { path: `${deployments}/FeeLibV1USDC.json`, field: 'bytecode' },
    },
  },
  {
    name: '@across-protocol/contracts',
    version: '4.1.12',
    integrity:
      'sha512-+d1xTLBxGNHDMuZDMaZPunDb46SYzAsIfqrwK6252cP0+9dG7XFX+6hBXpeqyytp7ESe+W8UgpGQdSCxXAdhkw==',
    files: {
      // The SpokePools of other chains take administration from their L1 messengers; deposits and fills are the same
      // code.
      spokePool: {
        path: 'package/artifacts/contracts/Ethereum_SpokePool.sol/Ethereum_SpokePool.json',
        field: 'bytecode',
      },
    },
  },
]

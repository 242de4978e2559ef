/** Bridges as they run on Ethereum: Stargate V2 over LayerZero's EndpointV2, Across, and deposits of the OP stack. */
import type { ArtifactPackage } from './artifact-package.js'

const deployments = 'package/deployments/ethereum-mainnet'
const bedrock = (name: string) => ({
  path: `package/forge-artifacts/${name}.sol/${name}.json`,
  field: 'bytecode.object',
})

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
  {
    name: '@eth-optimism/contracts-bedrock',
    version: '0.17.3',
    integrity:
      'sha512-cHPO7ntWeOBDLO7ZFFSZGI1D7CDqf4loRbRVJrFIsqLEz+hysWIqA0e3dv2GnrjVeuYePBfI2NTBEG4uwz9bQQ==',
    files: {
      opSuperchainConfig: bedrock('SuperchainConfig'),
      opSystemConfig: bedrock('SystemConfig'),
      opPortal: bedrock('OptimismPortal2'),
      opMessengerL1: bedrock('L1CrossDomainMessenger'),
      opMessengerL2: bedrock('L2CrossDomainMessenger'),
      opMessagePasser: bedrock('L2ToL1MessagePasser'),
      opStandardBridgeL1: bedrock('L1StandardBridge'),
      opStandardBridgeL2: bedrock('L2StandardBridge'),
      opToken: bedrock('OptimismMintableERC20'),
    },
  },
]

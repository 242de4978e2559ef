/** Bridges as they run on Ethereum: Stargate V2 over LayerZero's EndpointV2, and Across. Fetched, never committed. */
import { type Artifacts, loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'

const deployments = 'package/deployments/ethereum-mainnet'

const packages = [
  {
    name: '@layerzerolabs/lz-evm-protocol-v2',
    version: '3.0.168',
    integrity:
      'sha512-1m9uZDcROJrFjjFZ06J6kmXIqFoJ4r2VH95bL5wsKjkmffNrRYyxbTr2pael7EP8dcq55HpCKc9dg4G1SfTOVQ==',
    files: {
      endpoint: {
        path: 'package/artifacts/contracts/EndpointV2.sol/EndpointV2.json',
        field: 'bytecode',
      },
      // Takes a fixed fee and verifies whatever it is told: the part of LayerZero that is not on chain.
      messageLibrary: {
        path: 'package/artifacts/contracts/messagelib/SimpleMessageLib.sol/SimpleMessageLib.json',
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
      tokenMessaging: { path: `${deployments}/TokenMessaging.json`, field: 'bytecode' },
      tokenPool: { path: `${deployments}/StargatePoolUSDC.json`, field: 'bytecode' },
      nativePool: { path: `${deployments}/StargatePoolNative.json`, field: 'bytecode' },
      feeLibrary: { path: `${deployments}/FeeLibV1USDC.json`, field: 'bytecode' },
    },
  },
  {
    name: '@across-protocol/contracts',
    version: '4.1.12',
    integrity:
      'sha512-+d1xTLBxGNHDMuZDMaZPunDb46SYzAsIfqrwK6252cP0+9dG7XFX+6hBXpeqyytp7ESe+W8UgpGQdSCxXAdhkw==',
    files: {
      spokePool: {
        path: 'package/artifacts/contracts/Ethereum_SpokePool.sol/Ethereum_SpokePool.json',
        field: 'bytecode',
      },
    },
  },
]

/** Creation code by the names above. Fetched side by side: they are large. */
export async function bridgeArtifacts(): Promise<Artifacts> {
  const loaded = packages.map((one) => loadArtifacts('.cache/sandbox', () => {}, [one]))
  return Object.assign({}, ...(await Promise.all(loaded)))
}

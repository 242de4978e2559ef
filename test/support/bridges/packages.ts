/** Bridges as they run on Ethereum: those of the sandbox, and what only tests need. Fetched, never committed. */
import { type Artifacts, codeOf, loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { bridgePackages } from '../../../src/sandbox/contracts/bridge-packages.js'

const cache = '.cache/sandbox'
const { name, version, integrity } = bridgePackages.find(
  (one) => one.name === '@layerzerolabs/lz-evm-protocol-v2',
) as (typeof bridgePackages)[number]
const path = 'package/artifacts/contracts/messagelib/SimpleMessageLib.sol/SimpleMessageLib.json'
/** Takes a fixed fee and verifies whatever it is told: the part of LayerZero that is not on chain. */
const messageLibrary = {
  name,
  version,
  integrity,
  files: { messageLibrary: { path, field: 'bytecode' } },
}

/** Creation code by what it is. */
export async function bridgeArtifacts(): Promise<Artifacts> {
  const [all, own] = await Promise.all([
    loadArtifacts(cache, () => {}),
    loadArtifacts(cache, () => {}, [messageLibrary]),
  ])
  return {
    ...own,
    endpoint: codeOf(all, 'lzEndpoint'),
    tokenMessaging: codeOf(all, 'stargateMessaging'),
    tokenPool: codeOf(all, 'stargatePoolUSDC'),
    nativePool: codeOf(all, 'stargatePoolETH'),
    feeLibrary: codeOf(all, 'stargateFees'),
    spokePool: codeOf(all, 'spokePool'),
  }
}

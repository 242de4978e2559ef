/**
 * The OP stack in small: on the chain that is settled on the contracts that take deposits, of every chain that settles on
 * it, and on such a chain the messenger. Proxies are left out: each contract lies where its proxy does.
 */
import { type Abi, encodeFunctionData, parseAbi, parseAbiParameters, zeroHash } from 'viem'
import { messagePasser, messenger, settlementOf } from '../../bridges/canonical/settlement.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { chains } from '../../chains/registry.js'
import { type Address, type Hex, nativeToken, zeroAddress } from '../../domain/primitives.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import type { Placement } from '../chain/placement.js'

/** One for all chains. @see superchain-registry */
export const superchainConfig: Address = '0x95703e0982140d16f8eba6d158fccede42f04a4c'
/** Seconds, as on mainnet. */
const withdrawalDelays = [604_800n, 302_400n] as const
/** Of mainnet: gas that one block may buy, and from what price on. */
const resources = {
  maxResourceLimit: 20_000_000,
  elasticityMultiplier: 10,
  baseFeeMaxChangeDenominator: 8,
  minimumBaseFee: 1_000_000_000,
  systemTxMaxGas: 1_000_000,
  maximumBaseFee: 2n ** 128n - 1n,
}
const gasLimit = 60_000_000n
const gas = 2_000_000n

const abi = parseAbi([
  'function initialize(address guardian, bool paused)',
  'function initialize(address l1Messenger)',
  'function initialize(address superchainConfig, address portal, address systemConfig)',
  'function initialize(address disputeGameFactory, address systemConfig, address superchainConfig, uint32 gameType)',
  'struct ResourceConfig { uint32 maxResourceLimit; uint8 elasticityMultiplier; uint8 baseFeeMaxChangeDenominator; uint32 minimumBaseFee; uint32 systemTxMaxGas; uint128 maximumBaseFee; }',
  'struct Addresses { address l1CrossDomainMessenger; address l1ERC721Bridge; address l1StandardBridge; address disputeGameFactory; address optimismPortal; address optimismMintableERC20Factory; address gasPayingToken; }',
  'function initialize(address owner, uint32 basefeeScalar, uint32 blobbasefeeScalar, bytes32 batcherHash, uint64 gasLimit, address unsafeBlockSigner, ResourceConfig config, address batchInbox, Addresses addresses)',
])

function settledOn({ id }: ChainDefinition) {
  return chains.flatMap((chain) => {
    const settlement = settlementOf(chain)
    return settlement?.chainId === id ? [settlement] : []
  })
}

export function canonicalPlacements(
  chain: ChainDefinition,
  code: (key: string) => Hex,
): Placement[] {
  const deposits = settledOn(chain)
  const shared = deposits.length > 0 ? superchainPlacements(code) : []
  const own = settlementOf(chain) ? messengerPlacements(code) : []
  return [...shared, ...deposits.flatMap((one) => depositPlacements(one, code)), ...own]
}

function superchainPlacements(code: (key: string) => Hex): Placement[] {
  return [{ address: superchainConfig, creationCode: code('opSuperchainConfig') }]
}

function depositPlacements(
  { systemConfig, portal, messenger: address }: ReturnType<typeof settledOn>[number],
  code: (key: string) => Hex,
): Placement[] {
  return [
    { address: systemConfig, creationCode: code('opSystemConfig') },
    {
      address: portal,
      creationCode: code('opPortal'),
      types: parseAbiParameters('uint256, uint256'),
      args: withdrawalDelays,
    },
    { address, creationCode: code('opMessengerL1') },
  ]
}

function messengerPlacements(code: (key: string) => Hex): Placement[] {
  return [
    { address: messenger, creationCode: code('opMessengerL2') },
    { address: messagePasser, creationCode: code('opMessagePasser') },
  ]
}

/** Queues the transactions; the caller mines. */
export async function openCanonical(
  chain: ChainWriter,
  deployer: Address,
  definition: ChainDefinition,
): Promise<void> {
  const deposits = settledOn(definition)
  const own = settlementOf(definition)
  const calls: [Address, readonly unknown[]][] = [
    ...(deposits.length > 0 ? [callOf(superchainConfig, [deployer, false])] : []),
    ...deposits.flatMap(({ systemConfig, portal, messenger: address }) => [
      callOf(systemConfig, systemArguments(deployer, portal, address)),
      callOf(portal, [zeroAddress, systemConfig, superchainConfig, 0]),
      callOf(address, [superchainConfig, portal, systemConfig]),
    ]),
    ...(own ? [callOf(messenger, [own.messenger])] : []),
  ]
  // Their constructors forbid to initialise what shall stand behind a proxy.
  await chain.all(
    calls.map(([address]) => ({
      method: 'anvil_setStorageAt',
      params: [address, zeroHash, zeroHash],
    })),
  )
  for (const [to, args] of calls) {
    const data = encodeFunctionData({ abi: abi as Abi, functionName: 'initialize', args })
    chain.send({ from: deployer, to, data, gas })
  }
}

function callOf(address: Address, args: readonly unknown[]): [Address, readonly unknown[]] {
  return [address, args]
}

function systemArguments(owner: Address, portal: Address, messengerL1: Address): unknown[] {
  const addresses = {
    l1CrossDomainMessenger: messengerL1,
    l1ERC721Bridge: zeroAddress,
    l1StandardBridge: zeroAddress,
    disputeGameFactory: zeroAddress,
    optimismPortal: portal,
    optimismMintableERC20Factory: zeroAddress,
    gasPayingToken: nativeToken,
  }
  return [owner, 0, 0, zeroHash, gasLimit, owner, resources, owner, addresses]
}

/** Pays deposits back as Across settles: a root bundle of the pool's owner, and its leaves, which anybody executes. */
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { sandboxAccount } from '../../../../src/sandbox/accounts.js'
import { bridgeAddresses } from '../../../../src/sandbox/bridges/bridge-addresses.js'
import { definitionOf } from '../relayed-sandboxes.js'
import type { Rpc } from './books.js'
import { alice } from './forms.js'

const abi = parseAbi([
  'struct Leaf { uint256 amountToReturn; uint256 chainId; uint256[] refundAmounts; uint32 leafId; address l2TokenAddress; address[] refundAddresses; }',
  'function relayRootBundle(bytes32 relayerRefundRoot, bytes32 slowRelayRoot)',
  'function executeRelayerRefundLeaf(uint32 rootBundleId, Leaf leaf, bytes32[] proof) payable',
  'event RelayedRootBundle(uint32 indexed rootBundleId, bytes32 indexed relayerRefundRoot, bytes32 indexed slowRelayRoot)',
])
const leafType = parseAbiParameters([
  'Leaf leaf',
  'struct Leaf { uint256 amountToReturn; uint256 chainId; uint256[] refundAmounts; uint32 leafId; address l2TokenAddress; address[] refundAddresses; }',
])
const gas = numberToHex(8_000_000n)

/** @throws where the pool does not pay. */
export async function refundDeposits(
  rpc: Rpc,
  refunds: readonly { chainId: number; token: Hex; amount: bigint }[],
): Promise<void> {
  const owner = sandboxAccount('deployer').address
  for (const { chainId, token, amount } of refunds) {
    const to = bridgeAddresses(definitionOf(chainId)).spokePool
    const send = async (data: Hex) => {
      const sent = { from: owner, to, data, gas }
      const receipt = await rpc<{ status: Hex; logs: { topics: Hex[] }[] }>(
        chainId,
        'eth_sendTransactionSync',
        [sent],
      )
      if (receipt.status !== '0x1') throw new Error(`The SpokePool of ${chainId} does not settle.`)
      return receipt.logs
    }
    const leaf = {
      amountToReturn: 0n,
      chainId: BigInt(chainId),
      refundAmounts: [amount],
      leafId: 0,
      l2TokenAddress: token,
      refundAddresses: [alice.address],
    }
    const root = keccak256(encodeAbiParameters(leafType, [leaf]))
    const relay = [root, pad('0x01')] as const
    const logs = await send(
      encodeFunctionData({ abi, functionName: 'relayRootBundle', args: relay }),
    )
    const id = Number(logs[0]?.topics[1] ?? '0x0')
    const args = [id, leaf, []] as const
    await send(encodeFunctionData({ abi, functionName: 'executeRelayerRefundLeaf', args }))
  }
}

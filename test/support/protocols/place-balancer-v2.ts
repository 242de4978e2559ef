/** A composable stable pool on the sandbox's Vault of Balancer V2, one of whose tokens has a rate. */
import {
  decodeFunctionResult,
  encodeAbiParameters,
  getContractAddress,
  type Hex,
  maxUint256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress, zeroAddress } from '../../../src/domain/primitives.js'
import { vaultOf } from '../../../src/protocols/balancer-v2/load.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { codeOf, loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { answersSlotZero } from './place-balancer-v3.js'

/** Says what DAI is worth in the pool: the word at slot 0 of its storage. */
export const v2RateProvider: Address = '0x00000000000000000000000000000000000f0a72'
const e18 = 10n ** 18n
const each = 5_000_000n * e18
/** The first two contracts that the factory makes hold the code of its pools. */
const nonceOfFirstPool = 3n

/** DAI, worth 1.05, and FRAX. @returns the pool's record, for import. */
export async function placeRatedBalancerV2(node: NodeWriter): Promise<Pool> {
  const artifacts = await loadArtifacts('.cache/sandbox', () => {})
  const vault = vaultOf(ethereum.venues['balancer-v2'] ?? {})
  const fees = await node.deploy(
    codeOf(artifacts, 'balancerFeeProvider'),
    'address, uint256, uint256',
    [vault, e18 / 2n, e18 / 2n],
  )
  const factory = await node.deploy(
    codeOf(artifacts, 'balancerComposableFactory'),
    'address, address, string, string',
    [vault, fees, '', ''],
  )
  await node.rpc('anvil_setCode', [v2RateProvider, answersSlotZero])
  const [slot, rate] = [0n, (e18 * 105n) / 100n].map((word) => numberToHex(word, { size: 32 }))
  await node.rpc('anvil_setStorageAt', [v2RateProvider, slot, rate])
  const dai = sandboxToken('DAI').address
  const own = [dai, sandboxToken('FRAX').address].sort()
  const rates = own.map((token) => (token === dai ? v2RateProvider : zeroAddress))
  const create =
    'function create(string, string, address[], uint256, address[], uint256[], bool[], uint256, address)'
  await node.send(factory, create, [
    ...['Pool', 'BPT', own, 1_000n, rates, [0n, 0n], [false, false]],
    ...[4n * 10n ** 14n, NodeWriter.owner],
  ])
  const contract = getContractAddress({ from: factory, nonce: nonceOfFirstPool })
  const id = await node.read(toAddress(contract), 'function getPoolId() view')
  const tokens = await tokensOf(node, vault, id)
  await join(node, vault, { id, tokens, own })
  const decimals = tokens.map(() => '18')
  return {
    protocol: 'balancer-v2',
    id,
    address: vault,
    tokens,
    parameters: { kind: 'stable', decimals },
  }
}

/** With the pool's share among them. */
async function tokensOf(node: NodeWriter, vault: Address, id: Hex): Promise<Address[]> {
  const abi = parseAbi([
    'function getPoolTokens(bytes32) view returns (address[], uint256[], uint256)',
  ])
  const data = await node.read(vault, 'function getPoolTokens(bytes32) view', [id])
  const [tokens] = decodeFunctionResult({ abi, data })
  return tokens.map(toAddress)
}

async function join(
  node: NodeWriter,
  vault: Address,
  pool: { readonly id: Hex; readonly tokens: readonly Address[]; readonly own: readonly Address[] },
): Promise<void> {
  const { id, tokens, own } = pool
  for (const token of own) {
    await node.rpc('anvil_dealERC20', [NodeWriter.owner, token, numberToHex(each)])
    await node.send(token, 'function approve(address, uint256)', [vault, maxUint256])
  }
  const deposits = tokens.map((token) => (own.includes(token) ? each : 0n))
  const userData = encodeAbiParameters(parseAbiParameters('uint256, uint256[]'), [0n, deposits])
  const request = '(address[] assets, uint256[] maximums, bytes userData, bool isInternal)'
  await node.send(vault, `function joinPool(bytes32, address, address, ${request})`, [
    id,
    NodeWriter.owner,
    NodeWriter.owner,
    { assets: tokens, maximums: tokens.map(() => maxUint256), userData, isInternal: false },
  ])
}

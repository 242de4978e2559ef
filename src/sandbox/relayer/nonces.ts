/**
 * LayerZero counts messages on both sides. A chain that has been put back counts from where it stood, and the others
 * would refuse its next message as an old one, and it theirs as one that came too early: its counters follow theirs.
 */
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  padHex,
  parseAbi,
} from 'viem'
import type { Address } from '../../domain/primitives.js'
import type { RelayedChain } from './relayed-chain.js'

/** Slots of EndpointV2, of mappings from an account here, the other side's number and the account there. */
const lazyInboundNonce = 1n
const outboundNonce = 3n

const abi = parseAbi([
  'function inboundNonce(address receiver, uint32 srcEid, bytes32 sender) view returns (uint64)',
  'function outboundNonce(address sender, uint32 dstEid, bytes32 receiver) view returns (uint64)',
])
const callGas = 10_000_000n

/**
 * @param isWhole - it stands where it began: what the others had sent to it is forgotten, too. Else it is delivered again.
 */
export async function alignNonces(
  rolledBack: RelayedChain,
  others: readonly RelayedChain[],
  isWhole: boolean,
): Promise<void> {
  for (const other of others) {
    for (const [name, messenger] of rolledBack.bridges.messengers) {
      const remote = other.bridges.messengers.get(name)
      if (remote) await alignPath(rolledBack, messenger, { other, remote, isWhole })
    }
  }
}

/** Of what two contracts send each other. */
async function alignPath(
  rolledBack: RelayedChain,
  messenger: Address,
  of: { readonly other: RelayedChain; readonly remote: Address; readonly isWhole: boolean },
): Promise<void> {
  const { other, remote, isWhole } = of
  const { endpoint, eid } = rolledBack.bridges
  const localPath = [messenger, other.bridges.eid, padHex(remote)] as const
  const remotePath = [remote, eid, padHex(messenger)] as const
  const ask = (chain: RelayedChain, data: Hex) =>
    chain.call(messenger, { to: chain.bridges.endpoint, data, gas: callGas })
  const reached = encodeFunctionData({ abi, functionName: 'inboundNonce', args: remotePath })
  const sent = encodeFunctionData({ abi, functionName: 'outboundNonce', args: localPath })
  const [there, here] = [await ask(other, reached), await ask(rolledBack, sent)]
  // What it has sent before and still waits keeps its number.
  if (there && here && BigInt(there) > BigInt(here)) {
    await rolledBack.setStorage(endpoint, slotOf(outboundNonce, localPath), there)
  }
  if (!isWhole) return
  const data = encodeFunctionData({ abi, functionName: 'outboundNonce', args: remotePath })
  const nonce = await ask(other, data)
  if (nonce) await rolledBack.setStorage(endpoint, slotOf(lazyInboundNonce, localPath), nonce)
}

function slotOf(slot: bigint, keys: readonly [Address, number, Hex]): Hex {
  const [account, eid, other] = keys
  const types = [{ type: 'uint256' }, { type: 'uint256' }] as const
  const nested = [BigInt(account), BigInt(eid), BigInt(other)].reduce<bigint>(
    (base, key) => BigInt(keccak256(encodeAbiParameters(types, [key, base]))),
    slot,
  )
  return padHex(`0x${nested.toString(16)}`, { size: 32 })
}

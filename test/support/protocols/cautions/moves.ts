/** What moves a chain or a word of its storage without a trade. */
import { type Hex, numberToHex } from 'viem'
import type { Address } from '../../../../src/domain/primitives.js'
import type { NodeWriter } from '../../nodes/node-writer.js'

/** A block so many seconds after the newest. */
export async function later(node: NodeWriter, seconds: number): Promise<void> {
  const timestamp = await timeOf(node)
  await node.rpc('evm_setNextBlockTimestamp', [numberToHex(timestamp + BigInt(seconds))])
  await node.rpc('evm_mine', [])
}

/** Of the newest block, unix seconds. */
export async function timeOf(node: NodeWriter): Promise<bigint> {
  const block = await node.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  return BigInt(block.timestamp)
}

/** The word, less so many millionths of it. */
export async function shrink(
  node: NodeWriter,
  address: Address,
  slot: Hex,
  ppm: bigint,
): Promise<void> {
  const word = BigInt(await node.rpc<Hex>('eth_getStorageAt', [address, slot, 'latest']))
  const less = numberToHex((word * (1_000_000n - ppm)) / 1_000_000n, { size: 32 })
  await node.rpc('anvil_setStorageAt', [address, slot, less])
}

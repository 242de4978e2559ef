/** The newest block of a node as a pin, read by the test itself. */
import type { BlockPin, Hex } from '../../src/domain/primitives.js'
import { createRpcClient } from '../../src/rpc/json-rpc.js'

export async function readPin(url: string): Promise<BlockPin> {
  const client = createRpcClient(url)
  const block = await client.request<Record<string, Hex>>('eth_getBlockByNumber', ['latest', false])
  const chainId = Number(await client.request<Hex>('eth_chainId'))
  await client.close()
  const field = (name: string): Hex => block[name] ?? '0x0'
  return {
    chainId,
    number: BigInt(field('number')),
    hash: field('hash'),
    parentHash: field('parentHash'),
    timestamp: BigInt(field('timestamp')),
    baseFeePerGas: BigInt(field('baseFeePerGas')),
    gasUsed: BigInt(field('gasUsed')),
    gasLimit: BigInt(field('gasLimit')),
  }
}

/** A block of a node as a pin, the newest unless a number is given; read by the test itself. */
import { numberToHex } from 'viem'
import type { HardFork } from '../../src/domain/hard-forks.js'
import { type BlockPin, type Hex, zeroAddress } from '../../src/domain/primitives.js'
import { createRpcClient } from '../../src/rpc/node/json-rpc.js'

export async function readPin(url: string, number?: number): Promise<BlockPin> {
  const client = createRpcClient(url)
  const tag = number === undefined ? 'latest' : numberToHex(number)
  const block = await client.request<Record<string, Hex>>('eth_getBlockByNumber', [tag, false])
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
    miner: field('miner'),
    extraData: block.extraData ?? '0x',
    difficulty: BigInt(field('difficulty')),
    shownHardFork: shown(block),
  }
}

function shown(block: Readonly<Record<string, Hex>>): HardFork {
  if (block.requestsHash) return 'prague'
  if (block.parentBeaconBlockRoot) return 'cancun'
  if (block.withdrawalsRoot) return 'shanghai'
  return block.baseFeePerGas ? 'london' : 'berlin'
}

/** A block without a chain, whose hash is its number. */
export function pinOf(chainId: number, number: number): BlockPin {
  return {
    chainId,
    number: BigInt(number),
    hash: `0x${number.toString(16).padStart(64, '0')}`,
    parentHash: `0x${(number - 1).toString(16).padStart(64, '0')}`,
    timestamp: 1_750_000_000n,
    baseFeePerGas: 1n,
    gasUsed: 1n,
    gasLimit: 2n,
    miner: zeroAddress,
    extraData: '0x',
    difficulty: 0n,
    shownHardFork: 'prague',
  }
}

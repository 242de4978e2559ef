/** Hash of a block header, computed from its own fields. */
import { type Hex, keccak256, toRlp } from 'viem'

/** In the order of the RLP list; quantities are integers without leading zeros, the rest is bytes as printed. */
export const headerFields: readonly (readonly [name: string, kind: 'bytes' | 'quantity'])[] = [
  ['parentHash', 'bytes'],
  ['sha3Uncles', 'bytes'],
  ['miner', 'bytes'],
  ['stateRoot', 'bytes'],
  ['transactionsRoot', 'bytes'],
  ['receiptsRoot', 'bytes'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'quantity'],
  ['number', 'quantity'],
  ['gasLimit', 'quantity'],
  ['gasUsed', 'quantity'],
  ['timestamp', 'quantity'],
  ['extraData', 'bytes'],
  ['mixHash', 'bytes'],
  ['nonce', 'bytes'],
  ['baseFeePerGas', 'quantity'], // London, EIP-1559
  ['withdrawalsRoot', 'bytes'], // Shanghai, EIP-4895
  ['blobGasUsed', 'quantity'], // Cancun, EIP-4844
  ['excessBlobGas', 'quantity'],
  ['parentBeaconBlockRoot', 'bytes'], // EIP-4788
  ['requestsHash', 'bytes'], // Prague, EIP-7685
]

/** How many of them every header has. */
export const fieldsOfAll = 15

/**
 * Keccak-256 of the RLP of the header fields; fields of later forks count when the block has them.
 *
 * @param block - as eth_getBlockByNumber gives it.
 * @throws When a field has no hexadecimal value.
 */
export function headerHash(block: Readonly<Record<string, unknown>>): Hex {
  const list: Hex[] = []
  for (const [name, kind] of headerFields) {
    const value = block[name]
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') throw new TypeError(`${name} is not hexadecimal`)
    list.push(kind === 'quantity' ? integerBytes(value) : (value as Hex))
  }
  return keccak256(toRlp(list))
}

function integerBytes(value: string): Hex {
  const number = BigInt(value)
  if (number === 0n) return '0x'
  const digits = number.toString(16)
  return `0x${digits.length % 2 ? '0' : ''}${digits}`
}

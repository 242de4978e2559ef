/** Block headers in RLP, and as nodes print them. */
import { fromRlp, type Hex, keccak256, numberToHex, toRlp } from 'viem'

/** In the order of the RLP list; quantities are integers without leading zeros, the rest is bytes as printed. */
const headerFields: readonly (readonly [name: string, kind: 'bytes' | 'quantity'])[] = [
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

/**
 * The RLP of the header fields; fields of later forks count when the block has them.
 *
 * @param block - as eth_getBlockByNumber gives it.
 * @throws When a field has no hexadecimal value.
 */
export function headerRlp(block: Readonly<Record<string, unknown>>): Hex {
  const list: Hex[] = []
  for (const [name, kind] of headerFields) {
    const value = block[name]
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') throw new TypeError(`${name} is not hexadecimal`)
    list.push(kind === 'quantity' ? integerBytes(value) : (value as Hex))
  }
  return toRlp(list)
}

/** Keccak-256 of `headerRlp`. */
export function headerHash(block: Readonly<Record<string, unknown>>): Hex {
  return keccak256(headerRlp(block))
}

/** The fields of a header as nodes print them. */
export function printedHeader(rlp: Hex): Readonly<Record<string, Hex>> {
  const fields = fromRlp(rlp, 'hex') as readonly Hex[]
  return Object.fromEntries(
    headerFields.slice(0, fields.length).map(([name, kind], at) => {
      const field = fields[at] ?? '0x'
      return [name, kind === 'quantity' ? numberToHex(BigInt(`0x0${field.slice(2)}`)) : field]
    }),
  )
}

function integerBytes(value: string): Hex {
  const number = BigInt(value)
  if (number === 0n) return '0x'
  const digits = number.toString(16)
  return `0x${digits.length % 2 ? '0' : ''}${digits}`
}

/**
 * Block headers from JSON-RPC: computes their hash from their own fields, and makes the pin that the service uses.
 */
import { keccak256, toRlp } from 'viem'
import { z } from 'zod'
import type { HardFork } from '../../domain/hard-forks.js'
import { type BlockPin, type Hex, toAddress, zeroAddress } from '../../domain/primitives.js'

const hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform((value) => value.toLowerCase() as Hex)
const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform((value) => BigInt(value))

const pinFields = z.object({
  number: quantity,
  hash,
  parentHash: hash,
  timestamp: quantity,
  // Absent or null before London.
  baseFeePerGas: quantity.nullish(),
  gasUsed: quantity,
  gasLimit: quantity,
  // A recording may hold headers without them.
  miner: z
    .string()
    .regex(/^0x[0-9a-f]{40}$/i)
    .transform(toAddress)
    .catch(zeroAddress),
  extraData: z
    .string()
    .regex(/^0x([0-9a-f]{2})*$/i)
    .transform((value) => value.toLowerCase() as Hex)
    .catch('0x'),
  difficulty: quantity.catch(0n),
})

/** A block as eth_getBlockByNumber gives it, with hashes of its transactions or the transactions. */
export type BlockJson = Readonly<Record<string, unknown>>

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
 * Keccak-256 of the RLP of the header fields; fields of later forks count when the block has them.
 *
 * @throws When a field has no hexadecimal value.
 */
export function headerHash(block: BlockJson): Hex {
  const list: Hex[] = []
  for (const [name, kind] of headerFields) {
    const value = block[name]
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') throw new TypeError(`${name} is not hexadecimal`)
    list.push(kind === 'quantity' ? integerBytes(value) : (value as Hex))
  }
  return keccak256(toRlp(list))
}

/** @returns Null when a field that the pin needs is missing or malformed. */
export function toPin(chainId: number, block: unknown): BlockPin | null {
  const parsed = pinFields.safeParse(block)
  if (!parsed.success) return null
  return {
    chainId,
    ...parsed.data,
    baseFeePerGas: parsed.data.baseFeePerGas ?? 0n,
    shownHardFork: shownHardFork(block as BlockJson),
  }
}

/** Fields with which a hard fork began, newest first. */
const firstFields: readonly (readonly [name: string, hardFork: HardFork])[] = [
  ['requestsHash', 'prague'],
  ['parentBeaconBlockRoot', 'cancun'],
  ['withdrawalsRoot', 'shanghai'],
  ['baseFeePerGas', 'london'],
]

function shownHardFork(block: BlockJson): HardFork {
  const isThere = ([name]: (typeof firstFields)[number]) => typeof block[name] === 'string'
  return firstFields.find(isThere)?.[1] ?? 'berlin'
}

function integerBytes(value: string): Hex {
  const number = BigInt(value)
  if (number === 0n) return '0x'
  const digits = number.toString(16)
  return `0x${digits.length % 2 ? '0' : ''}${digits}`
}

/** The block without its transactions and withdrawals: all that a fork needs, at a tenth of the size. */
export function headerOnly(block: BlockJson): BlockJson {
  const lists = ['transactions', 'withdrawals'].filter((name) => Array.isArray(block[name]))
  return { ...block, ...Object.fromEntries(lists.map((name) => [name, []])) }
}

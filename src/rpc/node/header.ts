/** Block headers from JSON-RPC: makes the pin that the service uses. */
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

/** The block without its transactions and withdrawals: all that a fork needs, at a tenth of the size. */
export function headerOnly(block: BlockJson): BlockJson {
  const lists = ['transactions', 'withdrawals'].filter((name) => Array.isArray(block[name]))
  return { ...block, ...Object.fromEntries(lists.map((name) => [name, []])) }
}

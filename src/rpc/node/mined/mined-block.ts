/** A block with its transactions, as nodes answer it over JSON-RPC: quantities are hexadecimal. */
import { z } from 'zod'
import type { BlockPin, Hex } from '../../../domain/primitives.js'
import type { VerifiedBlock } from '../block-check.js'

const hex = z
  .string()
  .regex(/^0x[0-9a-f]*$/i)
  .transform((text) => text.toLowerCase() as Hex)

/** Further fields stay: a fork that runs the transaction again takes its access list and its fees from them. */
const transactionFields = z.looseObject({
  hash: hex,
  from: hex,
  to: hex.nullable(),
  input: hex,
  value: hex,
  gas: hex,
  gasPrice: hex.default('0x0'),
  blockNumber: hex,
  blockHash: hex,
  transactionIndex: hex,
})

const blockFields = z.object({
  number: hex,
  timestamp: hex,
  miner: hex,
  gasLimit: hex,
  gasUsed: hex,
  logsBloom: hex,
  mixHash: hex.optional(),
  baseFeePerGas: hex.optional(),
  transactions: z.array(transactionFields),
})

/** A transaction of a block. */
export type BlockTransaction = Readonly<z.output<typeof transactionFields>>

export type MinedBlock = Readonly<z.output<typeof blockFields>> & { readonly pin: BlockPin }

/** Null where the block was kept without its transactions. */
export function toMinedBlock({ pin, json }: VerifiedBlock): MinedBlock | null {
  const parsed = blockFields.safeParse(json)
  return parsed.success ? { ...parsed.data, pin } : null
}

import type { Hex } from '../domain/primitives.js'

/** A transaction as nodes answer it over JSON-RPC; quantities are hexadecimal. */
export interface MinedTransaction {
  readonly hash: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly input: Hex
  readonly value: Hex
  readonly gas: Hex
  readonly gasPrice: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly transactionIndex: Hex
}

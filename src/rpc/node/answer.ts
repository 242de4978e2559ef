/** What can be asked of the nodes of a chain, and the answer that they give together. */
import type { Hex } from '../../domain/primitives.js'

export interface BlockRef {
  readonly number: bigint
  readonly hash: Hex
}

/** `ok: false`: every node that answers says that it does not have this. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string }

/** Storage root, balance in wei and nonce of one account at one block, in their stored form. */
export interface AccountProof {
  readonly storageHash: Hex
  readonly balance: Hex
  readonly nonce: Hex
}

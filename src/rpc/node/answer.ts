/** What the nodes of a chain are asked about, and what they answer together. */
import type { Hex } from '../../domain/primitives.js'

export interface BlockRef {
  readonly number: bigint
  readonly hash: Hex
}

/** `ok: false`: every node that answers says that it does not have this. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string }

/** Of one account at one block: root of its storage, balance in wei and nonce, in their stored form. */
export interface AccountProof {
  readonly storageHash: Hex
  readonly balance: Hex
  readonly nonce: Hex
}

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

/** Nodes of an account's storage trie from its root down to a slot. */
export interface SlotProof {
  readonly storageHash: Hex
  readonly proof: readonly Hex[]
}

/** Storage root, balance in wei and nonce of one account at one block, in their stored form. */
export interface AccountProof {
  readonly storageHash: Hex
  readonly balance: Hex
  readonly nonce: Hex
}

/** One call to a node with the check of its answer, and its outcome. */
import type { RpcCall } from './json-rpc.js'
import type { ItemKey } from './state-item.js'

/** Result of the check of an answer. odd: it may be another one next time; `lie`, told twice, sets the node aside. */
export type Judgement =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused' | 'odd' | 'lie'; readonly message: string }

export interface NodeRequest {
  readonly call: RpcCall
  readonly judge: (value: unknown) => Judgement
  /** Of a read of state: many of one block may be read together (`bulk/`). */
  readonly read?: StateRead
  /** The value is a State: many values by one call, which goes its own way. */
  readonly bringsState?: true
}

export interface StateRead {
  readonly key: ItemKey
  /** The block as the node takes it, and its number. */
  readonly block: unknown
  readonly number: bigint
}

/**
 * refused: the node does not have it. odd: an answer that may be another one next time.
 * failed: no usable answer from this node this time.
 */
export type Outcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused' | 'odd' | 'failed'; readonly message: string }

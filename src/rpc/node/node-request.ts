/** One call to a node with the judgement of its answer, and what became of it. */
import type { RpcCall } from './json-rpc.js'

/** What the receiver thinks of an answer; `lie` sets the node aside. */
export type Judgement =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused' | 'lie'; readonly message: string }

export interface NodeRequest {
  readonly call: RpcCall
  readonly judge: (value: unknown) => Judgement
}

/**
 * refused: answered, and does not have it. fault: an internal error about this call, which may pass.
 * failed: no usable answer from this node this time.
 */
export type Outcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused' | 'fault' | 'failed'; readonly message: string }

/** A request whose answer is taken as it is. */
export function plain(method: string, params: readonly unknown[]): NodeRequest {
  return { call: { method, params }, judge: (value) => ({ kind: 'value', value }) }
}

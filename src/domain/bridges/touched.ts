import type { Address } from '../primitives.js'

/** What an order does with tokens, as far as they keep it by account. */
export interface Touched {
  readonly tokens: readonly Address[]
  /** Whom it lets take a token. */
  readonly approvals: readonly { readonly token: Address; readonly spender: Address }[]
}

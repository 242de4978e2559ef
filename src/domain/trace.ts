/** What a simulated transaction does: its calls, decoded, and who pays whom. */
import type { Address, Hex, TokenAmount } from './primitives.js'

/** One call and those that it makes. Structured-clonable. */
export interface TracedCall {
  readonly type: string
  readonly from: Address
  /** Null of a contract creation that failed. */
  readonly to: Address | null
  /** Name of the function; null where it is not known. */
  readonly function: string | null
  /** First four bytes of the data; null where there are fewer. */
  readonly selector: Hex | null
  /** In their order, as text; null where they are not known. */
  readonly args: readonly { readonly name: string; readonly value: string }[] | null
  /** Wei. */
  readonly value: bigint
  readonly gasUsed: bigint
  /** Why it failed; null: it did not. */
  readonly error: string | null
  readonly calls: readonly TracedCall[]
}

/** Raw units of a token that went from one account to another; native by its constant. */
export interface Movement extends TokenAmount {
  readonly from: Address
  readonly to: Address
}

export interface TransactionTrace {
  /** Null where others have to run before it, which a trace cannot show. */
  readonly call: TracedCall | null
  /** Calls that are left out because there are too many. */
  readonly omittedCalls: number
  /** One for each token and pair of accounts. */
  readonly movements: readonly Movement[]
  readonly omittedMovements: number
  /** What is known of the addresses in it: symbols of tokens, the contracts of forkroute. */
  readonly names: Readonly<Record<Address, string>>
}

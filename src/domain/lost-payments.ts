/** What would be lost by whom it is paid to. Pure. */
import type { Address } from './primitives.js'

/**
 * Why the address may not be paid, to be said after its name: what the contract of a token is paid of it is lost, and native
 * that its wrapped token is paid is credited to the payer. Null where it may.
 *
 * @param tokens - those that are paid; native as its wrapped token where that is known.
 */
export function whyLost(address: Address, tokens: readonly Address[]): string | null {
  return tokens.includes(address)
    ? "is the contract of a token that goes in or comes out: what a token's own contract is paid is lost"
    : null
}

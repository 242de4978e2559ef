/** Descriptions and checks of arguments that several protocols' actions share. */
import type { Amount } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import type { ActionContext } from '../positions.js'

export const addressArgument = (description: string) => ({ kind: 'address', description }) as const

export const optionalAddress = (description: string) =>
  ({ kind: 'address', description, optional: true }) as const

export const amountArgument = (description: string) => ({ kind: 'amount', description }) as const

/** An address in words, which complete "must be …". */
export interface NamedAddress {
  readonly address: Address
  readonly what: string
}

/** Refuses an argument that is given but is not the expected address. */
export function expectAddress(
  context: Pick<ActionContext, 'refuse'>,
  argument: string,
  given: Address | undefined,
  expected: Address | NamedAddress,
): void {
  const { address, what } =
    typeof expected === 'string' ? { address: expected, what: expected } : expected
  if (given !== undefined && given !== address) context.refuse(argument, what)
}

export const stakedToken = (address: Address): NamedAddress => ({
  address,
  what: `the token that is staked, ${address}`,
})

export const stakeOwner = (address: Address): NamedAddress => ({
  address,
  what: `${address}, who makes the call and so owns the stake`,
})

/**
 * Amounts in the order of a pool's tokens, 0n for tokens that are not named. Refuses tokens that the pool does not
 * hold, an empty list, duplicates, and lists of different lengths.
 *
 * @param pool.called - what the protocol calls its tokens.
 */
export function amountsInOrder(
  context: Pick<ActionContext, 'refuse'>,
  pool: { readonly tokens: readonly Address[]; readonly called: 'coins' | 'tokens' },
  tokens: { readonly argument: string; readonly given: readonly Address[] },
  amounts: { readonly argument: string; readonly given: readonly Amount[] },
): Amount[] {
  const { given } = tokens
  const isForeign = given.some((token) => !pool.tokens.includes(token))
  if (isForeign || given.length === 0 || new Set(given).size !== given.length) {
    context.refuse(
      tokens.argument,
      `${pool.called} of the pool, each once: ${pool.tokens.join(', ')}`,
    )
  }
  if (amounts.given.length !== given.length) {
    context.refuse(amounts.argument, `one amount for each token, ${given.length}`)
  }
  return pool.tokens.map((token) => amounts.given[given.indexOf(token)] ?? 0n)
}

/** What front-run cases of all kinds of protocols share. */
import type { Address } from '../../../../src/domain/primitives.js'
import { sandboxToken } from '../../../../src/sandbox/tokens.js'
import type { Action } from '../../bundle.js'
import type { Move } from '../../front-run.js'
import type { ActionCase } from '../action-cases.js'

/** What a contract says after the transaction, raw units. */
export interface Fact {
  readonly to: Address
  /** Of a view whose word is read. */
  readonly signature: string
  readonly args: readonly unknown[]
  /** Of the words that it returns; the first if absent. */
  readonly word?: number
  readonly least: bigint
  readonly most: bigint
}

/** Reads a word of what a view returns. */
type Read = (
  to: Address,
  signature: string,
  args: readonly unknown[],
  word?: number,
) => Promise<bigint>

/** What somebody has, or owes, without a token; raw units. */
export interface Holding {
  readonly isDebt?: true
  of(read: Read): Promise<bigint>
}

export function holding(
  to: Address,
  signature: string,
  args: readonly unknown[],
  word?: number,
): Holding {
  return { of: (read) => read(to, signature, args, word) }
}

export const owing = (...args: Parameters<typeof holding>): Holding => ({
  ...holding(...args),
  isDebt: true,
})

type Own = Partial<Pick<ActionCase, 'actions' | 'holder' | 'routingStrategy'>> & {
  readonly keeps?: string
  readonly mayGain?: boolean
  readonly reason?: RegExp
  readonly after?: Fact
  readonly holdings?: readonly Holding[]
}

export const ether = 10n ** 18n
export const million = 10n ** 6n

export function token(symbol: string): Address {
  return sandboxToken(symbol).address
}

export const act = (
  protocol: string,
  action: string,
  args: Record<string, unknown>,
): readonly Action[] => [{ protocol, action, args }]

export const unit = 'A unit of the share is a unit of the token.'
export const exact = 'The amount is stated, and the contract pays it or fails.'
export const debt = 'The debt falls by what is paid; the rest comes back.'

/** Of an action, by protocol and name; the second move goes the other way. */
export type Entry = readonly [name: string, moves: readonly [Move, Move], own?: Own]

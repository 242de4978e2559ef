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

type Own = Partial<Pick<ActionCase, 'actions' | 'holder' | 'routingStrategy'>> & {
  readonly keeps?: string
  readonly mayGain?: boolean
  readonly reason?: RegExp
  readonly after?: Fact
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

/** Of an action, by protocol and name. */
export type Entry = readonly [name: string, move: Move, own?: Own]

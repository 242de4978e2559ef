/** Pools and venues as they are declared, with what their text says. Pure. */
import type { AbiFunction } from 'viem'
import {
  type DeclaredCall,
  type DeclaredCalls,
  type DeclaredLimit,
  type DeclaredPool,
  type DeclaredVenue,
  parseFunction,
  usesName,
} from '../../../domain/declared-venue.js'
import type { Pool } from '../../pool.js'
import type { Direction } from '../../protocol.js'

/** The calls of one direction with what their text says. */
export interface Calls extends DeclaredCalls {
  readonly quoteAbi: AbiFunction
  readonly swapAbi: AbiFunction
  readonly limits: readonly { readonly limit: DeclaredLimit; readonly abi: AbiFunction }[]
  /** Whether the swap can pay another address than the one that calls. */
  readonly paysRecipient: boolean
}

/** A venue with what its text says. */
export interface Venue extends DeclaredVenue {
  /** Of a token that stands before the other one in the pool, and of one that stands behind it. */
  readonly calls: readonly [forward: Calls, backward: Calls]
}

/** What is known of a pool without reading the chain. */
export interface DeclaredEntry {
  readonly pool: Pool
  readonly venue: Venue
  readonly declared: DeclaredPool
}

/** @throws RangeError for a function that is none. */
export function toVenue(declared: DeclaredVenue): Venue {
  const forward = toCalls(declared)
  return { ...declared, calls: [forward, declared.reverse ? toCalls(declared.reverse) : forward] }
}

function toCalls({ quote, swap }: DeclaredCalls): Calls {
  return {
    quote,
    swap,
    quoteAbi: functionOf(quote),
    swapAbi: functionOf(swap),
    limits: quote.limits.map((limit) => ({ limit, abi: functionOf(limit) })),
    paysRecipient: usesName(swap.args, 'recipient'),
  }
}

function functionOf({ function: signature }: DeclaredCall): AbiFunction {
  const found = parseFunction(signature)
  if (found) return found
  throw new RangeError(`This is no function: ${signature}`)
}

/** The calls by which the pool swaps in the direction. */
export function callsOf(
  { venue, declared }: DeclaredEntry,
  { tokenIn, tokenOut }: Direction,
): Calls {
  const { tokens } = declared
  const [forward, backward] = venue.calls
  return tokens.indexOf(tokenIn) < tokens.indexOf(tokenOut) ? forward : backward
}

/** Whether declared venues pay what they quote, at the operator's nodes: the part of `forkroute venues check` that asks. */
import type { ChainDefinition } from '../chains/chain.js'
import { type Address, bpsOf, type Hex } from '../domain/primitives.js'
import type { ReadCall, ReadResult } from '../domain/state.js'
import { declaredSlug, entriesOf } from '../protocols/declared/venue.js'
import { callsOf, type DeclaredEntry } from '../protocols/shared/declared/entry.js'
import {
  boundDirections,
  quotable,
  quoteCall,
  quotedAmount,
} from '../protocols/shared/declared/load.js'

export interface VenueFinding {
  readonly venue: string
  readonly chainId: number
  readonly pool: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Raw units; null: how much could be swapped is not known. */
  readonly amountIn: bigint | null
  readonly quoted: bigint | null
  readonly swapped: bigint | null
  /** What is not as it should be; null: the swap gives what was quoted. */
  readonly problem: string | null
}

/** A swap through one pool alone. */
export interface CheckedSwap {
  readonly chainId: number
  readonly pool: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
}

export interface VenueSource {
  /** Calls at the block of the swaps. @throws Error where the call reverts. */
  call(chainId: number, call: ReadCall): Promise<Hex>
  /** Carries a swap out in simulation. @returns the amount out, or why there is none. */
  swap(swap: CheckedSwap): Promise<bigint | string>
}

/** A quote is made for this part of the largest amount. */
const part = 1_000n
const tolerancePercent = 0.01

/** One finding for each direction of each pool of the chain. */
export async function checkVenues(
  { id: chainId, venues }: ChainDefinition,
  source: VenueSource,
): Promise<VenueFinding[]> {
  const findings: VenueFinding[] = []
  for (const entry of entriesOf(venues[declaredSlug] ?? {}).values()) {
    for (const tokenIn of entry.declared.tokens) {
      for (const tokenOut of entry.declared.tokens) {
        if (tokenIn === tokenOut) continue
        findings.push(await checkDirection({ chainId, entry, tokenIn, tokenOut }, source))
      }
    }
  }
  return findings
}

async function checkDirection(
  {
    chainId,
    entry,
    tokenIn,
    tokenOut,
  }: Pick<CheckedSwap, 'chainId' | 'tokenIn' | 'tokenOut'> & { readonly entry: DeclaredEntry },
  source: VenueSource,
): Promise<VenueFinding> {
  const { venue, pool } = entry
  const direction = { tokenIn, tokenOut }
  const known = { venue: venue.name, chainId, pool: pool.id, tokenIn, tokenOut }
  const nothing = { amountIn: null, quoted: null, swapped: null }
  const ask = (call: ReadCall): Promise<ReadResult> =>
    source.call(chainId, call).then(
      (value) => ({ ok: true, value }) as const,
      (error: Error) => ({ ok: false, reason: 'reverted', message: error.message }) as const,
    )
  const reader = { call: (calls: readonly ReadCall[]) => Promise.all(calls.map(ask)) }
  const [bounded] = await boundDirections(reader, [{ subject: entry, direction }])
  const largest = bounded?.mostIn ?? 0n
  if (largest < part) {
    return {
      ...known,
      ...nothing,
      problem: callsOf(entry, direction).limits.length
        ? 'Its limits leave nothing to swap, or its holder has none of the token.'
        : 'Its holder has none of the token, and largest is absent.',
    }
  }
  const amountIn = quotable(entry, direction, largest / part)
  if (amountIn === 0n) {
    return {
      ...known,
      ...nothing,
      problem: 'The function that quotes does not take its arguments.',
    }
  }
  const answer = await ask(quoteCall(entry, direction, amountIn))
  const quoted = quotedAmount(entry, direction, answer)
  if (quoted === null || quoted <= 0n) {
    const reason = answer.ok ? `it returns ${answer.value}.` : answer.message
    return { ...known, ...nothing, amountIn, problem: `The quote fails: ${reason}` }
  }
  const swapped = await source.swap({ chainId, pool: pool.id, tokenIn, tokenOut, amountIn })
  if (typeof swapped === 'string') {
    return { ...known, ...nothing, amountIn, quoted, problem: `The swap fails: ${swapped}` }
  }
  const percent = bpsOf(swapped - quoted, quoted) / 100
  const problem =
    Math.abs(percent) > tolerancePercent
      ? `The swap gives ${Math.abs(percent)} % ${percent < 0 ? 'less' : 'more'} than the quote.`
      : null
  return { ...known, amountIn, quoted, swapped, problem }
}

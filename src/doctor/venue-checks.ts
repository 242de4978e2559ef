/** Whether declared venues pay what they quote, at the operator's nodes: the part of `forkroute venues check` that asks. */
import { decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem'
import type { ChainDefinition } from '../chains/chain.js'
import { type Address, bpsOf, type Hex } from '../domain/primitives.js'
import type { ReadCall } from '../domain/state.js'
import { contractOf, quotable, quoteCall, quotedAmount } from '../protocols/declared/load.js'
import { type DeclaredEntry, declaredSlug, entriesOf } from '../protocols/declared/venue.js'

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
  const known = { venue: venue.name, chainId, pool: pool.id, tokenIn, tokenOut }
  const nothing = { amountIn: null, quoted: null, swapped: null }
  const largest = await largestOf(entry, tokenIn, (call) => source.call(chainId, call))
  if (largest < part) {
    return {
      ...known,
      ...nothing,
      problem: 'Its holder has none of the token, and largest is absent.',
    }
  }
  const amountIn = quotable(entry, { tokenIn, tokenOut }, largest / part)
  if (amountIn === 0n) {
    return {
      ...known,
      ...nothing,
      problem: 'The function that quotes does not take its arguments.',
    }
  }
  const asked = quoteCall(entry, { tokenIn, tokenOut }, amountIn)
  const answer = await source.call(chainId, asked).then(
    (value) => ({ ok: true, value }) as const,
    (error: Error) => ({ ok: false, reason: 'reverted', message: error.message }) as const,
  )
  const quoted = quotedAmount(venue, answer)
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

/** Raw units; 0n where the token does not tell a balance. */
async function largestOf(
  { venue, declared }: DeclaredEntry,
  token: Address,
  ask: (call: ReadCall) => Promise<Hex>,
): Promise<bigint> {
  const stated = declared.largest?.[declared.tokens.indexOf(token)]
  if (stated !== undefined) return BigInt(stated)
  const balance = { abi: erc20Abi, functionName: 'balanceOf' } as const
  const args = [contractOf(venue.holder, declared.address)] as const
  try {
    const data = await ask({ to: token, data: encodeFunctionData({ ...balance, args }) })
    return decodeFunctionResult({ ...balance, data })
  } catch {
    return 0n
  }
}

/**
 * What a contract that runs swaps of pools with their hooks is asked, and by whom. Reads place its code where hooks are to see
 * the swapper. Venue parameters: `quoterCode`, `quoterSwappers`, `quoterSenders` and `quoterPairs`.
 */
import type { VenueParameters } from '../../../chains/chain.js'
import type { Hex } from '../../../domain/primitives.js'
import type { ReadCall } from '../../../domain/state.js'
import { addressesOf } from '../parameters.js'

/** What one swap may use: nine times a plain one, so that hooks that burn more swap nothing. */
export const gasOfSwap = 1_000_000n

/** Tokens by their places in the pool. */
export interface PoolSwap {
  readonly tokenIn: number
  readonly tokenOut: number
  /** Raw units, > 0. */
  readonly amountIn: bigint
}

export interface SwapResult {
  /** Raw units of tokenIn, and of tokenOut. */
  readonly spent: bigint
  readonly amountOut: bigint
  readonly gasUsed: bigint
}

/** Whom the hooks see, and when. */
export interface Viewpoint {
  /** Who swaps, and who has sent the transaction: the first is our own swapper, asked as quotes are. */
  readonly sender: 0 | 1
  /** Unix seconds. */
  readonly timestamp: bigint
}

/** Whether the service runs hooks that no list names. */
export function runsHooks({ quoterCode }: VenueParameters): boolean {
  return quoterCode !== undefined
}

/** Pairs that are run of a pool of so many tokens that not all are; null: such pools are left out. */
export function mostPairs({ quoterPairs }: VenueParameters): number | null {
  return typeof quoterPairs === 'number' ? quoterPairs : null
}

/** The place and the code of a call to the quoter. */
export function placed(
  { quoterCode, quoterSwappers, quoterSenders }: VenueParameters,
  sender: Viewpoint['sender'],
): Required<Pick<ReadCall, 'to' | 'from' | 'overrides'>> {
  const to = addressesOf(quoterSwappers)[sender]
  const from = addressesOf(quoterSenders)[sender]
  if (!to || !from) throw new RangeError('The venue has no quoter.')
  return { to, from, overrides: { [to]: { code: String(quoterCode) as Hex } } }
}

/** By row; null where one of its swaps fails. */
export function servedRows(
  rows: readonly (readonly SwapResult[])[],
): (readonly SwapResult[] | null)[] {
  return rows.map((results) => (results.length > 0 ? results : null))
}

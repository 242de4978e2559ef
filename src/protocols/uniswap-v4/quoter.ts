/**
 * Swaps of pools, run with their hooks by the PoolManager itself, and taken back. Our UniswapV4Quoter does it, whose code
 * the reads place where hooks are to see the swapper. Venue parameters: `quoterCode`, `quoterSwappers` and `quoterSenders`.
 */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import type { Hex } from '../../domain/primitives.js'
import type { ReadCall, ReadResult } from '../../domain/state.js'
import type { Pool } from '../pool.js'
import { addressesOf } from '../shared/parameters.js'
import { keyOf } from './pool-key.js'

/** What one swap may use: nine times a plain one, so that hooks that burn more swap nothing. */
export const gasOfSwap = 1_000_000n

const abi = parseAbi([
  'struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Wanted { bool zeroForOne; uint256 amountIn; }',
  'struct Result { uint256 spent; uint256 amountOut; uint256 gasUsed; }',
  'function quote(address manager, Key key, Wanted[][] rows, uint256 gasOfSwap) returns (Result[][] results)',
  'function holdings(address manager, Key key) view returns (bytes32 codeHash, uint256 held0, uint256 held1)',
])

export interface WantedSwap {
  readonly zeroForOne: boolean
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

/** Each row of swaps starts in the state of the block; its swaps follow each other. */
export function quoteCall(
  venue: VenueParameters,
  pool: Pool,
  rows: readonly (readonly WantedSwap[])[],
  { sender, timestamp }: Viewpoint,
): ReadCall {
  const key = keyOf(pool)
  if (!key) throw new RangeError('A pool without a key is not quoted.')
  const args = [pool.address, key, rows, gasOfSwap] as const
  const data = encodeFunctionData({ abi, functionName: 'quote', args })
  return { ...placed(venue, sender), data, timestamp }
}

/** By row; null where one of its swaps fails. */
export function quotedRows(value: Hex): (readonly SwapResult[] | null)[] {
  const rows = decodeFunctionResult({ abi, functionName: 'quote', data: value })
  return rows.map((results) => (results.length > 0 ? results : null))
}

export function holdingsCall(venue: VenueParameters, pool: Pool): ReadCall {
  const key = keyOf(pool)
  if (!key) throw new RangeError('A pool without a key holds nothing.')
  const args = [pool.address, key] as const
  const data = encodeFunctionData({ abi, functionName: 'holdings', args })
  return { ...placed(venue, 0), data }
}

/** What the hooks hold of both tokens, raw units; nothing where a token does not say it. */
export function heldAmounts(result: ReadResult | undefined): {
  readonly codeHash: Hex | null
  readonly held: readonly [bigint, bigint]
} {
  if (!result?.ok) return { codeHash: null, held: [0n, 0n] }
  const [codeHash, ...held] = decodeFunctionResult({
    abi,
    functionName: 'holdings',
    data: result.value,
  })
  return { codeHash, held }
}

function placed({ quoterCode, quoterSwappers, quoterSenders }: VenueParameters, sender: 0 | 1) {
  const to = addressesOf(quoterSwappers)[sender]
  const from = addressesOf(quoterSenders)[sender]
  if (!to || !from) throw new RangeError('The venue has no quoter.')
  return { to, from, code: String(quoterCode) as Hex }
}

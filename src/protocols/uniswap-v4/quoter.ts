/**
 * Swaps of pools, run with their hooks by the PoolManager itself, and taken back. Our UniswapV4Quoter does it, whose code
 * the reads place where hooks are to see the swapper.
 */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import type { Hex } from '../../domain/primitives.js'
import type { ReadCall, ReadResult } from '../../domain/state.js'
import type { Pool } from '../pool.js'
import {
  gasOfSwap,
  type PoolSwap,
  placed,
  type SwapResult,
  servedRows,
  type Viewpoint,
} from '../shared/hooks/quoter.js'
import { keyOf } from './pool-key.js'

const abi = parseAbi([
  'struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Wanted { bool zeroForOne; uint256 amountIn; }',
  'struct Result { uint256 spent; uint256 amountOut; uint256 gasUsed; }',
  'function quote(address manager, Key key, Wanted[][] rows, uint256 gasOfSwap) returns (Result[][] results)',
  'function holdings(address manager, Key key) view returns (bytes32 codeHash, uint256 held0, uint256 held1)',
])

/** Each row of swaps starts in the state of the block; its swaps follow each other. */
export function quoteCall(
  venue: VenueParameters,
  pool: Pool,
  rows: readonly (readonly PoolSwap[])[],
  { sender, timestamp }: Viewpoint,
): ReadCall {
  const key = keyOf(pool)
  if (!key) throw new RangeError('A pool without a key is not quoted.')
  const wanted = rows.map((swaps) =>
    swaps.map(({ tokenIn, amountIn }) => ({ zeroForOne: tokenIn === 0, amountIn })),
  )
  const args = [pool.address, key, wanted, gasOfSwap] as const
  const data = encodeFunctionData({ abi, functionName: 'quote', args })
  return { ...placed(venue, sender), data, timestamp }
}

/** By row; null where one of its swaps fails. */
export function quotedRows(value: Hex): (readonly SwapResult[] | null)[] {
  return servedRows(decodeFunctionResult({ abi, functionName: 'quote', data: value }))
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

/** Hooks of pools of Uniswap V4 that no list names, run by the PoolManager. */
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import { zip } from '../../domain/lists.js'
import { zeroAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { LoadedPool } from '../protocol.js'
import { type ConcentratedState, concentratedSwap } from '../shared/concentrated/swap.js'
import type { PoolSwap } from '../shared/hooks/quoter.js'
import { type HookedPool, runHooks, type WithHooks } from '../shared/hooks/run.js'
import { hooksOf } from './pool-key.js'
import { heldAmounts, holdingsCall, quoteCall, quotedRows } from './quoter.js'

export type V4State = WithHooks<ConcentratedState>

type Loaded = LoadedPool<ConcentratedState>

/** The pools in the order given, each as it may be used, or why it is left out. */
export function runV4Hooks(
  args: {
    readonly reader: StateReader
    readonly chain: ChainDefinition
    readonly venue: VenueParameters
  },
  pools: readonly Loaded[],
) {
  const { reader, chain, venue } = args
  return runHooks<ConcentratedState>(
    {
      reader,
      chain,
      async describe(wanted) {
        const held = await reader.call(wanted.map(({ pool }) => holdingsCall(venue, pool)))
        return zip(wanted, held).map(([loaded, result]) => hookedPool(loaded, result))
      },
      quoteCall: (pool, rows, viewpoint) => quoteCall(venue, pool, rows, viewpoint),
      quotedRows,
      withoutHooks,
    },
    pools,
  )
}

/** At most half as much again as a constant product at the pool's price and what the hooks hold. */
function hookedPool({ pool, state }: Loaded, result: ReadResult): HookedPool {
  const { codeHash, held } = heldAmounts(result)
  const { sqrtPriceX96, liquidity } = state
  const reserves =
    sqrtPriceX96 === 0n
      ? [0n, 0n]
      : [(liquidity << 96n) / sqrtPriceX96, (liquidity * sqrtPriceX96) >> 96n]
  const largest = zip(reserves, held).map(([reserve, own]) => ((reserve + own) * 3n) / 2n)
  return { contract: hooksOf(pool) ?? zeroAddress, codeHash, largest }
}

function withoutHooks(
  from: ConcentratedState,
  swaps: readonly PoolSwap[],
): readonly bigint[] | null | undefined {
  let state = from
  const amounts: bigint[] = []
  for (const { tokenIn, amountIn } of swaps) {
    const swap = concentratedSwap(state, tokenIn === 0, amountIn)
    if (!swap.exact) return undefined
    if (swap.unspent > 0n || swap.amountOut === 0n) return null
    amounts.push(swap.amountOut)
    state = swap.after()
  }
  return amounts
}

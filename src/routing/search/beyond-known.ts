/**
 * Pools know their liquidity around the price, which is enough for usual amounts, and estimate what lies beyond. Tells which
 * pools the best flows use beyond that, so that more of them is read. Pure.
 */
import { larger } from '../../domain/lists.js'
import type { Address, TokenAmount } from '../../domain/primitives.js'
import { canBeWidened } from '../market/market.js'
import type { MarketPool } from '../market/market-view.js'
import { type Flow, runFlow } from './flow.js'

/**
 * Pools of which more can be read, and which flows use beyond what was read, as far as these flows promise more than any
 * whose amounts are exact.
 *
 * @param inputs - raw units that the flows start with.
 * @param tokenOut - the first tokenOut.
 */
export function poolsBeyondKnown(
  flows: readonly Flow[],
  inputs: readonly TokenAmount[],
  tokenOut: Address,
): ReadonlySet<MarketPool> {
  const certain = flows.flatMap(({ exact, amountOut }) => (exact ? amountOut : []))
  const best = certain.reduce(larger, 0n)
  const found = new Set<MarketPool>()
  for (const { edges, exact, amountOut } of flows) {
    if (exact || amountOut <= best) continue
    runFlow(edges, inputs, tokenOut, (hop, amountIn, states) => {
      if (hop.kind !== 'swap' || amountIn <= 0n || !canBeWidened(hop.market)) return
      const { adapter, loaded } = hop.market
      const state = states.has(hop.market) ? states.get(hop.market) : loaded.state
      if (adapter.swaps.isBeyondKnown?.(loaded.pool, state, hop, amountIn)) found.add(hop.market)
    })
  }
  return found
}

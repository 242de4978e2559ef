/** What splitters with fixed steps do: each tenth of the amount goes to the path that then gives the most. */
import type { MarketPool } from '../../../src/routing/market/market-view.js'
import type { SinglePath } from './single-paths.js'

const parts = 10
/** Paths that take part. */
const pathCount = 8

/**
 * @param paths - best first for the whole amount.
 * @returns raw units when each path swaps its tenths at once, the best path first, pools as earlier ones left them.
 */
export function splitInTenths(paths: readonly SinglePath[], amountIn: bigint): bigint {
  const some = paths.slice(0, pathCount)
  let tenths = some.map(() => 0)
  let best = 0n
  for (let part = 0; part < parts; part++) {
    const options = some.map((_path, index) => tenths.with(index, (tenths[index] ?? 0) + 1))
    const outputs = options.map((option) => outputOf(some, option, amountIn))
    const chosen = outputs.reduce((a, b, index) => (b > (outputs[a] ?? 0n) ? index : a), 0)
    best = outputs[chosen] ?? 0n
    tenths = options[chosen] ?? tenths
  }
  return best
}

function outputOf(
  paths: readonly SinglePath[],
  tenths: readonly number[],
  amountIn: bigint,
): bigint {
  const states = new Map<MarketPool, unknown>()
  const given = tenths.reduce((sum, each) => sum + each, 0)
  let total = 0n
  for (const [index, { lanes }] of paths.entries()) {
    let amount = (amountIn * BigInt(tenths[index] ?? 0)) / BigInt(parts)
    // The rest of the division by ten goes with the first, once all is given.
    if (index === tenths.findIndex((each) => each > 0) && given === parts) {
      amount +=
        amountIn - tenths.reduce((sum, t) => sum + (amountIn * BigInt(t)) / BigInt(parts), 0n)
    }
    for (const { market, tokenIn, tokenOut } of lanes) {
      if (amount === 0n) break
      const { adapter, loaded } = market
      const state = states.get(market) ?? loaded.state
      const quote = adapter.swaps.swap(loaded.pool, state, { tokenIn, tokenOut }, amount)
      states.set(market, quote.after())
      amount = quote.exact ? quote.amountOut : 0n
    }
    total += amount
  }
  return total
}

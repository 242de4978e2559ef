/** Pools that may lend tokens that no override can give: to a candidate, or to a transaction that is made already. */
import type { RouteRequest } from '../../domain/engine.js'
import type { Address, Hex, TokenAmount } from '../../domain/primitives.js'
import { executorContracts } from '../../executor/deployments.js'
import type { Pool } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import type { MarketPool } from '../market/market-view.js'
import { pairsOf } from '../market/pairs.js'
import type { Flow } from '../search/flow.js'
import { poolsOn } from './built.js'
import { routerFor } from './open-search.js'
import type { Lenders } from './sender-state.js'

/** Whether a transaction names the pool, its id, or the helper that swaps through pools of its kind. */
function isMentioned({ adapter, loaded: { pool } }: MarketPool, data: Hex): boolean {
  const helpers: Record<string, { readonly address: Address }> = executorContracts
  const own = (adapter.swaps.helperContracts ?? []).flatMap((name) => helpers[name]?.address ?? [])
  return [pool.address, pool.id, ...own].some((name) => data.includes(name.slice(2)))
}

/** Pools that a candidate leaves alone. */
export function lendersOff(candidate: Flow, market: readonly MarketPool[]): readonly Pool[] {
  const used = poolsOn(candidate)
  const pools = market.map(({ loaded }) => loaded.pool)
  return pools.filter(({ address }) => !used.has(address))
}

/** Pools between the tokens and connector tokens that the transaction does not touch by name. */
export async function lendersBeside(
  task: Task,
  unfunded: readonly TokenAmount[],
  data: Hex,
): Promise<Lenders> {
  const { market, chain } = task.facts
  const tokens = unfunded.map(({ token }) => token)
  const { pools, unreadable } = await market.view(task.reader, pairsOf(chain, tokens, []))
  const others = pools.filter((pool) => !isMentioned(pool, data))
  return { pools: others.map(({ loaded }) => loaded.pool), unreadable }
}

/** Pools of the request's own market beside the addresses that its transaction, found at another block, swaps at. */
export async function lendersFor(task: Task, request: RouteRequest, data: Hex): Promise<Lenders> {
  const tokensIn = request.inputs.map(({ token }) => token)
  const { maxHops } = routerFor(task.settings, request)
  const { pools } = await task.facts.routeView(task, tokensIn, request.tokensOut, maxHops)
  const mentioned = pools.filter((market) => isMentioned(market, data))
  const used = new Set(mentioned.map(({ loaded }) => loaded.pool.address))
  const others = pools.filter(({ loaded }) => !used.has(loaded.pool.address))
  return { pools: others.map(({ loaded }) => loaded.pool), unreadable: [] }
}

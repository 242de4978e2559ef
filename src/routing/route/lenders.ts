/** Pools that can lend tokens that no override can give, to a transaction that is made already. */
import type { Address, Hex } from '../../domain/primitives.js'
import { executorContracts } from '../../executor/deployments.js'
import type { Pool, Unreadable } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import type { MarketPool } from '../market/market-view.js'
import { pairsOf } from '../market/pairs.js'
import type { SenderFunds } from './sender-state.js'

/** Whether a transaction names the pool, its id, or the helper that swaps through pools of its kind. */
export function isMentioned({ adapter, loaded: { pool } }: MarketPool, data: Hex): boolean {
  const helpers: Record<string, { readonly address: Address }> = executorContracts
  const own = (adapter.swaps.helperContracts ?? []).flatMap((name) => helpers[name]?.address ?? [])
  return [pool.address, pool.id, ...own].some((name) => data.includes(name.slice(2)))
}

/** Pools between the tokens and connector tokens that the transaction does not touch by name. */
export async function lendersBeside(
  task: Task,
  { unfunded }: SenderFunds,
  data: Hex,
): Promise<{ readonly pools: readonly Pool[]; readonly unreadable: readonly Unreadable[] }> {
  if (unfunded.length === 0) return { pools: [], unreadable: [] }
  const { market, chain } = task.facts
  const tokens = unfunded.map(({ token }) => token)
  const { pools, unreadable } = await market.view(task.reader, pairsOf(chain, tokens, []))
  const others = pools.filter((pool) => !isMentioned(pool, data))
  return { pools: others.map(({ loaded }) => loaded.pool), unreadable }
}

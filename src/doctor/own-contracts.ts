/** Our contracts on a chain: the pools that have a landing there, and what each contract is called. Pure. */
import { stargatePools } from '../bridges/stargate/pools.js'
import { chainById } from '../chains/registry.js'
import type { Address } from '../domain/primitives.js'
import type { ComposingPool } from '../executor/deployments.js'

/** None on a chain that no file describes. */
export function poolsOf(chainId: number): readonly ComposingPool[] {
  const chain = chainById(chainId)
  return chain ? stargatePools(chain) : []
}

/** Name of a contract in tables and questions; one contract per pool is told apart by the pool. */
export function titleOf({
  name,
  pool,
  chainId,
}: {
  name: string
  pool?: Address
  chainId?: number
}): string {
  if (!pool) return name
  return `${name} of ${pool}${chainId === undefined ? '' : ` on chain ${chainId}`}`
}

/** Our contracts on a chain: the landings that its bridges pay, and what each contract is called. Pure. */
import { cctpChain } from '../bridges/cctp/chain.js'
import { oftsOn } from '../bridges/oft/tokens.js'
import { stargatePools } from '../bridges/stargate/pools.js'
import { chainById } from '../chains/registry.js'
import type { Address } from '../domain/primitives.js'
import { cctpLanding, composeLanding, type Landing } from '../executor/deployments.js'

/** None on a chain that no file describes. */
export function landingsOf(chainId: number): readonly Landing[] {
  const chain = chainById(chainId)
  if (!chain) return []
  const cctp = cctpChain(chain)
  return [
    ...[...stargatePools(chain), ...oftsOn(chain)].map(composeLanding),
    ...(cctp ? [cctpLanding(cctp)] : []),
  ]
}

/** Name of a contract in tables and questions; those of one name are told apart by pool and chain. */
export function titleOf({
  name,
  pool,
  chainId,
}: {
  name: string
  pool?: Address
  chainId?: number
}): string {
  const owned = pool ? `${name} of ${pool}` : name
  return chainId === undefined ? owned : `${owned} on chain ${chainId}`
}

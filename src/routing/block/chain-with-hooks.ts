import type { ChainDefinition } from '../../chains/chain.js'
import { uniswapV4 } from '../../protocols/uniswap-v4/index.js'
import type { WorkerSettings } from './worker-settings.js'

/** The chain with the hooks that the operator allows as a parameter of its Uniswap V4 venue. */
export function withHooks(
  chain: ChainDefinition,
  { v4HooksAllowlist }: Pick<WorkerSettings, 'v4HooksAllowlist'>,
): ChainDefinition {
  const venue = chain.venues[uniswapV4.slug]
  if (!venue || !v4HooksAllowlist?.length) return chain
  const own = { ...venue, hooksAllowlist: v4HooksAllowlist }
  return { ...chain, venues: { ...chain.venues, [uniswapV4.slug]: own } }
}

/** The chains that the sandbox has. */
import { ForkrouteError } from '../../domain/errors.js'
import { arbitrumPlan } from './arbitrum.js'
import { basePlan } from './base.js'
import { ethereumPlan } from './ethereum.js'
import type { SandboxPlan } from './plan.js'

export const sandboxPlans: readonly SandboxPlan[] = [ethereumPlan, arbitrumPlan, basePlan]

export const sandboxChainIds: readonly number[] = sandboxPlans.map(({ market }) => market.chain.id)

/** @throws ForkrouteError INVALID_REQUEST for a chain that the sandbox does not have. */
export function sandboxPlan(chainId: number): SandboxPlan {
  const plan = sandboxPlans.find(({ market }) => market.chain.id === chainId)
  if (plan) return plan
  const known = sandboxChainIds.join(', ')
  throw new ForkrouteError('INVALID_REQUEST', `The sandbox has no chain ${chainId}, but ${known}.`)
}

/** How routes are searched for and proven, and through what. */
import type { Address } from './primitives.js'

/** How a route is searched for; an absent setting is as the service is configured. */
export interface RouterSettings {
  /** The most swaps in a row, 1 to 4. */
  readonly maxHops?: number
  /** Candidates that are simulated. */
  readonly candidates?: number
  /** False: the whole amount goes one way. */
  readonly splits?: boolean
  /** Pools (addresses or ids, lower-case) to leave out, besides those that the service leaves out. */
  readonly poolBlacklist?: readonly string[]
  /** Applies to routes on one chain, outside bundles. */
  readonly proof?: ProofMode
}

/**
 * `all`: every candidate is simulated. `adaptive`: the most promising ones, and others only while they could be worth
 * more than the best of these.
 */
export type ProofMode = 'all' | 'adaptive'

/** `ranked`: routes are compared after the L1 data fee, too. `shown`: it stands in `gasCost` alone. */
export type DataFeeUse = 'ranked' | 'shown'

/** `run`: hooks of Uniswap V4 are run, and used where they are steady. `listed`: only listed ones are used. */
export type V4HooksUse = 'run' | 'listed'

/** Which pools and tokens routes may lead through; an empty list restricts nothing. */
export interface PoolChoice {
  /** Pools that are not used: addresses or ids, lower-case. They win over `onlyPools`. */
  readonly excludePools: readonly string[]
  /** Pools beside which no other is used, likewise. */
  readonly onlyPools: readonly string[]
  /** Tokens at which no route stops; native and its wrapped token count as one, and ends of the route are none. */
  readonly excludeTokens: readonly Address[]
}

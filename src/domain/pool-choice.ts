import type { Address } from './primitives.js'

/** Which pools and tokens routes may lead through; an empty list restricts nothing. */
export interface PoolChoice {
  /** Pools that are not used: addresses or ids, lower-case. They win over `onlyPools`. */
  readonly excludePools: readonly string[]
  /** Pools beside which no other is used, likewise. */
  readonly onlyPools: readonly string[]
  /** Tokens at which no route stops; native and its wrapped token count as one, and ends of the route are none. */
  readonly excludeTokens: readonly Address[]
}

/** What running the hooks of a pool told: docs/how-to/pools.md#pools-with-hooks. */
import type { Address, Hex } from './primitives.js'

/**
 * exact: amounts are those of the pool without hooks. steady: they are others, and the same each time. changing: they differ by
 * sender, time or order in the block. closed: no swap succeeds. Routes use the first two.
 */
export const hooksClasses = ['exact', 'steady', 'changing', 'closed'] as const

export type HooksClass = (typeof hooksClasses)[number]

export interface HooksFinding {
  readonly class: HooksClass
  /** Why the pool is left out; null: it is used. */
  readonly reason: string | null
  /** The hooks. */
  readonly contract: Address
  /** Of the hooks; null where it was not read. */
  readonly codeHash: Hex | null
}

/** What was found at the newest block at which a request could use the pool. */
export interface HooksSeen extends HooksFinding {
  /** Decimal. */
  readonly blockNumber: string
}

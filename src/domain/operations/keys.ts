/** API keys, without their secrets. */
import type { Hex } from '../primitives.js'

/** What a key may be used for: `use` is what every key may, `admin` also what changes or shows the service itself. */
export const scopes = ['use', 'admin'] as const
export type Scope = (typeof scopes)[number]

export interface KeyRecord {
  /** Names the key in `keys list` and `keys disable`; not secret. */
  readonly id: string
  /** bytes32, as in the on-chain event. */
  readonly accountId: Hex
  readonly accountName: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Unix milliseconds, as the other times. */
  readonly createdAt: number
  readonly disabledAt: number | null
  readonly lastUsedAt: number | null
}

/** Pools as those who run a service see them. */
import type { HooksClass, HooksSeen } from '../hooks.js'
import type { Address } from '../primitives.js'

/** A pool that the service knows. */
export interface KnownPool {
  readonly chainId: number
  readonly protocol: string
  readonly id: string
  readonly address: Address
  readonly tokens: readonly Address[]
  readonly parameters: Readonly<Record<string, string | number | boolean | readonly string[]>>
  readonly source: 'discovered' | 'imported' | 'indexed'
  /** Null for imports. Decimal. */
  readonly firstSeenBlock: string | null
  /** Absent: it has none, the operator lists them, or no request could use the pool yet. */
  readonly hooks?: HooksSeen
}

export type PoolRow = Omit<KnownPool, 'chainId' | 'source' | 'firstSeenBlock' | 'hooks'>

/** All that is given must fit. */
export interface PoolQuery {
  readonly chainId: number
  /** Absent: discovered and imported ones. */
  readonly source?: KnownPool['source'] | undefined
  readonly protocol?: string | undefined
  /** That it holds. */
  readonly token?: Address | undefined
  /** Id or address. */
  readonly pool?: string | undefined
  /** What running its hooks told. */
  readonly hooks?: HooksClass | undefined
  readonly offset: number
  readonly limit: number
}

export interface PoolIndexState {
  readonly chainId: number
  /** Whether routes use it, and the service keeps it up to date. */
  readonly isOn: boolean
  /** The last block that was read of every factory; null: nothing is read. */
  readonly readTo: number | null
  readonly protocols: readonly { readonly protocol: string; readonly pools: number }[]
}

/** What each routing thread is given once, when it starts. Structured-clonable values only. */
import type { AcrossSettings } from '../../bridges/across/settings.js'
import type { CctpSettings } from '../../bridges/cctp/settings.js'
import type { DeclaredVenue } from '../../domain/declared-venue.js'
import type { Token } from '../../domain/primitives.js'
import type { DataFeeUse, ProofMode, V4HooksUse } from '../../domain/router-settings.js'
import type { Pool } from '../../protocols/pool.js'

export interface WorkerSettings {
  readonly dataDir: string
  readonly candidates: number
  readonly maxHops: number
  /** Absent: all. */
  readonly proof?: ProofMode
  /** Whether routes are ranked by the L1 data fee, or it is only told; absent: ranked. */
  readonly dataFee?: DataFeeUse
  /** False: answers carry no cautions; absent: they do. */
  readonly cautions?: boolean
  /** False: no more of a pool is read than around its price, whatever the amount; absent: as far as amounts go. */
  readonly widensPools?: boolean
  /** False: pairs are quoted by what they count on, even where they hold less; absent: by what they hold. */
  readonly countsHoldings?: boolean
  /** False: a pool that needs state that is not there is left out; absent: it is used for what can be read of it. */
  readonly boundsPools?: boolean
  /** False: each input has swaps of its own; absent: those that several share are made once. */
  readonly mergesInputs?: boolean
  /** False: a stated output is searched once; absent: again without pools that broke their promise. */
  readonly narrowsSearches?: boolean
  /** False: no token of a position counts as one that rebases in pools of other protocols; absent: those that do count. */
  readonly findsRebases?: boolean
  readonly poolBlacklist: readonly string[]
  /** Slugs of exchanges that no route uses; absent: none. */
  readonly disabledAggregators?: readonly string[]
  /** Whether pools of Uniswap V4 with hooks that are not on the list are run and used; absent: they are not used. */
  readonly v4Hooks?: V4HooksUse
  /** Whether those of Balancer V3 are, too, where those are; absent: they are not used. */
  readonly runsBalancerHooks?: boolean
  /** True: of pools of Balancer V3 with hooks and more than four tokens the pairs that matter are run; absent: they are left out. */
  readonly runsHooksOfMany?: boolean
  /** Whether a pool that a swap ahead in the block makes dearer is quoted so; absent: as the first swap of its block pays. */
  readonly countsFeeOrder?: boolean
  /** Hooks of Uniswap V4 whose pools are used, lower-case; absent: none. */
  readonly v4HooksAllowlist?: readonly string[]
  /** Slugs of the protocols, the later venues and the later bridges, that chains have; absent: all. */
  readonly protocols?: readonly string[]
  /** Venues of the operator's file; absent: none. */
  readonly venues?: readonly DeclaredVenue[]
  /** Where the index of pools lies, null: in the recording alone; absent: routes do without. */
  readonly poolIndex?: { readonly dataDir: string | null }
  readonly liquidityFloorUsd: number
  /** Wei per gas, by chain id, where it differs from the chain's own figure. */
  readonly priorityFeePerGas: Readonly<Record<number, bigint>>
  /** Absent: as Across is by default. */
  readonly across?: Partial<AcrossSettings>
  /** Absent: nobody is asked for what CCTP's chains do not say. */
  readonly cctp?: Partial<CctpSettings>
  readonly tokens: readonly Token[]
  /**
   * While recording, what was learned from reading one token is not used for another, so that the state read does not
   * depend on earlier requests. A replay reads nothing ahead. Absent: neither.
   */
  readonly cassette?: 'record' | 'replay'
  /** Whether the thread makes spans. Absent: no. */
  readonly isTraced?: boolean
  /** Whether the thread logs the errors that it ignores. Absent: no. */
  readonly logsIgnoredErrors?: boolean
  /** Pools of the sandbox that no look-up finds. They are in no catalog, so a real chain never sees them. */
  readonly sandboxPools?: readonly Pool[]
}

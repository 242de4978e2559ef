/** What a running service is made of, and how it is configured. */

import type { Address } from '../primitives.js'

/** What `forkroute doctor` looks at. */
export interface DoctorCheck {
  readonly check: string
  readonly ok: boolean
  /** What was found, or what is wrong. */
  readonly found: string
}

/** A variable of the configuration as it is in force. */
export interface Setting {
  readonly name: string
  /** Null: none, or not to be shown. */
  readonly value: string | null
  /** It carries passwords or keys: its value is not shown. */
  readonly isSecret: boolean
  /** Whether it has another value than without any configuration. */
  readonly isChanged: boolean
  readonly description: string
}

export interface NodeState {
  /** From 1, in the order of the configuration. */
  readonly number: number
  readonly usable: boolean
  readonly isSetAside: boolean
  readonly problem: string | null
  /** What it can do, by name; empty before it was asked. */
  readonly abilities: Readonly<Record<string, boolean>>
  /** How many blocks back it has state, as far as was tried; null before it was asked. */
  readonly archiveDepth: number | null
  /** Calls in one request at most; null: no batch was refused. */
  readonly mostCalls: number | null
  /** Requests at the same time while it refuses more; null: it does not. */
  readonly mostRequests: number | null
  /** Median of its latest answers. */
  readonly latencyMs: number | null
  /** Since the start. */
  readonly requests: number
  readonly limited: number
}

export interface ChainState {
  readonly chainId: number
  readonly name: string
  readonly ready: boolean
  readonly problem: string | null
  readonly blockNumber: number | null
  readonly ageSeconds: number | null
  readonly isSandbox: boolean
  readonly nodes: readonly NodeState[]
  /** Reads of state since the start, by who answered. */
  readonly reads: {
    readonly memory: number
    readonly disk: number
    readonly code: number
    readonly empty: number
    readonly proven: number
    readonly node: number
    readonly unreadable: number
  }
}

/** A venue of the operator's file. */
export interface VenueState {
  readonly name: string
  readonly chainId: number
  readonly trust: 'none' | 'operator'
  /** That the file lists. */
  readonly pools: number
  readonly factory: Address | null
  /** Pools of the factory in the pool index; null: there is no factory. */
  readonly indexedPools: number | null
}

export interface SystemState {
  readonly version: string
  readonly nodeVersion: string
  /** How long this process has run. */
  readonly uptimeSeconds: number
  readonly residentBytes: number
  /** That serve the port; what follows is of the one that answers. */
  readonly processes: number
  readonly threads: { readonly count: number; readonly tasks: number; readonly waiting: number }
  readonly forks: {
    readonly count: number
    readonly blocks: number
    readonly leases: number
    readonly restarts: number
    readonly residentBytes: number
  }
  readonly cache: {
    /** Values in memory. */
    readonly items: number
    readonly diskBytes: number
    /** Requests of forks that were answered. */
    readonly served: number
  }
  readonly chains: readonly ChainState[]
  /** That the file of VENUES declares. */
  readonly venues: readonly VenueState[]
}

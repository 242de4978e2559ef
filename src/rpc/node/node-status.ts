/** What a node and the nodes of a chain tell of themselves: counts and status, as plain data. */
import type { NodeLimits } from './learnt/node-pace.js'
import type { NodeAbilities } from './learnt/node-probe.js'

/** Counts of one chain, all nodes together. */
export interface UpstreamCounters {
  httpRequests: number
  calls: number
  retries: number
  /** Requests that were sent a second time because their answer was late. */
  hedges: number
  coalesced: number
  /** Values that were checked by proof after the answer, those of them that were false, and those that no node proved. */
  stateChecked: number
  stateFalse: number
  stateUnproven: number
}

/** Counts of one node since the start. */
export interface NodeCounters {
  requests: number
  /** Requests that it refused for their number. */
  limited: number
}

export interface NodeStatus {
  /** `node 1 of chain 1` */
  readonly name: string
  readonly usable: boolean
  /** The node is of another chain, or gave a false answer. */
  readonly isSetAside: boolean
  /** Why the node is not usable, or pauses; null: no problem. */
  readonly problem: string | null
  /** Latency of the first verification. */
  readonly latencyMs: number | null
  readonly abilities: NodeAbilities | null
  readonly limits: NodeLimits
}

/** What a search for a route looked at, and what became of it: the record that `explain` adds to an answer. */
import { defined } from './defined.js'
import type { Address } from './primitives.js'

/** One swap or wrap of a candidate. */
export interface CandidateHop {
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Slug of the protocol; `wrapped-native` for wrapping and unwrapping. */
  readonly protocol: string
  /** Address or 32-byte id; absent for wrapping and unwrapping. */
  readonly pool?: string
  /** Part of tokenIn that it takes, basis points. */
  readonly share: number
}

/**
 * `chosen`: the answer. `measured`: it works and is worth less. `reverted`, `unreadable`: its simulation failed, or met
 * state that the node does not give. `skipped`: it was found and not simulated.
 */
export type CandidateStatus = 'chosen' | 'measured' | 'reverted' | 'unreadable' | 'skipped'

export interface CandidateRecord {
  /** Index of the action of a bundle that it was found for. */
  readonly action?: number
  readonly path: readonly CandidateHop[]
  /** Raw units of the first tokenOut, by the math of the pools. */
  readonly estimatedAmountOut: bigint
  /** Raw units of each tokenOut that the simulation paid; null where none succeeded. */
  readonly amountsOut: readonly bigint[] | null
  /** Gas that the simulation used; null where none ran. */
  readonly gas: bigint | null
  /** Raw units of tokenOut less what the gas costs, may be negative; null without prices, and with several tokenOut. */
  readonly valueAfterGas: bigint | null
  readonly status: CandidateStatus
  /** Where the candidate was left out; of skipped ones only. */
  readonly step?: 'search' | 'plan' | 'simulate'
  readonly reason?: string
}

export interface RefusedPool {
  /** Address or 32-byte id; of a look-up that failed, what was looked up. */
  readonly pool: string
  readonly protocol: string
  readonly reason: string
}

export interface Explanation {
  /** The chosen one first, then by value; at most `mostCandidates`. */
  readonly candidates: readonly CandidateRecord[]
  /** Candidates beyond them. */
  readonly omittedCandidates: number
  readonly pools: {
    /** Pools that the search could use, each once. */
    readonly considered: readonly string[]
    /** At most `mostRefused`. */
    readonly refused: readonly RefusedPool[]
    readonly omitted: number
  }
  /** Milliseconds by stage; only on request, since they differ each time. */
  readonly times?: Readonly<Record<string, number>>
}

export const mostCandidates = 100
export const mostRefused = 200

/** Joins the explanations of the searches of one bundle: each keeps its best candidates within the bound on all. */
export function mergeExplanations(list: readonly Explanation[]): Explanation {
  const each = Math.max(1, Math.floor(mostCandidates / Math.max(1, list.length)))
  const candidates = list.flatMap((one) => one.candidates.slice(0, each))
  const found = list.reduce(
    (total, one) => total + one.candidates.length + one.omittedCandidates,
    0,
  )
  const refused = distinct(list.flatMap(({ pools }) => pools.refused))
  return {
    candidates,
    omittedCandidates: found - candidates.length,
    pools: {
      considered: [...new Set(list.flatMap(({ pools }) => pools.considered))].sort(),
      refused: refused.slice(0, mostRefused),
      omitted:
        Math.max(0, refused.length - mostRefused) +
        list.reduce((total, { pools }) => total + pools.omitted, 0),
    },
  }
}

/** A pool and the trade in its shares have one name. */
export function distinct(refused: readonly RefusedPool[]): RefusedPool[] {
  const byText = new Map(refused.map((one) => [`${one.protocol} ${one.pool} ${one.reason}`, one]))
  return [...byText.values()]
}

/** One value for one tokenOut, a list for several. */
export function oneOrList(amounts: readonly bigint[]): string | string[] {
  const all = amounts.map(String)
  return all.length === 1 ? all.join() : all
}

/** The fields by which an answer or an error's details state an explanation; none where there is no explanation. */
export function explanationFields(explanation: Explanation | undefined) {
  if (!explanation) return {}
  const { candidates, omittedCandidates, pools, times } = explanation
  return {
    candidates: candidates.map(toCandidate),
    candidatesOmitted: omittedCandidates,
    pools: {
      considered: pools.considered.length,
      refused: pools.refused.map((one) => ({ ...one })),
      omitted: pools.omitted,
    },
    ...(times && { times: { ...times } }),
  }
}

function toCandidate(one: CandidateRecord) {
  return {
    ...defined({ action: one.action }),
    path: one.path.map((hop) => ({ ...hop })),
    estimatedAmountOut: one.estimatedAmountOut.toString(),
    amountOut: one.amountsOut && oneOrList(one.amountsOut),
    gas: one.gas === null ? null : one.gas.toString(),
    valueAfterGas: one.valueAfterGas === null ? null : one.valueAfterGas.toString(),
    status: one.status,
    ...defined({ step: one.step, reason: one.reason }),
  }
}

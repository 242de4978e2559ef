/** Cassettes, and checks of them and of suites. */

/** A file of the folder of cassettes. */
export interface CassetteEntry {
  readonly name: string
  readonly bytes: number
  /** Unix milliseconds. */
  readonly changedAt: number
}

/** A request of a cassette, without its answer. */
export interface RecordedRequest {
  readonly number: number
  readonly method: string
  /** Path and query below /api/v1. */
  readonly url: string
  readonly status: number
  /** `head`: it named no block, and this was the newest. */
  readonly blocks: readonly {
    readonly chainId: number
    readonly number: number
    readonly head: boolean
  }[]
  /** Size in the file of the request and its answer, without state. */
  readonly bytes: number
}

export interface CassetteFacts extends CassetteEntry {
  readonly versions: readonly { readonly forkroute: string; readonly anvil: string }[]
  readonly chains: readonly {
    readonly chainId: number
    readonly blocks: number
    readonly firstBlock: number
    readonly lastBlock: number
  }[]
  readonly total: number
  readonly requests: readonly RecordedRequest[]
}

/** A recorded request with its answer. */
export interface Recording extends RecordedRequest {
  /** JSON; null without one. */
  readonly body: unknown
  readonly answer: unknown
}

export interface CassetteMismatch {
  readonly number: number
  readonly request: string
  readonly blocks: readonly string[]
  /** JSON path of the first value that differs. */
  readonly path: string
  readonly expected: string
  readonly got: string
}

export interface CassetteResult {
  readonly verified: number
  readonly damaged: readonly string[]
  readonly mismatches: readonly CassetteMismatch[]
}

/** What evidence has shown of the state that an answer was calculated with; null where it has shown nothing. */
export interface CaseProof {
  readonly isProven: boolean
  /** Why it is not proven. */
  readonly reason: string | null
  readonly chainId: number | null
  readonly blockNumber: number | null
  readonly blockHash: string | null
  /** How many accounts and slots lead to the hash of the block. */
  readonly accounts: number | null
  readonly slots: number | null
}

export interface SuiteResult {
  readonly mode: string
  readonly passed: number
  readonly failed: number
  readonly milliseconds: number
  readonly cases: readonly {
    readonly name: string
    readonly line: number
    readonly ok: boolean
    readonly differences: readonly string[]
    readonly milliseconds: number
    /** Null: no evidence was asked for, or there is none of such an answer. Absent in what earlier versions have kept. */
    readonly proof?: CaseProof | null
  }[]
}

/** A run over a cassette or a suite, by a process of its own. */
export interface Check {
  readonly id: string
  readonly kind: 'cassette' | 'suite'
  /** Name of the cassette or the suite. */
  readonly name: string
  readonly state: 'running' | 'finished' | 'failed'
  /** Why it failed; null where it did not. */
  readonly problem: string | null
  /** Whether all is as it should be; null before the end. */
  readonly ok: boolean | null
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly finishedAt: number | null
  /** Result for a cassette; null for a suite, and while there is none. */
  readonly cassette: CassetteResult | null
  /** Result for a suite; null for a cassette, and while there is none. */
  readonly suite: SuiteResult | null
}

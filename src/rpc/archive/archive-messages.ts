/** Messages between the main thread and the archive thread. Structured-clonable; errors are data. */

import type { ChangedAccounts } from '../../domain/changes/what-if.js'
import type { Wire, WireError } from '../../domain/errors.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { SpanData } from '../../telemetry/tracer.js'
import type { CassetteHead, NumberedEntry } from '../cassette/cassette-requests.js'
import type { LaterAccounts } from '../cassette/later-state.js'
import type { BlockRef } from '../node/answer.js'
import type { ChangesQuestion } from '../node/changed-blocks.js'
import type { NodeCounters, NodeStatus } from '../node/node-status.js'
import type { StateCheck } from '../node/upstream.js'

export interface ArchiveChain {
  readonly chainId: number
  /** In order of preference. Not needed in a replay. */
  readonly urls: readonly string[]
  /** False for chains whose headers do not hash in the standard way. Default true. */
  readonly verifyHeaderHash?: boolean
  /** Which values of state are checked by proof; absent: none. */
  readonly verifyState?: StateCheck
  /** The block that all others are tied to by their parents' hashes; absent: none. */
  readonly trustedBlock?: BlockRef
  /** A contract that is there at every block that is asked for. */
  readonly anchor?: Address
  /** The chain has a problem to report when its head is older than this by the wall clock; default: any age is fine. */
  readonly maxHeadLagSeconds?: number
}

export type ArchiveMode =
  | { readonly kind: 'live' }
  /** Like live, and writes everything that is read to the file, cached or not. `head`: what all requests share. */
  | { readonly kind: 'record'; readonly file: string; readonly head?: CassetteHead }
  /**
   * Serves only what the file holds. `heads`: the block that counts as the newest, by chain. `later`: accounts that
   * read as empty where the file says nothing about them.
   */
  | {
      readonly kind: 'replay'
      readonly file: string
      readonly heads?: Readonly<Record<number, bigint>>
      readonly later?: readonly LaterAccounts[]
    }

export interface ArchiveThreadData {
  /** 0: any free one. */
  readonly port: number
  readonly dataDir: string | null
  readonly chains: readonly ArchiveChain[]
  readonly mode: ArchiveMode
  readonly knownEmpty: readonly Address[]
  readonly pollIntervalMs: number | null
  readonly upstreamTimeoutMs: number | null
  /** Whether the thread makes spans. */
  readonly isTraced: boolean
  /** Whether the thread logs the errors that it ignores. */
  readonly logsIgnoredErrors: boolean
}

/** A request with its number, and the span that it belongs to. */
export interface NumberedRequest {
  readonly id: number
  readonly request: ArchiveRequest
  readonly traceparent?: string | undefined
}

export interface ChainStatus {
  /** A node of the chain is verified and answers. */
  readonly connected: boolean
  /** What the usable nodes can do; empty before the first verification. */
  readonly capabilities: Readonly<Record<string, boolean>>
  readonly problem: string | null
  /** Milliseconds since the epoch when the head was first seen. */
  readonly headSeenAt: number | null
  readonly nodes: readonly NodeStatus[]
}

/** Since the start, of one chain or of all together. */
export interface ReadStats {
  readonly upstreamHttpRequests: number
  readonly upstreamCalls: number
  /** Repeated rounds through the nodes. */
  readonly upstreamRetries: number
  /** Requests that were sent a second time because their answer was late. */
  readonly upstreamHedges: number
  /** Reads that joined an equal one in flight. */
  readonly coalesced: number
  /** Values that were checked by proof after the answer. */
  readonly stateChecked: number
  /** Those of them that were false. */
  readonly stateFalse: number
  /** Values that were to be checked, and that no node proved. */
  readonly stateUnproven: number
  readonly memoryHits: number
  readonly sqliteHits: number
  /** Reads of code that was known from an earlier block. */
  readonly codeHits: number
  /** Reads answered as empty without any look-up. */
  readonly emptyHits: number
  /** Reads known from another block, and proven to be the same at this one. */
  readonly provenHits: number
  /** Reads that had to ask a node. */
  readonly misses: number
  readonly unreadable: number
  readonly prefetched: number
}

export interface ArchiveStats extends ReadStats {
  /** HTTP requests of forks. */
  readonly served: number
  /** Values in memory. */
  readonly memoryItems: number
  readonly chains: readonly (ReadStats & {
    readonly chainId: number
    /** In the order of the configuration. */
    readonly nodes: readonly NodeCounters[]
  })[]
}

export type StandbyBlock = Pick<BlockPin, 'chainId' | 'number' | 'hash' | 'changes'> & {
  /** Number of the block that the process forked from, by which it goes on naming the present one; absent: this block. */
  readonly forkedAt?: bigint
}

export interface PinOptions {
  /** Saves calls to nodes, at the price of one more round before the first answer. */
  readonly isBackground?: boolean
  /** Whether the state that recent blocks needed is read at once; default true. */
  readonly readsAhead?: boolean
}

export type ArchiveRequest =
  | {
      readonly kind: 'pin'
      readonly chainId: number
      readonly block: bigint | 'latest'
      readonly options: PinOptions
    }
  /** The header alone, without checking that a node has the block's state. */
  | { readonly kind: 'header'; readonly chainId: number; readonly block: bigint }
  | { readonly kind: 'changes'; readonly chainId: number; readonly question: ChangesQuestion }
  | { readonly kind: 'transaction'; readonly chainId: number; readonly hash: Hex }
  /** A block with its transactions. */
  | { readonly kind: 'minedBlock'; readonly chainId: number; readonly block: bigint }
  | { readonly kind: 'prefetch'; readonly pin: BlockPin }
  | { readonly kind: 'firstAnswers'; readonly waitMs: number }
  /** Decides the block of a standby address; null: the address is given up. */
  | { readonly kind: 'standby'; readonly id: string; readonly block: StandbyBlock | null }
  /** State that is read as changed under this id; null: the id is given up. */
  | { readonly kind: 'change'; readonly id: string; readonly accounts: ChangedAccounts | null }
  /** Writes an answered request into the cassette. */
  | { readonly kind: 'record'; readonly entry: NumberedEntry }
  | { readonly kind: 'stats' }
  | { readonly kind: 'close' }

export interface AnswerTimes {
  readonly chainId: number
  /** Its place in the configuration, from 1. */
  readonly node: number
  readonly ms: readonly number[]
}

export type ThreadMessage =
  | { readonly kind: 'listening'; readonly port: number }
  /** The archive cannot start, for instance because the file is not a cassette. */
  | { readonly kind: 'refused'; readonly error: WireError }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Wire<unknown> }
  | {
      readonly kind: 'head'
      readonly pin: BlockPin
      readonly replaced: readonly { readonly number: bigint; readonly hash: Hex }[]
    }
  /** That have ended since the last. */
  | { readonly kind: 'spans'; readonly spans: readonly SpanData[] }
  /** Milliseconds that a node took for each answer since the last. */
  | ({ readonly kind: 'answerTimes' } & AnswerTimes)
  | { readonly kind: 'status'; readonly chainId: number; readonly status: ChainStatus }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly message: string }

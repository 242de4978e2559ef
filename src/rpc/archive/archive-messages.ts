/** What the main thread and the archive thread say to each other. Structured-clonable; errors are data. */
import type { Wire, WireError } from '../../domain/errors.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { CassetteHead, NumberedEntry } from '../cassette/cassette-requests.js'
import type { ChangesQuestion } from '../node/changed-blocks.js'
import type { NodeStatus } from '../node/upstream-node.js'

export interface ArchiveChain {
  readonly chainId: number
  /** In the order of preference. Not needed in a replay. */
  readonly urls: readonly string[]
  /** False for chains whose headers do not hash in the standard way. Default true. */
  readonly verifyHeaderHash?: boolean
  /** Report the chain's problem when its head is older than this by the wall clock; default never. */
  readonly maxHeadLagSeconds?: number
}

export type ArchiveMode =
  | { readonly kind: 'live' }
  /** As live, and everything that is read is written to the file, new or not. `head`: what all its requests share. */
  | { readonly kind: 'record'; readonly file: string; readonly head?: CassetteHead }
  /** Serves only what the file holds. `heads`: blocks that count as the newest, by chain. */
  | {
      readonly kind: 'replay'
      readonly file: string
      readonly heads?: Readonly<Record<number, bigint>>
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

/** Since the start, all chains together. */
export interface ArchiveStats {
  readonly upstreamHttpRequests: number
  readonly upstreamCalls: number
  /** Rounds that had to be repeated. */
  readonly upstreamRetries: number
  /** Reads that joined an equal one in flight. */
  readonly coalesced: number
  readonly memoryHits: number
  readonly sqliteHits: number
  /** Code known from an earlier block. */
  readonly codeHits: number
  /** Answered as empty without any look-up. */
  readonly emptyHits: number
  /** Known from another block, from which it did not change. */
  readonly provenHits: number
  /** Reads that had to ask a node. */
  readonly misses: number
  readonly unreadable: number
  readonly prefetched: number
  /** HTTP requests of forks. */
  readonly served: number
}

export type StandbyBlock = Pick<BlockPin, 'chainId' | 'number' | 'hash'>

export type ArchiveRequest =
  | {
      readonly kind: 'pin'
      readonly chainId: number
      readonly block: bigint | 'latest'
      readonly isBackground: boolean
    }
  /** The header alone: whether a node has the state is not asked. */
  | { readonly kind: 'header'; readonly chainId: number; readonly block: bigint }
  | { readonly kind: 'changes'; readonly chainId: number; readonly question: ChangesQuestion }
  | { readonly kind: 'prefetch'; readonly pin: BlockPin }
  | { readonly kind: 'firstAnswers'; readonly waitMs: number }
  /** From here on the standby place is this block; null: it is no place any more. */
  | { readonly kind: 'standby'; readonly id: string; readonly block: StandbyBlock | null }
  /** A request was answered: into the cassette with it. */
  | { readonly kind: 'record'; readonly entry: NumberedEntry }
  | { readonly kind: 'stats' }
  | { readonly kind: 'close' }

export type ThreadMessage =
  | { readonly kind: 'listening'; readonly port: number }
  /** The archive cannot start (a file that is no cassette, for instance). */
  | { readonly kind: 'refused'; readonly error: WireError }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Wire<unknown> }
  | {
      readonly kind: 'head'
      readonly pin: BlockPin
      readonly replaced: readonly { readonly number: bigint; readonly hash: Hex }[]
    }
  | { readonly kind: 'status'; readonly chainId: number; readonly status: ChainStatus }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly message: string }

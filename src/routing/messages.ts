/**
 * The tasks that the main thread gives to worker threads, and their results. Structured-clonable values only.
 */
import type { MessagePort } from 'node:worker_threads'
import type { AcrossSettings } from '../bridges/across/settings.js'
import type { Delivery, DeliveryStatus } from '../bridges/bridge.js'
import type { BundleResult, TypedBundle } from '../domain/bundle.js'
import type {
  ExecutionAnswer,
  ExecutionRequest,
  GasFacts,
  NontokenizedAnswer,
  NontokenizedRequest,
  QuoteOutcome,
  RouteAnswer,
  RouteRequest,
} from '../domain/engine.js'
import type { WireError } from '../domain/errors.js'
import type { PositionFigures, TokenFacts } from '../domain/metadata.js'
import type { RoutingStrategy, UnsignedTransaction } from '../domain/order.js'
import type { Address, BlockPin, Hex, Token } from '../domain/primitives.js'
import type { ProofMode } from '../domain/router-settings.js'
import type { BlockForks } from '../forks/reader.js'
import type { Pool, Unreadable } from '../protocols/pool.js'
import type { Position } from '../protocols/positions.js'
import type { SpanData } from '../tracer.js'
import type {
  Arrival,
  ArrivalArgs,
  Callback,
  CallbackArgs,
  Crossed,
  CrossingArgs,
  Departure,
  DepartureArgs,
  Landing,
  LandingArgs,
  OfferOutcome,
  OffersArgs,
  ProspectsArgs,
  Survey,
  SurveyArgs,
} from './crosschain/messages.js'

/** Given once to each thread. */
export interface WorkerSettings {
  readonly dataDir: string
  readonly candidates: number
  readonly maxHops: number
  /** Absent: all. */
  readonly proof?: ProofMode
  readonly poolBlacklist: readonly string[]
  /** Slugs of exchanges that no route uses; absent: none. */
  readonly disabledAggregators?: readonly string[]
  /** Hooks of Uniswap V4 whose pools are used, lower-case; absent: none. */
  readonly v4HooksAllowlist?: readonly string[]
  /** Where the index of pools lies, null: in the recording alone; absent: routes do without. */
  readonly poolIndex?: { readonly dataDir: string | null }
  readonly liquidityFloorUsd: number
  /** Wei per gas, by chain id, where it differs from the chain's own figure. */
  readonly priorityFeePerGas: Readonly<Record<number, bigint>>
  /** Absent: as Across is by default. */
  readonly across?: Partial<AcrossSettings>
  readonly tokens: readonly Token[]
  /**
   * While recording, what was learned from reading one token is not used for another, so that the state read does not
   * depend on earlier requests. A replay reads nothing ahead. Absent: neither.
   */
  readonly cassette?: 'record' | 'replay'
  /** Whether the thread makes spans. Absent: no. */
  readonly isTraced?: boolean
  /** Pools of the sandbox that no look-up finds. They are in no catalog, so a real chain never sees them. */
  readonly sandboxPools?: readonly Pool[]
}

export interface TokenPriceFact {
  readonly token: Token
  readonly priceUsd: number
  readonly confidence: number
  readonly source: string
}

/** A position and its figures at one block; its yield may still need an earlier block. */
export interface ReadPosition {
  readonly position: Position
  readonly token: TokenFacts | null
  readonly underlyingTokens: readonly TokenFacts[]
  /** Without the yield that follows from the share price. */
  readonly figures: PositionFigures
  /** Value of one share; null where the yield has another source or none. */
  readonly sharePrice: bigint | null
}

/** Arguments and result of each kind of task. */
export interface TaskTypes {
  route: {
    args: { mode: 'route' | 'quote'; request: RouteRequest; accountId: Hex }
    result: RouteAnswer
  }
  quotes: {
    args: {
      requests: readonly RouteRequest[]
      accountId: Hex
      /** Milliseconds since the epoch from which deadlines count. */
      begunAt: number
    }
    result: readonly QuoteOutcome[]
  }
  executions: {
    args: { requests: readonly ExecutionRequest[] }
    result: readonly ExecutionAnswer[]
  }
  bundle: { args: { request: TypedBundle; accountId: Hex }; result: BundleResult }
  nontokenized: {
    args: { request: NontokenizedRequest; accountId: Hex }
    result: NontokenizedAnswer
  }
  prices: { args: { addresses: readonly Address[] }; result: (TokenPriceFact | null)[] }
  balances: {
    /** `tokens` are checked besides the listed ones and those of imported pools. */
    args: { owner: Address; tokens: readonly Address[] }
    result: { token: Token; amount: bigint; priceUsd: number | null }[]
  }
  approval: {
    args: { owner: Address; token: Address; strategy: RoutingStrategy; amount: bigint }
    result: { tx: UnsignedTransaction; spender: Address } & GasFacts
  }
  positions: {
    args: Readonly<Record<string, never>>
    result: {
      positions: readonly ReadPosition[]
      /** Protocols whose positions could not be listed. */
      unlisted: readonly string[]
      unreadable: readonly Unreadable[]
    }
  }
  /** Share prices of such positions; null where there is none at this block. */
  sharePrices: { args: { positions: readonly Position[] }; result: (bigint | null)[] }
  isDeployed: { args: { address: Address }; result: boolean }
  survey: { args: SurveyArgs; result: Survey }
  /** Both halves of a bundle with a bridge action. */
  crossing: { args: CrossingArgs; result: Crossed }
  callback: { args: CallbackArgs; result: Callback }
  /** What lanes would deliver, in their order. */
  offers: { args: OffersArgs; result: readonly OfferOutcome[] }
  /** The source's half of a route over a bridge. */
  departure: { args: DepartureArgs; result: Departure }
  /** The destination's half: the order that runs with what is delivered. */
  arrival: { args: ArrivalArgs; result: Arrival }
  /** What amounts would give there, by native math, raw units; null where no way is found. */
  prospects: { args: ProspectsArgs; result: readonly (bigint | null)[] }
  /** A delivery as it is sent. */
  landing: { args: LandingArgs; result: Landing }
  /** Where a delivery is that a mined transaction has sent. */
  delivery: {
    /** `since`: number of a block of the destination that is not after the delivery. */
    args: { delivery: Delivery; since: bigint }
    result: DeliveryStatus
  }
}

export type TaskKind = keyof TaskTypes

/** Where the state of the pinned block is read. */
export interface TaskPlace extends BlockForks {
  readonly pin: BlockPin
  readonly archiveUrl: string
  /** Brings the forks once they have started, in place of those above; closed without a message: there will be none. */
  readonly forksToCome?: MessagePort
}

export interface TaskMessage<K extends TaskKind = TaskKind> {
  readonly kind: K
  readonly args: TaskTypes[K]['args']
  readonly place: TaskPlace
  /** As in `CallContext`: does not evict what is cached for other blocks. */
  readonly isBackground?: boolean
  /** Milliseconds that are left of the caller's time; absent: no limit. */
  readonly deadlineMs?: number
  /** Of the span that the task belongs to; absent: it is not traced. */
  readonly traceparent?: string | undefined
  /** Any message on it means: stop, the caller is gone. */
  readonly cancel: MessagePort
}

/** Facts about the work done, for metrics and the catalog. */
export interface TaskTrace {
  readonly stages: Readonly<Record<string, number>>
  readonly simulations: Readonly<Record<'success' | 'reverted' | 'unreadable', number>>
  /** Candidates that reverted, by each protocol on their way. */
  readonly reverts: Readonly<Record<string, number>>
  /** Of each route: how much more the best proven candidate pays than the best proven single path. */
  readonly improvementsBps: readonly number[]
  readonly discovered: readonly Pool[]
  /** Simulations were given up at the deadline, and forks may still be at work on them. */
  readonly isCut: boolean
  /** That have ended since the last reply of the thread. */
  readonly spans: readonly SpanData[]
}

export type TaskReply<K extends TaskKind = TaskKind> = { readonly trace: TaskTrace } & (
  | { readonly ok: true; readonly value: TaskTypes[K]['result'] }
  /** `lostFork`: a fork did not answer; the same task may succeed on its replacement. */
  | { readonly ok: false; readonly error: WireError; readonly lostFork?: string }
)

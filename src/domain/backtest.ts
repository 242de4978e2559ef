/**
 * Backtests: requests x blocks x variants, and what the found transactions would have done some blocks later. Jobs, which
 * are backtests or hindsight over many blocks. Types shared by plans, calculation, stores, job engines, outputs and the
 * API. Structured-clonable.
 */
import type { LateDelivery } from './bridges/terms.js'
import type { GasFacts, QuoteRequest } from './engine.js'
import type { WireError } from './errors.js'
import type { HindsightBlock, HindsightPlan } from './hindsight.js'
import type { Address, Hex } from './primitives.js'
import type { RouterSettings } from './router-settings.js'
import type { AutoSlippage } from './validity.js'

/** Blocks, both ends included. */
export type BlockRange =
  | { readonly kind: 'step'; readonly from: bigint; readonly to: bigint; readonly step: bigint }
  /** The blocks in which one of these contracts (pools) emitted an event. */
  | {
      readonly kind: 'changes'
      readonly from: bigint
      readonly to: bigint
      readonly addresses: readonly Address[]
    }

export interface PlanRequest {
  /** Unique in the plan. */
  readonly name: string
  /** Names no block; its limit is the default of variants that set none. */
  readonly request: QuoteRequest
}

/** How routes are searched for. A setting that is absent is as the service is configured. */
export interface PlanVariant {
  /** Unique in the plan. */
  readonly name: string
  readonly router: RouterSettings
  /** Slugs of protocols or projects, lower-case, besides those of the request. */
  readonly ignoreStandards: readonly string[]
  /** Slippage in hundredths of a basis point; absent: the request's own limit. */
  readonly centiBps?: bigint
  /** In place of `centiBps`: measured at each block. */
  readonly autoSlippage?: AutoSlippage
}

export interface BacktestPlan {
  /** Plans of backtests are stored without it. */
  readonly kind?: undefined
  readonly name: string
  readonly chainId: number
  readonly range: BlockRange
  readonly requests: readonly PlanRequest[]
  readonly variants: readonly PlanVariant[]
  /** Name of the variant that others are compared with. */
  readonly baseline: string
  /** Blocks after which each transaction is executed, ascending, each once, from 1; empty: never. */
  readonly delays: readonly number[]
  /**
   * Seconds after a block at which what was sent over a bridge is delivered again, ascending, each once, from 1. Absent:
   * as long as the bridge usually takes.
   */
  readonly deliverySeconds?: readonly number[]
}

/** A pool on the way of a route; hops without a pool (wrapping) are left out. */
export interface PathPart {
  readonly protocol: string
  readonly pool: string
  /** Hundredths of a percent of what its step swaps. */
  readonly shareBps: number
}

/** The transaction built at block N, as the last of block N + delay. */
export type Execution = { readonly delay: number } & (
  | ({ readonly status: 'filled'; readonly amountsOut: readonly bigint[] } & GasFacts)
  | ({ readonly status: 'reverted'; readonly reason: string } & GasFacts)
  /** Unknown: the block does not exist (yet), or state is missing. */
  | { readonly status: 'unknown'; readonly message: string }
)

/** What a row over a bridge has besides. */
export interface CrosschainRow {
  /** Slug. */
  readonly bridge: string
  readonly destinationBlock: bigint
  /** Wei of the source's native token for the messaging, beside the gas. */
  readonly bridgeFee: bigint
  /** In the order of the plan's `deliverySeconds`; one where the plan has none. */
  readonly deliveries: readonly LateDelivery[]
}

/** One request, by one variant, at one block. Everything but `milliseconds` is the same in every run. */
export interface BacktestRow {
  readonly blockNumber: bigint
  readonly request: string
  readonly variant: string
  /** Wall time of calculating this row, which may have run beside others. */
  readonly milliseconds: number
  readonly outcome:
    | {
        readonly ok: true
        /** One per tokenOut, raw units. */
        readonly amountsOut: readonly bigint[]
        readonly minAmountsOut: readonly bigint[]
        readonly gas: bigint
        /** Wei of the native token. */
        readonly gasCost: bigint
        /** USD; null when no price is known. */
        readonly gasCostUsd: number | null
        /** Raw units of the only tokenOut, with the fee of a bridge; null or absent when its price is not known. */
        readonly gasCostOut?: bigint | null
        /** Basis points; null when not known. */
        readonly priceImpact: number | null
        /** Whole tokens out per whole token in, of a request with one of each; null without decimals. */
        readonly price: number | null
        readonly path: readonly PathPart[]
        /** Warnings of the quote; absent where it has none. */
        readonly warnings?: readonly string[]
        /** Present for a route over a bridge only. */
        readonly crosschain?: CrosschainRow
      }
    | { readonly ok: false; readonly error: WireError }
  /** In the order of the plan's delays; empty for a row without a route. */
  readonly executions: readonly Execution[]
}

/** The rows of one block: stored together or not at all. */
export interface BacktestBlock {
  readonly kind?: undefined
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** Unix seconds. */
  readonly timestamp: bigint
  /** In the order requests, then variants, of the plan. */
  readonly rows: readonly BacktestRow[]
}

/** What a job is to do: a backtest, or hindsight over blocks. */
export type JobPlan = BacktestPlan | HindsightPlan
/** What a job found at one block. */
export type JobBlock = BacktestBlock | HindsightBlock
export type JobKind = NonNullable<JobPlan['kind']>

/** A transaction of hindsight is as long as so many rows of a backtest. */
const rowsPerTransaction = 10

/** How long the results of a block are, in rows of a backtest. */
export function lengthOf(block: JobBlock): number {
  return block.kind === 'hindsight'
    ? block.transactions.length * rowsPerTransaction
    : block.rows.length
}

/**
 * `queued`: waits for other jobs; `running`: also when its process has died, until the service starts again and takes
 * the job over; `cancelled` and `failed`: final until the job is resumed.
 */
export type JobState = 'queued' | 'running' | 'finished' | 'cancelled' | 'failed'

/** A job without its plan, which may be long: lists and all that watches a job have this. */
export interface BacktestEntry {
  /** Sorts by creation. */
  readonly id: string
  /** Absent: a backtest. */
  readonly kind?: JobKind
  /** Name of the plan. */
  readonly name: string
  readonly chainId: number
  /** That created it; null: an earlier release, which did not note it. */
  readonly accountId: Hex | null
  readonly state: JobState
  /** Why it failed; null unless `failed`. */
  readonly problem: string | null
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly finishedAt: number | null
  readonly blocksTotal: number
  readonly blocksDone: number
}

/** A job of either kind. */
export interface PlannedJob extends BacktestEntry {
  readonly plan: JobPlan
}

export interface BacktestJob extends PlannedJob {
  readonly plan: BacktestPlan
}

/** What a watcher of a job receives at each change. */
export interface JobProgress extends Pick<BacktestEntry, 'state' | 'blocksTotal' | 'blocksDone'> {
  readonly problem: string | null
  /** Seconds; null while it cannot be estimated. */
  readonly etaSeconds: number | null
}

/** The jobs as API and CLI see them. All methods throw ForkrouteError: NOT_FOUND, INVALID_REQUEST, STORAGE_UNAVAILABLE … */
export interface Backtests {
  /** Whether only the account that created a job, and admins, may read it. Who may do what is checked by the caller. */
  readonly isPrivate: boolean
  /**
   * Resolves once the job is stored and its blocks are known; the work continues from then on.
   * @throws also TOO_MANY_BACKTESTS.
   */
  create(plan: JobPlan, accountId: Hex): Promise<PlannedJob>
  /** Newest first. */
  list(query: ListQuery): Promise<readonly BacktestEntry[]>
  /** One of the list. */
  entry(id: string): Promise<BacktestEntry>
  show(id: string): Promise<PlannedJob>
  /** Stops the work within a second; finished blocks are kept. */
  cancel(id: string): Promise<PlannedJob>
  /** Continues where the job stopped; does nothing for a job that runs or is finished. @throws also TOO_MANY_BACKTESTS. */
  resume(id: string): Promise<PlannedJob>
  /** Deletes a job and its results; a running one is cancelled first. */
  remove(id: string): Promise<void>
  /** Blocks that are done, ascending. @param from - the first wanted; absent: all. */
  results(id: string, from?: bigint): AsyncIterable<JobBlock>
  /** The progress at once and at each change; ends with a final state. */
  watch(id: string, signal: AbortSignal): AsyncIterable<JobProgress>
  /**
   * The results so far as one file.
   * @param asked.account - whose places for files it takes one of.
   */
  file(id: string, asked: AskedFile): Promise<ResultStream>
  close(): Promise<void>
}

export interface ListQuery {
  /** Lists the backtests of this account only. */
  readonly accountId?: Hex
  /** Older than this job. */
  readonly before?: string
  readonly limit: number
}

/** What the jobs of one account may come to. */
export interface AccountLimits {
  /** Queued or running. */
  readonly open: number
  /** In any state. */
  readonly stored: number
}

/** Formats of the results. */
export const resultFiles = [
  'results.jsonl',
  'routes.csv',
  'executions.csv',
  'deliveries.csv',
  'routes.parquet',
  'executions.parquet',
  'deliveries.parquet',
  'transactions.csv',
  'transactions.parquet',
  'results.sqlite',
  'report.html',
  'summary.json',
] as const
export type ResultFile = (typeof resultFiles)[number]

export interface ResultOptions {
  /** Leaves out milliseconds, which differ between runs: equal results then have equal bytes. */
  readonly reproducible?: boolean
}

export interface AskedFile {
  readonly file: ResultFile
  readonly account: string
  readonly options: ResultOptions
}

/** Files that one account may read at the same time. */
export const filesPerAccount = 2

export interface ResultStream {
  readonly contentType: string
  readonly fileName: string
  /**
   * Makes the file while it is read.
   * @param signal - aborted when nobody wants the rest: what makes the file ends then.
   * @throws ForkrouteError TOO_MANY_STREAMS, OVERLOADED, NOT_FOUND, STORAGE_UNAVAILABLE, THREAD_LOST; the last three also
   * after the first bytes.
   */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
}

/** Limits of one job. */
export const backtestLimits = {
  requests: 200,
  variants: 32,
  delays: 16,
  /** Blocks: a day of 12 seconds each. */
  delay: 7_200,
  /** How many `deliverySeconds` a plan may list, and the most that each may be: a week. */
  deliveries: 16,
  deliverySeconds: 604_800,
  /** From the first to the last of a range. */
  span: 1_000_000,
  blocks: 100_000,
  /** Blocks x requests x variants. */
  rows: 1_000_000,
} as const

/**
 * The interface to the store of jobs and their results: SQLite in the data folder, or Postgres. When a write resolves,
 * it is on disk. Methods throw ForkrouteError STORAGE_UNAVAILABLE when the store cannot be read or written.
 */
import type {
  AccountLimits,
  BacktestEntry,
  JobBlock,
  JobPlan,
  JobState,
  ListQuery,
  PlannedJob,
} from '../../domain/backtest.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Hex } from '../../domain/primitives.js'

/** A claim that its owner has not renewed for this long can be taken over. */
export const claimMs = 10_000

/** After the id of every job. */
export const afterAll = '~'

export interface BacktestStore {
  /**
   * @param blocks - of the job, ascending.
   * @param limits - of the account, counted with nobody in between.
   * @throws ForkrouteError TOO_MANY_BACKTESTS.
   */
  add(
    plan: JobPlan,
    blocks: readonly bigint[],
    accountId: Hex,
    limits: AccountLimits,
  ): Promise<PlannedJob>
  /** Null: there is none. */
  job(id: string): Promise<PlannedJob | null>
  /** The job without its plan; null: there is none. */
  entry(id: string): Promise<BacktestEntry | null>
  /** Newest first. */
  entries(query: ListQuery): Promise<readonly BacktestEntry[]>
  /** Queued and running ones, oldest first. */
  open(): Promise<readonly BacktestEntry[]>
  /**
   * `failed` keeps the problem; every other state clears it. `finished`, `cancelled` and `failed` note the time.
   * @param from - only a job in one of these states is changed; absent: in any.
   * @returns whether there was such a job.
   */
  setState(
    id: string,
    state: JobState,
    problem?: string | null,
    from?: readonly JobState[],
  ): Promise<boolean>
  /**
   * Claims a job for one process, or renews its claim. A job is free when nobody has claimed it, when the claim was not
   * renewed for `claimMs`, or when its owner is gone.
   * @returns whether the job is the owner's now.
   */
  claim(id: string, owner: string, isGone?: (other: string) => boolean): Promise<boolean>
  /** Gives a job up; of another owner's: nothing. */
  release(id: string, owner: string): Promise<void>
  /** Blocks without a result, ascending. */
  pending(id: string): Promise<readonly bigint[]>
  /** In one transaction. False, and nothing is written, where the block has its result already or the job is gone. */
  put(id: string, block: JobBlock): Promise<boolean>
  /** Ascending, read page by page. @param from - the first block wanted; absent: all. */
  results(id: string, from?: bigint): AsyncIterable<JobBlock>
  remove(id: string): Promise<void>
  /** Bytes on disk. */
  size(): Promise<number>
  close(): Promise<void>
}

/** @throws ForkrouteError TOO_MANY_BACKTESTS where the account's next job would be one too many. */
export function refuseTooMany(counted: AccountLimits, limits: AccountLimits): void {
  const tooMany = (text: string) => new ForkrouteError('TOO_MANY_BACKTESTS', text)
  if (counted.open >= limits.open) {
    throw tooMany(
      `${counted.open} backtests of the account wait or run, and ${limits.open} is the limit (BACKTESTS_MAX_OPEN): cancel some, or wait.`,
    )
  }
  if (counted.stored >= limits.stored) {
    throw tooMany(
      `The account has ${counted.stored} backtests, and ${limits.stored} is the limit (BACKTESTS_MAX_STORED): remove old ones.`,
    )
  }
}

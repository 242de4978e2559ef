/**
 * Where jobs and their results are kept: SQLite in the data folder, or Postgres. Everything that it answered to a
 * writer is on disk. Methods throw ForkrouteError STORAGE_UNAVAILABLE when it cannot be read or written.
 */
import type { BacktestBlock, BacktestJob, BacktestPlan, JobState } from '../../domain/backtest.js'

/** A job that its owner has not kept for so long can be taken by another. */
export const claimMs = 10_000

export interface BacktestStore {
  /** @param blocks - of the job, ascending. */
  add(plan: BacktestPlan, blocks: readonly bigint[]): Promise<BacktestJob>
  /** Null: there is none. */
  job(id: string): Promise<BacktestJob | null>
  /** Newest first. */
  jobs(): Promise<readonly BacktestJob[]>
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
   * Takes a job for one process, or keeps it. It can be had when nobody has it, when its owner has not kept it for
   * `claimMs`, or when that owner is gone.
   * @returns whether the job is the owner's now.
   */
  claim(id: string, owner: string, isGone?: (other: string) => boolean): Promise<boolean>
  /** Gives a job up; of another owner's: nothing. */
  release(id: string, owner: string): Promise<void>
  /** Blocks without a result, ascending. */
  pending(id: string): Promise<readonly bigint[]>
  /** In one transaction. False, and nothing is written, where the block has its result already or the job is gone. */
  put(id: string, block: BacktestBlock): Promise<boolean>
  /** Ascending, read page by page. @param from - the first block wanted; absent: all. */
  results(id: string, from?: bigint): AsyncIterable<BacktestBlock>
  remove(id: string): Promise<void>
  /** Bytes on disk. */
  size(): Promise<number>
  close(): Promise<void>
}

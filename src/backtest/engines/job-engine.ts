/**
 * The interface to whatever calculates the blocks of a job: this process (`in-process.ts`), or workers behind a queue
 * (`bullmq-engine.ts`).
 */
import type { JobBlock, JobPlan, PlannedJob } from '../../domain/backtest.js'
import type { SpanFacts } from '../../telemetry/tracer.js'

/** Calculates one block. @throws the signal's reason when aborted; ForkrouteError for what concerns the whole block. */
export type CalculateBlock<Plan = JobPlan, Block = JobBlock> = (
  plan: Plan,
  blockNumber: bigint,
  signal: AbortSignal,
) => Promise<Block>

/** A block whose worker has written its results into the job's store already. */
export interface StoredBlock {
  readonly blockNumber: bigint
  readonly isStored: true
}

export type OnBlock = (block: JobBlock | StoredBlock) => Promise<void>

export interface JobEngine {
  /**
   * Calculates the blocks, in any order, each at least once, and hands each to `onBlock` before it counts as done.
   * Resolves when all are done. When the signal is aborted no new block is begun, what is under way is given up, and it
   * rejects with the signal's reason. @throws ForkrouteError for a block that cannot be calculated at all.
   */
  run(
    job: PlannedJob,
    blocks: readonly bigint[],
    onBlock: OnBlock,
    signal: AbortSignal,
  ): Promise<void>
  close(): Promise<void>
}

/** Facts of the span of one chunk of a job: each chunk is a trace of its own, so that none has all of a long job. */
export function chunkFacts(job: string, chainId: number, blocks: number): SpanFacts {
  return {
    'forkroute.backtest': job,
    'forkroute.chain_id': chainId,
    'forkroute.blocks': blocks,
  }
}

/** The interface of output formats: bytes for each block, and those at the end. Blocks come in ascending order. */
import type { BacktestBlock, BacktestJob, ResultOptions } from '../../domain/backtest.js'
import { type BacktestSummary, createSummariser, type Summariser } from '../summary.js'

export interface Encoder<Block = BacktestBlock> {
  add(block: Block): Uint8Array
  end(): Uint8Array | Promise<Uint8Array>
}

/** Requests a summary before the first block; the returned function gives it after the last. */
export type WantSummary = () => () => Promise<BacktestSummary>

export type CreateEncoder = (
  job: Pick<BacktestJob, 'plan'>,
  options: ResultOptions,
  wantSummary: WantSummary,
) => Encoder

/** One summary for all files that want it, and none where nobody does. */
export function createSharedSummary(job: Pick<BacktestJob, 'plan'>, options: ResultOptions) {
  let summariser: Summariser | null = null
  let summary: Promise<BacktestSummary> | null = null
  const want: WantSummary = () => {
    summariser ??= createSummariser(job, options)
    const { finish } = summariser
    return () => {
      summary ??= finish()
      return summary
    }
  }
  return { want, add: (block: BacktestBlock): void => summariser?.add(block) }
}

export const noBytes = new Uint8Array(0)

const encoder = new TextEncoder()
export const utf8 = (text: string): Uint8Array => encoder.encode(text)

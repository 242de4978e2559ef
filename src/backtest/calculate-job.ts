/** Calculates the blocks of jobs of either kind, and shows them in traces and metrics. */
import type { JobBlock } from '../domain/backtest.js'
import type { Engine } from '../domain/engine.js'
import { count, observe } from '../telemetry/metrics.js'
import { inSpan } from '../telemetry/tracing.js'
import { createCalculateBlock } from './calculate-block.js'
import { createCalculateHindsight } from './calculate-hindsight.js'
import type { CalculateBlock } from './engines/job-engine.js'

export function createCalculateJob(engine: Engine): CalculateBlock {
  const backtest = createCalculateBlock(engine)
  const hindsight = createCalculateHindsight(engine)
  return async (plan, blockNumber, signal) => {
    const startedAt = performance.now()
    const isHindsight = plan.kind === 'hindsight'
    const calculate = (): Promise<JobBlock> =>
      isHindsight ? hindsight(plan, blockNumber, signal) : backtest(plan, blockNumber, signal)
    try {
      const block = await inSpan('block', calculate, {
        facts: {
          'forkroute.chain_id': plan.chainId,
          'forkroute.block': Number(blockNumber),
          ...(!isHindsight && { 'forkroute.rows': plan.requests.length * plan.variants.length }),
        },
      })
      count('backtest_blocks_total', { result: 'done' })
      observe('backtest_block_seconds', {}, (performance.now() - startedAt) / 1_000)
      return block
    } catch (error) {
      if (!signal.aborted) count('backtest_blocks_total', { result: 'failed' })
      throw error
    }
  }
}

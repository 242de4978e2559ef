/** The job engine of one process: a few blocks of a job at a time. */
import { setMaxListeners } from 'node:events'
import pLimit from 'p-limit'
import { inTrace } from '../../telemetry/tracing.js'
import { type CalculateBlock, chunkFacts, type JobEngine } from './job-engine.js'

/**
 * @param blocksAtOnce - blocks in progress at a time. They begin in ascending order, so that an execution some blocks
 *   later finds forks and state still warm.
 */
export function createInProcessEngine(
  calculate: CalculateBlock,
  { blocksAtOnce }: { readonly blocksAtOnce: number },
): JobEngine {
  return {
    async run(job, blocks, onBlock, signal) {
      signal.throwIfAborted()
      // The first block that cannot be calculated ends the others as well.
      const stopping = new AbortController()
      // Every request of every block listens to it.
      setMaxListeners(0, stopping.signal)
      const stop = () => stopping.abort(signal.reason)
      signal.addEventListener('abort', stop, { once: true })
      const turn = pLimit(blocksAtOnce)
      try {
        await Promise.all(
          blocks.map((number) =>
            turn(async () => {
              stopping.signal.throwIfAborted()
              try {
                await inTrace(
                  'backtest chunk',
                  async () => onBlock(await calculate(job.plan, number, stopping.signal)),
                  { facts: chunkFacts(job.id, job.plan.chainId, 1) },
                )
              } catch (error) {
                stopping.abort(error)
                throw error
              }
            }),
          ),
        )
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
    async close() {},
  }
}

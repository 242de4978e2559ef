/**
 * Calculates one block of hindsight: what its swaps gave, and what our own transactions would have given. A temporary
 * error is retried, and fails the block if it stays.
 */
import { defined } from '../domain/defined.js'
import { type CallContext, type Engine, noAccount } from '../domain/engine.js'
import type { HindsightBlock, HindsightPlan } from '../domain/hindsight.js'
import type { CalculateBlock } from './engines/job-engine.js'
import { retryPolicy as defaultRetryPolicy, type RetryPolicy, withRetries } from './retry.js'

export function createCalculateHindsight(
  engine: Pick<Engine, 'block' | 'hindsight'>,
  retryPolicy: RetryPolicy = defaultRetryPolicy,
): CalculateBlock<HindsightPlan, HindsightBlock> {
  return async ({ chainId, since }, blockNumber, signal) => {
    const context: CallContext = { accountId: noAccount, signal, isBackground: true }
    const again = <T>(work: () => Promise<T>) => withRetries(work, signal, retryPolicy)
    const { hash, timestamp } = await again(() => engine.block(chainId, blockNumber, context))
    const of = { kind: 'blocks', from: blockNumber, to: blockNumber } as const
    const asked = { chainId, of, ...defined({ since }) }
    const { transactions, warnings } = await again(() => engine.hindsight(asked, context))
    return { kind: 'hindsight', blockNumber, blockHash: hash, timestamp, transactions, warnings }
  }
}

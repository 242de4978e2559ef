/** Retries work that fails temporarily, with growing pauses. */
import { setTimeout } from 'node:timers/promises'
import { errorCodes, ForkrouteError } from '../domain/errors.js'

export interface RetryPolicy {
  /** Before the second try; doubled each time. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** No retry begins after this much time. */
  readonly totalMs: number
}

/** A node that restarts is back within minutes; one that is away for longer needs somebody. */
export const retryPolicy: RetryPolicy = {
  firstPauseMs: 500,
  longestPauseMs: 15_000,
  totalMs: 300_000,
}

export function isRetryable(error: unknown): error is ForkrouteError {
  return error instanceof ForkrouteError && errorCodes[error.code].retry
}

/** @throws the last error; the signal's reason as soon as it is aborted. */
export async function withRetries<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  { firstPauseMs, longestPauseMs, totalMs }: RetryPolicy,
): Promise<T> {
  const begun = performance.now()
  for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!isRetryable(error) || performance.now() - begun + pause > totalMs) throw error
    }
    await setTimeout(pause, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

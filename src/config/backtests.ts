/** Variables of the environment for backtests. */
import type { z } from 'zod'
import type { AccountLimits } from '../domain/backtest.js'
import { integer, oneOf } from './values.js'

export interface BacktestsConfig {
  /** Disk space that all backtests together may take. */
  readonly maxBytes: number
  /** Limits of one account. */
  readonly limits: AccountLimits
  /** Whether only the account that created a backtest, and admins, may read it. */
  readonly isPrivate: boolean
}

export const backtestsVariables = {
  BACKTESTS_MAX_BYTES: integer(4_294_967_296, 1_048_576, 999_999_999_999_999).describe(
    'Disk that jobs and results of backtests may take; a job that would need more fails, and can be resumed.',
  ),
  BACKTESTS_MAX_OPEN: integer(20, 1, 100_000).describe(
    'Backtests of one account that wait or run; more are answered 429.',
  ),
  BACKTESTS_MAX_STORED: integer(1_000, 1, 1_000_000).describe(
    'Backtests of one account in any state; more are answered 429 until some are removed.',
  ),
  BACKTESTS_PRIVATE: oneOf(['off', 'on'], 'off').describe(
    '`on`: only keys of the account that created a backtest, and admins, may read it. `off`: all keys may.',
  ),
}

export function backtestsOf(
  read: z.infer<z.ZodObject<typeof backtestsVariables>>,
): BacktestsConfig {
  return {
    maxBytes: read.BACKTESTS_MAX_BYTES,
    limits: { open: read.BACKTESTS_MAX_OPEN, stored: read.BACKTESTS_MAX_STORED },
    isPrivate: read.BACKTESTS_PRIVATE === 'on',
  }
}

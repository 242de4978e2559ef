import type { Address, Hex } from 'viem'
import type { ExecutableRoute } from './execution.js'

/** What a Safe takes as a transaction of its owners, for a route with the strategy `delegate`. */
export function safeTransaction({ tx }: Pick<ExecutableRoute, 'tx'>) {
  return { to: tx.to as Address, data: tx.data as Hex, value: tx.value.toString(), operation: 1 }
}

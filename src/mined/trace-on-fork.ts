/** Traces a transaction on a fork of a block, without mining it. */
import { numberToHex } from 'viem'
import type { ChainRules } from '../domain/chain-rules.js'
import type { BlockPin } from '../domain/primitives.js'
import { blockEnvironment, gasPriceAfter } from '../forks/block-environment.js'
import { type CallFrame, callTracer } from '../forks/call-frame.js'
import { forkClient } from '../forks/clients.js'
import type { ForkPool } from '../forks/pool.js'
import type { MinedTransaction } from './mined-transaction.js'

export type TracedTransaction = Pick<
  MinedTransaction,
  'from' | 'to' | 'input' | 'value' | 'gas' | 'gasPrice'
>

/** Leases a fork of the block for the work. @throws ForkrouteError as `ForkPool.acquire`. */
export async function onFork<T>(
  forks: Pick<ForkPool, 'acquire'>,
  at: BlockPin,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const lease = await forks.acquire(at)
  try {
    const [url = ''] = lease.urls
    return await work(url)
  } finally {
    lease.release()
  }
}

/** Calls the transaction on the newest block of the fork, in a block with these fields. */
export function traceCall(
  url: string,
  { from, to, input, value, gas, gasPrice }: TracedTransaction,
  blockOverrides: object,
): Promise<CallFrame> {
  const call = { from, to, data: input, value, gas, gasPrice }
  const options = { ...callTracer, blockOverrides }
  return forkClient(url).request<CallFrame>('debug_traceCall', [call, 'latest', options])
}

/** In the block after the pinned one, alone. */
export function traceAfterBlock(
  { chain, forks }: { readonly chain: ChainRules; readonly forks: Pick<ForkPool, 'acquire'> },
  tx: TracedTransaction,
  at: BlockPin,
): Promise<CallFrame> {
  return onFork(forks, at, (url) => {
    const { number, time, gasLimit, baseFeePerGas, ...rest } = blockEnvironment(at, chain)
    const hex = { number, time, gasLimit, baseFeePerGas }
    const fields = Object.entries(hex).map(([name, value]) => [name, numberToHex(value)])
    const { prevRandao, feeRecipient } = rest
    const block = { ...Object.fromEntries(fields), prevRandao, feeRecipient }
    return traceCall(url, { ...tx, gasPrice: numberToHex(gasPriceAfter(at, chain)) }, block)
  })
}

/** Traces a transaction on a fork of a block, without mining it. */
import { numberToHex } from 'viem'
import type { ChainRules } from '../domain/chain-rules.js'
import type { BlockPin } from '../domain/primitives.js'
import { blockEnvironment, gasPriceAfter } from '../forks/block-environment.js'
import { type CallFrame, callTracer } from '../forks/call-frame.js'
import { forkClient } from '../forks/clients.js'
import { ForkLostError, forkError } from '../forks/faults.js'
import type { ForkPool } from '../forks/pool.js'
import { forksOf, replacingLost } from '../forks/replace-lost.js'
import type { MinedTransaction } from './mined-transaction.js'

export type TracedTransaction = Pick<
  MinedTransaction,
  'from' | 'to' | 'input' | 'value' | 'gas' | 'gasPrice'
>

/**
 * Leases a fork of the block for the work, which begins anew on another fork where one is lost.
 *
 * @throws ForkrouteError as `ForkPool.acquire`; UPSTREAM_UNAVAILABLE where the fork gets no state in time; FORK_UNAVAILABLE.
 */
export async function onFork<T>(
  forks: Pick<ForkPool, 'acquire'>,
  at: BlockPin,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const lease = await forks.acquire(at)
  const attempt = async (): Promise<Attempt<T>> => {
    const [url = ''] = forksOf(lease).forkUrls
    try {
      return { value: await work(url) }
    } catch (thrown) {
      return { error: await forkError(thrown, url, at, undefined) }
    }
  }
  try {
    const done = await replacingLost(await attempt(), {
      lostIn: (one) =>
        'error' in one && one.error instanceof ForkLostError ? one.error.url : undefined,
      replace: (url) => lease.reportLost(url),
      again: attempt,
    })
    if ('error' in done) throw done.error
    return done.value
  } finally {
    lease.release()
  }
}

type Attempt<T> = { readonly value: T } | { readonly error: unknown }

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

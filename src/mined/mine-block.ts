/** Mines transactions of a block once more on a fork of the block before it, in their order. */
import pLimit from 'p-limit'
import type { Hex } from '../domain/primitives.js'
import { blockRunner, forkClient } from '../forks/clients.js'
import { faultOf } from '../forks/faults.js'
import { JsonRpcError } from '../rpc/node/json-rpc.js'

/** The fields of a header that a contract can see; quantities are hexadecimal. */
export interface BlockFields {
  readonly number: Hex
  readonly timestamp: Hex
  readonly miner: Hex
  readonly baseFeePerGas?: Hex | undefined
}

/**
 * @param transactions - as nodes print them.
 * @returns for each transaction its hash on the fork, where senders are impersonated; null: the fork did not take it.
 */
export async function mineBlock(
  url: string,
  block: BlockFields,
  transactions: readonly Readonly<Record<string, unknown>>[],
): Promise<(Hex | null)[]> {
  const fork = forkClient(url)
  await readAhead(url, transactions)
  await fork.request('anvil_autoImpersonateAccount', [true])
  await fork.request('anvil_setCoinbase', [block.miner])
  await fork.request('evm_setNextBlockTimestamp', [block.timestamp])
  await fork.request('anvil_setNextBlockBaseFeePerGas', [block.baseFeePerGas ?? '0x0'])
  const hashes: (Hex | null)[] = []
  for (const tx of transactions) {
    const sent = fork.request<Hex>('eth_sendTransaction', [asRequest(tx)])
    const hash = await sent.catch((error: unknown) => {
      const isOwn = error instanceof JsonRpcError && faultOf(error.message) === 'own'
      if (!isOwn) throw error
      return null
    })
    hashes.push(hash)
  }
  await blockRunner(url).request('evm_mine', [])
  return hashes
}

/** Transactions that are called at a time to read ahead. */
const callsAtOnce = 32

/**
 * Calls each transaction by itself, many at a time, so that the fork has most of what they read. The block reads it one
 * slot after the other, which takes minutes where the node is far away. What the calls answer does not matter.
 */
async function readAhead(
  url: string,
  transactions: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const turn = pLimit(callsAtOnce)
  const calls = transactions.map(({ from, to, input, value, gas }) => {
    const call = { from, to, data: input, value, gas }
    return turn(() => blockRunner(url).request('eth_call', [call, 'latest']))
  })
  await Promise.allSettled(calls)
}

/** What may be sent of a transaction as nodes print it: its blobs are not there, and no contract reads them. */
function asRequest(tx: Readonly<Record<string, unknown>>): object {
  const names = ['from', 'to', 'input', 'value', 'gas', 'nonce', 'accessList', 'authorizationList']
  const fees = tx.maxFeePerGas ? ['maxFeePerGas', 'maxPriorityFeePerGas'] : ['gasPrice']
  const given = [...names, ...fees].filter((name) => tx[name] !== undefined && tx[name] !== null)
  return Object.fromEntries(given.map((name) => [name, tx[name]]))
}

/** Runs a mined transaction again: after a block, as a simulation would have, or at its own place in its block. */

import { numberToHex } from 'viem'
import type { ChainRules } from '../domain/chain-rules.js'
import { defined } from '../domain/defined.js'
import type { BlockPin, Hex } from '../domain/primitives.js'
import { blockEnvironment, gasPriceAfter } from '../forks/block-environment.js'
import { type CallFrame, callTracer } from '../forks/call-frame.js'
import { forkClient } from '../forks/clients.js'
import type { ForkPool } from '../forks/pool.js'
import { JsonRpcError, type RpcClient } from '../rpc/node/json-rpc.js'
import type { MinedTransaction } from './mined-transaction.js'

export interface Rerun {
  /** In the block after the pinned one, alone. */
  afterBlock(tx: MinedTransaction, pin: BlockPin): Promise<CallFrame>
  /** After what came before it in its block: by the node's own trace, else on a fork of the block before. */
  atItsPlace(tx: MinedTransaction): Promise<{
    readonly frame: CallFrame
    readonly readFrom: 'node' | 'fork'
    /** Earlier transactions of the block that the fork could not run. */
    readonly skipped: number
  }>
}

export interface RerunParts {
  readonly chain: ChainRules
  readonly node: Pick<RpcClient, 'request'>
  readonly forks: Pick<ForkPool, 'acquire'>
  pin(number: bigint): Promise<BlockPin>
}

interface MinedBlock {
  readonly number: Hex
  readonly timestamp: Hex
  readonly miner: Hex
  readonly mixHash?: Hex
  readonly baseFeePerGas?: Hex
  readonly gasLimit: Hex
  readonly transactions: readonly Record<string, unknown>[]
}

/** Errors of nodes that do not trace, or no longer have the state for it. */
const notTraced =
  /method|not (found|available|supported|whitelisted)|missing|historical|state|pruned|archive/i

export function createRerun({ chain, node, forks, pin }: RerunParts): Rerun {
  /** Calls the transaction on the newest block of the fork, in a block with these fields. */
  function trace(
    url: string,
    { from, to, input, value, gas, gasPrice }: Omit<MinedTransaction, 'hash'>,
    block: object,
  ): Promise<CallFrame> {
    const call = { from, to, data: input, value, gas, gasPrice }
    const options = { ...callTracer, blockOverrides: block }
    return forkClient(url).request<CallFrame>('debug_traceCall', [call, 'latest', options])
  }

  async function onFork<T>(at: BlockPin, work: (url: string) => Promise<T>): Promise<T> {
    const lease = await forks.acquire(at)
    try {
      const [url = ''] = lease.urls
      return await work(url)
    } finally {
      lease.release()
    }
  }

  async function atFork(tx: MinedTransaction) {
    const block = await node.request<MinedBlock>('eth_getBlockByNumber', [tx.blockNumber, true])
    const earlier = block.transactions.slice(0, Number(tx.transactionIndex))
    return onFork(await pin(BigInt(tx.blockNumber) - 1n), async (url) => {
      // The fork may serve again as the block that it stands at.
      const snapshot = await forkClient(url).request<Hex>('evm_snapshot', [])
      const skipped = earlier.length > 0 ? await mineEarlier(url, block, earlier) : 0
      const frame = await trace(url, tx, {
        number: block.number,
        time: block.timestamp,
        gasLimit: block.gasLimit,
        feeRecipient: block.miner,
        baseFeePerGas: block.baseFeePerGas ?? '0x0',
        ...defined({ prevRandao: block.mixHash }),
      })
      await forkClient(url).request('evm_revert', [snapshot])
      return { frame, readFrom: 'fork', skipped } as const
    })
  }

  return {
    afterBlock: (tx, at) =>
      onFork(at, (url) => {
        const { number, time, gasLimit, ...rest } = blockEnvironment(at, chain)
        const hex = { number, time, gasLimit, baseFeePerGas: rest.baseFeePerGas }
        const fields = Object.entries(hex).map(([name, value]) => [name, numberToHex(value)])
        const { prevRandao, feeRecipient } = rest
        const gasPrice = numberToHex(gasPriceAfter(at, chain))
        const block = { ...Object.fromEntries(fields), prevRandao, feeRecipient }
        return trace(url, { ...tx, gasPrice }, block)
      }),
    async atItsPlace(tx) {
      try {
        const params = [tx.hash, callTracer]
        const frame = await node.request<CallFrame>('debug_traceTransaction', params)
        return { frame, readFrom: 'node', skipped: 0 }
      } catch (error) {
        if (!(error instanceof JsonRpcError) || !notTraced.test(error.message)) throw error
        return atFork(tx)
      }
    },
  }
}

/** @returns how many of them were not taken. */
async function mineEarlier(
  url: string,
  block: MinedBlock,
  earlier: MinedBlock['transactions'],
): Promise<number> {
  const fork = forkClient(url)
  await fork.request('anvil_autoImpersonateAccount', [true])
  await fork.request('anvil_setCoinbase', [block.miner])
  await fork.request('evm_setNextBlockTimestamp', [block.timestamp])
  await fork.request('anvil_setNextBlockBaseFeePerGas', [block.baseFeePerGas ?? '0x0'])
  let skipped = 0
  for (const tx of earlier) {
    await fork.request('eth_sendTransaction', [asRequest(tx)]).catch((error: unknown) => {
      if (!(error instanceof JsonRpcError)) throw error
      skipped += 1
    })
  }
  await fork.request('evm_mine', [])
  return skipped
}

/** What may be sent of a transaction as nodes print it: its blobs are not there, and no contract reads them. */
function asRequest(tx: Readonly<Record<string, unknown>>): object {
  const names = ['from', 'to', 'input', 'value', 'gas', 'nonce', 'accessList', 'authorizationList']
  const fees = tx.maxFeePerGas ? ['maxFeePerGas', 'maxPriorityFeePerGas'] : ['gasPrice']
  const given = [...names, ...fees].filter((name) => tx[name] !== undefined && tx[name] !== null)
  return Object.fromEntries(given.map((name) => [name, tx[name]]))
}

/** Runs a mined transaction again: after a block, as a simulation would have, or at its own place in its block. */
import type { ChainRules } from '../domain/chain-rules.js'
import { defined } from '../domain/defined.js'
import type { BlockPin, Hex } from '../domain/primitives.js'
import { type CallFrame, callTracer } from '../forks/call-frame.js'
import { forkClient } from '../forks/clients.js'
import type { ForkPool } from '../forks/pool.js'
import { JsonRpcError, type RpcClient } from '../rpc/node/json-rpc.js'
import { type BlockFields, mineBlock } from './mine-block.js'
import type { MinedTransaction } from './mined-transaction.js'
import { onFork, traceAfterBlock, traceCall } from './trace-on-fork.js'

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

interface MinedBlock extends BlockFields {
  readonly mixHash?: Hex
  readonly gasLimit: Hex
  readonly transactions: readonly Record<string, unknown>[]
}

/** Errors of nodes that do not trace, or no longer have the state for it. */
const notTraced =
  /method|not (found|available|supported|whitelisted)|missing|historical|state|pruned|archive/i

export function createRerun({ chain, node, forks, pin }: RerunParts): Rerun {
  async function atFork(tx: MinedTransaction) {
    const block = await node.request<MinedBlock>('eth_getBlockByNumber', [tx.blockNumber, true])
    const earlier = block.transactions.slice(0, Number(tx.transactionIndex))
    return onFork(forks, await pin(BigInt(tx.blockNumber) - 1n), async (url) => {
      // The fork may serve again as the block that it stands at.
      const snapshot = await forkClient(url).request<Hex>('evm_snapshot', [])
      const taken = earlier.length > 0 ? await mineBlock(url, block, earlier) : []
      const skipped = taken.filter((hash) => hash === null).length
      const frame = await traceCall(url, tx, {
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
    afterBlock: (tx, at) => traceAfterBlock({ chain, forks }, tx, at),
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

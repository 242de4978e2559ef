/** Scripted writing to a fresh Anvil: transactions are queued and mined block by block, in the order given. */
import { numberToHex } from 'viem'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { RpcCall, RpcClient } from '../../rpc/node/json-rpc.js'

export interface ScriptedTransaction {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly value?: bigint
  /** Limit; what is not used costs nothing. */
  readonly gas?: bigint
}

export interface ChainWriter {
  /** One batch of JSON-RPC; @throws ForkrouteError INTERNAL naming the method of the first that fails. */
  all(calls: readonly RpcCall[]): Promise<unknown[]>
  send(transaction: ScriptedTransaction): void
  /** Mines what was sent into one block; its transactions run in the order of sending. */
  mine(options?: { readonly baseFeePerGas?: bigint }): Promise<void>
  /** @throws ForkrouteError INTERNAL when a transaction mined so far has failed. */
  checkReceipts(): Promise<void>
}

const defaultGas = 8_000_000n
const maxFeePerGas = 100_000_000_000n
/** Tip of the first transaction of a block; each one after pays one step less, which fixes their order. */
const firstTip = 2_000_000_000n
const tipStep = 1_000_000n

export function createChainWriter(client: RpcClient): ChainWriter {
  const nonces = new Map<Address, number>()
  const minedHashes: Hex[] = []
  let queue: ScriptedTransaction[] = []

  async function all(calls: readonly RpcCall[]): Promise<unknown[]> {
    const results = await client.batch(calls)
    return results.map((result, index) => {
      if (result.ok) return result.value
      const message = `The sandbox script failed at ${calls[index]?.method}: ${result.error.message}`
      throw new ForkrouteError('INTERNAL', message, undefined, { cause: result.error })
    })
  }

  function toCall(transaction: ScriptedTransaction, index: number): RpcCall {
    const { from, to, data, value = 0n, gas = defaultGas } = transaction
    const nonce = nonces.get(from) ?? 0
    nonces.set(from, nonce + 1)
    const request = {
      from,
      to,
      data,
      value: numberToHex(value),
      gas: numberToHex(gas),
      nonce: numberToHex(nonce),
      maxFeePerGas: numberToHex(maxFeePerGas),
      maxPriorityFeePerGas: numberToHex(firstTip - tipStep * BigInt(index)),
    }
    return { method: 'eth_sendTransaction', params: [request] }
  }

  return {
    all,
    send: (transaction) => {
      queue.push(transaction)
    },
    async mine({ baseFeePerGas } = {}) {
      const calls = queue.map(toCall)
      queue = []
      if (baseFeePerGas !== undefined) {
        const params = [numberToHex(baseFeePerGas)]
        calls.push({ method: 'anvil_setNextBlockBaseFeePerGas', params })
      }
      const results = await all(calls)
      minedHashes.push(...(results.filter((value) => typeof value === 'string') as Hex[]))
      await all([{ method: 'evm_mine', params: [] }])
    },
    async checkReceipts() {
      const calls = minedHashes.map((hash) => ({
        method: 'eth_getTransactionReceipt',
        params: [hash],
      }))
      const receipts = (await all(calls)) as ({ status: Hex; blockNumber: Hex } | null)[]
      const failed = receipts.findIndex((receipt) => receipt?.status !== '0x1')
      if (failed < 0) return
      const block = receipts[failed]?.blockNumber ?? 'no block'
      throw new ForkrouteError(
        'INTERNAL',
        `Transaction ${failed} of the sandbox script failed (${minedHashes[failed]}, ${block}).`,
      )
    },
  }
}

/** Reads a node directly, one call at a time at one block: for adapters without the service around them. */
import { numberToHex } from 'viem'
import type { Hex } from '../../../src/domain/primitives.js'
import type { ReadResult, StateReader } from '../../../src/domain/state.js'
import type { RpcClient } from '../../../src/rpc/node/json-rpc.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { readPin } from '../pin.js'

/** @param number - the newest block, unless another is named. */
export async function nodeReader(url: string, number?: number): Promise<StateReader> {
  const block = await readPin(url, number)
  const tag = numberToHex(block.number)
  const ask = async (client: RpcClient, method: string, params: readonly unknown[]) => {
    const [reply] = await client.batch([{ method, params: [...params] }])
    if (reply?.ok) return { ok: true, value: reply.value as Hex } satisfies ReadResult
    const message = reply?.error.message ?? 'no reply'
    return { ok: false, reason: 'reverted', message } satisfies ReadResult
  }
  async function all(requests: readonly (readonly [string, readonly unknown[]])[]) {
    const client = createRpcClient(url)
    try {
      return await Promise.all(requests.map(([method, params]) => ask(client, method, params)))
    } finally {
      await client.close()
    }
  }
  return {
    block,
    storage: (reads) =>
      all(reads.map(({ address, slot }) => ['eth_getStorageAt', [address, slot, tag]])),
    call: (calls) =>
      all(
        calls.map(({ to, data, timestamp }) => {
          const later = timestamp === undefined ? [] : [{}, { time: numberToHex(timestamp) }]
          return ['eth_call', [{ to, data }, tag, ...later]]
        }),
      ),
  }
}

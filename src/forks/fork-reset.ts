/**
 * Resets a fork process to another block, which is a third of the work of a start and needs no new process.
 * Afterwards it cannot be told from a fresh one: Anvil forgets all state, and the base fee and gas limit, which it
 * would keep from the block before and which calls see, are set anew. Its hard fork it keeps, so it goes only to blocks
 * of the same rules. Used by the fork starter only.
 */
import { gunzipSync } from 'node:zlib'
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin, Hex } from '../domain/primitives.js'
import { forkClient } from './clients.js'

/** What Anvil says of itself. */
interface NodeInfo {
  readonly currentBlockHash: string
}

/** Anvil's state as it dumps and loads it: gzipped JSON, or JSON. */
interface DumpedState {
  readonly block: Readonly<Record<string, unknown>>
}

/** @throws whatever keeps the fork from reaching the block; the process is then useless. */
export async function resetFork(url: string, pin: BlockPin, archiveUrl: string): Promise<void> {
  const fork = forkClient(url)
  const blockNumber = Number(pin.number)
  await fork.request('anvil_reset', [{ forking: { jsonRpcUrl: archiveUrl, blockNumber } }])
  const dumped = await fork.request<Hex>('anvil_dumpState')
  const json = gunzipSync(Buffer.from(dumped.slice(2), 'hex')).toString()
  const { block, ...rest } = JSON.parse(json) as DumpedState
  const fees = { gas_limit: Number(pin.gasLimit), basefee: Number(pin.baseFeePerGas) }
  const state = JSON.stringify({ ...rest, block: { ...block, ...fees } })
  await fork.request('anvil_loadState', [`0x${Buffer.from(state).toString('hex')}`])
  const { currentBlockHash } = await fork.request<NodeInfo>('anvil_nodeInfo')
  if (currentBlockHash.toLowerCase() === pin.hash) return
  throw new ForkrouteError('FORK_UNAVAILABLE', 'A fork did not move to another block.')
}

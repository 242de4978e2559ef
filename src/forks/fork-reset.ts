/**
 * Resets a fork process to another block, which is a third of the work of a start and needs no new process.
 * Afterwards it cannot be told from a fresh one: Anvil forgets all state, and the base fee and gas limit, which it
 * would keep from the block before and which calls see, are set anew. Used by the fork starter only.
 */
import { gunzipSync } from 'node:zlib'
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin, Hex } from '../domain/primitives.js'
import { forkClient } from './clients.js'

/** What Anvil says of itself. */
interface NodeInfo {
  readonly currentBlockHash: string
  readonly hardFork: string
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

/** The hard fork whose rules the process follows: chosen from its block at the start, and kept by a reset. */
export async function hardForkOf(url: string): Promise<string> {
  return (await forkClient(url).request<NodeInfo>('anvil_nodeInfo')).hardFork
}

/**
 * The blocks at which a process would choose each hard fork, learnt from starts. Hard forks only ever follow one
 * another, so between two blocks with the same one there is no other.
 */
export function createHardForkRanges(): {
  /** Records the hard fork that a process started at the block has chosen. */
  learn(chainId: number, hardFork: string, number: bigint): void
  /** Whether a process started at the block is known to choose this hard fork. */
  holds(chainId: number, hardFork: string, number: bigint): boolean
} {
  const ranges = new Map<string, { from: bigint; to: bigint }>()
  return {
    learn(chainId, hardFork, number) {
      const key = `${chainId}:${hardFork}`
      const range = ranges.get(key) ?? { from: number, to: number }
      if (number < range.from) range.from = number
      if (number > range.to) range.to = number
      ranges.set(key, range)
    },
    holds(chainId, hardFork, number) {
      const range = ranges.get(`${chainId}:${hardFork}`)
      return range !== undefined && range.from <= number && number <= range.to
    },
  }
}

/**
 * The sandbox's JSON-RPC node: a fixed address for clients, and an Anvil behind it, which is replaced when a request
 * finds it dead. Runs in the thread `workers/sandbox.ts`, since assembling older states takes time.
 */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { WireError } from '../../domain/errors.js'
import { quietly } from '../../telemetry/quietly.js'
import { followHeads, type HeadFeed } from './head-feed.js'
import { createHistory, type HistoryData } from './history.js'
import { type HistoryServer, serveHistory } from './history-server.js'
import type { OwnAnswer, OwnQuestion } from './own-methods.js'
import { type RunningChain, type SavedChain, startChain } from './running-chain.js'

export interface SandboxNodeOptions extends SavedChain {
  readonly historyPath: string
  /** 0 = a free one. */
  readonly port: number
  /** Whether its blocks and the sandbox's own methods are for others to hear of. */
  readonly isRelayed: boolean
}

/** Messages from the thread; `chain` is also sent when a new Anvil has replaced one that died. */
export type SandboxMessage =
  | { readonly kind: 'chain'; readonly pid: number }
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'refused'; readonly error: WireError }
  | { readonly kind: 'head'; readonly blockNumber: number }
  | { readonly kind: 'question'; readonly question: OwnQuestion }

/** Messages to the thread. */
export type SandboxOrder =
  | { readonly kind: 'stop' }
  | { readonly kind: 'answer'; readonly answer: OwnAnswer }

/**
 * @param on.chain - receives the process id of each Anvil.
 * @param on.head - receives the number of each new block, if it is relayed.
 * @param ask - answers the sandbox's own methods.
 * @throws ForkrouteError FORK_UNAVAILABLE when Anvil does not start, INVALID_REQUEST when the port cannot be had.
 */
export async function startSandboxNode(
  { historyPath, port, isRelayed, ...saved }: SandboxNodeOptions,
  on: { chain(pid: number): void; head(blockNumber: number): void },
  ask: (method: string, params: unknown) => Promise<unknown>,
): Promise<HistoryServer> {
  const json = await promisify(gunzip)(await readFile(historyPath))
  const history = createHistory(JSON.parse(json.toString()) as HistoryData)

  let current: RunningChain | null = null
  let starting: Promise<RunningChain> | null = null
  let heads: HeadFeed | null = null

  /** All requests that find the chain dead wait for the same new one. */
  async function chain(): Promise<RunningChain> {
    if (current && !current.hasEnded()) return current
    starting ??= replace().finally(() => {
      starting = null
    })
    return starting
  }

  async function replace(): Promise<RunningChain> {
    heads?.close()
    await current?.stop()
    current = await startChain(saved, history)
    if (isRelayed) heads = followHeads(current.url, on.head)
    on.chain(current.pid)
    return current
  }

  async function stopChain(): Promise<void> {
    if (starting) await quietly(starting, 'A chain that did not start has nothing to stop.')
    heads?.close()
    await current?.stop()
  }

  await chain()
  try {
    const server = await serveHistory({ port, chain, history, ask })
    return {
      port: server.port,
      async close() {
        await server.close()
        await stopChain()
      },
    }
  } catch (error) {
    await stopChain()
    throw error
  }
}

/**
 * The sandbox: an Ethereum mainnet in small on this machine, with real protocol contracts, over 300 blocks of
 * scripted history, and traps. It stands at the same block at every start and advances only by what is sent to it.
 */
import { Worker } from 'node:worker_threads'
import { ForkrouteError, fromWireError } from '../domain/errors.js'
import { threadFile } from '../threads.js'
import type { SandboxMessage, SandboxNodeOptions } from './chain/sandbox-node.js'
import { ensureSandboxState, type SandboxStateOptions } from './state.js'

export interface Sandbox {
  /** JSON-RPC over HTTP, loopback only. */
  readonly url: string
  readonly port: number
  /** Of its Anvil; another one after that has died. */
  readonly pid: number
  /** Of the head at the start. */
  readonly blockNumber: bigint
  stop(): Promise<void>
}

/**
 * Builds the chain first if the cache does not hold it.
 *
 * @param options.port - 0 or absent: any free one.
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE when its contracts cannot be downloaded, FORK_UNAVAILABLE when
 * Anvil does not start, INVALID_REQUEST when the port cannot be had.
 */
export async function startSandbox(
  options: SandboxStateOptions & { readonly port?: number } = {},
): Promise<Sandbox> {
  const { statePath, historyPath, blockNumber } = await ensureSandboxState(options)
  const workerData: SandboxNodeOptions = { statePath, historyPath, port: options.port ?? 0 }
  const thread = new Worker(threadFile('sandbox'), { workerData })
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  let pid = 0
  const port = await new Promise<number>((resolve, reject) => {
    thread.on('message', (message: SandboxMessage) => {
      if (message.kind === 'chain') pid = message.pid
      else if (message.kind === 'listening') resolve(message.port)
      else reject(fromWireError(message.error))
    })
    const failed = (cause?: unknown) =>
      reject(
        new ForkrouteError('FORK_UNAVAILABLE', 'The sandbox thread ended.', undefined, { cause }),
      )
    thread.once('error', failed)
    thread.once('exit', () => failed())
  })
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    blockNumber,
    get pid() {
      return pid
    },
    async stop() {
      thread.postMessage('stop')
      await ended
    },
  }
}

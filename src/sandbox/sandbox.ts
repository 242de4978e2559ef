/**
 * The sandbox: Ethereum mainnet, and other chains, in small on this machine, with real protocol contracts, scripted
 * history, and traps. A chain stands at the same block at every start and advances only by what is sent to it.
 */
import { Worker } from 'node:worker_threads'
import { ForkrouteError, fromWireError } from '../domain/errors.js'
import { threadFile } from '../threads.js'
import type { SandboxMessage, SandboxNodeOptions } from './chain/sandbox-node.js'
import { sandboxPlan } from './plans/registry.js'
import { ensureSandboxState, type SandboxStateOptions } from './state.js'

/** One chain of it. */
export interface Sandbox {
  readonly chainId: number
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
 * @param options.chainId - default: Ethereum.
 * @param options.port - 0 or absent: any free one.
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE when its contracts cannot be downloaded, FORK_UNAVAILABLE when
 * Anvil does not start, INVALID_REQUEST when the port cannot be had, or for a chain that the sandbox does not have.
 */
export async function startSandbox(
  options: SandboxStateOptions & { readonly chainId?: number; readonly port?: number } = {},
): Promise<Sandbox> {
  const { chainId = 1, port: wantedPort = 0 } = options
  const plan = sandboxPlan(chainId)
  const { blockNumber, ...files } = await ensureSandboxState(plan, options)
  const { blockSeconds } = plan
  const workerData: SandboxNodeOptions = { ...files, chainId, blockSeconds, port: wantedPort }
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
    chainId,
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

/**
 * Several chains side by side.
 *
 * @param options.port - of the first; the others have those after it. 0 or absent: any free ones.
 * @param options.onProgress - of all together.
 * @throws as `startSandbox`; the others are stopped then.
 */
export async function startSandboxes(
  chainIds: readonly number[],
  options: SandboxStateOptions & { readonly port?: number } = {},
): Promise<Sandbox[]> {
  const { port = 0, onProgress = () => undefined } = options
  const done = new Map<number, number>()
  const starts = chainIds.map((chainId, index) =>
    startSandbox({
      ...options,
      chainId,
      port: port && port + index,
      onProgress(message, fraction) {
        done.set(chainId, fraction)
        const sum = [...done.values()].reduce((total, one) => total + one, 0)
        onProgress(
          chainIds.length > 1 ? `chain ${chainId}: ${message}` : message,
          sum / chainIds.length,
        )
      },
    }),
  )
  const results = await Promise.allSettled(starts)
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const failed = results.find((result) => result.status === 'rejected')
  if (!failed) return started
  await Promise.all(started.map((sandbox) => sandbox.stop()))
  throw failed.reason
}

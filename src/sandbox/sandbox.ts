/**
 * The sandbox: Ethereum mainnet, and other chains, in small on this machine, with real protocol contracts, scripted
 * history, and traps. A chain stands at the same block at every start and advances only by what is sent to it.
 */
import { Worker } from 'node:worker_threads'
import { ForkrouteError, fromWireError } from '../domain/errors.js'
import type { Hex } from '../domain/primitives.js'
import { threadFile } from '../platform/threads.js'
import { attestationsMethod, type OwnAnswer, type OwnQuestion } from './chain/own-methods.js'
import type { SandboxMessage, SandboxNodeOptions, SandboxOrder } from './chain/sandbox-node.js'
import { sandboxPlan } from './plans/registry.js'
import { attestationsOf } from './relayer/cctp.js'
import { relayerModes } from './relayer/pending-delivery.js'
import { openRelayedChain, type RelayedChain } from './relayer/relayed-chain.js'
import { parseMode, Relayer } from './relayer/relayer.js'
import { ensureSandboxState, type SandboxStateOptions } from './state.js'

/** One chain of it. */
export interface Sandbox {
  readonly chainId: number
  /** JSON-RPC over HTTP, loopback only. */
  readonly url: string
  readonly port: number
  /** Process id of its Anvil; it changes when Anvil dies and is started again. */
  readonly pid: number
  /** Number of the newest block when the sandbox started. */
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
export function startSandbox(
  options: SandboxStateOptions & { readonly chainId?: number; readonly port?: number } = {},
): Promise<Sandbox> {
  return startChain(options, null)
}

/** What hears of a chain's blocks, its new Anvils and the questions to its node; one chain alone has none. */
interface Listener {
  head(chainId: number, blockNumber: number): void
  restarted(chainId: number): void
  ask(question: OwnQuestion): Promise<unknown>
}

async function startChain(
  options: SandboxStateOptions & { readonly chainId?: number; readonly port?: number },
  listener: Listener | null,
): Promise<Sandbox> {
  const { chainId = 1, port: wantedPort = 0 } = options
  const plan = sandboxPlan(chainId)
  const { blockNumber, ...files } = await ensureSandboxState(plan, options)
  const { blockSeconds } = plan
  const workerData: SandboxNodeOptions = {
    ...files,
    chainId,
    blockSeconds,
    port: wantedPort,
    isRelayed: listener !== null,
  }
  const thread = new Worker(threadFile('sandbox'), { workerData })
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  const order = (message: SandboxOrder) => thread.postMessage(message)
  let pid = 0
  const port = await new Promise<number>((resolve, reject) => {
    thread.on('message', (message: SandboxMessage) => {
      if (message.kind === 'chain') {
        if (pid) listener?.restarted(chainId)
        pid = message.pid
      } else if (message.kind === 'listening') resolve(message.port)
      else if (message.kind === 'head') listener?.head(chainId, message.blockNumber)
      else if (message.kind === 'question')
        void answerTo(message.question, listener).then((answer) =>
          order({ kind: 'answer', answer }),
        )
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
      order({ kind: 'stop' })
      await ended
    },
  }
}

async function answerTo(question: OwnQuestion, listener: Listener | null): Promise<OwnAnswer> {
  const { id } = question
  try {
    if (!listener) throw new RangeError('There is no relayer: one chain runs alone.')
    return { id, result: await listener.ask(question) }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Several chains side by side, and a relayer that delivers what their bridges send from one to another.
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
  const relaying = chainIds.length > 1 ? createRelaying() : null
  const starts = chainIds.map((chainId, index) =>
    startChain(
      {
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
      },
      relaying,
    ),
  )
  const results = await Promise.allSettled(starts)
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) {
    await Promise.all(started.map((sandbox) => sandbox.stop()))
    throw failed.reason
  }
  if (!relaying) return started
  relaying.begin(started)
  return started.map((sandbox) => ({
    ...sandbox,
    get pid() {
      return sandbox.pid
    },
    async stop() {
      await relaying.stop()
      await sandbox.stop()
    },
  }))
}

/** The relayer of chains that are about to start, and what they tell it. */
function createRelaying() {
  let relayer: Relayer | null = null
  let chains: readonly RelayedChain[] = []
  let stopping: Promise<void> | undefined
  return {
    begin(sandboxes: readonly Sandbox[]) {
      chains = sandboxes.map(({ chainId, url }) =>
        openRelayedChain(sandboxPlan(chainId).market.chain, url),
      )
      const heads = sandboxes.map(
        ({ chainId, blockNumber }) => [chainId, Number(blockNumber)] as const,
      )
      relayer = new Relayer(chains, new Map(heads))
    },
    head: (chainId: number, blockNumber: number) => relayer?.onHead(chainId, blockNumber),
    restarted: (chainId: number) => relayer?.onRestart(chainId),
    async ask({ method, params: [wanted, more] }: OwnQuestion) {
      if (method === attestationsMethod) {
        const source = chains.find(({ bridges }) => bridges.cctp.domain === wanted)
        return source ? attestationsOf(more as Hex, source) : { messages: [] }
      }
      if (!relayer || method !== 'sandbox_setRelayer') {
        throw new RangeError(`The sandbox has no method ${method}.`)
      }
      const mode = parseMode(wanted)
      if (wanted !== undefined && !mode) {
        throw new RangeError(`The relayer has no such mode, but ${relayerModes.join(', ')}.`)
      }
      return relayer.relay(mode, BigInt(Number(more ?? 1)))
    },
    stop: () => {
      stopping ??= relayer?.stop()
      return stopping
    },
  }
}

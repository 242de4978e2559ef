/**
 * Keeps the index of a service's chains up to date, in a thread of its own: `workers/pool-index.ts`. It asks the nodes
 * by itself, so that reading millions of blocks neither waits for routes nor lets them wait.
 */
import { Worker } from 'node:worker_threads'
import type { DeclaredVenue } from '../domain/declared-venue.js'
import type { Address } from '../domain/primitives.js'
import { threadFile, youngGenerationMb } from '../platform/threads.js'
import { openIndexStore } from './store.js'

export interface FollowedChain {
  readonly chainId: number
  readonly urls: readonly string[]
  readonly verifyHeaderHash: boolean
  readonly anchor: Address
}

export interface FollowData {
  readonly dataDir: string
  /** Of the operator's file: their factories are followed, too. */
  readonly venues: readonly DeclaredVenue[]
  readonly chains: readonly FollowedChain[]
  readonly pollIntervalMs: number
  readonly upstreamTimeoutMs: number
}

export interface FollowMessage {
  readonly level: 'info' | 'warn'
  readonly message: string
}

export interface IndexFollower {
  close(): Promise<void>
}

/** Time until a thread that died is started again. */
const restartPauseMs = 5_000

/** @throws ForkrouteError STORAGE_UNAVAILABLE where the file cannot be made. */
export function followChains(
  data: FollowData,
  onLog: (message: FollowMessage) => void,
): IndexFollower {
  // Routing threads open it to read, and need it to be there.
  openIndexStore(data.dataDir).close()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let thread: Worker | undefined
  let ended: Promise<unknown> = Promise.resolve()
  const start = () => {
    const own = new Worker(threadFile('pool-index'), {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    })
    thread = own
    own.on('message', onLog)
    own.on('error', (error) => onLog({ level: 'warn', message: `Pool index: ${error.message}` }))
    ended = new Promise((resolve) => {
      own.once('exit', () => {
        resolve(undefined)
        if (!isClosed) timer = setTimeout(start, restartPauseMs)
      })
    })
  }
  start()
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      // What is written is whole ranges, so it may end anywhere.
      await thread?.terminate()
      await ended
    },
  }
}

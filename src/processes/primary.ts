/**
 * Several processes that serve one port: each is a whole service with threads and forks of its own, on one data folder.
 * The primary shares out connections, counts requests and figures for all, and replaces a process that ends.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import { RateLimiterClusterMaster } from 'rate-limiter-flexible'
import type { Logger } from '../telemetry/log.js'
import { quietly } from '../telemetry/quietly.js'
import { isMetrics, placeVariable, type Stop, sandboxVariable } from './messages.js'

export interface Processes {
  /** Resolves when each has ended by itself. */
  stop(): Promise<void>
}

/** Pause before a process that ended is replaced; doubled while it keeps ending within a minute. */
const firstPauseMs = 500
const longestPauseMs = 30_000
const soundMs = 60_000

/**
 * Starts the first, which says by itself what is wrong with the configuration, then the others.
 *
 * @throws Error when the first ends before it listens.
 */
export async function startProcesses(options: {
  readonly count: number
  readonly sandbox: readonly (readonly [number, string])[] | null
  readonly logger: Logger
}): Promise<Processes> {
  const { count, sandbox, logger } = options
  const running = new Set<Worker>()
  const stopping = new AbortController()
  new RateLimiterClusterMaster()
  shareMetrics()

  const mallocArenas = process.env.MALLOC_ARENA_MAX ?? '2'

  function fork(place: number): Worker {
    const worker = cluster.fork({
      [placeVariable]: String(place),
      MALLOC_ARENA_MAX: mallocArenas,
      ...(sandbox && { [sandboxVariable]: JSON.stringify(sandbox) }),
    })
    running.add(worker)
    worker.once('exit', () => running.delete(worker))
    // A message to one that has just ended.
    worker.on('error', () => undefined)
    return worker
  }

  /** Replaces the process at the place for as long as the service runs. */
  async function keep(place: number, first: Worker): Promise<void> {
    let pauseMs = firstPauseMs
    for (let worker = first; ; worker = fork(place)) {
      const startedAt = Date.now()
      const [code, signal] = await once(worker, 'exit')
      if (stopping.signal.aborted) return
      pauseMs = Date.now() - startedAt > soundMs ? firstPauseMs : pauseMs
      logger.warn({ place, code, signal, pauseMs }, 'a process ended and is replaced')
      const slept = sleep(pauseMs, undefined, { signal: stopping.signal })
      await quietly(slept, 'The pause before a process is replaced ends with the service.')
      if (stopping.signal.aborted) return
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    }
  }

  const first = fork(0)
  const [isListening] = await Promise.race([
    once(first, 'listening').then(() => [true]),
    once(first, 'exit').then(() => [false]),
  ])
  if (!isListening) throw new Error('The service did not start.')
  const keeping = [keep(0, first)]
  for (let place = 1; place < count; place++) keeping.push(keep(place, fork(place)))

  return {
    async stop() {
      stopping.abort()
      const message: Stop = { kind: 'forkroute:stop' }
      for (const worker of running) if (worker.isConnected()) worker.send(message)
      await Promise.all(keeping)
    },
  }
}

/** Only the primary can ask all processes for their figures, and anyone of them may be asked for the sum. */
function shareMetrics(): void {
  const aggregator = new AggregatorRegistry()
  cluster.on('message', (worker, message: unknown) => {
    if (!isMetrics(message)) return
    const answer = (text: string | null) => {
      if (worker.isConnected()) worker.send({ ...message, text })
    }
    aggregator.clusterMetrics().then(answer, () => answer(null))
  })
}

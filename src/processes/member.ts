/** What a process knows of the others that serve the same port (`primary.ts`). */
import cluster from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'
import { ForkrouteError } from '../domain/errors.js'
import { registry } from '../telemetry/metrics.js'
import {
  isMetrics,
  isStop,
  type MetricsQuestion,
  placeVariable,
  sandboxVariable,
} from './messages.js'

export interface Membership {
  /** From 0. The first one also does what is done once for all: it keeps the index of pools and continues backtests. */
  readonly place: number
  /** The sandbox that all share: its chains and their nodes; null: the chains have nodes of their own. */
  readonly sandbox: readonly (readonly [number, string])[] | null
  /** Resolves when all are asked to stop. */
  readonly stopAsked: Promise<void>
}

/** Null in a service of one process. */
export function membership(): Membership | null {
  const place = process.env[placeVariable]
  if (!primary || place === undefined) return null
  const sandbox = process.env[sandboxVariable]
  return {
    place: Number(place),
    sandbox: sandbox ? (JSON.parse(sandbox) as [number, string][]) : null,
    stopAsked: primary.stopAsked,
  }
}

/** The channel to the primary: what it asks of this process, and what this process asks it. */
class PrimaryChannel {
  readonly stopAsked: Promise<void>
  readonly #waiting = new Map<number, (text: string | null) => void>()
  #asked = 0

  constructor() {
    // The library hears the primary's questions for the figures of this process itself.
    AggregatorRegistry.setRegistries(registry)
    new AggregatorRegistry()
    this.stopAsked = new Promise<void>((resolve) => {
      process.on('message', (message) => {
        if (isStop(message)) resolve()
        if (!isMetrics(message) || message.text === undefined) return
        this.#waiting.get(message.id)?.(message.text)
        this.#waiting.delete(message.id)
      })
    })
    // It alone would keep a process alive that has stopped, or could not start.
    process.channel?.unref()
  }

  /** The sums of all processes in Prometheus' text form; null: one of them did not tell its own. */
  metrics(): Promise<string | null> {
    this.#asked += 1
    const question: MetricsQuestion = { kind: 'forkroute:metrics', id: this.#asked }
    return new Promise((resolve) => {
      this.#waiting.set(question.id, resolve)
      process.send?.(question)
    })
  }
}

/** Made at once: what is asked of a process that starts is not asked again. Null in a service of one process. */
const primary = cluster.isWorker ? new PrimaryChannel() : null

/**
 * The metrics in Prometheus' text form; of several processes their sums.
 * @throws ForkrouteError OVERLOADED when one of them does not tell its own in five seconds.
 */
export async function allMetrics(): Promise<string> {
  if (!primary) return registry.metrics()
  const text = await primary.metrics()
  if (text !== null) return text
  throw new ForkrouteError(
    'OVERLOADED',
    'One of the processes of the service did not report its metrics in five seconds; try again.',
  )
}

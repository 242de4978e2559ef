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
  if (!cluster.isWorker || place === undefined) return null
  const sandbox = process.env[sandboxVariable]
  return {
    place: Number(place),
    sandbox: sandbox ? (JSON.parse(sandbox) as [number, string][]) : null,
    stopAsked,
  }
}

let askToStop = () => {}
const stopAsked = new Promise<void>((resolve) => {
  askToStop = resolve
})
const waiting = new Map<number, (text: string | null) => void>()
let asked = 0

/** Answers of the primary, and its questions for the figures of this process, which the library hears itself. */
function listen(): void {
  AggregatorRegistry.setRegistries(registry)
  new AggregatorRegistry()
  // From the beginning: what is asked of a process that starts is not asked again.
  process.on('message', (message) => {
    if (isStop(message)) askToStop()
    if (!isMetrics(message) || message.text === undefined) return
    waiting.get(message.id)?.(message.text)
    waiting.delete(message.id)
  })
  // It alone would keep a process alive that has stopped, or could not start.
  process.channel?.unref()
}

if (cluster.isWorker) listen()

/**
 * The metrics in Prometheus' text form; of several processes their sums.
 * @throws ForkrouteError OVERLOADED when one of them does not tell its own in five seconds.
 */
export async function allMetrics(): Promise<string> {
  if (!cluster.isWorker) return registry.metrics()
  asked += 1
  const question: MetricsQuestion = { kind: 'forkroute:metrics', id: asked }
  const text = await new Promise<string | null>((resolve) => {
    waiting.set(question.id, resolve)
    process.send?.(question)
  })
  if (text !== null) return text
  throw new ForkrouteError('OVERLOADED', 'A process did not tell its figures in time; try again.')
}

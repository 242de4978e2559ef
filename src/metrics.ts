/**
 * The Prometheus registry of the process and its metrics. Main thread only: workers send their figures along with
 * their answers. No label carries caller input, so the number of series stays bounded.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export const registry = new Registry()
collectDefaultMetrics({ register: registry })

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const httpSeconds = new Histogram({
  name: 'forkroute_http_seconds',
  help: 'Time from the request line to the end of the answer.',
  labelNames: ['method', 'route', 'status'],
  buckets: secondsBuckets,
  registers: [registry],
})
const stageSeconds = new Histogram({
  name: 'forkroute_stage_seconds',
  help: 'Time of one stage of a calculation: state, price, search, plan, simulate, finalise; total: of all.',
  labelNames: ['stage'],
  buckets: secondsBuckets,
  registers: [registry],
})
const simulations = new Counter({
  name: 'forkroute_simulations_total',
  help: 'Simulated transactions by result: success, reverted, unreadable.',
  labelNames: ['result'],
  registers: [registry],
})

/** Why a stream ended: the client left or did not read, its key was disabled, the service stopped or failed. */
export type StreamEnd = 'client' | 'done' | 'slow' | 'key' | 'shutdown' | 'error'

const streamEnds = new Counter({
  name: 'forkroute_stream_ends_total',
  help: 'Streams that ended: client (it left), done (nothing more to tell), slow (it did not read and was dropped), key (disabled), shutdown, error.',
  labelNames: ['reason'],
  registers: [registry],
})

export function countStreamEnd(reason: StreamEnd): void {
  streamEnds.inc({ reason })
}

/** @param route - the path template of the API contract, never the requested path. */
export function observeHttp(method: string, route: string, status: number, seconds: number): void {
  httpSeconds.observe({ method, route, status: String(status) }, seconds)
}

export function observeStage(stage: string, seconds: number): void {
  stageSeconds.observe({ stage }, seconds)
}

export function countSimulations(result: 'success' | 'reverted' | 'unreadable', n: number): void {
  simulations.inc({ result }, n)
}

/** The value of a gauge or counter at a scrape: one figure, or one per label value. */
export type Sample =
  | number
  | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]

function set(metric: Gauge, sample: Sample): void {
  metric.reset()
  if (typeof sample === 'number') metric.set(sample)
  else for (const { labels, value } of sample) metric.set(labels, value)
}

/**
 * A figure that is read when the metrics are scraped; registering a name again replaces it.
 * Totals of other threads (upstream requests, cache hits) come in this way too.
 * @param name - without the prefix `forkroute_`.
 * @param labelNames - of the samples, where `collect` gives several.
 * @returns unregisters it, unless another has replaced it: a closed part can no longer be read.
 */
export function registerGauge(
  name: string,
  help: string,
  collect: () => Sample | Promise<Sample>,
  labelNames: readonly string[] = [],
): () => void {
  const fullName = `forkroute_${name}`
  registry.removeSingleMetric(fullName)
  const gauge = new Gauge({
    name: fullName,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    async collect() {
      set(this, await collect())
    },
  })
  return () => {
    if (registry.getSingleMetric(fullName) === gauge) registry.removeSingleMetric(fullName)
  }
}

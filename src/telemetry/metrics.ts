/**
 * The Prometheus registry of the process and its metrics. Main thread only: threads send their figures along with their
 * answers, or are asked for them at a scrape. No label carries caller input, so the number of series stays bounded.
 * docs/reference/metrics.md is generated from the table.
 */
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  Registry,
} from 'prom-client'

interface Definition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels?: readonly string[]
  readonly buckets?: readonly number[]
  /** What several processes of one service show together; default: the sum. */
  readonly together?: 'min' | 'max' | 'first'
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const blockSeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const bps = [0, 0.1, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 10_000]
const chain = ['chain'] as const
const node = ['chain', 'node'] as const

/**
 * Keyed by name without the prefix `forkroute_`. Times are seconds, sizes are bytes, and names of counters end in
 * `_total`.
 */
export const metricTable = {
  build_info: {
    type: 'gauge',
    help: 'Always 1; its labels are the versions of forkroute and Node.',
    labels: ['version', 'node_version'],
    together: 'first',
  },
  http_seconds: {
    type: 'histogram',
    help: 'Time from the request line to the end of the answer.',
    labels: ['method', 'route', 'status'],
    buckets: seconds,
  },
  errors_total: {
    type: 'counter',
    help: 'Error answers and error events by their code.',
    labels: ['code'],
  },
  refused_total: {
    type: 'counter',
    help: 'Work refused to protect the service: rate (of a key), in_flight, queue, streams, streams_per_key, files (of backtests).',
    labels: ['limit'],
  },
  calculations_in_flight: { type: 'gauge', help: 'Calculations that run now.' },
  queue_length: { type: 'gauge', help: 'Calculations waiting for a thread.' },
  streams: { type: 'gauge', help: 'Open streams.' },
  stream_ends_total: {
    type: 'counter',
    help: 'Streams that ended: client (it left), done (nothing more to tell), slow (it did not read and was dropped), key (disabled), shutdown, error.',
    labels: ['reason'],
  },
  stage_seconds: {
    type: 'histogram',
    help: 'Time of one stage of a calculation: state, price, search, plan, simulate, finalise; total: of all.',
    labels: ['stage'],
    buckets: seconds,
  },
  simulations_total: {
    type: 'counter',
    help: 'Simulated transactions by result: success, reverted, unreadable.',
    labels: ['result'],
  },
  maker_orders_total: {
    type: 'counter',
    help: 'Questions to makers for a signature, by the maker of the operator’s file and how they ended: signed, refused, late.',
    labels: ['maker', 'outcome'],
  },
  candidate_reverts_total: {
    type: 'counter',
    help: 'Candidates of a route that reverted, once for each protocol on their way.',
    labels: ['protocol'],
  },
  improvement_bps: {
    type: 'histogram',
    help: 'By how much the best proven candidate pays more than the best proven single path, before gas, basis points; 0 where it is that path. One output only.',
    buckets: bps,
  },
  head_number: {
    type: 'gauge',
    help: 'Number of the block that calculations use; of the process that is furthest behind.',
    labels: chain,
    together: 'min',
  },
  head_age_seconds: {
    type: 'gauge',
    help: 'Time since the newest block was first seen.',
    labels: chain,
    together: 'max',
  },
  head_to_event_seconds: {
    type: 'histogram',
    help: 'Time from the first sight of a new block to the event of a stream that was calculated at it.',
    labels: chain,
    buckets: seconds,
  },
  chain_ready: {
    type: 'gauge',
    help: '1 where the chain has a pinned block and no problem, else 0.',
    labels: chain,
    together: 'min',
  },
  node_usable: {
    type: 'gauge',
    help: '1 where the node answers and is asked, else 0. Nodes are numbered as configured.',
    labels: node,
    together: 'min',
  },
  node_set_aside: {
    type: 'gauge',
    help: '1 where the node is of another chain or gave a false answer, and is no longer asked.',
    labels: node,
    together: 'max',
  },
  node_latency_seconds: {
    type: 'histogram',
    help: 'Time from a request to the node to the last byte of its answer.',
    labels: node,
    buckets: seconds,
  },
  node_requests_total: { type: 'counter', help: 'HTTP requests to the node.', labels: node },
  node_limited_total: {
    type: 'counter',
    help: 'Requests that the node refused for their number, by HTTP 429 or in words.',
    labels: node,
  },
  upstream_calls_total: { type: 'counter', help: 'JSON-RPC calls to nodes.', labels: chain },
  upstream_retries_total: {
    type: 'counter',
    help: 'Repeated rounds through the nodes.',
    labels: chain,
  },
  upstream_hedges_total: {
    type: 'counter',
    help: 'Requests that were sent a second time because their answer was late.',
    labels: chain,
  },
  upstream_coalesced_total: {
    type: 'counter',
    help: 'Reads that joined an equal one in flight.',
    labels: chain,
  },
  reads_total: {
    type: 'counter',
    help: 'Reads of state by where it was: memory, disk, code (known from an earlier block), empty (known to be), proven (the same at another block), node.',
    labels: ['chain', 'source'],
  },
  state_checks_total: {
    type: 'counter',
    help: 'Values of nodes that were checked by proof after the answer (VERIFY_STATE=sample): right, false, or unproven where no node gave a proof.',
    labels: ['chain', 'outcome'],
  },
  reads_unreadable_total: {
    type: 'counter',
    help: 'Reads of state that no node gives.',
    labels: chain,
  },
  prefetched_total: {
    type: 'counter',
    help: 'Values read ahead at new blocks.',
    labels: chain,
  },
  archive_served_total: { type: 'counter', help: 'HTTP requests of forks to the archive.' },
  cache_bytes: {
    type: 'gauge',
    help: 'Size of the files that cache state, shared by all processes.',
    together: 'max',
  },
  cache_items: { type: 'gauge', help: 'Values of state in memory.' },
  threads: { type: 'gauge', help: 'Threads that calculate.' },
  thread_tasks: { type: 'gauge', help: 'Tasks that threads work on or have waiting.' },
  thread_busy_seconds_total: {
    type: 'counter',
    help: 'Time in which threads were not idle, all together.',
  },
  forks: { type: 'gauge', help: 'Anvil forks that run.' },
  fork_blocks: { type: 'gauge', help: 'Blocks that have forks.' },
  fork_leases: { type: 'gauge', help: 'Leases of forks by tasks.' },
  fork_restarts_total: { type: 'counter', help: 'Forks started in place of one that was lost.' },
  fork_resident_memory_bytes: {
    type: 'gauge',
    help: 'Resident size of all forks at the last probe; 0 where it is not known.',
  },
  backtest_blocks_total: {
    type: 'counter',
    help: 'Blocks of backtests that this process calculated: done, failed.',
    labels: ['result'],
  },
  backtest_block_seconds: {
    type: 'histogram',
    help: 'Time of one calculated block of a backtest.',
    buckets: blockSeconds,
  },
} as const satisfies Record<string, Definition>

type Table = typeof metricTable
type Name = keyof Table
type Labels<N extends Name> = Table[N] extends {
  readonly labels: readonly (infer L extends string)[]
}
  ? Readonly<Record<L, string | number>>
  : Readonly<Record<never, never>>

export const registry = new Registry()
collectDefaultMetrics({ register: registry })

function create(name: Name, collect?: (metric: Counter | Gauge) => Promise<void>) {
  const { type, help, labels = [], buckets, together }: Definition = metricTable[name]
  const common = {
    name: `forkroute_${name}`,
    help,
    labelNames: [...labels],
    registers: [registry],
    aggregator: together ?? ('sum' as const),
  }
  if (type === 'histogram') return new Histogram({ ...common, buckets: [...(buckets ?? [])] })
  if (!collect) return type === 'counter' ? new Counter(common) : new Gauge(common)
  const configuration = {
    ...common,
    collect(this: Counter | Gauge) {
      return collect(this)
    },
  }
  return type === 'counter' ? new Counter(configuration) : new Gauge(configuration)
}

/** A metric that the process itself counts; the others are read at a scrape, see `collectMetric`. */
function metric(name: Name): Metric {
  return registry.getSingleMetric(`forkroute_${name}`) ?? create(name)
}

// There from the start, so that a rate over the first of its kind is not lost.
for (const name of [
  'http_seconds',
  'errors_total',
  'refused_total',
  'stream_ends_total',
  'stage_seconds',
  'simulations_total',
  'candidate_reverts_total',
  'improvement_bps',
  'head_to_event_seconds',
  'node_latency_seconds',
  'backtest_blocks_total',
  'backtest_block_seconds',
] as const) {
  metric(name)
}

for (const limit of [
  'rate',
  'in_flight',
  'queue',
  'streams',
  'streams_per_key',
  'files',
] as const) {
  count('refused_total', { limit }, 0)
}
const streamEnds = ['client', 'done', 'slow', 'key', 'shutdown', 'error'] as const
for (const reason of streamEnds) count('stream_ends_total', { reason }, 0)
for (const result of ['done', 'failed'] as const) count('backtest_blocks_total', { result }, 0)

type NameOf<T extends Definition['type']> = {
  [N in Name]: Table[N]['type'] extends T ? N : never
}[Name]

export function count<N extends NameOf<'counter'>>(name: N, labels: Labels<N>, n = 1): void {
  const counter = metric(name)
  if (counter instanceof Counter) counter.inc({ ...labels }, n)
}

export function observe<N extends NameOf<'histogram'>>(
  name: N,
  labels: Labels<N>,
  value: number,
): void {
  const histogram = metric(name)
  if (histogram instanceof Histogram) histogram.observe({ ...labels }, value)
}

/** Why a stream ended: the client left or did not read, its key was disabled, the service stopped or failed. */
export type StreamEnd = (typeof streamEnds)[number]

/** The value of a gauge or counter at a scrape: one figure, or one per set of label values. */
export type Sample<N extends Name = Name> =
  | number
  | readonly { readonly labels: Labels<N>; readonly value: number }[]

/**
 * A figure that is read when the metrics are scraped; collecting a name again replaces it.
 * Totals of other threads (upstream requests, cache hits) come in this way too.
 * @returns stops it, unless another has replaced it: a closed part can no longer be read.
 */
export function collectMetric<N extends NameOf<'counter' | 'gauge'>>(
  name: N,
  read: () => Sample<N> | Promise<Sample<N>>,
): () => void {
  const fullName = `forkroute_${name}`
  registry.removeSingleMetric(fullName)
  const created = create(name, async (metric) => {
    const sample = await read()
    metric.reset()
    const samples = typeof sample === 'number' ? [{ labels: {}, value: sample }] : sample
    for (const { labels, value } of samples) metric.inc({ ...labels }, value)
  })
  return () => {
    if (registry.getSingleMetric(fullName) === created) registry.removeSingleMetric(fullName)
  }
}

const keptHeads = 16

/** When the newest blocks of each chain were first seen, milliseconds of the process's clock. */
class SeenHeads {
  readonly #byChain = new Map<number, Map<string, number>>()

  note(chainId: number, hash: string): void {
    const heads = this.#byChain.get(chainId) ?? new Map<string, number>()
    this.#byChain.set(chainId, heads)
    if (!heads.has(hash)) heads.set(hash, performance.now())
    const [oldest] = heads.keys()
    if (heads.size > keptHeads && oldest !== undefined) heads.delete(oldest)
  }

  seenAt(chainId: number, hash: string): number | undefined {
    return this.#byChain.get(chainId)?.get(hash)
  }
}

const seenHeads = new SeenHeads()

/** Notes the first sight of a block as the newest. */
export function noteHead(chainId: number, hash: string): void {
  seenHeads.note(chainId, hash)
}

/** @param hash - of the block that an event of a stream was calculated at, not the first of the stream. */
export function observeEvent(chainId: number, hash: string): void {
  const seenAt = seenHeads.seenAt(chainId, hash)
  if (seenAt === undefined) return
  observe('head_to_event_seconds', { chain: chainId }, (performance.now() - seenAt) / 1_000)
}

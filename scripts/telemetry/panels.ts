/** The panels of the dashboard: what an operator looks at, in the order of how often. */

export interface Panel {
  readonly title: string
  /** `$__rate_interval` is Grafana's. */
  readonly expr: string
  readonly unit: 's' | 'reqps' | 'ops' | 'bytes' | 'percentunit' | 'short' | 'none' | 'ms'
  readonly legend: string
  readonly help: string
}

const rate = (metric: string) => `rate(forkroute_${metric}[$__rate_interval])`
const quantile = (share: number, metric: string, by = '') =>
  `histogram_quantile(${share}, sum by (le${by}) (${rate(`${metric}_bucket`)}))`

export const rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[] = [
  {
    title: 'Requests',
    panels: [
      {
        title: 'Requests by status',
        expr: `sum by (status) (${rate('http_seconds_count')})`,
        unit: 'reqps',
        legend: '{{status}}',
        help: '499: the client left before its answer was written.',
      },
      {
        title: 'Time of an answer, p95 by route',
        expr: quantile(0.95, 'http_seconds', ', route'),
        unit: 's',
        legend: '{{route}}',
        help: 'From the request line to the end of the answer; streams last as long as their client stays.',
      },
      {
        title: 'Errors by code',
        expr: `sum by (code) (${rate('errors_total')}) > 0`,
        unit: 'ops',
        legend: '{{code}}',
        help: 'docs/reference/errors.md says what each means.',
      },
      {
        title: 'Refused work',
        expr: `sum by (limit) (${rate('refused_total')})`,
        unit: 'ops',
        legend: '{{limit}}',
        help: 'To protect the service: a rate of a key, calculations in flight, the queue, streams.',
      },
    ],
  },
  {
    title: 'Routes',
    panels: [
      {
        title: 'Time of a stage, p95',
        expr: quantile(0.95, 'stage_seconds', ', stage'),
        unit: 's',
        legend: '{{stage}}',
        help: 'Stages may overlap; total is the whole calculation in its thread.',
      },
      {
        title: 'Improvement over the best single path, p50',
        expr: quantile(0.5, 'improvement_bps'),
        unit: 'none',
        legend: 'bps',
        help: 'Basis points before gas; 0 where one path is the answer.',
      },
      {
        title: 'Simulations by result',
        expr: `sum by (result) (${rate('simulations_total')})`,
        unit: 'ops',
        legend: '{{result}}',
        help: 'Unreadable: state that the node does not give.',
      },
      {
        title: 'Reverted candidates by protocol',
        expr: `sum by (protocol) (${rate('candidate_reverts_total')})`,
        unit: 'ops',
        legend: '{{protocol}}',
        help: 'One protocol far above the others is one whose math or contracts have changed.',
      },
    ],
  },
  {
    title: 'Chains',
    panels: [
      {
        title: 'Block that is calculated at',
        expr: 'min by (chain) (forkroute_head_number)',
        unit: 'none',
        legend: 'chain {{chain}}',
        help: 'Of the instance that is furthest behind.',
      },
      {
        title: 'Age of the head',
        expr: 'max by (chain) (forkroute_head_age_seconds)',
        unit: 's',
        legend: 'chain {{chain}}',
        help: 'Since it was first seen.',
      },
      {
        title: 'From a head to its event, p95',
        expr: quantile(0.95, 'head_to_event_seconds', ', chain'),
        unit: 's',
        legend: 'chain {{chain}}',
        help: 'Of streams: the pin, the calculation and what waits before them.',
      },
      {
        title: 'Ready',
        expr: 'min by (chain) (forkroute_chain_ready)',
        unit: 'none',
        legend: 'chain {{chain}}',
        help: '1: it has a block and no problem.',
      },
    ],
  },
  {
    title: 'Nodes',
    panels: [
      {
        title: 'Time of an answer, p50',
        expr: quantile(0.5, 'node_latency_seconds', ', chain, node'),
        unit: 's',
        legend: 'chain {{chain}} node {{node}}',
        help: 'From the request to the last byte.',
      },
      {
        title: 'Time of an answer, p95',
        expr: quantile(0.95, 'node_latency_seconds', ', chain, node'),
        unit: 's',
        legend: 'chain {{chain}} node {{node}}',
        help: 'Far above the median: answers that are asked for a second time, elsewhere.',
      },
      {
        title: 'Requests',
        expr: `sum by (chain, node) (${rate('node_requests_total')})`,
        unit: 'reqps',
        legend: 'chain {{chain}} node {{node}}',
        help: 'HTTP requests, of up to 300 calls each.',
      },
      {
        title: 'Refused by the node',
        expr: `sum by (chain, node) (${rate('node_limited_total')})`,
        unit: 'reqps',
        legend: 'chain {{chain}} node {{node}}',
        help: 'For their number, by HTTP 429 or in words.',
      },
      {
        title: 'Set aside',
        expr: 'max by (chain, node) (forkroute_node_set_aside)',
        unit: 'none',
        legend: 'chain {{chain}} node {{node}}',
        help: '1: it is of another chain or told a lie.',
      },
    ],
  },
  {
    title: 'Machine',
    panels: [
      {
        title: 'Threads busy',
        expr: `sum(${rate('thread_busy_seconds_total')}) / sum(forkroute_threads)`,
        unit: 'percentunit',
        legend: 'of all threads',
        help: 'Near 100 %: more WORKERS, PROCESSES or machines.',
      },
      {
        title: 'Calculations',
        expr: 'sum(forkroute_calculations_in_flight)',
        unit: 'none',
        legend: 'in flight',
        help: 'More than MAX_IN_FLIGHT are refused.',
      },
      {
        title: 'Waiting for a thread',
        expr: 'sum(forkroute_queue_length)',
        unit: 'none',
        legend: 'waiting',
        help: 'They have not begun: they hold no block and no fork.',
      },
      {
        title: 'Memory of the service',
        expr: 'sum by (instance) (process_resident_memory_bytes{job="forkroute"})',
        unit: 'bytes',
        legend: '{{instance}}',
        help: 'Without its forks.',
      },
      {
        title: 'Memory of the forks',
        expr: 'sum by (instance) (forkroute_fork_resident_memory_bytes)',
        unit: 'bytes',
        legend: '{{instance}}',
        help: 'All Anvil processes of an instance.',
      },
      {
        title: 'Forks restarted',
        expr: 'sum(increase(forkroute_fork_restarts_total[$__rate_interval]))',
        unit: 'none',
        legend: 'restarts',
        help: 'Of those that died, hung or grew too large.',
      },
      {
        title: 'Reads by where they were answered',
        expr: `sum by (source) (${rate('reads_total')})`,
        unit: 'ops',
        legend: '{{source}}',
        help: 'node: none of the caches knew.',
      },
      {
        title: 'Cache on disk',
        expr: 'max by (instance) (forkroute_cache_bytes)',
        unit: 'bytes',
        legend: '{{instance}}',
        help: 'Files of chain state in DATA_DIR.',
      },
    ],
  },
  {
    title: 'Streams and backtests',
    panels: [
      {
        title: 'Open streams',
        expr: 'sum(forkroute_streams)',
        unit: 'none',
        legend: 'streams',
        help: 'More than MAX_STREAMS are refused.',
      },
      {
        title: 'Ends of streams',
        expr: `sum by (reason) (${rate('stream_ends_total')})`,
        unit: 'ops',
        legend: '{{reason}}',
        help: 'slow: the client did not read and was dropped.',
      },
      {
        title: 'Blocks of backtests',
        expr: `sum by (result) (${rate('backtest_blocks_total')})`,
        unit: 'ops',
        legend: '{{result}}',
        help: 'Where they are calculated: services, or workers where there is a queue.',
      },
      {
        title: 'Time of a block, p95',
        expr: quantile(0.95, 'backtest_block_seconds'),
        unit: 's',
        legend: 'p95',
        help: 'All requests and variants of one block.',
      },
      {
        title: 'Versions',
        expr: 'count by (version, node_version) (forkroute_build_info)',
        unit: 'none',
        legend: '{{version}} on {{node_version}}',
        help: 'Two lines: a rollout that has not ended.',
      },
    ],
  },
]

export const panels: readonly Panel[] = rows.flatMap((row) => row.panels)

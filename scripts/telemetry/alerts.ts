/** Alert rules, each with the series by which promtool proves that it fires, and stays silent without them. */

export interface Alert {
  readonly name: string
  readonly expr: string
  readonly for: string
  readonly severity: 'page' | 'ticket'
  readonly summary: string
  /** What an operator does. */
  readonly action: string
  /** One sample a minute for twenty minutes, in promtool's notation, in which it fires at the twentieth. */
  readonly fires: Readonly<Record<string, string>>
  /** The same in which it does not. */
  readonly silent: Readonly<Record<string, string>>
}

export const alerts: readonly Alert[] = [
  {
    name: 'ForkrouteDown',
    expr: 'up{job="forkroute"} == 0',
    for: '2m',
    severity: 'page',
    summary: '{{ $labels.instance }} does not answer.',
    action: 'Look at its log and restart it; a configuration that is not valid is named there.',
    fires: { 'up{job="forkroute", instance="a"}': '0x20' },
    silent: { 'up{job="forkroute", instance="a"}': '1x20' },
  },
  {
    name: 'ForkrouteChainNotReady',
    expr: 'min by (instance, chain) (forkroute_chain_ready) == 0',
    for: '2m',
    severity: 'page',
    summary: 'Chain {{ $labels.chain }} has no usable head on {{ $labels.instance }}.',
    action: '`GET /ready` names the reason; `forkroute doctor --chain` asks its nodes.',
    fires: { 'forkroute_chain_ready{chain="1", instance="a"}': '0x20' },
    silent: { 'forkroute_chain_ready{chain="1", instance="a"}': '1x20' },
  },
  {
    name: 'ForkrouteHeadOld',
    expr: 'max by (instance, chain) (forkroute_head_age_seconds) > 300',
    for: '1m',
    severity: 'page',
    summary: 'Chain {{ $labels.chain }} has had no new block for {{ $value }} s.',
    action: 'The nodes are stuck or the chain is halted: compare with another node.',
    fires: { 'forkroute_head_age_seconds{chain="1", instance="a"}': '0+60x20' },
    silent: { 'forkroute_head_age_seconds{chain="1", instance="a"}': '12x20' },
  },
  {
    name: 'ForkrouteNodeSetAside',
    expr: 'max by (instance, chain, node) (forkroute_node_set_aside) == 1',
    for: '1m',
    severity: 'ticket',
    summary:
      'Node {{ $labels.node }} of chain {{ $labels.chain }} is of another chain or gave a false answer.',
    action: 'Replace it in `RPC_URL_<chain id>`; until then it is verified again every minute.',
    fires: { 'forkroute_node_set_aside{chain="1", node="1", instance="a"}': '1x20' },
    silent: { 'forkroute_node_set_aside{chain="1", node="1", instance="a"}': '0x20' },
  },
  {
    name: 'ForkrouteNodeLimits',
    expr: 'sum by (instance, chain, node) (rate(forkroute_node_limited_total[5m])) / sum by (instance, chain, node) (rate(forkroute_node_requests_total[5m])) > 0.05',
    for: '5m',
    severity: 'ticket',
    summary:
      'Node {{ $labels.node }} of chain {{ $labels.chain }} refuses more than 5 % of requests.',
    action: 'Raise its plan, or add a node to `RPC_URL_<chain id>`.',
    fires: {
      'forkroute_node_limited_total{chain="1", node="1", instance="a"}': '0+10x20',
      'forkroute_node_requests_total{chain="1", node="1", instance="a"}': '0+100x20',
    },
    silent: {
      'forkroute_node_limited_total{chain="1", node="1", instance="a"}': '0+1x20',
      'forkroute_node_requests_total{chain="1", node="1", instance="a"}': '0+100x20',
    },
  },
  {
    name: 'ForkrouteFaults',
    expr: 'sum by (instance) (increase(forkroute_errors_total{code="INTERNAL"}[5m])) > 0',
    for: '0m',
    severity: 'ticket',
    summary: '{{ $labels.instance }} answered with a fault of its own.',
    action: 'The log has its stack by the request id.',
    fires: { 'forkroute_errors_total{code="INTERNAL", instance="a"}': '0x16 1x3' },
    silent: { 'forkroute_errors_total{code="NO_ROUTE", instance="a"}': '0+5x20' },
  },
  {
    name: 'ForkrouteShedsLoad',
    expr: 'sum by (instance) (rate(forkroute_refused_total{limit=~"in_flight|queue|streams"}[5m])) > 0.1',
    for: '5m',
    severity: 'ticket',
    summary: '{{ $labels.instance }} refuses {{ $value }} requests a second for want of capacity.',
    action: 'More WORKERS, PROCESSES or machines (docs/how-to/scaling.md).',
    fires: { 'forkroute_refused_total{limit="in_flight", instance="a"}': '0+60x20' },
    silent: { 'forkroute_refused_total{limit="rate", instance="a"}': '0+60x20' },
  },
  {
    name: 'ForkrouteSlow',
    expr: 'histogram_quantile(0.95, sum by (instance, le) (rate(forkroute_stage_seconds_bucket{stage="total"}[10m]))) > 10',
    for: '5m',
    severity: 'ticket',
    summary: 'One calculation of twenty takes {{ $value }} s or more on {{ $labels.instance }}.',
    action:
      'Look at the stages and the nodes on the dashboard: state is the nodes, search and simulate are this machine.',
    fires: {
      'forkroute_stage_seconds_bucket{stage="total", le="10", instance="a"}': '0+1x20',
      'forkroute_stage_seconds_bucket{stage="total", le="30", instance="a"}': '0+10x20',
      'forkroute_stage_seconds_bucket{stage="total", le="+Inf", instance="a"}': '0+10x20',
    },
    silent: {
      'forkroute_stage_seconds_bucket{stage="total", le="10", instance="a"}': '0+10x20',
      'forkroute_stage_seconds_bucket{stage="total", le="30", instance="a"}': '0+10x20',
      'forkroute_stage_seconds_bucket{stage="total", le="+Inf", instance="a"}': '0+10x20',
    },
  },
  {
    name: 'ForkrouteNodeSlow',
    expr: 'histogram_quantile(0.95, sum by (instance, chain, node, le) (rate(forkroute_node_latency_seconds_bucket[10m]))) > 2.5',
    for: '5m',
    severity: 'ticket',
    summary:
      'One answer of twenty of node {{ $labels.node }} of chain {{ $labels.chain }} takes {{ $value }} s or more.',
    action:
      'Compare it with the other nodes on the dashboard; put a faster one first in `RPC_URL_<chain id>`.',
    fires: {
      'forkroute_node_latency_seconds_bucket{chain="1", node="1", le="2.5", instance="a"}':
        '0+1x20',
      'forkroute_node_latency_seconds_bucket{chain="1", node="1", le="5", instance="a"}': '0+10x20',
      'forkroute_node_latency_seconds_bucket{chain="1", node="1", le="+Inf", instance="a"}':
        '0+10x20',
    },
    silent: {
      'forkroute_node_latency_seconds_bucket{chain="1", node="1", le="2.5", instance="a"}':
        '0+10x20',
      'forkroute_node_latency_seconds_bucket{chain="1", node="1", le="5", instance="a"}': '0+10x20',
      'forkroute_node_latency_seconds_bucket{chain="1", node="1", le="+Inf", instance="a"}':
        '0+10x20',
    },
  },
  {
    name: 'ForkrouteUnreadableState',
    expr: 'sum by (instance, chain) (rate(forkroute_reads_unreadable_total[10m])) > 0.1',
    for: '10m',
    severity: 'ticket',
    summary: 'No node of chain {{ $labels.chain }} gives state that answers need.',
    action: 'A node that prunes is asked for old blocks: add an archive node.',
    fires: { 'forkroute_reads_unreadable_total{chain="1", instance="a"}': '0+60x20' },
    silent: { 'forkroute_reads_unreadable_total{chain="1", instance="a"}': '0x20' },
  },
  {
    name: 'ForkrouteForksRestart',
    expr: 'sum by (instance) (increase(forkroute_fork_restarts_total[15m])) > 10',
    for: '0m',
    severity: 'ticket',
    summary: 'Forks of {{ $labels.instance }} were replaced {{ $value }} times in 15 minutes.',
    action: 'Mostly memory: see docs/explanation/forks.md.',
    fires: { 'forkroute_fork_restarts_total{instance="a"}': '0+2x20' },
    silent: { 'forkroute_fork_restarts_total{instance="a"}': '0x10 1x9' },
  },
  {
    name: 'ForkrouteBacktestBlocksFail',
    expr: 'sum by (instance) (increase(forkroute_backtest_blocks_total{result="failed"}[15m])) > 0',
    for: '0m',
    severity: 'ticket',
    summary: 'Blocks of backtests fail on {{ $labels.instance }}.',
    action: '`forkroute backtest show <job>` names the reason; a job can be resumed.',
    fires: { 'forkroute_backtest_blocks_total{result="failed", instance="a"}': '0x10 2x9' },
    silent: { 'forkroute_backtest_blocks_total{result="done", instance="a"}': '0+2x20' },
  },
]

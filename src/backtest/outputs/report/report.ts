/**
 * The report of a backtest: one HTML page that loads nothing else. It has no scripts; its one style sheet is allowed by
 * its hash. Lines have a bounded number of points for any number of blocks: 50 requests by 10 variants make 2 MB, the
 * most that a plan may have (200 by 32) 14 MB.
 */
import type { BacktestPlan } from '../../../domain/backtest.js'
import type { BacktestSummary } from '../../summary.js'
import { type CreateEncoder, noBytes, utf8 } from '../encoder.js'
import { legend } from './chart.js'
import { formatNumber, html, type Markup } from './markup.js'
import { delayCharts, fillChart, regretChart, venueChart } from './overview-charts.js'
import { factList, pageOf } from './page.js'
import { requestCharts } from './request-charts.js'
import { createSeries, type Series } from './series.js'
import {
  delayTable,
  deliveryTable,
  distributionTable,
  errorTable,
  groupTable,
  venueTable,
} from './tables.js'

export const reportEncoder: CreateEncoder = ({ plan }, _options, wantSummary) => {
  const summary = wantSummary()
  const series = createSeries(plan)
  return {
    add(block) {
      series.add(block)
      return noBytes
    },
    end: async () => utf8(reportPage(plan, await summary(), series)),
  }
}

/** Each in one line; docs/how-to/backtest-report.md says more. */
const definitions = [
  ['Row', 'one request, by one variant, at one block.'],
  [
    'Regret',
    'how far amountOut is below the best variant of the same request and block, in bps of the best; 0 for the best.',
  ],
  [
    'Edge',
    'how far amountOut is above (below, if negative) the baseline at the same request and block, in bps of the baseline.',
  ],
  [
    'After gas',
    'the same with the gas of each transaction taken off amountOut, where the price of gas in tokenOut is known.',
  ],
  ['Missed', 'rows without a route where another variant has one.'],
  [
    'Wins, ties, losses',
    'rows where amountOut is more than, as much as, less than that of the baseline; both have a route.',
  ],
  [
    'Allowed slippage',
    'how far the minimum of a transaction is below its quoted amountOut, in bps of it.',
  ],
  [
    'Fill rate',
    'filled / (filled + reverted), for transactions built at block N and executed at the end of block N + delay.',
  ],
  ['Realised', 'delivered over quoted amountOut, minus one, in bps; filled transactions only.'],
  [
    'Staleness',
    'how far delivered is below a fresh quote of the same variant at the block of execution, in bps of it; known where that block is part of the backtest.',
  ],
  [
    'Venue share',
    'share of what a route swaps per protocol, each step counted alike, averaged over the routes.',
  ],
  [
    'Delivered, fallback',
    'what was sent to another chain, delivered on it as it was some seconds after the block: the order ran, or it failed and the receiver got the token of the bridge.',
  ],
  ['Shortfall', 'how far delivered is below quoted amountOut, in bps of it; delivered only.'],
  [
    'Quantiles',
    'values that occurred: p95 is the smallest that at least 95% do not exceed. In charts boxes are p25 to p75, whiskers p5 to p95.',
  ],
] as const

function reportPage(plan: BacktestPlan, summary: BacktestSummary, series: Series): string {
  return pageOf({
    plan,
    what: 'backtest',
    facts: facts(plan, summary),
    results: summary.blocks === 0 ? null : results(plan, summary, series),
    definitions,
  })
}

function results(plan: BacktestPlan, summary: BacktestSummary, series: Series): Markup {
  const variants = plan.variants.map(({ name }) => name)
  const { delays } = plan
  const byVariant = summary.variants.map((group) => ({ ...group, name: group.variant }))
  const byRequest = summary.requests.map((group) => ({ ...group, name: group.request }))
  const realised = delayCharts(summary.variants, delays, 'realised', {
    title: 'realised against quoted',
    what: 'What filled transactions delivered above what was quoted',
  })
  const stale = delayCharts(summary.variants, delays, 'staleness', {
    title: 'cost of staleness',
    what: 'What filled transactions delivered below a fresh quote at the block of execution',
  })
  return html`<section><h2>Variants</h2>
${groupTable('Per variant; basis points', 'variant', byVariant)}
${legend(variants)}
<div class="grid">${regretChart('regret', summary.variants)}${fillChart(summary.variants, delays)}${venueChart(summary.variants)}</div>
<details><summary>Numbers: mean and quantiles</summary>${distributionTable(summary)}</details>
<details><summary>Numbers: venue share</summary>${venueTable(summary)}</details>
${errorTable(summary)}
</section>
${executionsPart(summary, realised, stale)}
${deliveriesPart(summary)}
<section><h2>Requests</h2>
${groupTable('Per request, all variants together; basis points', 'request', byRequest)}
${summary.requests.map(({ request }, index) => requestPart({ plan, summary, series }, request, index))}
</section>`
}

function executionsPart(
  summary: BacktestSummary,
  realised: readonly Markup[],
  stale: readonly Markup[],
): Markup | null {
  if (summary.variants.every(({ delays }) => delays.length === 0)) return null
  return html`<section><h2>What would have happened</h2>
<p class="note">Each transaction built at a block was executed at the end of later blocks. Boxes: p25 to p75 with the median; whiskers: p5 to p95.</p>
<div class="grid">${realised}</div>
${stale.length > 0 ? html`<h3>Cost of staleness</h3><div class="grid">${stale}</div>` : null}
<details><summary>Numbers: executions by delay</summary>${delayTable(summary)}</details>
</section>`
}

function deliveriesPart(summary: BacktestSummary): Markup | null {
  if (summary.variants.every(({ deliveries }) => deliveries.length === 0)) return null
  return html`<section><h2>What would have arrived</h2>
<p class="note">What each route sent over a bridge was delivered again as the destination was later.</p>
${deliveryTable(summary)}</section>`
}

function requestPart(
  {
    plan,
    summary,
    series,
  }: {
    readonly plan: BacktestPlan
    readonly summary: BacktestSummary
    readonly series: Series
  },
  request: string,
  index: number,
): Markup {
  const variants = plan.variants.map(({ name }) => name)
  const charts = requestCharts({
    id: `r${index}`,
    request,
    variants,
    baseline: plan.baseline,
    lines: series.lines(request),
    firstBlock: summary.firstBlock ?? 0,
    lastBlock: summary.lastBlock ?? 0,
    blocksPerBucket: series.blocksPerBucket(),
  })
  const cells = summary.cells
    .filter((cell) => cell.request === request)
    .map((cell) => ({ ...cell, name: cell.variant }))
  const body =
    charts.length > 0
      ? html`${legend(variants)}<div class="grid">${charts}${regretChart(`r${index}d`, cells)}</div>`
      : html`<p class="note">${noChart(cells)}</p>`
  return html`<section><h3>${request}</h3>${body}
<details><summary>Numbers</summary>${groupTable(`${request}; basis points`, 'variant', cells)}</details></section>
`
}

function noChart(cells: readonly { readonly routes: number }[]): string {
  return cells.some(({ routes }) => routes > 0)
    ? 'Amounts of several tokens cannot be compared: there are no charts.'
    : 'No variant found a route at any block.'
}

function facts(plan: BacktestPlan, summary: BacktestSummary): Markup {
  const { firstBlock, lastBlock } = summary
  const blocks = formatNumber(summary.blocks, 0)
  const entries: readonly (readonly [string, string])[] = [
    ['Chain', String(plan.chainId)],
    ['Blocks', firstBlock === null ? '0' : `${blocks}, from ${firstBlock} to ${lastBlock}`],
    ['Requests', String(plan.requests.length)],
    ['Variants', String(plan.variants.length)],
    ['Baseline', plan.baseline],
    ['Executed after', plan.delays.length ? `${plan.delays.join(', ')} blocks` : 'never'],
  ]
  return factList(entries)
}

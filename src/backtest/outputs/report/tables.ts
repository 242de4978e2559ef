/** The tables of a report: what the charts show, as numbers. */
import { type Distribution, quantileNames } from '../../sample.js'
import type { BacktestSummary } from '../../summary.js'
import { distributionsOf, type GroupSummary, type Wins } from '../../summary-cell.js'
import { formatNumber, formatPercent, html, type Markup } from './markup.js'

type Named = GroupSummary & { readonly name: string }

/** @param caption - also the name of the part of the page that scrolls. */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly (string | Markup)[])[],
): Markup {
  const cells = rows.map(
    ([name, ...values]) =>
      html`<tr><th scope="row">${name ?? ''}</th>${values.map((value) => html`<td>${value}</td>`)}</tr>`,
  )
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${cells}</tbody></table></div>
`
}

/** A row per variant or request: what matters most. */
export function groupTable(caption: string, first: string, groups: readonly Named[]): Markup {
  const head = [
    first,
    'routes / rows',
    'missed',
    'regret, mean',
    'regret, p95',
    'regret after gas, mean',
    'edge, mean',
    'edge, median',
    'edge after gas, mean',
    'wins – ties – losses',
    'the same after gas',
    'allowed slippage, mean',
    'gas, mean',
  ]
  return table(
    caption,
    head,
    groups.map((group) => [
      group.name,
      `${formatNumber(group.routes, 0)} / ${formatNumber(group.rows, 0)}`,
      formatNumber(group.missed, 0),
      formatNumber(group.regret?.mean, 2),
      formatNumber(group.regret?.p95, 2),
      formatNumber(group.regretAfterGas?.mean, 2),
      formatNumber(group.edge?.mean, 2),
      formatNumber(group.edge?.p50, 2),
      formatNumber(group.edgeAfterGas?.mean, 2),
      winsText(group.againstBaseline),
      winsText(group.againstBaselineAfterGas),
      formatNumber(group.allowedSlippage?.mean, 2),
      formatNumber(group.gas?.mean, 0),
    ]),
  )
}

/** The distributions of whole rows, with their decimals; those of delays and deliveries have tables of their own. */
const distributionLabels = [
  ['regret_bps', 'regret, bps', 2],
  ['regret_after_gas_bps', 'regret after gas, bps', 2],
  ['edge_bps', 'edge, bps', 2],
  ['edge_after_gas_bps', 'edge after gas, bps', 2],
  ['allowed_slippage_bps', 'allowed slippage, bps', 2],
  ['gas', 'gas', 0],
  ['milliseconds', 'milliseconds (differ in every run)', 0],
] as const

/** Every distribution of every variant. */
export function distributionTable({ variants }: BacktestSummary): Markup {
  const rows = distributionLabels.flatMap(([measure, label, decimals]) =>
    variants.flatMap((group) => {
      const found = distributionsOf(group).find((one) => one.measure === measure)
      return found ? [[`${group.variant}: ${label}`, ...numbers(found.values, decimals)]] : []
    }),
  )
  return table('Mean and quantiles per variant', ['measure', ...quantileHead], rows)
}

export function delayTable({ variants }: BacktestSummary): Markup {
  const rows = variants.flatMap((group) =>
    group.delays.map((part) => [
      `${group.variant}, ${part.delay} later`,
      formatNumber(part.filled, 0),
      formatNumber(part.reverted, 0),
      formatNumber(part.unknown, 0),
      formatPercent(part.fillRate, 2),
      formatNumber(part.realised?.mean, 2),
      formatNumber(part.realised?.p5, 2),
      formatNumber(part.realised?.p50, 2),
      formatNumber(part.realised?.p95, 2),
      formatNumber(part.staleness?.mean, 2),
      formatNumber(part.staleness?.p50, 2),
      formatNumber(part.staleness?.p95, 2),
    ]),
  )
  const head = [
    'variant, blocks later',
    'filled',
    'reverted',
    'unknown',
    'fill rate',
    'realised, mean bps',
    'realised, p5',
    'realised, median',
    'realised, p95',
    'staleness, mean bps',
    'staleness, median',
    'staleness, p95',
  ]
  return table('Executions per variant and delay', head, rows)
}

export function deliveryTable({ variants }: BacktestSummary): Markup {
  const rows = variants.flatMap((group) =>
    group.deliveries.map(({ seconds, shortfall, ...part }) => [
      `${group.variant}, ${seconds === null ? 'as the bridge estimates' : `${seconds} s later`}`,
      formatNumber(part.delivered, 0),
      formatNumber(part.fallback, 0),
      formatNumber(part.reverted, 0),
      formatNumber(part.unknown, 0),
      formatPercent(part.deliveryRate, 2),
      formatNumber(shortfall?.mean, 2),
      formatNumber(shortfall?.p5, 2),
      formatNumber(shortfall?.p50, 2),
      formatNumber(shortfall?.p95, 2),
    ]),
  )
  const head = [
    'variant, seconds later',
    'delivered',
    'fallback',
    'reverted',
    'unknown',
    'delivered, share',
    'shortfall, mean bps',
    'shortfall, p5',
    'shortfall, median',
    'shortfall, p95',
  ]
  return table('Deliveries per variant and time', head, rows)
}

export function venueTable({ variants }: BacktestSummary): Markup {
  const protocols = [
    ...new Set(variants.flatMap(({ venues }) => venues.map(({ protocol }) => protocol))),
  ].sort()
  const rows = protocols.map((name) => [
    name,
    ...variants.map(({ venues }) =>
      formatPercent(venues.find(({ protocol }) => protocol === name)?.share ?? 0, 2),
    ),
  ])
  return table(
    'Venue share per variant',
    ['protocol', ...variants.map(({ variant }) => variant)],
    rows,
  )
}

/** Null without errors. */
export function errorTable({ variants }: BacktestSummary): Markup | null {
  const codes = [...new Set(variants.flatMap(({ errors }) => Object.keys(errors)))].sort()
  if (codes.length === 0) return null
  return table(
    'Rows without a route, by error',
    ['variant', ...codes],
    variants.map(({ variant, errors }) => [
      variant,
      ...codes.map((code) => formatNumber(errors[code] ?? 0, 0)),
    ]),
  )
}

const quantileHead = ['count', ...quantileNames.map((name) => (name === 'p50' ? 'median' : name))]

function numbers(of: Distribution, decimals: number): readonly string[] {
  const values = quantileNames.map((name) => formatNumber(of[name], decimals))
  return [formatNumber(of.count, 0), ...values]
}

function winsText(wins: Wins | null): string {
  return wins ? [wins.wins, wins.ties, wins.losses].map((n) => formatNumber(n, 0)).join(' – ') : '–'
}

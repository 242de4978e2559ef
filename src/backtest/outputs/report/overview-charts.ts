/** The charts that compare variants over the whole backtest. */
import { extent, min } from 'd3-array'
import { scaleLinear, scalePoint } from 'd3-scale'
import type { Distribution } from '../../sample.js'
import type { BacktestSummary } from '../../summary.js'
import type { DelaySummary, GroupSummary } from '../../summary-cell.js'
import { bpsScale, figure, frame, lineStyle, round, ticksOf } from './chart.js'
import { lineChart } from './line-chart.js'
import { formatNumber, formatPercent, html, type Markup } from './markup.js'
import { stackedBars } from './stacked-bars.js'

type Variants = BacktestSummary['variants']

/** Share of rows whose regret is at most so much, per variant. `id` is unique in the page. */
export function regretChart(
  id: string,
  variants: readonly (GroupSummary & { readonly variant: string })[],
): Markup | null {
  const known = variants.filter(({ regretShares }) => regretShares.length > 0)
  const thresholds = known[0]?.regretShares.map(({ atMostBps }) => atMostBps) ?? []
  const whole = thresholds.findIndex((_, index) =>
    known.every(({ regretShares }) => (regretShares[index]?.share ?? 1) >= 1),
  )
  const shown = thresholds.slice(0, Math.max(whole, 2) + 1)
  if (known.length === 0) return null
  const x = scalePoint(shown, [frame.left, frame.right]).padding(0.2)
  const lowest = min(known, ({ regretShares }) => regretShares[0]?.share) ?? 0
  const y = percentScale(lowest)
  return lineChart(
    id,
    {
      caption: 'Distribution of regret',
      description: `Per variant, the share of rows whose regret is at most so many basis points. ${known
        .map(
          (group) => `${group.variant}: ${formatPercent(group.regretShares[0]?.share)} without any`,
        )
        .join('; ')}.`,
      note: 'Higher is better. At 0: as good as the best variant.',
    },
    {
      axes: {
        x: {
          label: 'regret at most, bps',
          ticks: shown.map((value) => ({ at: x(value) ?? 0, text: String(value) })),
        },
        y: { label: '', ticks: percentTicks(y) },
      },
      lines: variants.map(({ regretShares }) =>
        regretShares
          .slice(0, shown.length)
          .map(({ atMostBps, share }) => ({ x: x(atMostBps) ?? 0, y: y(share) })),
      ),
      markers: shown.length,
    },
  )
}

/** Share of executions that were filled, by delay, per variant. */
export function fillChart(variants: Variants, delays: readonly number[]): Markup | null {
  const rates = variants.flatMap((group) => group.delays.map(({ fillRate }) => fillRate))
  const lowest = min(rates.filter((rate) => rate !== null))
  if (lowest === undefined) return null
  const x = delayScale(delays)
  const y = percentScale(lowest)
  return lineChart(
    'fill',
    {
      caption: 'Fill rate by delay',
      description: `Share of the transactions that were filled so many blocks later. ${variants
        .map(
          (group) =>
            `${group.variant}: ${group.delays
              .map(({ delay, fillRate }) => `${formatPercent(fillRate)} after ${delay}`)
              .join(', ')}`,
        )
        .join('; ')}.`,
      note: 'Of those known to be filled or reverted.',
    },
    {
      axes: { x: delayAxis(delays), y: { label: '', ticks: percentTicks(y) } },
      lines: variants.map((group) =>
        group.delays.map(({ delay, fillRate }) =>
          fillRate === null ? null : { x: x(delay), y: y(fillRate) },
        ),
      ),
      markers: delays.length,
    },
  )
}

/** Quantiles by delay, one chart per variant, all with the same scale. */
export function delayCharts(
  variants: Variants,
  delays: readonly number[],
  measure: 'realised' | 'staleness',
  words: { readonly title: string; readonly what: string },
): readonly Markup[] {
  const distributions = variants.flatMap((group) => group.delays.map((part) => part[measure]))
  const [low, high] = extent(distributions.flatMap((part) => (part ? [part.p5, part.p95] : [])))
  if (low === undefined || high === undefined) return []
  const { scale, isLogarithmic, ticks } = bpsScale(low, high)
  const x = delayScale(delays)
  const width = Math.min(26, ((frame.right - frame.left) / delays.length) * 0.6)
  return variants.map((group, index) => {
    const boxes = group.delays.map((part) => {
      const values = part[measure]
      return values ? boxOf(values, x(part.delay), width, scale) : html``
    })
    return figure(
      `${measure}${index}`,
      {
        caption: `${group.variant}: ${words.title}, bps`,
        description: `${words.what}, in basis points. ${group.delays
          .map((part) => `After ${part.delay}: ${inWords(part, measure)}`)
          .join('; ')}.`,
        ...(isLogarithmic && { note: 'Basis points on a logarithmic scale, away from zero.' }),
      },
      { x: delayAxis(delays), y: { label: '', ticks } },
      [
        html`<line class="zero" x1="${frame.left}" x2="${frame.right}" y1="${round(scale(0))}" y2="${round(scale(0))}"/><g class="${lineStyle(index).colour}">${boxes}</g>`,
      ],
    )
  })
}

function inWords(part: DelaySummary, measure: 'realised' | 'staleness'): string {
  const values = part[measure]
  return values
    ? `median ${formatNumber(values.p50, 2)}, from ${formatNumber(values.p5, 2)} (p5) to ${formatNumber(values.p95, 2)} (p95)`
    : 'nothing known'
}

export function boxOf(
  { p5, p25, p50, p75, p95 }: Distribution,
  x: number,
  width: number,
  scale: (value: number) => number,
): Markup {
  const left = round(x - width / 2)
  const height = round(Math.max(scale(p25) - scale(p75), 1))
  return html`<line class="whisker" x1="${round(x)}" x2="${round(x)}" y1="${round(scale(p5))}" y2="${round(scale(p95))}"/><rect class="box" x="${left}" y="${round(scale(p75))}" width="${round(width)}" height="${height}"/><line class="median" x1="${left}" x2="${round(left + width)}" y1="${round(scale(p50))}" y2="${round(scale(p50))}"/>`
}

/** Protocols of the largest shares have a letter and a colour each; the others are one. */
const lettered = 6

/** Stacked bars, one per variant, and the letters' legend. */
export function venueChart(variants: Variants): Markup | null {
  const sums = new Map<string, number>()
  for (const { protocol, share } of variants.flatMap(({ venues }) => venues)) {
    sums.set(protocol, (sums.get(protocol) ?? 0) + share)
  }
  if (sums.size === 0) return null
  const protocols = [...sums]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([slug]) => slug)
  const keys = protocols
    .slice(0, lettered)
    .map((name, index) => ({ name, letter: 'ABCDEF'[index] ?? '' }))
  const hasRest = protocols.length > lettered
  const rows = variants.map(({ variant, venues }) => {
    const shareOf = (name: string) => venues.find(({ protocol }) => protocol === name)?.share ?? 0
    const named = keys.map(({ name }) => shareOf(name))
    const rest = Math.max(0, 1 - named.reduce((sum, share) => sum + share, 0))
    const shares = hasRest ? [...named, rest] : named
    return { name: variant, shares: venues.length === 0 ? [] : shares }
  })
  const description = variants
    .map(
      ({ variant, venues }) =>
        `${variant}: ${venues.map(({ protocol, share }) => `${protocol} ${formatPercent(share)}`).join(', ') || 'none'}`,
    )
    .join('; ')
  return stackedBars(
    'venues',
    {
      caption: 'Venue share',
      description: `Share of the amounts that each protocol swaps. ${description}.`,
    },
    hasRest ? [...keys, { name: 'others', letter: '+' }] : keys,
    rows,
  )
}

function percentScale(lowest: number) {
  const from = Math.max(0, Math.min(0.9, Math.floor(lowest * 10) / 10))
  return scaleLinear([from, 1], [frame.bottom, frame.top])
}

function percentTicks(scale: ReturnType<typeof percentScale>) {
  return ticksOf(scale, 5, (value) => `${Math.round(Number(value) * 100)}%`)
}

function delayScale(delays: readonly number[]) {
  const scale = scalePoint(delays, [frame.left, frame.right]).padding(0.5)
  return (delay: number) => scale(delay) ?? frame.left
}

function delayAxis(delays: readonly number[]) {
  const every = Math.ceil(delays.length / 8)
  const x = delayScale(delays)
  return {
    label: 'blocks later',
    ticks: delays
      .filter((_, index) => index % every === 0)
      .map((delay) => ({ at: x(delay), text: String(delay) })),
  }
}

/** The charts of hindsight: results by venue, how far ours is above theirs, and what sandwiches took. */
import { extent } from 'd3-array'
import { scaleBand, scaleLinear, scalePoint } from 'd3-scale'
import type { Count, HindsightSummary, SwapGroup } from '../../hindsight-summary.js'
import { type Axis, bpsScale, type ChartWords, figure, frame, round, ticksOf } from './chart.js'
import { formatNumber, formatPercent, html, type Markup } from './markup.js'
import { boxOf } from './overview-charts.js'
import { stackedBars } from './stacked-bars.js'

type Venues = HindsightSummary['venues']

/** Venues with a bar or a box; the table has all of them. */
const mostVenues = 10

const resultKeys = [
  { name: 'won', letter: 'W' },
  { name: 'tied', letter: 'T' },
  { name: 'lost', letter: 'L' },
  { name: 'no result', letter: '–' },
] as const

/** Shares of the swaps that ours wins, ties and loses: in all, and by venue. */
export function resultChart({ all, venues }: HindsightSummary): Markup {
  const groups = [{ venue: 'all swaps', ...all }, ...venues.slice(0, mostVenues)]
  const rows = groups.map((group) => ({
    name: `${group.venue}: ${formatNumber(group.swaps, 0)}`,
    shares: sharesOf(group),
  }))
  const inWords = groups.map((group) => {
    const [won, tied, lost] = sharesOf(group).map((share) => formatPercent(share))
    return `${group.venue}: ${won} won, ${tied} tied, ${lost} lost`
  })
  return stackedBars(
    'results',
    {
      caption: 'Won, tied and lost, by venue',
      description: `Shares of the swaps by what ours came to. ${inWords.join('; ')}.`,
      note: 'No result: we have no transaction, or gas cannot be valued in the token.',
    },
    resultKeys,
    rows,
  )
}

function sharesOf({ swaps, won, tied, lost, unvalued, withoutOurs }: SwapGroup): number[] {
  return [won, tied, lost, unvalued + withoutOurs].map((count) => count / Math.max(1, swaps))
}

/** Null: no swap has a figure. */
export function netChart({ all, netBpsCounts }: HindsightSummary): Markup | null {
  if (!all.netBps) return null
  const words = {
    caption: 'Ours over theirs after gas, bps',
    description: `How many swaps have ours so far above theirs. ${inWords(netBpsCounts)}.`,
    note: 'Right of 0: ours gives more. The bar at 0 has the ties.',
  }
  return countChart('net', words, netBpsCounts)
}

/** Null: no swap was sandwiched, or no loss is known. */
export function lossChart({ sandwiches }: HindsightSummary): Markup | null {
  if (!sandwiches.lossBps) return null
  const words = {
    caption: 'Loss of sandwiched swaps, bps',
    description: `How many sandwiched swaps lost so much of what they would have got. ${inWords(sandwiches.lossBpsCounts)}.`,
  }
  return countChart('loss', words, sandwiches.lossBpsCounts)
}

/** A box per venue. Null: no venue has a figure. */
export function venueBoxes(venues: Venues): Markup | null {
  const known = venues.filter(({ netBps }) => netBps !== null).slice(0, mostVenues)
  const [low, high] = extent(known.flatMap(({ netBps }) => (netBps ? [netBps.p5, netBps.p95] : [])))
  if (low === undefined || high === undefined) return null
  const { scale, isLogarithmic, ticks } = bpsScale(low, high)
  const letters = known.map((_venue, index) => String.fromCharCode(65 + index))
  const x = scalePoint(letters, [frame.left, frame.right]).padding(0.5)
  const at = (index: number) => x(letters[index] ?? '') ?? frame.left
  const boxes = known.map(({ netBps }, index) =>
    netBps ? boxOf(netBps, at(index), 18, scale) : html``,
  )
  const names = known.map(({ venue }, index) => `${letters[index]}: ${venue}`).join('; ')
  const notes = [
    `${names}.`,
    ...(isLogarithmic ? ['Basis points on a logarithmic scale, away from zero.'] : []),
  ]
  return figure(
    'venueboxes',
    {
      caption: 'Ours over theirs after gas by venue, bps',
      description: `${known
        .map(({ venue, netBps }) => `${venue}: median ${formatNumber(netBps?.p50, 2)}`)
        .join('; ')}.`,
      note: notes.join(' '),
    },
    {
      x: { label: 'venue', ticks: letters.map((text, index) => ({ at: at(index), text })) },
      y: { label: '', ticks },
    },
    [
      html`<line class="zero" x1="${frame.left}" x2="${frame.right}" y1="${round(scale(0))}" y2="${round(scale(0))}"/><g class="c0">${boxes}</g>`,
    ],
  )
}

function countChart(id: string, words: ChartWords, counts: readonly Count[]): Markup {
  const most = Math.max(1, ...counts.map(({ swaps }) => swaps))
  const y = scaleLinear([0, most], [frame.bottom, frame.top]).nice(4)
  const x = scaleBand(
    counts.map((_count, index) => index),
    [frame.left, frame.right],
  )
  const width = x.bandwidth()
  const bars = counts.map(({ swaps }, index) => {
    const left = x(index) ?? frame.left
    return html`<rect class="part" x="${round(left)}" y="${round(y(swaps))}" width="${round(width)}" height="${round(frame.bottom - y(swaps))}"/>`
  })
  const whole = ticksOf(y, 4, String).filter(({ text }) => !text.includes('.'))
  return figure(
    id,
    words,
    { x: { label: 'basis points', ticks: boundTicks(counts, x) }, y: { label: '', ticks: whole } },
    [html`<g class="c0">${bars}</g>`],
  )
}

/** Powers of ten where a bar begins, and 0 in the middle of the bar around it. */
function boundTicks(
  counts: readonly Count[],
  x: ReturnType<typeof scaleBand<number>>,
): Axis['ticks'] {
  return counts.flatMap(({ fromBps }, index) => {
    if (fromBps === null) return []
    const left = x(index) ?? frame.left
    const next = counts[index + 1]?.fromBps ?? null
    if (fromBps < 0 && next !== null && next > 0) {
      return [{ at: left + x.bandwidth() / 2, text: '0' }]
    }
    const isPower = Math.abs(fromBps) >= 1 && Number.isInteger(Math.log10(Math.abs(fromBps)))
    return isPower ? [{ at: left, text: formatNumber(fromBps, 0) }] : []
  })
}

function inWords(counts: readonly Count[]): string {
  return counts
    .filter(({ swaps }) => swaps > 0)
    .map(({ fromBps, swaps }) => {
      const from = fromBps === null ? 'below all others' : `from ${formatNumber(fromBps, 2)}`
      return `${from}: ${formatNumber(swaps, 0)}`
    })
    .join('; ')
}

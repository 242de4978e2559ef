/** The report of hindsight over blocks: one HTML page, as that of a backtest. */
import type { HindsightBlock, HindsightPlan } from '../../../domain/hindsight.js'
import {
  createHindsightSummary,
  type HindsightSummary,
  type SwapGroup,
} from '../../hindsight-summary.js'
import { type Encoder, noBytes, utf8 } from '../encoder.js'
import { lossChart, netChart, resultChart, venueBoxes } from './hindsight-charts.js'
import { formatNumber, html, type Markup } from './markup.js'
import { factList, pageOf } from './page.js'
import { table } from './tables.js'

export function hindsightReport(plan: HindsightPlan): Encoder<HindsightBlock> {
  const summary = createHindsightSummary()
  return {
    add(block) {
      summary.add(block)
      return noBytes
    },
    end: () => utf8(reportPage(plan, summary.finish())),
  }
}

/** Each in one line; docs/how-to/hindsight.md says more. */
const definitions = [
  ['Swap', 'a mined transaction whose sender gave one token, and for which one token was got.'],
  [
    'Ours',
    'our transaction for the same pair and amount, carried out behind the transactions before theirs in its block.',
  ],
  [
    'Won, tied, lost',
    'from our view, after the gas of both at the gas price that they paid, and after the L1 data fees of both where they are known; up to 0.1 bps is a tie.',
  ],
  ['Venue', 'the protocols whose pools a swap went through, together.'],
  [
    'Sandwiched',
    'one account or contract traded the same pool before and after the swap. Its loss is what it gets without the transactions in front less what it got, in bps of what it gets without them.',
  ],
  [
    'Quantiles',
    'values that occurred: p95 is the smallest that at least 95% do not exceed. In charts boxes are p25 to p75, whiskers p5 to p95.',
  ],
] as const

function reportPage(plan: HindsightPlan, summary: HindsightSummary): string {
  return pageOf({
    plan,
    what: 'hindsight',
    facts: facts(plan, summary),
    results: summary.blocks === 0 ? null : results(summary),
    definitions,
  })
}

function facts({ chainId }: HindsightPlan, summary: HindsightSummary): Markup {
  const { firstBlock, lastBlock, all, sandwiches } = summary
  const blocks = formatNumber(summary.blocks, 0)
  return factList([
    ['Chain', String(chainId)],
    ['Blocks', firstBlock === null ? '0' : `${blocks}, from ${firstBlock} to ${lastBlock}`],
    ['Transactions', formatNumber(summary.transactions, 0)],
    ['Swaps', formatNumber(all.swaps, 0)],
    ['Won – tied – lost', [all.won, all.tied, all.lost].map((n) => formatNumber(n, 0)).join(' – ')],
    ['Sandwiched', formatNumber(sandwiches.swaps, 0)],
    ['Reverted', formatNumber(summary.reverted, 0)],
  ])
}

function results(summary: HindsightSummary): Markup {
  const { all, venues, worst, warnings } = summary
  return html`<section><h2>Ours against theirs</h2>
<div class="grid">${parts(resultChart(summary), netChart(summary), venueBoxes(venues))}</div>
${venueTable([{ venue: 'all swaps', ...all }, ...venues])}
</section>
${sandwichPart(summary)}
${worst.length > 0 ? html`<section><h2>Where ours loses most</h2>${worstTable(worst)}</section>` : null}
${warnings.length > 0 ? html`<section><h2>Left out</h2>${warnings.map((text) => html`<p class="note">${text}</p>`)}</section>` : null}`
}

function parts(...charts: readonly (Markup | null)[]): Markup[] {
  return charts.filter((chart) => chart !== null)
}

function venueTable(groups: readonly (SwapGroup & { readonly venue: string })[]): Markup {
  const head = [
    'venue',
    'swaps',
    'won',
    'tied',
    'lost',
    'gas not valued',
    'none of ours',
    'mean, bps',
    'p5',
    'median',
    'p95',
  ]
  return table(
    'By venue; basis points are ours over theirs after gas',
    head,
    groups.map(({ venue, netBps, ...group }) => [
      venue,
      ...[group.swaps, group.won, group.tied, group.lost, group.unvalued, group.withoutOurs].map(
        (count) => formatNumber(count, 0),
      ),
      ...[netBps?.mean, netBps?.p5, netBps?.p50, netBps?.p95].map((bps) => formatNumber(bps, 2)),
    ]),
  )
}

function sandwichPart(summary: HindsightSummary): Markup | null {
  const { swaps, worst, lossBps } = summary.sandwiches
  if (swaps === 0) return null
  const rows = worst.map((one) => [
    one.hash,
    String(one.blockNumber),
    one.venue,
    one.attacker,
    one.loss === null ? '–' : one.loss.toString(),
    formatNumber(one.lossBps, 2),
  ])
  const head = ['swap', 'block', 'venue', 'attacker', 'loss, raw units', 'loss, bps']
  const mean = lossBps && ` The mean loss is ${formatNumber(lossBps.mean, 2)} bps.`
  return html`<section><h2>Sandwiches</h2>
<p class="note">${formatNumber(swaps, 0)} of ${formatNumber(summary.all.swaps, 0)} swaps were sandwiched.${mean}</p>
<div class="grid">${parts(lossChart(summary))}</div>
${table('Sandwiched swaps that lost most', head, rows)}</section>`
}

function worstTable(worst: HindsightSummary['worst']): Markup {
  const rows = worst.map(({ hash, blockNumber, venue, tokenIn, tokenOut, netBps }) => [
    hash,
    String(blockNumber),
    venue,
    tokenIn,
    tokenOut,
    formatNumber(netBps, 2),
  ])
  const head = ['swap', 'block', 'venue', 'token in', 'token out', 'ours over theirs, bps']
  return table('Swaps where ours is furthest below theirs, after gas', head, rows)
}

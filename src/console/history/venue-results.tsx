/** The summary of a job of hindsight: what ours came to, in all and by venue, and what sandwiches took. */
import { countText, figureText } from '../app/format.js'
import { DataTable } from '../components/data-table.js'
import { Card, Facts } from '../components/parts.js'
import type { Distribution } from './summary.js'

interface SwapGroup {
  readonly swaps: number
  readonly won: number
  readonly tied: number
  readonly lost: number
  readonly unvalued: number
  readonly withoutOurs: number
  readonly netBps: Distribution | null
}

interface HindsightSummary {
  readonly transactions: number
  readonly reverted: number
  readonly all: SwapGroup
  readonly venues: readonly (SwapGroup & { readonly venue: string })[]
  readonly sandwiches: { readonly swaps: number; readonly lossBps: Distribution | null }
}

/** @param answer - a summary, which the document of the API leaves open; docs/how-to/hindsight.md has its figures. */
export function VenueResults({ answer }: { readonly answer: unknown }) {
  const { transactions, reverted, all, venues, sandwiches } = answer as HindsightSummary
  const loss = sandwiches.lossBps && ` (median loss ${figureText(sandwiches.lossBps.p50, 'bps')})`
  return (
    <Card title="Ours against theirs">
      <Facts
        of={[
          ['Transactions', countText(transactions)],
          ['Swaps', countText(all.swaps)],
          ['Reverted', countText(reverted)],
          ['Sandwiched', `${countText(sandwiches.swaps)}${loss ?? ''}`],
        ]}
      />
      <p class="hint">
        Basis points are ours over theirs after gas, as median and from the 5th to the 95th
        percentile.
      </p>
      <DataTable
        label="Results by venue"
        rows={[{ venue: 'All swaps', ...all }, ...venues]}
        keyOf={({ venue }) => venue}
        columns={[
          { title: 'Venue', cell: ({ venue }) => venue },
          { title: 'Swaps', isNumber: true, cell: ({ swaps }) => countText(swaps) },
          { title: 'Won', isNumber: true, cell: ({ won }) => countText(won) },
          { title: 'Tied', isNumber: true, cell: ({ tied }) => countText(tied) },
          { title: 'Lost', isNumber: true, cell: ({ lost }) => countText(lost) },
          {
            title: 'No result',
            isNumber: true,
            cell: ({ unvalued, withoutOurs }) => countText(unvalued + withoutOurs),
          },
          {
            title: 'Ours over theirs',
            isNumber: true,
            cell: ({ netBps }) =>
              netBps ? (
                <>
                  {figureText(netBps.p50, 'bps')}
                  <span class="hint">
                    {' '}
                    · {figureText(netBps.p5)} to {figureText(netBps.p95)}
                  </span>
                </>
              ) : (
                '–'
              ),
          },
        ]}
      />
    </Card>
  )
}

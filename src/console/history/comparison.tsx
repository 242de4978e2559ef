/** Several backtests beside each other: every variant of each. */
import { useAsked } from '../app/asking.js'
import { countText } from '../app/format.js'
import { hrefOf } from '../app/router.js'
import { DataTable } from '../components/data-table.js'
import { Card } from '../components/parts.js'
import { Answer } from '../components/states.js'
import { groupColumns } from './report.js'
import { toSummary } from './summary.js'

/** More columns of figures than that are no comparison. */
const mostJobs = 8

export function Comparison({ ids }: { readonly ids: readonly string[] }) {
  const shown = ids.slice(0, mostJobs)
  const asked = useAsked(`compare ${shown.join()}`, async (client, signal) => {
    const jobs = []
    // One after the other: an account reads two files at a time, and a summary is one.
    for (const id of shown) {
      const [job, summary] = await Promise.all([
        client.backtest({ id }, { signal }),
        client.backtestSummary({ id }, { signal }),
      ])
      jobs.push({ job, summary: toSummary(summary) })
    }
    return jobs
  })
  return (
    <>
      <p>
        <a href={hrefOf('history', { part: 'backtests' })}>← All backtests</a>
      </p>
      <Answer asked={asked}>
        {(jobs) => (
          <Card title="Comparison">
            <p class="hint">Regret is measured against the best variant within each backtest.</p>
            <DataTable
              label="Variants of the selected backtests"
              rows={jobs.flatMap(({ job, summary }) =>
                summary.variants.map((group) => ({ job, summary, ...group })),
              )}
              keyOf={({ job, variant }) => `${job.id} ${variant}`}
              columns={[
                {
                  title: 'Backtest',
                  cell: ({ job: { id, name } }) => (
                    <a href={hrefOf('history', { part: 'backtests', job: id })}>{name}</a>
                  ),
                },
                {
                  title: 'Blocks',
                  cell: ({ summary: { blocks, firstBlock, lastBlock } }) =>
                    blocks === 0
                      ? 'None'
                      : `${countText(blocks)}: ${countText(firstBlock ?? 0)} to ${countText(lastBlock ?? 0)}`,
                },
                { title: 'Variant', cell: ({ variant }) => variant },
                ...groupColumns<
                  (typeof jobs)[number] & ReturnType<typeof toSummary>['variants'][number]
                >(),
              ]}
            />
          </Card>
        )}
      </Answer>
    </>
  )
}

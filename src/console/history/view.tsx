/** What was calculated before: backtests with their reports, mined swaps, recorded answers, suites of regression tests. */
import { Parts } from '../components/parts.js'
import { Backtests } from './backtests.js'
import { Cassettes } from './cassettes.js'
import { Comparison } from './comparison.js'
import { Hindsight } from './hindsight.js'
import { Job } from './job.js'
import { Suites } from './suites.js'

const parts = [
  ['backtests', 'Backtests'],
  ['hindsight', 'Hindsight'],
  ['cassettes', 'Cassettes'],
  ['suites', 'Regression suites'],
] as const

export function HistoryView({ query }: { readonly query: URLSearchParams }) {
  const asked = query.get('part')
  const part = parts.find(([name]) => name === asked)?.[0] ?? 'backtests'
  const job = query.get('job')
  const compared = query.get('compare')?.split(',') ?? []
  return (
    <>
      <div class="view-head">
        <h1>History</h1>
        <Parts view="history" label="Parts of the history" parts={parts} current={part} />
      </div>
      {part === 'hindsight' && <Hindsight query={query} />}
      {part === 'cassettes' && <Cassettes query={query} />}
      {part === 'suites' && <Suites query={query} />}
      {part === 'backtests' &&
        (job ? (
          <Job id={job} query={query} />
        ) : compared.length > 1 ? (
          <Comparison ids={compared} />
        ) : (
          <Backtests />
        ))}
    </>
  )
}

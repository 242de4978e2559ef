/** One backtest, or job of hindsight: its progress as it happens, its report, its results a page at a time. */
import pLimit from 'p-limit'
import { useEffect, useState } from 'preact/hooks'
import type { components } from '../../client/generated/schema.js'
import { useAsked } from '../app/asking.js'
import { useDoing } from '../app/doing.js'
import { countText, durationText, timeText } from '../app/format.js'
import { go, goOn, hrefOf } from '../app/router.js'
import { client } from '../app/session.js'
import { Amount } from '../components/amount.js'
import { DataTable } from '../components/data-table.js'
import { Card, Facts, saveFile } from '../components/parts.js'
import { Answer, Problem } from '../components/states.js'
import { JobActions } from './backtests.js'
import { Progress, StateTag } from './progress.js'
import { Report } from './report.js'
import { toSummary } from './summary.js'
import { SwapTable } from './swaps.js'
import { VenueResults } from './venue-results.js'

type BacktestJob = components['schemas']['Backtest']
type Progressing = components['schemas']['BacktestProgress']
type Page = components['schemas']['BacktestPage']

export function Job({ id, query }: { readonly id: string; readonly query: URLSearchParams }) {
  const asked = useAsked(`job ${id}`, (client, signal) => client.backtest({ id }, { signal }))
  const [turn, setTurn] = useState(0)
  const watched = useProgress(id, turn)
  const acting = useDoing<BacktestJob>(() => {
    asked.again()
    setTurn(turn + 1)
  })
  const isWorking = ['queued', 'running'].includes(watched?.state ?? asked.value?.state ?? '')
  const done = watched?.blocksDone ?? asked.value?.blocksDone ?? 0
  return (
    <>
      <p>
        <a href={hrefOf('history', { part: 'backtests' })}>← All backtests</a>
      </p>
      {acting.error !== null && <Problem error={acting.error} />}
      <Answer asked={asked}>
        {(job) => {
          const now = { ...job, ...watched }
          return (
            <>
              <Card
                title={job.name}
                beside={
                  <JobActions
                    job={now}
                    onAct={(act) =>
                      void acting.start(async (client) => {
                        const after = (await act(client)) as BacktestJob
                        // Only what was removed is not there any more.
                        const all = await client.backtests()
                        if (!all.some((one) => one.id === id)) go('history', { part: 'backtests' })
                        return after
                      })
                    }
                  />
                }
              >
                <Facts
                  of={[
                    ['State', <StateTag key="state" job={now} />],
                    [
                      'Blocks',
                      <Progress
                        key="blocks"
                        label={job.name}
                        done={now.blocksDone}
                        total={now.blocksTotal}
                      />,
                    ],
                    ['Started', timeText(job.createdAt)],
                    ...(isWorking && watched?.etaSeconds
                      ? [['Time remaining', durationText(watched.etaSeconds)] as const]
                      : []),
                  ]}
                />
                <Downloads job={job} />
              </Card>
              <Found id={id} job={job} isWorking={isWorking} done={done} query={query} />
              <Card title="Plan">
                <details>
                  <summary>Show plan</summary>
                  {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
                  <pre tabIndex={0}>{JSON.stringify(job.plan, null, 2)}</pre>
                </details>
              </Card>
            </>
          )
        }}
      </Answer>
    </>
  )
}

/** The latest event; null before the first. */
function useProgress(id: string, turn: number): Progressing | null {
  const [state, setState] = useState<Progressing | null>(null)
  useEffect(() => {
    const left = new AbortController()
    const follow = async () => {
      const events = client.peek().followBacktest({ id }, { signal: left.signal })
      for await (const event of events) if (event.event === 'progress') setState(event.data)
    }
    // Progress alone is lost where the stream fails; the job is read without it.
    void Promise.allSettled([follow()])
    return () => left.abort()
  }, [id, turn])
  return state
}

const formats = [
  ['Report', 'report.html', { format: 'html' }],
  ['Routes CSV', 'routes.csv', { format: 'csv' }],
  ['Parquet', 'routes.parquet', { format: 'parquet' }],
  ['SQLite', 'results.sqlite', { format: 'sqlite' }],
] as const

const hindsightFormats = [
  ['Report', 'report.html', { format: 'html' }],
  ['CSV', 'transactions.csv', { format: 'csv' }],
  ['Parquet', 'transactions.parquet', { format: 'parquet' }],
] as const

function Downloads({ job: { id, name, kind } }: { readonly job: BacktestJob }) {
  const loading = useDoing<void>()
  return (
    <div class="row">
      <span class="dim">Download</span>
      {(kind === 'hindsight' ? hindsightFormats : formats).map(([label, file, query]) => (
        <button
          key={label}
          type="button"
          class="quiet"
          disabled={loading.isBusy}
          onClick={() =>
            void loading.start(async (client) => {
              const { data } = await client.raw.GET('/api/v1/backtests/{id}/results', {
                params: { path: { id }, query },
                parseAs: 'blob',
              })
              saveFile(`${name}-${file}`, data as unknown as Blob)
            })
          }
        >
          {label}
        </button>
      ))}
      {loading.error !== null && <Problem error={loading.error} />}
    </div>
  )
}

const blocksOfPage = 20

/** One at a time, since the service makes few files of results at a time for an account. */
const turns = pLimit(1)

/** What has begun is read to its end, also for nobody: a read that is given up keeps its place in the service for a while. */
function inTurn<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  return turns(() => {
    signal.throwIfAborted()
    return read()
  })
}

interface FoundProps {
  readonly id: string
  readonly job: BacktestJob
  readonly isWorking: boolean
  readonly done: number
  readonly query: URLSearchParams
}

function Found({ id, job, isWorking, done, query }: FoundProps) {
  // A summary of a long job takes a while: not for each of its blocks.
  const moment = isWorking ? Math.floor((10 * done) / Math.max(1, job.blocksTotal)) : `end ${done}`
  const summary = useAsked(`summary ${id} ${moment}`, (client, signal) =>
    inTurn(signal, () => client.backtestSummary({ id })),
  )
  const from = query.get('from') ?? ''
  const page = useAsked(`page ${id} ${from} ${moment}`, (client, signal) =>
    inTurn(signal, () =>
      client.backtestResults({ id, limit: blocksOfPage, ...(from && { from: Number(from) }) }),
    ),
  )
  const isHindsight = job.kind === 'hindsight'
  return (
    <>
      <Answer asked={summary}>
        {(answer) =>
          isHindsight ? <VenueResults answer={answer} /> : <Report summary={toSummary(answer)} />
        }
      </Answer>
      <Card title="Results by block">
        <Answer asked={page}>
          {({ blocks, next }) => (
            <>
              {isHindsight ? (
                <SwapTable mined={blocks.flatMap(({ transactions = [] }) => transactions)} />
              ) : (
                <RowTable job={job} blocks={blocks} />
              )}
              <div class="row">
                <button
                  type="button"
                  class="quiet"
                  disabled={!from}
                  onClick={() => goOn({ from: null })}
                >
                  First blocks
                </button>
                <button
                  type="button"
                  class="quiet"
                  disabled={next === null}
                  onClick={() => goOn({ from: String(next) })}
                >
                  Next blocks
                </button>
              </div>
            </>
          )}
        </Answer>
      </Card>
    </>
  )
}

interface RowTableProps {
  readonly job: BacktestJob
  readonly blocks: Page['blocks']
}

/** The rows of these blocks of a backtest. */
function RowTable({ job, blocks }: RowTableProps) {
  const { requests = [] } = job.plan as { requests?: PlannedRequest[] }
  const tokenOf = (name: string) =>
    requests.find((one) => one.name === name)?.request.tokensOut[0] ?? ''
  return (
    <DataTable
      label="Results by block"
      none="No blocks completed"
      rows={blocks.flatMap(({ blockNumber, rows }) => rows.map((row) => ({ blockNumber, row })))}
      keyOf={({ blockNumber, row }) => `${blockNumber} ${row.request} ${row.variant}`}
      columns={[
        {
          title: 'Block',
          isNumber: true,
          cell: ({ blockNumber }) => countText(blockNumber),
        },
        { title: 'Request', cell: ({ row }) => row.request },
        { title: 'Variant', cell: ({ row }) => row.variant },
        {
          title: 'Output',
          isNumber: true,
          cell: ({ row }) =>
            row.amountsOut ? (
              <Amount
                chainId={job.chainId}
                token={tokenOf(row.request)}
                value={BigInt(row.amountsOut[0] ?? 0)}
              />
            ) : (
              <span class="tag bad">{failureOf(row).code}</span>
            ),
        },
        {
          title: 'Gas',
          isNumber: true,
          cell: ({ row }) => (row.gas === undefined ? '–' : countText(Number(row.gas))),
        },
        {
          title: 'Path',
          cell: ({ row }) =>
            row.path ? (
              [...new Set(row.path.map(({ protocol }) => protocol))].join(', ')
            ) : (
              <span class="prose">{[failureOf(row).message].flat().join(' ')}</span>
            ),
        },
      ]}
    />
  )
}

interface PlannedRequest {
  readonly name: string
  readonly request: { readonly tokensOut: readonly string[] }
}

interface Failure {
  readonly code: string
  readonly message: string | readonly string[]
}

function failureOf({ error }: { readonly error?: unknown }): Failure {
  return error as Failure
}

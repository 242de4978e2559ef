/** All backtests: started, watched, cancelled, resumed, removed, chosen to be compared. */
import { useEffect, useState } from 'preact/hooks'
import type { components } from '../../client/generated/schema.js'
import { useAsked } from '../app/asking.js'
import { useDoing } from '../app/doing.js'
import { timeText } from '../app/format.js'
import { go, hrefOf } from '../app/router.js'
import { DataTable } from '../components/data-table.js'
import { Card, ConfirmButton } from '../components/parts.js'
import { Answer, Empty, Problem } from '../components/states.js'
import { PlanForm } from './plan-form.js'
import { Progress, StateTag } from './progress.js'

type Entry = components['schemas']['BacktestEntry']

/** Between two looks while one of them runs. */
const lookMs = 2_000

export function Backtests() {
  const asked = useAsked('backtests', (client, signal) => client.backtests(undefined, { signal }))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const acting = useDoing<unknown>(asked.again)
  const isWorking = asked.value?.some(({ state }) => state === 'queued' || state === 'running')
  useEffect(() => {
    if (!isWorking) return
    const timer = setInterval(asked.again, lookMs)
    return () => clearInterval(timer)
  }, [isWorking, asked.again])
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  return (
    <>
      <Card title="New backtest">
        <PlanForm onStarted={({ id }) => go('history', { part: 'backtests', job: id })} />
      </Card>
      {acting.error !== null && <Problem error={acting.error} />}
      <Answer asked={asked}>
        {(jobs) =>
          jobs.length === 0 ? (
            <Empty title="No backtests">
              A backtest runs the same trades at many blocks with several router settings.
            </Empty>
          ) : (
            <Card
              title="Backtests"
              beside={
                <button
                  type="button"
                  class="quiet"
                  disabled={chosen.size < 2}
                  onClick={() =>
                    go('history', { part: 'backtests', compare: [...chosen].join(',') })
                  }
                >
                  Compare {chosen.size} selected
                </button>
              }
            >
              <DataTable
                label="Backtests"
                rows={jobs}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: 'Compare',
                    cell: ({ id, name }) => (
                      <input
                        type="checkbox"
                        aria-label={`Compare ${name}`}
                        checked={chosen.has(id)}
                        onChange={() => toggle(id)}
                      />
                    ),
                  },
                  {
                    title: 'Name',
                    cell: ({ id, name }) => (
                      <a href={hrefOf('history', { part: 'backtests', job: id })}>{name}</a>
                    ),
                  },
                  { title: 'State', cell: (job) => <StateTag job={job} /> },
                  {
                    title: 'Blocks',
                    cell: ({ name, blocksDone, blocksTotal }) => (
                      <Progress label={name} done={blocksDone} total={blocksTotal} />
                    ),
                  },
                  { title: 'Started', cell: ({ createdAt }) => timeText(createdAt) },
                  {
                    title: '',
                    cell: (job) => <JobActions job={job} onAct={(act) => void acting.start(act)} />,
                  },
                ]}
              />
            </Card>
          )
        }
      </Answer>
    </>
  )
}

type Act = Parameters<ReturnType<typeof useDoing<unknown>>['start']>[0]

interface ActionsProps {
  readonly job: Pick<Entry, 'id' | 'name' | 'state'>
  onAct(act: Act): void
}

/** What may be done with a job in its state. */
export function JobActions({ job: { id, name, state }, onAct }: ActionsProps) {
  const isWorking = state === 'queued' || state === 'running'
  return (
    <span class="row tight">
      {isWorking && (
        <button
          type="button"
          class="quiet"
          onClick={() => onAct((client) => client.cancelBacktest({ id }))}
        >
          Cancel<span class="unseen"> {name}</span>
        </button>
      )}
      {(state === 'cancelled' || state === 'failed') && (
        <button
          type="button"
          class="quiet"
          onClick={() => onAct((client) => client.resumeBacktest({ id }))}
        >
          Resume<span class="unseen"> {name}</span>
        </button>
      )}
      <ConfirmButton
        label="Delete"
        sure="Delete with results?"
        about={name}
        onConfirm={() => onAct((client) => client.removeBacktest({ id }))}
      />
    </span>
  )
}

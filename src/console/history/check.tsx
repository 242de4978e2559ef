/** A run over a cassette or a suite: awaited, and then what it found. */
import { useEffect } from 'preact/hooks'
import type { components } from '../../client/generated/schema.js'
import { useAsked } from '../app/asking.js'
import { figureText, timeText } from '../app/format.js'
import { hrefOf } from '../app/router.js'
import { DataTable } from '../components/data-table.js'
import { Card } from '../components/parts.js'
import { Answer, Waiting } from '../components/states.js'

type Check = components['schemas']['Check']

/** Between two looks while it runs. */
const lookMs = 1_000

export function CheckTag({ check: { state, ok } }: { readonly check: Check }) {
  if (state === 'running') return <span class="tag accent">running</span>
  if (state === 'failed') return <span class="tag bad">no result</span>
  return <span class={ok ? 'tag good' : 'tag bad'}>{ok ? 'passed' : 'differs'}</span>
}

interface ResultProps {
  readonly id: string
  /** It has ended. */
  onEnd(id: string): void
}

/** Asked again until it has ended. */
export function CheckResult({ id, onEnd }: ResultProps) {
  const asked = useAsked(`check ${id}`, (client, signal) => client.check({ id }, { signal }))
  const { value, again } = asked
  useEffect(() => {
    if (value?.state !== 'running') {
      if (value) onEnd(value.id)
      return
    }
    const timer = setTimeout(again, lookMs)
    return () => clearTimeout(timer)
  }, [value, again, onEnd])
  return (
    <Answer asked={asked}>
      {(check) => (
        <Card title={`Check of ${check.name}`} beside={<CheckTag check={check} />}>
          {check.state === 'running' && (
            <Waiting text="Running in a separate process; starting takes a few seconds …" />
          )}
          {check.problem && <p class="bad">{check.problem}</p>}
          {check.cassette && <OfCassette found={check.cassette} />}
          {check.suite && <OfSuite found={check.suite} />}
        </Card>
      )}
    </Answer>
  )
}

function OfCassette({ found }: { readonly found: NonNullable<Check['cassette']> }) {
  const { verified, damaged, mismatches } = found
  return (
    <>
      <p role="status">
        {verified} identical, {mismatches.length} different, {damaged.length} damaged rows.
      </p>
      {damaged.map((row) => (
        <p key={row} class="bad">
          {row}
        </p>
      ))}
      {mismatches.length > 0 && (
        <DataTable
          label="Different responses"
          rows={mismatches}
          keyOf={({ number }) => number}
          columns={[
            { title: 'Request', cell: ({ number, request }) => <Named {...{ number, request }} /> },
            { title: 'Blocks', cell: ({ blocks }) => blocks.join(', ') },
            { title: 'Field', cell: ({ path }) => <code>{path}</code> },
            { title: 'Recorded', cell: ({ expected }) => <code class="wrap">{expected}</code> },
            { title: 'Current', cell: ({ got }) => <code class="wrap">{got}</code> },
          ]}
        />
      )}
    </>
  )
}

function Named({ number, request }: { readonly number: number; readonly request: string }) {
  return (
    <span class="prose">
      #{number} <span class="dim">{request}</span>
    </span>
  )
}

function OfSuite({ found }: { readonly found: NonNullable<Check['suite']> }) {
  return (
    <>
      <p role="status">
        {found.passed} of {found.passed + found.failed} cases passed, {found.mode},{' '}
        {(found.milliseconds / 1_000).toFixed(1)} s.
      </p>
      <DataTable
        label="Cases"
        rows={found.cases}
        keyOf={({ name }) => name}
        columns={[
          {
            title: 'Result',
            cell: ({ ok }) => (
              <span class={ok ? 'tag good' : 'tag bad'}>{ok ? 'ok' : 'failed'}</span>
            ),
          },
          { title: 'Case', cell: ({ name }) => name },
          { title: 'Line', isNumber: true, cell: ({ line }) => line },
          {
            title: 'Differences',
            cell: ({ differences }) => <span class="lines prose">{differences.join('\n')}</span>,
          },
          ...(found.cases.some(({ proof }) => proof) ? [stateColumn] : []),
          {
            title: 'Time',
            isNumber: true,
            cell: ({ milliseconds }) => figureText(milliseconds, 'ms', 0),
          },
        ]}
      />
    </>
  )
}

type Case = NonNullable<Check['suite']>['cases'][number]

const stateColumn = {
  title: 'State',
  cell: ({ proof }: Case) =>
    proof && (
      <span class="prose">
        {proof.isProven
          ? `proven: ${proof.accounts} accounts, ${proof.slots} slots of block ${proof.blockNumber}`
          : `not proven: ${proof.reason}`}
      </span>
    ),
}

interface ListProps {
  readonly kind: Check['kind']
  /** Changes when there may be others. */
  readonly moment: string
}

/** Earlier checks of the kind. */
export function Checks({ kind, moment }: ListProps) {
  const part = kind === 'suite' ? 'suites' : 'cassettes'
  const asked = useAsked(`checks ${moment}`, (client, signal) =>
    client.checks(undefined, { signal }),
  )
  return (
    <Card title="Previous checks">
      <Answer asked={asked}>
        {(checks) => (
          <DataTable
            label="Previous checks"
            none="No checks"
            rows={checks.filter((one) => one.kind === kind)}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Name',
                cell: ({ id, name }) => (
                  <a
                    href={hrefOf('history', {
                      part,
                      check: id,
                      ...(kind === 'cassette' && { cassette: name }),
                    })}
                  >
                    {name}
                  </a>
                ),
              },
              { title: 'Result', cell: (check) => <CheckTag check={check} /> },
              { title: 'Started', cell: ({ createdAt }) => timeText(createdAt) },
            ]}
          />
        )}
      </Answer>
    </Card>
  )
}

/** Whether the machine and the nodes are fit: the checks of `forkroute doctor`. */
import { useAsked } from '../app/asking.js'
import { DataTable } from '../components/data-table.js'
import { Card } from '../components/parts.js'
import { Answer } from '../components/states.js'

export function Machine() {
  const asked = useAsked('doctor', (client, signal) => client.doctor(undefined, { signal }))
  return (
    <Answer asked={asked} waiting="Checking the machine and all nodes …">
      {(checks) => (
        <Card
          title="Doctor"
          beside={
            <button type="button" class="quiet" disabled={asked.isBusy} onClick={asked.again}>
              Check again
            </button>
          }
        >
          <DataTable
            label="Checks"
            rows={checks}
            keyOf={({ check }) => check}
            columns={[
              {
                title: 'Result',
                cell: ({ ok }) => (
                  <span class={ok ? 'tag good' : 'tag bad'}>{ok ? 'ok' : 'failed'}</span>
                ),
              },
              { title: 'Check', cell: ({ check }) => check },
              { title: 'Found', cell: ({ found }) => <span class="lines prose">{found}</span> },
            ]}
          />
        </Card>
      )}
    </Answer>
  )
}

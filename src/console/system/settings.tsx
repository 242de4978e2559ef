/** The configuration in force. Secrets are not among what the service answers. */
import { useAsked } from '../app/asking.js'
import { goOn } from '../app/router.js'
import { DataTable } from '../components/data-table.js'
import { Card } from '../components/parts.js'
import { Answer } from '../components/states.js'

export function Settings({ query }: { readonly query: URLSearchParams }) {
  const asked = useAsked('configuration', (client, signal) =>
    client.configuration(undefined, { signal }),
  )
  const isAll = query.get('all') === '1'
  return (
    <Answer asked={asked}>
      {(settings) => (
        <Card
          title="Configuration"
          beside={
            <button
              type="button"
              class="quiet"
              aria-pressed={!isAll}
              onClick={() => goOn({ all: isAll ? null : '1' })}
            >
              Changed only
            </button>
          }
        >
          <DataTable
            label="Variables"
            none="All variables have their defaults"
            rows={settings.filter(({ isChanged }) => isAll || isChanged)}
            keyOf={({ name }) => name}
            columns={[
              { title: 'Variable', cell: ({ name }) => <code>{name}</code> },
              {
                title: 'Value',
                cell: ({ value, isSecret, isChanged }) =>
                  isSecret && isChanged ? (
                    <span class="tag warn">set, hidden</span>
                  ) : value === null ? (
                    <span class="dim">None</span>
                  ) : (
                    <code class="wrap">{value}</code>
                  ),
              },
              {
                title: 'Source',
                cell: ({ isChanged }) =>
                  isChanged ? 'configured' : <span class="dim">default</span>,
              },
              {
                title: 'Meaning',
                cell: ({ description }) => <span class="dim prose">{description}</span>,
              },
            ]}
          />
        </Card>
      )}
    </Answer>
  )
}

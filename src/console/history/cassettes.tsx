/** Cassettes: listed, read, replayed and compared. */
import { useState } from 'preact/hooks'
import type { components } from '../../client/generated/schema.js'
import { useAsked } from '../app/asking.js'
import { useDoing } from '../app/doing.js'
import { bytesText, countText, timeText } from '../app/format.js'
import { goOn, hrefOf } from '../app/router.js'
import { DataTable } from '../components/data-table.js'
import { Card, Facts } from '../components/parts.js'
import { Answer, Empty, Problem } from '../components/states.js'
import { CheckResult, Checks } from './check.js'

type Contents = components['schemas']['CassetteContents']
type Check = components['schemas']['Check']

export function Cassettes({ query }: { readonly query: URLSearchParams }) {
  const cassette = query.get('cassette')
  const check = query.get('check')
  const [ended, setEnded] = useState('')
  return (
    <>
      {cassette ? <Cassette name={cassette} query={query} /> : <List />}
      {check && <CheckResult id={check} onEnd={setEnded} />}
      <Checks kind="cassette" moment={`${check} ${ended}`} />
    </>
  )
}

function List() {
  const asked = useAsked('cassettes', (client, signal) => client.cassettes(undefined, { signal }))
  return (
    <Answer asked={asked}>
      {(cassettes) =>
        cassettes.length === 0 ? (
          <Empty title="No cassettes">
            <code>forkroute record usdc.cassette --requests requests.yaml</code> records one. Files
            in the folder CASSETTES_DIR are listed here.
          </Empty>
        ) : (
          <Card title="Cassettes">
            <DataTable
              label="Cassettes"
              rows={cassettes}
              keyOf={({ name }) => name}
              columns={[
                {
                  title: 'File',
                  cell: ({ name }) => (
                    <a href={hrefOf('history', { part: 'cassettes', cassette: name })}>{name}</a>
                  ),
                },
                { title: 'Size', isNumber: true, cell: ({ bytes }) => bytesText(bytes) },
                { title: 'Changed', cell: ({ changedAt }) => timeText(changedAt) },
              ]}
            />
          </Card>
        )
      }
    </Answer>
  )
}

function Cassette({ name, query }: { readonly name: string; readonly query: URLSearchParams }) {
  const page = Math.max(1, Number(query.get('page')) || 1)
  const number = Number(query.get('request')) || null
  const asked = useAsked(`cassette ${name} ${page}`, (client, signal) =>
    client.cassette({ name, page }, { signal }),
  )
  const starting = useDoing<Check>(({ id }) => goOn({ check: id }))
  const replay = (requests?: number[]) =>
    void starting.start((client) => client.checkCassette({ name, ...(requests && { requests }) }))
  return (
    <>
      <p>
        <a href={hrefOf('history', { part: 'cassettes' })}>← All cassettes</a>
      </p>
      <Answer asked={asked}>
        {(contents) => (
          <Card
            title={name}
            beside={
              <button
                type="button"
                class="main"
                disabled={starting.isBusy}
                onClick={() => replay()}
              >
                Verify all
              </button>
            }
          >
            {starting.error !== null && <Problem error={starting.error} />}
            <About contents={contents} />
            <DataTable
              label="Recorded requests"
              none="No recorded requests"
              rows={contents.requests}
              keyOf={(one) => one.number}
              rowClass={(one) => (one.number === number ? 'chosen' : undefined)}
              pages={{
                page: contents.meta.currentPage,
                lastPage: contents.meta.lastPage,
                total: contents.meta.total,
                onPage: (next) => goOn({ page: String(next) }),
              }}
              columns={[
                {
                  title: 'No.',
                  cell: (one) => (
                    <a
                      href={hrefOf('history', {
                        part: 'cassettes',
                        cassette: name,
                        page: String(page),
                        request: String(one.number),
                      })}
                    >
                      #{one.number}
                    </a>
                  ),
                },
                {
                  title: 'Request',
                  cell: ({ method, url }) => (
                    <span class="prose">
                      <span class="tag">{method}</span> <code class="wrap">{pathOf(url)}</code>
                    </span>
                  ),
                },
                {
                  title: 'Blocks',
                  cell: ({ blocks }) =>
                    blocks.map((one) => countText(one.number)).join(', ') || '–',
                },
                {
                  title: 'Status',
                  cell: ({ status }) => (
                    <span class={status === 200 ? 'tag good' : 'tag warn'}>{status}</span>
                  ),
                },
                { title: 'Size', isNumber: true, cell: ({ bytes }) => bytesText(bytes) },
                {
                  title: '',
                  cell: (one) => (
                    <button
                      type="button"
                      class="quiet"
                      disabled={starting.isBusy}
                      onClick={() => replay([one.number])}
                    >
                      Replay<span class="unseen"> request {one.number}</span>
                    </button>
                  ),
                },
              ]}
            />
          </Card>
        )}
      </Answer>
      {number !== null && <Recording name={name} number={number} />}
    </>
  )
}

/** Queries are long, and the recording has them. */
function pathOf(url: string): string {
  const [path = '', search] = url.split('?')
  return search ? `${path}?…` : path
}

function About({ contents }: { readonly contents: Contents }) {
  const { versions, chains, bytes, changedAt } = contents
  return (
    <Facts
      of={[
        ['Size', bytesText(bytes)],
        ['Changed', timeText(changedAt)],
        [
          'Recorded with',
          versions.map((one) => `forkroute ${one.forkroute}, Anvil ${one.anvil}`).join('; ') || '–',
        ],
        ...chains.map(
          ({ chainId, blocks, firstBlock, lastBlock }) =>
            [
              `Chain ${chainId}`,
              `${countText(blocks)} blocks, ${countText(firstBlock)} to ${countText(lastBlock)}`,
            ] as const,
        ),
      ]}
    />
  )
}

function Recording({ name, number }: { readonly name: string; readonly number: number }) {
  const asked = useAsked(`recording ${name} ${number}`, (client, signal) =>
    client.recording({ name, number }, { signal }),
  )
  return (
    <Answer asked={asked}>
      {({ method, url, body, answer }) => (
        <Card title={`Request ${number}`}>
          <p>
            <span class="tag">{method}</span> <code class="wrap">{url}</code>
          </p>
          {body !== null && <Json label="Request body" value={body} />}
          <Json label="Recorded response" value={answer} />
        </Card>
      )}
    </Answer>
  )
}

function Json({ label, value }: { readonly label: string; readonly value: unknown }) {
  return (
    <div class="stack">
      <h3>{label}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
    </div>
  )
}

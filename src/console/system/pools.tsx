/** Pools: searched, imported, exported, and the index of all. The address bar holds the search. */
import { useState } from 'preact/hooks'
import type { AnswerOf } from '../../client/calls.js'
import type { components } from '../../client/generated/schema.js'
import { useAsked } from '../app/asking.js'
import { type Doing, useDoing } from '../app/doing.js'
import { countText } from '../app/format.js'
import { goOn } from '../app/router.js'
import { isAddress, networks } from '../app/tokens.js'
import { Address, TokenName } from '../components/amount.js'
import { DataTable } from '../components/data-table.js'
import { ChainField, Field, SelectField, TextField } from '../components/fields.js'
import { Card, saveFile } from '../components/parts.js'
import { Answer, Problem } from '../components/states.js'
import { TokenField } from '../components/token-field.js'

type Source = 'discovered' | 'imported' | 'indexed'
type Import = components['schemas']['PoolImport']

const sources: readonly (readonly [string, string])[] = [
  ['', 'Discovered and imported'],
  ['discovered', 'Discovered'],
  ['imported', 'Imported'],
  ['indexed', 'Full index'],
]

export function Pools({ query }: { readonly query: URLSearchParams }) {
  const text = (name: string) => query.get(name) ?? ''
  const chain = text('chain') || String(networks.value[0]?.id ?? 1)
  return (
    <>
      <Search chain={chain} text={text} />
      <div class="side-by-side">
        <ImportForm chain={chain} />
        <IndexState />
      </div>
    </>
  )
}

/** What the address bar says of the search. */
interface Filter {
  readonly chain: string
  readonly source: string
  readonly protocol: string
  readonly token: string
  /** The text that was typed. */
  readonly pool: string
  /** What was typed as an address or an id; null: it is neither. */
  readonly poolId: string | null
}

function filterOf(chain: string, text: (name: string) => string): Filter {
  const [source, protocol, token, pool] = ['source', 'protocol', 'token', 'pool'].map(text) as [
    string,
    string,
    string,
    string,
  ]
  const typed = pool.trim().toLowerCase()
  const poolId = /^0x([0-9a-f]{40}|[0-9a-f]{64})$/.test(typed) ? typed : null
  return { chain, source, protocol, token, pool, poolId }
}

interface SearchProps {
  readonly chain: string
  text(name: string): string
}

function Search({ chain, text }: SearchProps) {
  const filter = filterOf(chain, text)
  const { source, protocol, token, poolId } = filter
  const filters = {
    ...(source && { source: source as Source }),
    ...(protocol && { protocol: protocol.trim().toLowerCase() }),
    ...(isAddress(token) && { token }),
    ...(poolId && { pool: poolId }),
  }
  const page = Math.max(1, Number(text('page')) || 1)
  const input = { chainId: Number(chain), page, pageSize: 25, ...filters }
  const asked = useAsked(JSON.stringify(input), (client, signal) => client.pools(input, { signal }))
  const exporting = useDoing<void>()
  return (
    <Card title="Pools" beside={<ExportButton chainId={Number(chain)} exporting={exporting} />}>
      {exporting.error !== null && <Problem error={exporting.error} />}
      <SearchFields filter={filter} />
      <Answer asked={asked}>
        {(found) => <PoolList found={found} isFiltered={Object.keys(filters).length > 0} />}
      </Answer>
    </Card>
  )
}

interface ExportProps {
  readonly chainId: number
  readonly exporting: Doing<void>
}

function ExportButton({ chainId, exporting }: ExportProps) {
  const toFile = () =>
    exporting.start(async (client) => {
      const pools = await client.exportPools({ chainId })
      saveFile(`pools-${chainId}.json`, new Blob([`${JSON.stringify(pools, null, 2)}\n`]))
    })
  return (
    <button type="button" class="quiet" disabled={exporting.isBusy} onClick={() => void toFile()}>
      Export all pools
    </button>
  )
}

function SearchFields({ filter }: { readonly filter: Filter }) {
  const { chain, source, protocol, token, pool, poolId } = filter
  const change = (name: string) => (value: string) => goOn({ [name]: value, page: null })
  return (
    <div class="form">
      <ChainField value={chain} onValue={change('chain')} />
      <SelectField label="Source" value={source} options={sources} onValue={change('source')} />
      <TokenField label="Token" chainId={Number(chain)} value={token} onValue={change('token')} />
      <TextField
        label="Protocol"
        value={protocol}
        placeholder="uniswap-v3"
        onValue={change('protocol')}
      />
      <TextField
        label="Pool"
        value={pool}
        placeholder="0x…"
        problem={pool.trim() && !poolId ? 'Enter an address or a pool id.' : null}
        onValue={change('pool')}
      />
      {token && (
        <div class="below-label">
          <button type="button" class="quiet" onClick={() => change('token')('')}>
            Clear token
          </button>
        </div>
      )}
    </div>
  )
}

interface ListProps {
  readonly found: AnswerOf<'getPools'>
  readonly isFiltered: boolean
}

function PoolList({ found: { data, meta }, isFiltered }: ListProps) {
  return (
    <DataTable
      label="Pools"
      none={isFiltered ? 'No matching pools' : 'No pools yet: routing discovers them'}
      rows={data}
      keyOf={(one) => `${one.protocol} ${one.id}`}
      pages={{
        page: meta.currentPage,
        lastPage: meta.lastPage,
        total: meta.total,
        onPage: (next) => goOn({ page: String(next) }),
      }}
      columns={[
        { title: 'Protocol', cell: (one) => one.protocol },
        {
          title: 'Tokens',
          cell: (one) => (
            <span class="row tight">
              {one.tokens.map((address) => (
                <span key={address} class="tag">
                  <TokenName chainId={one.chainId} token={address} />
                </span>
              ))}
            </span>
          ),
        },
        { title: 'Pool', cell: (one) => <Address value={one.id} /> },
        {
          title: 'Parameters',
          cell: (one) => <span class="dim prose">{parametersText(one.parameters)}</span>,
        },
        { title: 'Source', cell: (one) => one.source },
        {
          title: 'First seen (block)',
          isNumber: true,
          cell: ({ firstSeenBlock }) =>
            firstSeenBlock === null ? '–' : countText(Number(firstSeenBlock)),
        },
        {
          title: 'Hooks',
          cell: ({ hooks }) =>
            hooks ? <span title={hooks.reason ?? ''}>{hooks.class}</span> : '–',
        },
      ]}
    />
  )
}

function parametersText(parameters: Readonly<Record<string, unknown>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ')
    .slice(0, 120)
}

function ImportForm({ chain }: { readonly chain: string }) {
  const [text, setText] = useState('')
  const importing = useDoing<Import>(() => setText(''))
  const [problem, pools] = poolsIn(text)
  const submit = (event: Event) => {
    event.preventDefault()
    void importing.start((client) =>
      client.importPools({ chainId: Number(chain), pools: pools as never }),
    )
  }
  return (
    <Card title="Import pools">
      <p class="hint">
        Your own pools, in the format of the export. Routes use them from the next block; known
        pools are replaced.
      </p>
      <form class="stack" onSubmit={submit}>
        <Field
          label="Pools as JSON"
          problem={problem}
          hint={pools ? `${countText(pools.length)} pools` : ''}
        >
          {(own) => (
            <textarea
              {...own}
              rows={6}
              spellcheck={false}
              placeholder='[{ "protocol": "uniswap-v3", "id": "0x…", "address": "0x…", "tokens": ["0x…", "0x…"], "parameters": {} }]'
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="row">
          <input
            type="file"
            accept="application/json,.json"
            aria-label="Pools from a file"
            onChange={(event) => void event.currentTarget.files?.[0]?.text().then(setText)}
          />
          <button type="submit" class="main" disabled={!pools?.length || importing.isBusy}>
            Import into chain {chain}
          </button>
        </div>
      </form>
      {importing.error !== null && <Problem error={importing.error} />}
      {importing.value && (
        <p role="status" class="good">
          {countText(importing.value.added)} added, {countText(importing.value.updated)} replaced.
        </p>
      )}
    </Card>
  )
}

function poolsIn(text: string): [problem: string | null, pools: readonly unknown[] | null] {
  if (text.trim() === '') return [null, null]
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? [null, value] : ['Enter a list of pools.', null]
  } catch {
    return ['Invalid JSON.', null]
  }
}

function IndexState() {
  const asked = useAsked('index', (client, signal) => client.poolIndex(undefined, { signal }))
  const names = new Map(networks.value.map(({ id, name }) => [id, name]))
  return (
    <Card title="Full pool index">
      <Answer asked={asked}>
        {(states) => (
          <>
            {!states.some(({ isOn }) => isOn) && (
              <p class="hint">
                Off: routes use discovered pools. <code>POOL_INDEX=on</code> enables it,{' '}
                <code>forkroute pools sync</code> builds it ahead of time.
              </p>
            )}
            <DataTable
              label="Full pool index"
              rows={states}
              keyOf={({ chainId }) => chainId}
              columns={[
                { title: 'Chain', cell: ({ chainId }) => names.get(chainId) ?? chainId },
                {
                  title: 'Status',
                  cell: ({ isOn }) => (
                    <span class={isOn ? 'tag good' : 'tag'}>{isOn ? 'on' : 'off'}</span>
                  ),
                },
                {
                  title: 'Synced to block',
                  isNumber: true,
                  cell: ({ readTo }) => (readTo === null ? '–' : countText(readTo)),
                },
                {
                  title: 'Pools',
                  isNumber: true,
                  cell: ({ protocols }) => (
                    <span
                      title={protocols
                        .map((one) => `${one.protocol} ${countText(one.pools)}`)
                        .join(', ')}
                    >
                      {countText(protocols.reduce((sum, one) => sum + one.pools, 0))}
                    </span>
                  ),
                },
              ]}
            />
          </>
        )}
      </Answer>
    </Card>
  )
}

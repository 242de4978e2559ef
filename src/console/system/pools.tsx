/** Pools: searched, imported, exported, and the index of all. The address bar holds the search. */
import { useState } from 'preact/hooks'
import type { components } from '../../client/generated/schema.js'
import { useAsked } from '../app/asking.js'
import { useDoing } from '../app/doing.js'
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
  ['', 'discovered and imported'],
  ['discovered', 'discovered'],
  ['imported', 'imported'],
  ['indexed', 'the index of all'],
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

function Search({ chain, text }: { readonly chain: string; text(name: string): string }) {
  const chainId = Number(chain)
  const [source, protocol, token] = [text('source'), text('protocol'), text('token')]
  const pool = text('pool').trim().toLowerCase()
  const isPool = /^0x([0-9a-f]{40}|[0-9a-f]{64})$/.test(pool)
  const page = Math.max(1, Number(text('page')) || 1)
  const input = {
    chainId,
    page,
    pageSize: 25,
    ...(source && { source: source as Source }),
    ...(protocol && { protocol: protocol.trim().toLowerCase() }),
    ...(isAddress(token) && { token }),
    ...(isPool && { pool }),
  }
  const asked = useAsked(JSON.stringify(input), (client, signal) => client.pools(input, { signal }))
  const exporting = useDoing<void>()
  const change = (name: string) => (value: string) => goOn({ [name]: value, page: null })
  const toFile = () =>
    exporting.start(async (client) => {
      const pools = await client.exportPools({ chainId })
      saveFile(`pools-${chainId}.json`, new Blob([`${JSON.stringify(pools, null, 2)}\n`]))
    })
  return (
    <Card
      title="Pools"
      beside={
        <button
          type="button"
          class="quiet"
          disabled={exporting.isBusy}
          onClick={() => void toFile()}
        >
          Export all of the chain
        </button>
      }
    >
      {exporting.error !== null && <Problem error={exporting.error} />}
      <div class="form">
        <ChainField value={chain} onValue={change('chain')} />
        <SelectField label="Known by" value={source} options={sources} onValue={change('source')} />
        <TokenField label="Token" chainId={chainId} value={token} onValue={change('token')} />
        <TextField
          label="Protocol"
          value={protocol}
          placeholder="uniswap-v3"
          onValue={change('protocol')}
        />
        <TextField
          label="Pool"
          value={text('pool')}
          placeholder="0x…"
          problem={pool && !isPool ? 'An address or an id.' : null}
          onValue={change('pool')}
        />
        {token && (
          <div class="below-label">
            <button type="button" class="quiet" onClick={() => change('token')('')}>
              Any token
            </button>
          </div>
        )}
      </div>
      <Answer asked={asked}>
        {({ data, meta }) => (
          <DataTable
            label="Pools"
            none={
              Object.keys(input).length > 3
                ? 'No pool fits'
                : 'No pool is known yet: the first routes find them'
            }
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
              { title: 'Known by', cell: (one) => one.source },
              {
                title: 'Since block',
                isNumber: true,
                cell: ({ firstSeenBlock }) =>
                  firstSeenBlock === null ? '–' : countText(Number(firstSeenBlock)),
              },
            ]}
          />
        )}
      </Answer>
    </Card>
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
        Your own pools, as export gives them. Routes use them from the next block on; those that are
        known are replaced.
      </p>
      <form class="stack" onSubmit={submit}>
        <Field label="Pools as JSON" problem={problem} hint={pools ? `${pools.length} pools` : ''}>
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
          {importing.value.added} added, {importing.value.updated} replaced.
        </p>
      )}
    </Card>
  )
}

function poolsIn(text: string): [problem: string | null, pools: readonly unknown[] | null] {
  if (text.trim() === '') return [null, null]
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? [null, value] : ['A list of pools is needed.', null]
  } catch {
    return ['This is no JSON yet.', null]
  }
}

function IndexState() {
  const asked = useAsked('index', (client, signal) => client.poolIndex(undefined, { signal }))
  const names = new Map(networks.value.map(({ id, name }) => [id, name]))
  return (
    <Card title="Index of all pools">
      <Answer asked={asked}>
        {(states) => (
          <>
            {!states.some(({ isOn }) => isOn) && (
              <p class="hint">
                It is off: routes use the pools that look-ups find. <code>POOL_INDEX=on</code> turns
                it on, <code>forkroute pools sync</code> builds it ahead.
              </p>
            )}
            <DataTable
              label="Index of all pools"
              rows={states}
              keyOf={({ chainId }) => chainId}
              columns={[
                { title: 'Chain', cell: ({ chainId }) => names.get(chainId) ?? chainId },
                {
                  title: 'Used',
                  cell: ({ isOn }) => (
                    <span class={isOn ? 'tag good' : 'tag'}>{isOn ? 'on' : 'off'}</span>
                  ),
                },
                {
                  title: 'Read to',
                  isNumber: true,
                  cell: ({ readTo }) => (readTo === null ? '–' : countText(readTo)),
                },
                {
                  title: 'Pools',
                  isNumber: true,
                  cell: ({ protocols }) => (
                    <span title={protocols.map((one) => `${one.protocol} ${one.pools}`).join(', ')}>
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

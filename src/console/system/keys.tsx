/** API keys: listed, made, disabled. A new one is shown once. */
import { useState } from 'preact/hooks'
import type { components } from '../../client/generated/schema.js'
import { useAsked } from '../app/asking.js'
import { useDoing } from '../app/doing.js'
import { timeText } from '../app/format.js'
import { Address } from '../components/amount.js'
import { CopyButton } from '../components/copy-button.js'
import { DataTable } from '../components/data-table.js'
import { TextField } from '../components/fields.js'
import { Card, ConfirmButton } from '../components/parts.js'
import { Answer, Problem } from '../components/states.js'

type Key = components['schemas']['Key']
type NewKey = components['schemas']['NewKey']

export function Keys() {
  const asked = useAsked('keys', (client, signal) => client.keys(undefined, { signal }))
  const disabling = useDoing<Key>(asked.again)
  return (
    <Answer asked={asked}>
      {(keys) => (
        <>
          <NewKeyForm keys={keys} onMade={asked.again} />
          <Card title="Keys">
            {disabling.error !== null && <Problem error={disabling.error} />}
            <DataTable
              label="API keys"
              rows={keys}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Name', cell: ({ name }) => name },
                {
                  title: 'Scopes',
                  cell: ({ scopes }) => (
                    <span class="row tight">
                      {scopes.map((scope) => (
                        <span key={scope} class={scope === 'admin' ? 'tag warn' : 'tag'}>
                          {scope}
                        </span>
                      ))}
                    </span>
                  ),
                },
                {
                  title: 'Account',
                  cell: ({ accountName, accountId }) => (
                    <>
                      {accountName} <Address value={accountId} />
                    </>
                  ),
                },
                { title: 'Created', cell: ({ createdAt }) => timeText(createdAt) },
                { title: 'Last used', cell: ({ lastUsedAt }) => timeText(lastUsedAt) },
                {
                  title: 'State',
                  cell: ({ id, name, disabledAt }) =>
                    disabledAt === null ? (
                      <ConfirmButton
                        label="Disable"
                        sure="Disable permanently?"
                        about={name}
                        onConfirm={() =>
                          void disabling.start((client) => client.disableKey({ id }))
                        }
                      />
                    ) : (
                      <span class="tag bad" title={timeText(disabledAt)}>
                        disabled
                      </span>
                    ),
                },
              ]}
            />
          </Card>
        </>
      )}
    </Answer>
  )
}

interface FormProps {
  readonly keys: readonly Key[]
  onMade(): void
}

function NewKeyForm({ keys, onMade }: FormProps) {
  const [name, setName] = useState('')
  const [account, setAccount] = useState('')
  const [isAdmin, setAdmin] = useState(false)
  const making = useDoing<NewKey>(() => {
    setName('')
    onMade()
  })
  const accounts = [...new Map(keys.map((key) => [key.accountId, key.accountName]))]
  const submit = (event: Event) => {
    event.preventDefault()
    void making.start((client) =>
      client.createKey({ name, admin: isAdmin, ...(account && { accountId: account }) }),
    )
  }
  return (
    <Card title="Create key">
      <form class="form" onSubmit={submit}>
        <TextField label="Name" value={name} onValue={setName} hint="Purpose of the key" />
        <label class="field">
          <span>Account</span>
          <select value={account} onChange={(event) => setAccount(event.currentTarget.value)}>
            <option value="">New account</option>
            {accounts.map(([id, label]) => (
              <option key={id} value={id}>
                {label} {id.slice(0, 10)}…
              </option>
            ))}
          </select>
        </label>
        <label class="check below-label">
          <input
            type="checkbox"
            checked={isAdmin}
            onChange={(event) => setAdmin(event.currentTarget.checked)}
          />
          Admin
        </label>
        <div class="below-label">
          <button type="submit" class="main" disabled={making.isBusy || name.trim() === ''}>
            Create key
          </button>
        </div>
      </form>
      {making.error !== null && <Problem error={making.error} />}
      {making.value && (
        <div class="made stack" role="status">
          <p>
            Key for <b>{making.value.name}</b>, shown only once: the service stores its hash.
          </p>
          <div class="row">
            <code class="secret">{making.value.key}</code>
            <CopyButton text={making.value.key} />
            <button type="button" class="quiet" onClick={making.clear}>
              Hide
            </button>
          </div>
        </div>
      )}
    </Card>
  )
}

/** Several actions as one transaction: chosen, joined by references, simulated. The address bar holds all of it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useDoing } from '../app/doing.js'
import { hrefOf } from '../app/router.js'
import { isAddress, networks } from '../app/tokens.js'
import { CopyButton } from '../components/copy-button.js'
import { ChainField, Field, SelectField, TextField } from '../components/fields.js'
import { Card } from '../components/parts.js'
import { Answer, Empty, Problem, Waiting } from '../components/states.js'
import { ActionCard, titleOf } from './action-card.js'
import { useActions, useProtocols } from './catalog.js'
import { type Draft, earlier, parseDraft, withArgument, without } from './draft.js'
import { type Drawing, Lines } from './lines.js'
import { type Bundle, Result } from './result.js'

/** The sandbox's first account; public, and rich there alone. */
const sandboxSender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

export function BundleView({ query }: { readonly query: URLSearchParams }) {
  const given = query.get('actions')
  const [draft, setDraft] = useState<Draft>(() => parseDraft(given ?? '') ?? [])
  const [chain, setChain] = useState(query.get('chain') ?? '')
  const [from, setFrom] = useState(query.get('from') ?? sandboxSender)
  const [mode, setMode] = useState(query.get('mode') ?? 'backend')
  const simulating = useDoing<{ readonly chainId: number; readonly bundle: Bundle }>()
  const chainId = Number(chain || (networks.value[0]?.id ?? 1))
  useEffect(() => {
    const linked = parseDraft(given ?? '')
    if (linked) setDraft(linked)
  }, [given])
  useEffect(() => {
    const actions = draft.length > 0 ? JSON.stringify(draft) : null
    history.replaceState(null, '', hrefOf('bundle', { chain, from, mode, actions }))
  }, [draft, chain, from, mode])
  const simulate = (event: Event) => {
    event.preventDefault()
    void simulating.start(async (client) => {
      const input = { chainId, fromAddress: from.trim(), executionMode: mode, actions: draft }
      return { chainId, bundle: await client.bundle(input as never) }
    })
  }
  return (
    <>
      <div class="view-head">
        <h1>Bundle</h1>
        <p>Several actions in one transaction, each able to use the output of earlier ones.</p>
      </div>
      <Card title="Account and chain">
        <div class="form">
          <ChainField value={String(chainId)} onValue={setChain} />
          <TextField
            label="Sender"
            value={from}
            problem={isAddress(from.trim()) ? null : 'Invalid address.'}
            onValue={setFrom}
          />
          <SelectField
            label="Funds"
            value={mode}
            options={[
              ['backend', 'Simulated with provided funds'],
              ['user', 'Balances of the sender'],
            ]}
            onValue={setMode}
          />
        </div>
      </Card>
      <Actions {...{ chainId, draft, setDraft }} />
      <AddForm chainId={chainId} onAdd={(one) => setDraft([...draft, one])} />
      <form class="row" onSubmit={simulate}>
        <button type="submit" class="main" disabled={draft.length === 0 || simulating.isBusy}>
          Simulate
        </button>
        <CopyButton text={() => JSON.stringify(draft, null, 2)} label="Copy as JSON" />
        <Link />
      </form>
      <JsonForm draft={draft} onDraft={setDraft} />
      {simulating.isBusy && <Waiting text="Planning and simulating …" />}
      {simulating.error !== null && <Problem error={simulating.error} />}
      {simulating.value && <Result {...simulating.value} />}
    </>
  )
}

/** That repeats the question. */
function Link() {
  return <CopyButton text={() => location.href} label="Copy link" />
}

interface ActionsProps {
  readonly chainId: number
  readonly draft: Draft
  setDraft(draft: Draft): void
}

function Actions({ chainId, draft, setDraft }: ActionsProps) {
  const area = useRef<HTMLDivElement>(null)
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  const titles = draft.map(titleOf)
  const pointOf = ({ clientX, clientY }: PointerEvent) => {
    const box = area.current?.getBoundingClientRect()
    return { x: clientX - (box?.left ?? 0), y: clientY - (box?.top ?? 0) }
  }
  const draw = (of: number) => (event: PointerEvent) => {
    event.preventDefault()
    setDrawing({ of, to: pointOf(event) })
    const move = (next: PointerEvent) => setDrawing({ of, to: pointOf(next) })
    const end = (last: PointerEvent) => {
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', end)
      setDrawing(null)
      const target = document.elementFromPoint(last.clientX, last.clientY)
      const argument = target?.closest<HTMLElement>('[data-argument]')?.dataset.argument
      const index = Number(target?.closest<HTMLElement>('[data-action]')?.dataset.action)
      if (argument !== undefined && index > of) {
        setDraft(withArgument(draft, index, argument, { useOutputOfCallAt: of }))
      }
    }
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
  }
  if (draft.length === 0) {
    return <Empty title="No actions">Add an action below.</Empty>
  }
  return (
    <div class="actions" ref={area}>
      {draft.map((action, index) => (
        <ActionCard
          key={`${index} ${action.protocol} ${action.action}`}
          {...{ chainId, index, action }}
          before={titles.slice(0, index)}
          isLast={index === draft.length - 1}
          onArgument={(name, value) => setDraft(withArgument(draft, index, name, value))}
          onRemove={() => setDraft(without(draft, index))}
          onEarlier={() => setDraft(earlier(draft, index))}
          onLater={() => setDraft(earlier(draft, index + 1))}
          onDraw={draw(index)}
        />
      ))}
      <Lines {...{ draft, drawing, area }} />
    </div>
  )
}

interface AddProps {
  readonly chainId: number
  onAdd(action: Draft[number]): void
}

function AddForm({ chainId, onAdd }: AddProps) {
  const protocols = useProtocols(chainId)
  const [chosen, setProtocol] = useState('')
  const [wanted, setAction] = useState('route')
  const protocol = chosen || (protocols.value?.[0]?.[0] ?? '')
  const asked = useActions(protocol)
  const names = asked.value?.map((one) => one.action) ?? []
  const action = names.includes(wanted) ? wanted : (names[0] ?? '')
  const submit = (event: Event) => {
    event.preventDefault()
    onAdd({ protocol, action, args: {} })
  }
  return (
    <Card title="Add action">
      <Answer asked={protocols}>
        {(all) => (
          <form class="form" onSubmit={submit}>
            <SelectField
              label="Protocol"
              value={protocol}
              options={all.map(([slug, name]) => [slug, `${name} · ${slug}`])}
              onValue={setProtocol}
            />
            <SelectField
              label="Action"
              value={action}
              options={names.map((name) => [name, name])}
              onValue={setAction}
            />
            <div class="below-label">
              <button type="submit" disabled={action === ''}>
                Add
              </button>
            </div>
          </form>
        )}
      </Answer>
      {asked.error !== null && <Problem error={asked.error} again={asked.again} />}
    </Card>
  )
}

interface JsonProps {
  readonly draft: Draft
  onDraft(draft: Draft): void
}

/** The whole list, for what no form has, such as an action within another. */
function JsonForm({ draft, onDraft }: JsonProps) {
  const [text, setText] = useState<string | null>(null)
  const problem = text !== null && !parseDraft(text) ? 'Invalid list of actions.' : null
  return (
    <details class="card">
      <summary>Edit as JSON</summary>
      <Field label="Actions" hint="Applied as you type" problem={problem}>
        {(own) => (
          <textarea
            {...own}
            rows={10}
            spellcheck={false}
            value={text ?? JSON.stringify(draft, null, 2)}
            onBlur={() => setText(null)}
            onInput={(event) => {
              setText(event.currentTarget.value)
              const parsed = parseDraft(event.currentTarget.value)
              if (parsed) onDraft(parsed)
            }}
          />
        )}
      </Field>
    </details>
  )
}

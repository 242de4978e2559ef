/** Starts a backtest: of one pair by a form, of anything by its plan as JSON. */
import { useState } from 'preact/hooks'
import type { components } from '../../client/generated/schema.js'
import { useDoing } from '../app/doing.js'
import { toRaw } from '../app/numbers.js'
import { nativeToken, networks, tokenAt } from '../app/tokens.js'
import {
  AmountField,
  BlockField,
  ChainField,
  Field,
  SelectField,
  TextField,
} from '../components/fields.js'
import { Problem } from '../components/states.js'
import { TokenField } from '../components/token-field.js'

type Job = components['schemas']['Backtest']

/** What the usual router is compared with. */
const rivals: Readonly<Record<string, readonly object[]>> = {
  none: [],
  splits: [{ name: 'no splits', splits: false }],
  hops: [
    { name: '1 hop', maxHops: 1 },
    { name: '2 hops', maxHops: 2 },
  ],
}

/** What the form asks, as typed. */
interface Form {
  readonly name: string
  readonly chain: string
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amount: string
  readonly from: string
  readonly to: string
  readonly step: string
  readonly rivals: string
}

const emptyForm: Form = {
  name: 'backtest',
  chain: '',
  tokenIn: nativeToken,
  tokenOut: '',
  amount: '1',
  from: 'latest-20',
  to: '',
  step: '5',
  rivals: 'none',
}

export function PlanForm({ onStarted }: { onStarted(job: Job): void }) {
  const [isJson, setJson] = useState(false)
  const [json, setText] = useState('')
  const [form, setForm] = useState(emptyForm)
  const starting = useDoing<Job>(onStarted)
  const chain = form.chain || String(networks.value[0]?.id ?? 1)
  const { plan, isWhole } = planOf(form, Number(chain))
  const [problem, given] = isJson ? parsed(json) : [null, plan]
  const isReady = isJson ? given !== null : isWhole
  const submit = (event: Event) => {
    event.preventDefault()
    void starting.start((client) => client.createBacktest(given as never))
  }
  return (
    <form class="stack" onSubmit={submit}>
      {isJson ? (
        <PlanText {...{ json, problem }} onText={setText} />
      ) : (
        <PlanFields
          {...{ form, chain }}
          onChange={(name, value) => setForm({ ...form, [name]: value })}
        />
      )}
      {starting.error !== null && <Problem error={starting.error} />}
      <div class="row">
        <button type="submit" class="main" disabled={!isReady || starting.isBusy}>
          Start
        </button>
        <button
          type="button"
          class="quiet"
          aria-pressed={isJson}
          onClick={() => {
            if (!isJson && json === '') setText(JSON.stringify(plan, null, 2))
            setJson(!isJson)
          }}
        >
          Plan as JSON
        </button>
      </div>
    </form>
  )
}

/** The plan of the form, and whether it has all that it needs. */
function planOf(form: Form, chainId: number) {
  const decimals = tokenAt(chainId, form.tokenIn)?.decimals ?? null
  const amountIn = decimals === null ? null : toRaw(form.amount, decimals)
  const plan = {
    name: form.name,
    chainId,
    blocks: { from: form.from, ...(form.to && { to: form.to }), step: form.step || '1' },
    requests: [{ tokenIn: form.tokenIn, tokenOut: form.tokenOut, amountIn: `${amountIn ?? ''}` }],
    variants: [{ name: 'default' }, ...(rivals[form.rivals] ?? [])],
  }
  return { plan, isWhole: Boolean(form.tokenOut && amountIn && form.from) }
}

interface TextProps {
  readonly json: string
  readonly problem: string | null
  onText(text: string): void
}

function PlanText({ json, problem, onText }: TextProps) {
  return (
    <Field label="Plan as JSON" problem={problem} hint="Blocks, requests, variants, delays">
      {(own) => (
        <textarea
          {...own}
          rows={12}
          spellcheck={false}
          value={json}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

interface FieldsProps {
  readonly form: Form
  /** Id of the chain, also where none is chosen. */
  readonly chain: string
  onChange(name: keyof Form, value: string): void
}

function PlanFields({ form, chain, onChange }: FieldsProps) {
  const chainId = Number(chain)
  const set = (name: keyof Form) => (value: string) => onChange(name, value)
  return (
    <div class="form">
      <TextField label="Name" value={form.name} onValue={set('name')} />
      <ChainField value={chain} onValue={set('chain')} />
      <TokenField label="You pay" chainId={chainId} value={form.tokenIn} onValue={set('tokenIn')} />
      <AmountField
        chainId={chainId}
        token={form.tokenIn}
        value={form.amount}
        onValue={set('amount')}
      />
      <TokenField
        label="You receive"
        chainId={chainId}
        value={form.tokenOut}
        onValue={set('tokenOut')}
      />
      <BlockField label="First block or time" value={form.from} onValue={set('from')} />
      <BlockField label="Last block or time" value={form.to} onValue={set('to')} />
      <TextField
        label="Block interval"
        value={form.step}
        inputMode="numeric"
        onValue={set('step')}
      />
      <SelectField
        label="Compare with"
        value={form.rivals}
        options={[
          ['none', 'No comparison'],
          ['splits', 'Router without splits'],
          ['hops', 'Router with fewer hops'],
        ]}
        onValue={set('rivals')}
      />
    </div>
  )
}

function parsed(text: string): [problem: string | null, plan: object | null] {
  if (text.trim() === '') return [null, null]
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
      ? [null, value]
      : ['A plan must be a JSON object.', null]
  } catch {
    return ['Invalid JSON.', null]
  }
}

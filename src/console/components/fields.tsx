/** Fields of forms: a label above, what is wrong or worth knowing below. */
import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import { inUnits, isRaw, toRaw } from '../app/numbers.js'
import { networks, tokenAt } from '../app/tokens.js'

interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  /** What is wrong; takes the place of the hint. */
  readonly problem?: string | null
  children(own: { readonly id: string; readonly 'aria-describedby': string }): JSX.Element
}

/** A label, a control and a line below. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId()
  const below = `${id}-below`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': below })}
      <span id={below} class={problem ? 'hint bad' : 'hint'}>
        {problem || hint}
      </span>
    </div>
  )
}

interface TextProps {
  readonly label: string
  readonly value: string
  readonly hint?: ComponentChildren
  readonly problem?: string | null
  readonly placeholder?: string
  readonly inputMode?: 'decimal' | 'numeric' | 'text'
  onValue(value: string): void
}

/** One line of text. */
export function TextField({
  label,
  value,
  hint,
  problem,
  placeholder,
  inputMode,
  onValue,
}: TextProps) {
  return (
    <Field label={label} hint={hint} problem={problem ?? null}>
      {(own) => (
        <input
          {...own}
          type="text"
          value={value}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={problem ? true : undefined}
          {...(placeholder !== undefined && { placeholder })}
          {...(inputMode && { inputMode })}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly hint?: ComponentChildren
  onValue(value: string): void
}

export function SelectField({ label, value, options, hint, onValue }: SelectProps) {
  return (
    <Field label={label} hint={hint}>
      {(own) => (
        <select {...own} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {options.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface ChainProps {
  readonly label?: string
  readonly value: string
  /** Text of the empty choice; without it one has to be chosen. */
  readonly none?: string
  onValue(value: string): void
}

/** One of the configured chains, by its id. */
export function ChainField({ label = 'Chain', value, none, onValue }: ChainProps) {
  const known = networks.value.map(({ id, name }) => [`${id}`, name] as const)
  const isKnown = !value || known.some(([id]) => id === value)
  const options = [
    ...(none === undefined ? [] : [['', none] as const]),
    ...(isKnown ? [] : [[value, `chain ${value}`] as const]),
    ...known,
  ]
  return <SelectField label={label} value={value} options={options} onValue={onValue} />
}

interface AmountProps {
  readonly label?: string
  readonly chainId: number
  readonly token: string
  /** In units, as typed. */
  readonly value: string
  onValue(value: string): void
}

/** An amount in units of a token; with its unknown decimals in the smallest unit. */
export function AmountField({ label = 'Amount', chainId, token, value, onValue }: AmountProps) {
  const known = token ? tokenAt(chainId, token) : null
  const decimals = known?.decimals ?? 0
  const raw = value ? toRaw(value, decimals) : null
  const problem = value && token && known && raw === null ? problemOf(value, decimals) : null
  const hint = raw !== null && isRaw.value && known ? `${raw}` : known ? `${known.symbol}` : ''
  return (
    <TextField
      {...{ label, value, problem, hint, onValue }}
      inputMode="decimal"
      placeholder={known ? inUnits(10n ** BigInt(decimals), decimals) : ''}
    />
  )
}

function problemOf(value: string, decimals: number): string {
  const [, rest = ''] = value.split('.')
  return /^[\d.,_\s]+$/.test(value) && rest.length > decimals
    ? `Maximum ${decimals} decimals.`
    : 'Invalid amount.'
}

interface BlockProps {
  readonly label?: string
  readonly value: string
  onValue(value: string): void
}

/** A block by number, distance or time, as the service understands it; empty: the newest. */
export function BlockField({ label = 'Block or time', value, onValue }: BlockProps) {
  return (
    <TextField
      {...{ label, value, onValue }}
      placeholder="latest"
      hint="Block number, latest-20 or a time"
    />
  )
}

/** One argument of an action, by the type that the service gives it. */
import { useEffect, useState } from 'preact/hooks'
import { inUnits, isRaw, toRaw } from '../app/numbers.js'
import { isAddress, tokenAt } from '../app/tokens.js'
import { Field, TextField } from '../components/fields.js'
import { TokenField } from '../components/token-field.js'
import type { Inputs } from './catalog.js'
import { type DraftAction, isReference, tokenOf } from './draft.js'

interface Props {
  readonly chainId: number
  readonly name: string
  readonly input: Inputs[string]
  readonly args: DraftAction['args']
  /** Actions before this one, by what they are called. */
  readonly before: readonly string[]
  onValue(value: unknown): void
}

/** Takes a number, or what an earlier action yields. */
export const takesOutput = (type: string) => /^(uint256|reference)/.test(type)

export function Argument(props: Props) {
  const { name, input, args, before, onValue } = props
  const value = args[name]
  const label = input.optional ? name : `${name} *`
  const hint = input.description
  if (takesOutput(input.type)) {
    return (
      <div class="argument" data-argument={name}>
        {isReference(value) ? (
          <Field label={label} hint={hint}>
            {(own) => (
              <select
                {...own}
                class="reference"
                value={String(value.useOutputOfCallAt)}
                onChange={(event) => onValue(referenceOf(event.currentTarget.value))}
              >
                <option value="">Enter an amount instead</option>
                {before.map((title, index) => (
                  <option key={title} value={index}>
                    Output of {title}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ) : (
          <>
            <AmountInput {...props} label={label} />
            {before.length > 0 && (
              <select
                class="from-output"
                aria-label={`${name} from an output`}
                value=""
                onChange={(event) => onValue(referenceOf(event.currentTarget.value))}
              >
                <option value="">Use an output …</option>
                {before.map((title, index) => (
                  <option key={title} value={index}>
                    Output of {title}
                  </option>
                ))}
              </select>
            )}
          </>
        )}
      </div>
    )
  }
  if (input.type.startsWith('address')) return <AddressInput {...props} label={label} />
  if (/^(array|action)/.test(input.type)) return <JsonInput {...props} label={label} />
  return (
    <TextField
      {...{ label, hint }}
      value={value === undefined ? '' : String(value)}
      onValue={onValue}
    />
  )
}

function referenceOf(text: string): unknown {
  return text === '' ? '' : { useOutputOfCallAt: Number(text) }
}

type Labelled = Props & { readonly label: string }

/** In units of the token that is named beside it, and in the smallest unit where none is. */
function AmountInput({ chainId, name, input, args, label, onValue }: Labelled) {
  const token = tokenOf(args, name)
  const known = token ? tokenAt(chainId, token) : null
  const decimals = isRaw.value ? null : (known?.decimals ?? null)
  const raw = typeof args[name] === 'string' ? args[name] : ''
  const shown = decimals !== null && /^\d+$/.test(raw) ? inUnits(BigInt(raw), decimals) : raw
  const [text, setText] = useState(shown)
  const typed = decimals === null ? text.trim() : String(toRaw(text, decimals) ?? '')
  // What was set elsewhere, or is told in other units now.
  useEffect(() => {
    if (typed !== raw) setText(shown)
  }, [shown])
  const isWrong = text.trim() !== '' && !/^\d+(,\d+)*$/.test(typed)
  return (
    <TextField
      label={decimals === null ? label : `${label} in ${known?.symbol}`}
      inputMode="decimal"
      value={text}
      problem={isWrong ? 'Invalid amount.' : null}
      hint={raw && decimals !== null ? `${raw} raw units` : input.description}
      onValue={(next) => {
        setText(next)
        onValue(decimals === null ? next.trim() : String(toRaw(next, decimals) ?? ''))
      }}
    />
  )
}

function AddressInput({ chainId, name, input, args, label, onValue }: Labelled) {
  const value = [args[name] ?? ''].flat().join(',')
  const isOne = !value.includes(',')
  if (/token|underlying/i.test(name) && isOne) {
    return <TokenField label={label} chainId={chainId} value={value} onValue={onValue} />
  }
  const isList = input.type.endsWith('[]')
  const isRight = value.split(',').every((one) => one === '' || isAddress(one.trim()))
  return (
    <TextField
      {...{ label, value }}
      hint={input.description}
      placeholder={isList ? '0x…, 0x…' : '0x…'}
      problem={isRight ? null : 'Invalid address.'}
      onValue={(next) =>
        onValue(next.includes(',') ? next.split(',').map((one) => one.trim()) : next.trim())
      }
    />
  )
}

function JsonInput({ name, input, args, label, onValue }: Labelled) {
  const [text, setText] = useState(args[name] === undefined ? '' : JSON.stringify(args[name]))
  const [problem, setProblem] = useState<string | null>(null)
  return (
    <div class="wide">
      <Field label={`${label} as JSON`} hint={input.description} problem={problem}>
        {(own) => (
          <textarea
            {...own}
            rows={3}
            spellcheck={false}
            value={text}
            onInput={(event) => {
              const next = event.currentTarget.value
              setText(next)
              try {
                onValue(next.trim() === '' ? '' : JSON.parse(next))
                setProblem(null)
              } catch {
                setProblem('Invalid JSON.')
              }
            }}
          />
        )}
      </Field>
    </div>
  )
}

/** One action of the bundle: its arguments as a form, and its output to draw from. */
import { useState } from 'preact/hooks'
import { Answer } from '../components/states.js'
import { Argument } from './argument.js'
import { useActions } from './catalog.js'
import type { DraftAction } from './draft.js'

interface Props {
  readonly chainId: number
  readonly index: number
  readonly action: DraftAction
  readonly before: readonly string[]
  readonly isLast: boolean
  onArgument(name: string, value: unknown): void
  onRemove(): void
  onEarlier(): void
  onLater(): void
  /** The pointer begins to draw from the output. */
  onDraw(event: PointerEvent): void
}

export const titleOf = ({ protocol, action }: DraftAction, index: number) =>
  `${index + 1} · ${protocol} ${action}`

export function ActionCard(props: Props) {
  const { chainId, index, action, before, isLast, onArgument } = props
  const asked = useActions(action.protocol)
  const [isAll, setAll] = useState(false)
  const title = titleOf(action, index)
  return (
    <section class="card stack action" aria-label={title} data-action={index}>
      <div class="card-head">
        <h2>
          <span class="step">{index + 1}</span> {action.action}{' '}
          <span class="dim">{action.protocol}</span>
        </h2>
        <div class="row tight">
          <button type="button" class="quiet" disabled={index === 0} onClick={props.onEarlier}>
            ↑<span class="unseen"> Move up: {title}</span>
          </button>
          <button type="button" class="quiet" disabled={isLast} onClick={props.onLater}>
            ↓<span class="unseen"> Move down: {title}</span>
          </button>
          <button type="button" class="quiet" onClick={props.onRemove}>
            Remove<span class="unseen"> {title}</span>
          </button>
        </div>
      </div>
      <Answer asked={asked}>
        {(actions) => {
          const known = actions.find((one) => one.action === action.action)
          if (!known) return <p class="bad">Action not available on {action.protocol}.</p>
          const inputs = Object.entries(known.inputTypes)
          const shown = inputs.filter(
            ([name, { optional }]) => isAll || !optional || name in action.args,
          )
          return (
            <>
              <div class="form">
                {shown.map(([name, input]) => (
                  <Argument
                    key={name}
                    {...{ chainId, name, input, before }}
                    args={action.args}
                    onValue={(value) => onArgument(name, value)}
                  />
                ))}
              </div>
              <div class="row">
                {shown.length < inputs.length && (
                  <button type="button" class="quiet" onClick={() => setAll(true)}>
                    {inputs.length - shown.length} more arguments
                  </button>
                )}
                {!isLast && (
                  <span
                    class="output"
                    title="Drag to an amount of a later action"
                    onPointerDown={props.onDraw}
                  >
                    Output <span class="handle" data-output={index} aria-hidden="true" />
                  </span>
                )}
              </div>
            </>
          )
        }}
      </Answer>
    </section>
  )
}

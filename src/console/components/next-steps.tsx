/** What may be done about a refusal, as the service says it: a link where the view can ask that, else words. */
import type { NextStep } from '../../client/errors.js'

/** The present question with a step applied. */
export interface Offer {
  readonly text: string
  readonly href: string
}

interface Props {
  readonly steps: readonly NextStep[]
  /** Null where the view has no field for the step. */
  offer?(step: NextStep): Offer | null
}

export function NextSteps({ steps, offer }: Props) {
  if (steps.length === 0) return null
  return (
    <section aria-label="Next steps">
      <p class="dim">{steps.length > 1 ? 'Any of these may help:' : 'This may help:'}</p>
      <ul class="next-steps">
        {steps.map((step) => {
          const offered = offer?.(step)
          return (
            <li key={JSON.stringify(step)}>
              {offered ? (
                <a class="button" href={offered.href}>
                  {offered.text}
                </a>
              ) : (
                <Words step={step} />
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Words({ step }: { readonly step: NextStep }) {
  if ('header' in step) {
    return (
      <>
        Send the header <code>{`${step.header}: ${step.value}`}</code>
      </>
    )
  }
  if ('endpoint' in step) {
    const query = `${new URLSearchParams(step.query)}`
    return (
      <>
        Ask <code>{`${step.endpoint}${query && `?${query}`}`}</code>
      </>
    )
  }
  const { parameter, value, action } = step
  const name = <code>{parameter}</code>
  return (
    <>
      {action !== undefined && `Action ${action + 1}: `}
      {value === undefined && <>Change {name}</>}
      {value === null && <>Leave out {name}</>}
      {typeof value === 'string' && (
        <>
          Set {name} to <code>{value}</code>
        </>
      )}
    </>
  )
}

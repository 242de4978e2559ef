/** What is shown in place of an answer: nothing asked, awaited, refused. */
import type { ComponentChildren } from 'preact'
import { ForkrouteApiError, type NextStep } from '../../client/errors.js'
import type { Asked } from '../app/asking.js'
import { plain } from '../app/tokens.js'
import { NextSteps, type Offer } from './next-steps.js'

/** Nothing to show, and what would change that. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="card empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
    </div>
  )
}

/** Told to those who do not see it, too. */
export function Waiting({ text = 'Loading …' }: { readonly text?: string }) {
  return (
    <p class="card waiting" role="status">
      {text}
    </p>
  )
}

interface ProblemProps {
  readonly error: unknown
  /** Asks again. */
  again?(): void
  /** The question with a step applied; null where the view cannot ask that. */
  offer?(step: NextStep): Offer | null
  readonly children?: ComponentChildren
}

/** What went wrong, as the service says it, with the name by which its log has it. */
export function Problem({ error, again, offer, children }: ProblemProps) {
  const isOurs = error instanceof ForkrouteApiError
  const messages = isOurs
    ? error.messages
    : [error instanceof Error ? error.message : String(error)]
  return (
    <div class="card problem" role="alert">
      <h2>{isOurs ? titleOf(error.code) : 'Request failed'}</h2>
      {messages.map((message) => (
        <p key={message}>{plain(message, 2_000)}</p>
      ))}
      {isOurs && (
        <p class="hint">
          <code>{error.code}</code>
          {error.requestId && (
            <>
              {' · '}Request <code>{error.requestId}</code>
            </>
          )}
        </p>
      )}
      {isOurs && <NextSteps steps={error.next} {...(offer && { offer })} />}
      {children}
      {again && (
        <button type="button" onClick={again}>
          Retry
        </button>
      )}
    </div>
  )
}

/** The words of an error code, such as "Insufficient balance". */
function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ').toLowerCase()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

interface AnswerProps<T> {
  readonly asked: Asked<T>
  /** Shown before anything was asked. */
  readonly before?: ComponentChildren
  readonly waiting?: string
  children(value: T): ComponentChildren
}

/** The answer of a question, or what there is in its place; an earlier answer stays, dimmed, while the next is awaited. */
export function Answer<T>({ asked, before = null, waiting, children }: AnswerProps<T>) {
  const { value, error, isBusy, again } = asked
  if (error) return <Problem error={error} again={again} />
  if (value !== null) {
    return (
      <div class="stack" aria-busy={isBusy}>
        {children(value)}
      </div>
    )
  }
  return isBusy ? <Waiting {...(waiting && { text: waiting })} /> : before
}

/** What there is to see once a question is answered, or refused. */
import { ForkrouteApiError } from '../../client/errors.js'
import { Problem } from '../components/states.js'
import { RouteAnswer } from './answer.js'
import { type Candidate, Candidates } from './candidates.js'
import { Comparison } from './compare.js'
import { offerOf } from './offers.js'
import { type Answered, outChainOf, type Question } from './question.js'

interface ShownProps {
  readonly question: Question
  readonly first: Answered
  readonly second: Answered | null
  readonly milliseconds: number | null
}

export function RouteShown({ question, first, second, milliseconds }: ShownProps) {
  return second ? (
    <Comparison {...{ question, first, second }} />
  ) : (
    <RouteAnswer {...{ question, milliseconds }} answered={first} />
  )
}

interface RefusalProps {
  readonly error: unknown
  readonly question: Question
  again(): void
}

/** With what the search looked at, where it got that far. */
export function Refusal({ error, question, again }: RefusalProps) {
  const explanation =
    error instanceof ForkrouteApiError
      ? (error.details.explanation as {
          readonly candidates?: readonly Candidate[]
          readonly candidatesOmitted?: number
        })
      : undefined
  return (
    <>
      <Problem {...{ error, again }} offer={(step) => offerOf(question, step)} />
      {explanation?.candidates && (
        <section class="card stack" aria-label="Candidates considered">
          <h2>Candidates considered</h2>
          <Candidates
            candidates={explanation.candidates}
            omitted={explanation.candidatesOmitted ?? 0}
            chainId={Number(question.chain)}
            outChainId={outChainOf(question)}
            tokenOut={question.out}
          />
        </section>
      )}
    </>
  )
}

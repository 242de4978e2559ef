/** The same question at two blocks, side by side, and what differs. */
import { countText } from '../app/format.js'
import { bpsBetween, bpsText } from '../app/numbers.js'
import { Amount } from '../components/amount.js'
import { RouteAnswer } from './answer.js'
import { flowOf } from './flow.js'
import { type Answered, outChainOf, type Question } from './question.js'

interface Props {
  readonly question: Question
  readonly first: Answered
  readonly second: Answered
}

export function Comparison({ question, first, second }: Props) {
  const [a, b] = [first, second].map(({ route }) => [route.amountOut].flat()[0] ?? 0n) as [
    bigint,
    bigint,
  ]
  const [ofA, ofB] = [first, second].map(poolsOf) as [Set<string>, Set<string>]
  const only = (own: Set<string>, other: Set<string>) =>
    [...own].filter((pool) => !other.has(pool)).length
  return (
    <>
      <section class="card" aria-label="Difference">
        <dl class="facts">
          <div class="lead">
            <dt>
              Block {countText(second.route.blockNumber)} vs. {countText(first.route.blockNumber)}
            </dt>
            <dd class={b >= a ? 'good' : 'bad'}>{bpsText(bpsBetween(b, a))}</dd>
          </div>
          <div>
            <dt>Difference</dt>
            <dd>
              <Amount chainId={outChainOf(question)} token={question.out} value={b - a} />
            </dd>
          </div>
          <div>
            <dt>Pools</dt>
            <dd>
              {[...ofA].filter((pool) => ofB.has(pool)).length} shared, {only(ofA, ofB)} in the
              first only, {only(ofB, ofA)} in the second only
            </dd>
          </div>
        </dl>
      </section>
      <div class="side-by-side">
        {[first, second].map((answered) => (
          <div key={answered.route.blockNumber} class="stack">
            <h2>Block {countText(answered.route.blockNumber)}</h2>
            <RouteAnswer {...{ question, answered }} milliseconds={null} isBrief />
          </div>
        ))}
      </div>
    </>
  )
}

function poolsOf({ route }: Answered): Set<string> {
  return new Set(flowOf(route).flows.flatMap(({ pool }) => (pool ? [pool] : [])))
}

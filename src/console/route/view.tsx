/** Which way is the best, why, and what else there was. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useAsked } from '../app/asking.js'
import { countText } from '../app/format.js'
import { hrefOf } from '../app/router.js'
import { listOf, networks } from '../app/tokens.js'
import { Answer, Empty, Waiting } from '../components/states.js'
import { Excluded } from './excluded.js'
import { QuestionForm } from './form.js'
import { askRoute, isWhole, readQuestion } from './question.js'

export function RouteView({ query }: { readonly query: URLSearchParams }) {
  const defaultChain = `${networks.value[0]?.id ?? 1}`
  const question = useMemo(() => readQuestion(query, defaultChain), [query, defaultChain])
  const words = isWhole(question) ? JSON.stringify(question) : null
  const asked = useAsked(words, async (client, signal) => {
    const second = question.vs ? askRoute(client, question, question.vs, signal) : null
    const [first, other] = await Promise.all([
      askRoute(client, question, question.at, signal),
      second,
    ])
    return { question, first, second: other }
  })
  const { error, milliseconds, isBusy, again } = asked
  const shown = useShown(words !== null)
  return (
    <>
      <div class="view-head">
        <h1>Route</h1>
        <p>Best execution for a trade, simulated on a fork, with the alternatives considered.</p>
      </div>
      <QuestionForm {...{ question, isBusy, again }} />
      <Excluded question={question} />
      {error && shown ? (
        <shown.Refusal {...{ error, question, again }} />
      ) : (
        <Answer
          asked={asked}
          waiting="Searching and simulating routes …"
          before={<Examples chain={question.chain} />}
        >
          {({ question: its, ...answers }) =>
            shown ? (
              <shown.RouteShown {...answers} {...{ milliseconds }} question={its} />
            ) : (
              <Waiting />
            )
          }
        </Answer>
      )}
    </>
  )
}

/** What shows answers is read while the first is awaited. */
function useShown(isWanted: boolean): typeof import('./shown.js') | null {
  const [shown, setShown] = useState<typeof import('./shown.js') | null>(null)
  useEffect(() => {
    if (isWanted) void import('./shown.js').then(setShown)
  }, [isWanted])
  return shown
}

/** Amount, symbols, and the place of the other chain in the list of chains. */
const examples = [
  ['10', 'ETH', 'USDC', 0],
  ['500', 'ETH', 'DAI', 0],
  ['25000', 'USDC', 'WBTC', 0],
  ['1', 'ETH', 'USDC', 1],
] as const

function Examples({ chain }: { readonly chain: string }) {
  const others = networks.value.filter(({ id }) => `${id}` !== chain)
  const tokens = listOf(Number(chain))
  const otherTokens = listOf(others[0]?.id ?? Number(chain))
  const links = examples.flatMap(([amount, from, to, elsewhere]) => {
    const tokenIn = tokens.find(({ symbol }) => symbol === from)
    const tokenOut = (elsewhere ? otherTokens : tokens).find(({ symbol }) => symbol === to)
    const other = elsewhere ? others[0] : undefined
    if (!tokenIn || !tokenOut || (elsewhere && !other)) return []
    const query = {
      chain,
      in: tokenIn.address,
      out: tokenOut.address,
      amount,
      to: other && `${other.id}`,
    }
    const text = `${countText(Number(amount))} ${from} to ${to}${other ? ` on ${other.name}` : ''}`
    return [{ text, href: hrefOf('route', query) }]
  })
  return (
    <Empty title="No trade entered">
      Choose tokens and an amount
      {links.length > 0 && ', or start with an example:'}
      <span class="examples">
        {links.map(({ text, href }) => (
          <a key={href} class="button" href={href}>
            {text}
          </a>
        ))}
      </span>
    </Empty>
  )
}

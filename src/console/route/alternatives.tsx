/** What may be sent in place of the best route: asked for when it is looked at, at the block of the answer. */
import type { Route } from '../../client/client.js'
import { useAsked } from '../app/asking.js'
import { countText, figureText } from '../app/format.js'
import { Address, Amount } from '../components/amount.js'
import { Facts } from '../components/parts.js'
import { Answer } from '../components/states.js'
import { Tabs } from '../components/tabs.js'
import { excludePool } from './excluded.js'
import { flowOf } from './flow.js'
import { type Answered, outChainOf, type Question } from './question.js'
import { Sankey } from './sankey.js'

/** How many are asked for. */
const count = 3

interface Props {
  readonly question: Question
  readonly answered: Answered
}

type Alternative = NonNullable<Route['alternatives']>[number]

export function Alternatives({ question, answered: { request, route } }: Props) {
  const blockNumber = route.blockNumber
  const asked = useAsked(JSON.stringify([question, blockNumber]), (client, signal) =>
    client.route({ ...request, blockNumber, alternatives: count }, { signal }),
  )
  return (
    <Answer asked={asked} waiting="Searching and simulating alternatives …">
      {({ alternatives = [] }) =>
        alternatives.length > 0 ? (
          <Tabs
            label="Alternatives"
            tabs={alternatives.map((one, index) => ({
              name: `${index}`,
              label: `Alternative ${index + 1}`,
              content: () => <Shown {...{ question, blockNumber }} alternative={one} />,
            }))}
          />
        ) : (
          <p class="hint">There is no other way at this block.</p>
        )
      }
    </Answer>
  )
}

function Shown({
  question,
  blockNumber,
  alternative,
}: {
  readonly question: Question
  readonly blockNumber: number
  readonly alternative: Alternative
}) {
  const chart = flowOf(alternative)
  const protocols = [...new Set(chart.flows.map(({ protocol }) => protocol))]
  const token = { chainId: outChainOf(question), token: question.out }
  const [out = 0n, least = 0n] = [alternative.amountOut, alternative.minAmountOut].map(
    (amount) => [amount].flat()[0],
  )
  const { sharedPools } = alternative
  const facts = [
    ['Worse than the best', figureText(alternative.lossBps, 'bps')],
    ['Minimum received', <Amount key="least" {...token} value={least} />],
    ['Gas', countText(alternative.gas)],
    [
      'Shared pools',
      sharedPools.length > 0
        ? sharedPools.map((pool) => <Address key={pool} value={pool} />)
        : 'none',
    ],
  ] as const
  return (
    <>
      <Facts lead={['You receive', <Amount key="out" {...token} value={out} />]} of={facts} />
      <Sankey
        {...{ chart, protocols }}
        label={`Diagram of an alternative at block ${blockNumber}`}
        onPool={(pool) => excludePool(question, pool)}
      />
    </>
  )
}

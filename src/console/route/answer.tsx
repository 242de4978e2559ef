/** One answer: its figures, its picture, and everything behind it. */
import { useMemo } from 'preact/hooks'
import { countText, figureText } from '../app/format.js'
import { nativeToken } from '../app/tokens.js'
import { Amount } from '../components/amount.js'
import { Facts } from '../components/parts.js'
import { Tabs } from '../components/tabs.js'
import { Alternatives } from './alternatives.js'
import { Candidates, RefusedPools } from './candidates.js'
import { CopyAs } from './copy-as.js'
import { excludePool } from './excluded.js'
import { flowOf } from './flow.js'
import { Journey } from './journey.js'
import { PoolTable } from './pools.js'
import { type Answered, outChainOf, type Question } from './question.js'
import { Sankey } from './sankey.js'
import { Calls, Movements } from './trace.js'

interface Props {
  readonly question: Question
  readonly answered: Answered
  readonly milliseconds: number | null
  /** Beside another: the picture and figures alone. */
  readonly isBrief?: boolean
}

export function RouteAnswer({ question, answered, milliseconds, isBrief }: Props) {
  const { route } = answered
  const chart = useMemo(() => flowOf(route), [route])
  const protocols = useMemo(
    () => [...new Set(chart.flows.map(({ protocol }) => protocol))],
    [chart],
  )
  const chainId = Number(question.chain)
  const { candidates = [], candidatesOmitted = 0, pools, trace } = route
  return (
    <>
      <div class="card stack">
        <Figures {...{ question, answered, milliseconds }} />
        {route.warnings?.map((warning) => (
          <p key={warning} class="tag warn warning">
            {warning}
          </p>
        ))}
        <Sankey
          {...{ chart, protocols }}
          label={`Route diagram at block ${route.blockNumber}`}
          onPool={(pool) => excludePool(question, pool)}
        />
      </div>
      {!isBrief && (
        <Tabs
          label="Route details"
          tabs={[
            {
              name: 'pools',
              label: 'Pools',
              content: () => <PoolTable {...{ chart, protocols, question }} />,
            },
            {
              name: 'candidates',
              label: `Candidates ${candidates.length}`,
              content: () => (
                <Candidates
                  {...{ candidates, chainId, tokenOut: question.out }}
                  omitted={candidatesOmitted}
                  outChainId={outChainOf(question)}
                />
              ),
            },
            ...(question.to && question.to !== question.chain
              ? []
              : [
                  {
                    name: 'alternatives',
                    label: 'Alternatives',
                    content: () => <Alternatives {...{ question, answered }} />,
                  },
                ]),
            ...(pools
              ? [
                  {
                    name: 'refused',
                    label: 'Rejected',
                    content: () => <RefusedPools pools={pools} />,
                  },
                ]
              : []),
            ...(trace
              ? [
                  {
                    name: 'movements',
                    label: 'Transfers',
                    content: () => <Movements {...{ trace, chainId }} />,
                  },
                  { name: 'calls', label: 'Calls', content: () => <Calls trace={trace} /> },
                ]
              : []),
            { name: 'copy', label: 'Copy as', content: () => <CopyAs answered={answered} /> },
          ]}
        />
      )}
      {!isBrief && route.bridgingEstimates && <Journey {...{ route, chainId }} />}
    </>
  )
}

function Figures({ question, answered: { route }, milliseconds }: Props) {
  const out = [route.amountOut].flat()[0] ?? 0n
  const least = [route.minAmountOut].flat()[0] ?? 0n
  const token = { chainId: outChainOf(question), token: question.out }
  const usd = route.gasCost?.usd
  const facts = [
    ['Minimum received', <Amount key="least" {...token} value={least} />],
    ['Price impact', figureText(route.priceImpact, 'bps')],
    ['Gas', `${countText(route.gas)}${typeof usd === 'number' ? ` · $${usd.toFixed(2)}` : ''}`],
    ...(route.bridgeFee
      ? [
          [
            'Bridge fee',
            <Amount
              key="fee"
              chainId={Number(question.chain)}
              token={nativeToken}
              value={route.bridgeFee.native}
            />,
          ] as const,
        ]
      : []),
    [
      'Block',
      route.destinationBlockNumber === undefined
        ? countText(route.blockNumber)
        : `${countText(route.blockNumber)} → ${countText(route.destinationBlockNumber)}`,
    ],
    ...(milliseconds === null
      ? []
      : [['Response time', `${(milliseconds / 1_000).toFixed(2)} s`] as const]),
  ] as const
  return <Facts lead={['You receive', <Amount key="out" {...token} value={out} />]} of={facts} />
}

/** What a bundle does: amounts per step, what it takes and brings, which approvals it needs. */
import type { AnswerOf } from '../../client/calls.js'
import { useAsked } from '../app/asking.js'
import { countText, figureText } from '../app/format.js'
import { nativeToken } from '../app/tokens.js'
import { Address, Amount, TokenName } from '../components/amount.js'
import { CopyButton } from '../components/copy-button.js'
import { DataTable } from '../components/data-table.js'
import { Card, Facts } from '../components/parts.js'
import { Answer } from '../components/states.js'

export type Bundle = AnswerOf<'postBundle'>
type Step = Bundle['route'][number]

interface Props {
  readonly chainId: number
  readonly bundle: Bundle
}

export function Result({ chainId, bundle }: Props) {
  const { gas, priceImpact, blockNumber, warnings = [], unprotected = [] } = bundle
  const amounts = (all: Readonly<Record<string, bigint>>) => Object.entries(all)
  return (
    <>
      <Card
        title="Result"
        beside={<CopyButton text={() => json(bundle.tx)} label="Copy transaction" />}
      >
        <dl class="facts">
          <div class="lead">
            <dt>You receive</dt>
            {amounts(bundle.amountsOut).map(([token, value]) => (
              <dd key={token}>
                <Amount {...{ chainId, token, value }} />
              </dd>
            ))}
            {amounts(bundle.amountsOut).length === 0 && <dd>None</dd>}
          </div>
          <div class="lead">
            <dt>You pay</dt>
            {amounts(bundle.amountsIn).map(([token, value]) => (
              <dd key={token}>
                <Amount {...{ chainId, token, value }} />
              </dd>
            ))}
            {amounts(bundle.amountsIn).length === 0 && <dd>None</dd>}
          </div>
        </dl>
        <Facts
          of={[
            [
              'Minimum received',
              amounts(bundle.minAmountsOut).map(([token, value]) => (
                <span key={token} class="block">
                  <Amount {...{ chainId, token, value }} />
                </span>
              )),
            ],
            ['Gas', gas === undefined ? '–' : countText(Number(gas))],
            ['Price impact', figureText(priceImpact, 'bps')],
            ['Block', countText(blockNumber)],
          ]}
        />
        {warnings.map((text) => (
          <p key={text} class="hint">
            {text}
          </p>
        ))}
        {unprotected.map(({ action, token }) => (
          <p key={`${action} ${token}`} class="hint">
            Unprotected: action {action + 1} enforces no minimum output
            {token && (
              <>
                {' '}
                of <TokenName {...{ chainId, token }} />
              </>
            )}
            .
          </p>
        ))}
      </Card>
      <Card title="Steps">
        <DataTable
          label="Steps"
          rows={bundle.route}
          keyOf={(_, index) => index}
          columns={[
            { title: 'Action', cell: ({ action }) => action },
            { title: 'Protocol', cell: ({ protocol }) => protocol },
            { title: 'Input', cell: (step) => <Sides side="In" {...{ chainId, step }} /> },
            { title: 'Output', cell: (step) => <Sides side="Out" {...{ chainId, step }} /> },
            { title: 'Contract', cell: ({ primary }) => <Address value={primary ?? ''} /> },
          ]}
        />
      </Card>
      <Approvals {...{ chainId, bundle }} />
    </>
  )
}

function Sides(props: {
  readonly chainId: number
  readonly step: Step
  readonly side: 'In' | 'Out'
}) {
  const { chainId, step, side } = props
  const tokens = side === 'In' ? step.tokenIn : step.tokenOut
  const amounts = (side === 'In' ? step.amountIn : step.amountOut) ?? []
  if (tokens.length === 0) return <>–</>
  return (
    <>
      {tokens.map((token, index) => {
        const value = amounts[index]
        return (
          <span key={token} class="block">
            {value === undefined ? (
              <TokenName {...{ chainId, token }} />
            ) : (
              <Amount {...{ chainId, token, value: BigInt(value) }} />
            )}
          </span>
        )
      })}
    </>
  )
}

interface Needed {
  readonly what: string
  readonly to: string
  readonly tx: object
}

/** Lists the approvals of the tokens that the bundle takes, and what else has to be sent before it. */
function Approvals({ chainId, bundle }: Props) {
  const { tx, amountsIn, prerequisites = [], approvals = [] } = bundle
  const taken = Object.entries(amountsIn).filter(([token]) => token !== nativeToken)
  const asked = useAsked(`approvals ${tx.from} ${tx.data}`, async (client, signal) => {
    const tokenApprovals = taken.map(async ([tokenAddress, amount]): Promise<Needed> => {
      const input = { chainId, fromAddress: tx.from, tokenAddress, amount: `${amount}` }
      const found = await client.approval(input as never, { signal })
      return { what: tokenAddress, to: found.spender, tx: found.tx }
    })
    return [
      ...(await Promise.all(tokenApprovals)),
      ...prerequisites.map((one) => ({ what: one.purpose, to: one.to, tx: one })),
      ...approvals.map((one) => ({ what: one.description, to: one.to, tx: one })),
    ]
  })
  return (
    <Card title="Required approvals">
      <Answer asked={asked}>
        {(needed) => (
          <DataTable
            label="Required approvals"
            none="No approvals required"
            rows={needed}
            keyOf={(_, index) => index}
            columns={[
              {
                title: 'Approval',
                cell: ({ what }) =>
                  what.startsWith('0x') ? (
                    <Amount {...{ chainId, token: what, value: amountsIn[what] ?? 0n }} />
                  ) : (
                    <span class="prose">{what}</span>
                  ),
              },
              { title: 'Spender', cell: ({ to }) => <Address value={to} /> },
              {
                title: '',
                cell: ({ tx: own }) => (
                  <CopyButton text={() => json(own)} label="Copy transaction" />
                ),
              },
            ]}
          />
        )}
      </Answer>
    </Card>
  )
}

function json(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one), 2)
}

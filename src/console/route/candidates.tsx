/** Every way that the search looked at, and what became of it. */
import type { Route } from '../../client/client.js'
import { countText } from '../app/format.js'
import { bpsBetween, bpsText } from '../app/numbers.js'
import { tokenAt } from '../app/tokens.js'
import { Address, Amount, TokenName } from '../components/amount.js'
import { DataTable } from '../components/data-table.js'

export type Candidate = NonNullable<Route['candidates']>[number]

const toneOf: Readonly<Record<Candidate['status'], string>> = {
  chosen: 'tag good',
  measured: 'tag accent',
  reverted: 'tag bad',
  unreadable: 'tag warn',
  skipped: 'tag',
}
const wordOf: Readonly<Record<Candidate['status'], string>> = {
  chosen: 'selected',
  measured: 'simulated',
  reverted: 'reverted',
  unreadable: 'state missing',
  skipped: 'not simulated',
}
const mostHops = 4

interface Props {
  readonly candidates: readonly Candidate[]
  readonly omitted: number
  /** Chain of the input. */
  readonly chainId: number
  /** Chain of what the candidates deliver. */
  readonly outChainId: number
  readonly tokenOut: string
}

export function Candidates({ candidates, omitted, chainId, outChainId, tokenOut }: Props) {
  const best = candidates.find(({ status }) => status === 'chosen')
  const bestValue = best ? worth(best) : null
  const amount = (value: bigint | null) =>
    value === null ? (
      <span class="dim">–</span>
    ) : (
      <Amount chainId={outChainId} token={tokenOut} value={value} />
    )
  return (
    <>
      <DataTable<Candidate>
        label="Candidates"
        rows={candidates}
        none="No candidates found"
        keyOf={(_, index) => index}
        rowClass={({ status }) => (status === 'chosen' ? 'chosen' : undefined)}
        columns={[
          {
            title: 'Status',
            cell: ({ status }) => <span class={toneOf[status]}>{wordOf[status]}</span>,
          },
          {
            title: 'Path',
            cell: ({ path }) => <Path path={path} chains={[chainId, outChainId]} />,
          },
          {
            title: 'Simulated output',
            isNumber: true,
            cell: (one) =>
              outOf(one) === null ? (
                <span class="dim" title="Estimated, not simulated">
                  ≈ {amount(BigInt(one.estimatedAmountOut))}
                </span>
              ) : (
                amount(outOf(one))
              ),
          },
          {
            title: 'Gas',
            isNumber: true,
            cell: ({ gas }) => (gas === null ? '–' : countText(gas)),
          },
          {
            title: 'Net of gas',
            isNumber: true,
            cell: ({ valueAfterGas }) =>
              amount(valueAfterGas === null ? null : BigInt(valueAfterGas)),
          },
          {
            title: 'vs. best',
            isNumber: true,
            cell: (one) => {
              const its = worth(one)
              return its === null || bestValue === null ? '–' : bpsText(bpsBetween(its, bestValue))
            },
          },
          {
            title: 'Reason',
            cell: ({ reason, step }) => (
              <span class="reason">{[step, reason].filter(Boolean).join(': ')}</span>
            ),
          },
        ]}
      />
      {omitted > 0 && <p class="hint">{countText(omitted)} more not shown.</p>}
    </>
  )
}

/** Explanations within errors are as they came, with amounts as text. */
const outOf = ({ amountOut }: Candidate) => {
  const [first] = [amountOut].flat()
  return first === null || first === undefined ? null : BigInt(first)
}
const worth = (one: Candidate) =>
  one.valueAfterGas === null ? outOf(one) : BigInt(one.valueAfterGas)

interface PathProps {
  readonly path: Candidate['path']
  /** Where its tokens may be. */
  readonly chains: readonly [number, number]
}

function Path({ path, chains }: PathProps) {
  const chainOf = (token: string) => (tokenAt(chains[1], token) ? chains[1] : chains[0])
  const swaps = path.filter(({ pool }) => pool)
  return (
    <span class="path">
      {swaps.slice(0, mostHops).map((hop) => (
        <span key={`${hop.pool} ${hop.tokenIn}`} class="hop">
          <TokenName chainId={chainOf(hop.tokenIn)} token={hop.tokenIn} />→
          <TokenName chainId={chainOf(hop.tokenOut)} token={hop.tokenOut} />{' '}
          <span class="dim">
            {hop.protocol} <Address value={hop.pool ?? ''} />
            {hop.share < 10_000 && ` ${hop.share / 100} %`}
          </span>
        </span>
      ))}
      {swaps.length > mostHops && <span class="dim">+ {swaps.length - mostHops} pools</span>}
      {swaps.length === 0 && <span class="dim">No pool</span>}
    </span>
  )
}

type Refused = NonNullable<Route['pools']>['refused'][number]

/** Pools that were known and not used. */
export function RefusedPools({ pools }: { readonly pools: NonNullable<Route['pools']> }) {
  return (
    <>
      <p class="hint">
        {countText(pools.considered)} pools considered,{' '}
        {countText(pools.refused.length + pools.omitted)} rejected.
      </p>
      <DataTable<Refused>
        label="Rejected pools"
        rows={pools.refused}
        none="No pools rejected"
        keyOf={({ pool }, index) => `${pool} ${index}`}
        columns={[
          { title: 'Pool', cell: ({ pool }) => <Address value={pool} /> },
          { title: 'Venue', cell: ({ protocol }) => protocol },
          { title: 'Reason', cell: ({ reason }) => <span class="reason">{reason}</span> },
        ]}
      />
    </>
  )
}

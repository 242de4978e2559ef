/** Mined swaps beside ours: as a table, and one of them in full. */
import type { ComponentChildren } from 'preact'
import type { components } from '../../client/generated/schema.js'
import { countText } from '../app/format.js'
import { bpsText } from '../app/numbers.js'
import { Address, Amount } from '../components/amount.js'
import { DataTable } from '../components/data-table.js'
import { Card, Facts } from '../components/parts.js'

export type Mined = components['schemas']['Hindsight']
type Own = components['schemas']['OwnSwap']

const results = { won: 'tag good', tied: 'tag', lost: 'tag bad' } as const

/** The swaps among them, and below the others with the reason why they are none. */
export function SwapTable({ mined }: { readonly mined: readonly Mined[] }) {
  const others = mined.filter(({ swap }) => !swap)
  return (
    <>
      <DataTable
        label="Mined swaps"
        none="No swaps"
        rows={mined.filter(({ swap }) => swap)}
        keyOf={({ hash }) => hash}
        columns={[
          { title: 'Block', isNumber: true, cell: ({ blockNumber }) => countText(blockNumber) },
          { title: 'Transaction', cell: ({ hash }) => <Address value={hash} /> },
          { title: 'Gave', isNumber: true, cell: (one) => <Side of={one} side="In" /> },
          { title: 'Got', isNumber: true, cell: (one) => <Side of={one} side="Out" /> },
          { title: 'Through', cell: ({ through }) => venuesOf(through) },
          {
            title: 'Ours there',
            isNumber: true,
            cell: (one) => <OwnAmount of={one} own={one.atItsPlace} />,
          },
          { title: 'Result', cell: ({ atItsPlace }) => <Result own={atItsPlace} /> },
          { title: 'Sandwich', cell: (one) => <Sandwiched of={one} /> },
        ]}
      />
      {others.length > 0 && (
        <details>
          <summary>{countText(others.length)} transactions without a swap</summary>
          <DataTable
            label="Transactions without a swap"
            rows={others}
            keyOf={({ hash }) => hash}
            columns={[
              { title: 'Block', isNumber: true, cell: ({ blockNumber }) => countText(blockNumber) },
              { title: 'Transaction', cell: ({ hash }) => <Address value={hash} /> },
              {
                title: 'Why',
                cell: ({ noSwap, reason }) => (
                  <span class="prose">{reason === null ? noSwap : `${noSwap}: ${reason}`}</span>
                ),
              },
            ]}
          />
        </details>
      )}
    </>
  )
}

/** Everything about one transaction. */
export function MinedFacts({ one }: { readonly one: Mined }) {
  const { blockNumber, transactionIndex, status, reason, noSwap, swap, sandwich } = one
  const known: (readonly [string, ComponentChildren])[] = swap
    ? [
        ['Gave', <Side key="gave" of={one} side="In" />],
        ['Got', <Side key="got" of={one} side="Out" />],
        ['Through', venuesOf(one.through)],
        [`Ours after block ${blockNumber - 1}`, <Ours key="before" of={one} own={one.before} />],
        ['Ours at its place', <Ours key="there" of={one} own={one.atItsPlace} />],
      ]
    : [['No swap', noSwap]]
  return (
    <Card title="Transaction">
      <Facts
        of={[
          ['Hash', <Address key="hash" value={one.hash} />],
          ['Block', `${countText(blockNumber)}, position ${transactionIndex}`],
          ['From', <Address key="from" value={one.from} />],
          ['Status', reason === null ? status : `${status}: ${reason}`],
          ...known,
          ['Gas', countText(Number(one.gasUsed))],
          ...(sandwich
            ? [
                ['Sandwiched by', <Address key="attacker" value={sandwich.attacker} />] as const,
                ['Lost', <Sandwiched key="loss" of={one} />] as const,
              ]
            : []),
        ]}
      />
    </Card>
  )
}

function Side({
  of: { chainId, swap },
  side,
}: {
  readonly of: Mined
  readonly side: 'In' | 'Out'
}) {
  if (!swap) return <>–</>
  return <Amount chainId={chainId} token={swap[`token${side}`]} value={swap[`amount${side}`]} />
}

interface OwnProps {
  readonly of: Mined
  readonly own: Own | null
}

function Ours({ of, own }: OwnProps) {
  return (
    <span class="row tight">
      <OwnAmount of={of} own={own} />
      <Result own={own} />
      {own?.route && <span class="dim">{venuesOf(own.route)}</span>}
    </span>
  )
}

function OwnAmount({ of: { chainId, swap }, own }: OwnProps) {
  if (!swap || own?.amountOut === undefined) return <>–</>
  return <Amount chainId={chainId} token={swap.tokenOut} value={own.amountOut} />
}

function Result({ own }: { readonly own: Own | null }) {
  if (own?.error) {
    return (
      <span class="tag bad" title={own.error.message}>
        {own.error.code}
      </span>
    )
  }
  if (!own?.result) return <span class="dim">gas not valued</span>
  return (
    <span class={results[own.result]}>
      {own.result} {own.result === 'tied' ? '' : bpsText(own.netBps ?? null)}
    </span>
  )
}

function Sandwiched({ of: { chainId, swap, sandwich } }: { readonly of: Mined }) {
  if (!sandwich || !swap) return <>–</>
  const { loss, lossBps } = sandwich
  if (loss === null) return <span class="tag bad">yes, loss not known</span>
  return (
    <span class="tag bad" title={lossBps === null ? '' : `${lossBps} bps`}>
      lost <Amount chainId={chainId} token={swap.tokenOut} value={BigInt(loss)} />
    </span>
  )
}

/** Each once, in the order of the way. */
function venuesOf(pools: readonly { readonly protocol: string | null }[]): string {
  return [...new Set(pools.map(({ protocol }) => protocol ?? 'unknown'))].join(', ') || '–'
}

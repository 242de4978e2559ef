/** The pools of a route, what each takes and gives, and asking again without one of them. */
import { Address, Amount, TokenName } from '../components/amount.js'
import { DataTable } from '../components/data-table.js'
import { excludePool } from './excluded.js'
import type { Flow, FlowChart } from './flow.js'
import type { Question } from './question.js'
import { percentOf } from './sankey.js'

interface Props {
  readonly chart: FlowChart
  readonly protocols: readonly string[]
  readonly question: Question
}

export function PoolTable({ chart, protocols, question }: Props) {
  const tokenAt = (id: string) => chart.tokens.find((one) => one.id === id)
  const amount = (id: string, value: bigint | null) => {
    const its = tokenAt(id)
    if (!its || value === null) return <span class="dim">–</span>
    return <Amount chainId={its.chainId} token={its.token} value={value} />
  }
  return (
    <DataTable<Flow>
      label="Pools of the route"
      rows={chart.flows}
      keyOf={({ from, to, protocol, pool }) => `${from} ${to} ${protocol} ${pool}`}
      columns={[
        {
          title: 'Venue',
          cell: ({ protocol }) => (
            <span class={`series-${(protocols.indexOf(protocol) % 8) + 1}`}>
              <span class="swatch" aria-hidden="true" />
              {protocol}
            </span>
          ),
        },
        { title: 'Pool', cell: ({ pool, action }) => (pool ? <Address value={pool} /> : action) },
        {
          title: 'Pair',
          cell: ({ from, to }) => {
            const [start, end] = [tokenAt(from), tokenAt(to)]
            return start && end ? (
              <>
                <TokenName {...start} /> → <TokenName {...end} />
              </>
            ) : null
          },
        },
        { title: 'Share', isNumber: true, cell: ({ share }) => percentOf(share) },
        { title: 'Input', isNumber: true, cell: (flow) => amount(flow.from, flow.amountIn) },
        { title: 'Output', isNumber: true, cell: (flow) => amount(flow.to, flow.amountOut) },
        {
          title: '',
          cell: ({ pool, protocol }) =>
            pool && (
              <button
                type="button"
                class="quiet"
                onClick={() => excludePool(question, pool)}
                aria-label={`Exclude ${protocol} ${pool}`}
              >
                Exclude
              </button>
            ),
        },
      ]}
    />
  )
}

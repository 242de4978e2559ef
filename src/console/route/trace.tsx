/** What the transaction does in its simulation: who pays whom, and call by call. */
import type { Route } from '../../client/client.js'
import { countText } from '../app/format.js'
import { plain } from '../app/tokens.js'
import { Address, Amount } from '../components/amount.js'
import { DataTable } from '../components/data-table.js'
import { Empty } from '../components/states.js'

type Trace = NonNullable<Route['trace']>
type Call = NonNullable<Trace['call']>
type Movement = Trace['movements'][number]

function Party({ trace, address }: { readonly trace: Trace; readonly address: string | null }) {
  const name = address ? trace.names[address] : undefined
  return (
    <span title={address ?? ''}>
      {name && `${plain(name)} `}
      {address ? <Address value={address} /> : 'New contract'}
    </span>
  )
}

export function Movements({ trace, chainId }: { readonly trace: Trace; readonly chainId: number }) {
  return (
    <>
      <DataTable<Movement>
        label="Token transfers"
        rows={trace.movements}
        none="No transfers"
        keyOf={({ token, from, to }) => `${token} ${from} ${to}`}
        columns={[
          { title: 'From', cell: ({ from }) => <Party trace={trace} address={from} /> },
          { title: 'To', cell: ({ to }) => <Party trace={trace} address={to} /> },
          {
            title: 'Amount',
            isNumber: true,
            cell: ({ token, amount }) => <Amount chainId={chainId} token={token} value={amount} />,
          },
        ]}
      />
      {trace.omittedMovements > 0 && (
        <p class="hint">{countText(trace.omittedMovements)} more not shown.</p>
      )}
    </>
  )
}

export function Calls({ trace }: { readonly trace: Trace }) {
  if (!trace.call) {
    return (
      <Empty title="No call trace">The simulation runs other transactions before this one.</Empty>
    )
  }
  const calls = flat(trace.call, 0)
  return (
    <>
      <DataTable
        label="Calls"
        rows={calls}
        keyOf={(_, index) => index}
        columns={[
          {
            title: 'Call',
            cell: ({ call, depth }) => (
              <code class="call">
                {'· '.repeat(Math.min(depth, 20))}
                {call.type !== 'CALL' && <span class="dim">{call.type.toLowerCase()} </span>}
                {nameOf(call)}
              </code>
            ),
          },
          { title: 'To', cell: ({ call }) => <Party trace={trace} address={call.to} /> },
          {
            title: 'Wei',
            isNumber: true,
            cell: ({ call }) => (call.value > 0n ? countText(call.value) : ''),
          },
          { title: 'Gas', isNumber: true, cell: ({ call }) => countText(call.gasUsed) },
          {
            title: 'Error',
            cell: ({ call }) =>
              call.error && <span class="bad reason">{plain(call.error, 300)}</span>,
          },
        ]}
      />
      {trace.omittedCalls > 0 && (
        <p class="hint">{countText(trace.omittedCalls)} more calls not shown.</p>
      )}
    </>
  )
}

function flat(
  call: Call,
  depth: number,
): readonly { readonly call: Call; readonly depth: number }[] {
  return [{ call, depth }, ...call.calls.flatMap((one) => flat(one, depth + 1))]
}

function nameOf(call: Call): string {
  if (!call.function) return call.selector ?? '(no data)'
  const args = call.args?.map(({ value }) => (value.length > 18 ? `${value.slice(0, 10)}…` : value))
  return plain(`${call.function}(${args?.join(', ') ?? '…'})`, 240)
}

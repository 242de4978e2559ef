/** The trace of a transaction as tables: its calls, one below the other, and who pays whom. */
import type { components } from '../../client/generated/schema.js'
import { printTable, shortHex } from '../output.js'

type Trace = components['schemas']['Trace']
type Call = components['schemas']['TracedCall']

const mostArgsChars = 40

export function printTrace(trace: Trace): void {
  const named = namer(trace.names)
  if (trace.call) {
    printTable(['call', 'to', 'wei', 'gas', 'error'], rowsOf(trace.call, 0, named))
    if (trace.omittedCalls > 0) console.log(`${trace.omittedCalls} more calls are not shown.`)
  } else console.log('The calls cannot be shown: others have to run before the transaction.')
  printTable(
    ['token', 'from', 'to', 'amount (smallest unit)'],
    trace.movements.map(({ token, from, to, amount }) => [
      named(token),
      named(from),
      named(to),
      amount.toString(),
    ]),
  )
  if (trace.omittedMovements > 0) {
    console.log(`${trace.omittedMovements} more movements are not shown.`)
  }
}

/** Several pools of one protocol share its name. */
function namer(names: Trace['names']): (address: string) => string {
  const all = Object.values(names)
  return (address) => {
    const name = names[address]
    if (name === undefined) return shortHex(address)
    const isShared = all.indexOf(name) !== all.lastIndexOf(name)
    return isShared ? `${name} ${shortHex(address)}` : name
  }
}

function rowsOf(
  call: Call,
  depth: number,
  named: (address: string) => string,
): (string | null)[][] {
  const own = [
    `${'  '.repeat(depth)}${call.type === 'CALL' ? '' : `${call.type.toLowerCase()} `}${signature(call, named)}`,
    call.to && named(call.to),
    call.value === 0n ? '' : call.value.toString(),
    call.gasUsed.toString(),
    call.error ?? '',
  ]
  return [own, ...call.calls.flatMap((inner) => rowsOf(inner, depth + 1, named))]
}

function signature(
  { function: name, selector, args }: Call,
  named: (address: string) => string,
): string {
  const values = (args ?? []).map(({ value }) => named(value)).join(', ')
  const shown = values.length > mostArgsChars ? `${values.slice(0, mostArgsChars)}…` : values
  return name ? `${name}(${shown})` : (selector ?? '()')
}

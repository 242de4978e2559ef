/** The trace of a transaction as tables: its calls, one below the other, and who pays whom. */
import type { components } from '../../client/generated/schema.js'
import { nativeToken } from '../../domain/primitives.js'
import { printTable, shortHex } from '../output.js'
import { amountOf, type TokenNamer, type TokenPlace } from '../token-names.js'

type Trace = components['schemas']['Trace']
type Call = components['schemas']['TracedCall']

const mostArgsChars = 40

/** The tokens that move, all on the chain of the transaction. */
export function tokensOfTrace(chainId: number, trace: Trace | null | undefined): TokenPlace[] {
  return (trace?.movements ?? []).map(({ token }) => ({ chainId, address: token }))
}

export function printTrace(chainId: number, trace: Trace, nameOf: TokenNamer): void {
  const { call, movements, omittedCalls, omittedMovements } = trace
  const named = namer(trace.names)
  const amountText = (token: string, amount: bigint) => {
    const { decimals } = nameOf({ chainId, address: token })
    return amountOf(amount, { address: token, decimals, symbol: named(token) })
  }
  if (call) {
    const valueText = (value: bigint) => (value === 0n ? '' : amountText(nativeToken, value))
    printTable(['call', 'to', 'value', 'gas', 'error'], rowsOf(call, 0, { named, valueText }))
    if (omittedCalls > 0) console.log(`${omittedCalls} more calls are not shown.`)
  } else console.log('The calls cannot be shown: others have to run before the transaction.')
  printTable(
    ['amount', 'from', 'to'],
    movements.map(({ token, from, to, amount }) => [
      amountText(token, amount),
      named(from),
      named(to),
    ]),
  )
  if (omittedMovements > 0) console.log(`${omittedMovements} more movements are not shown.`)
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

interface Texts {
  named(address: string): string
  valueText(value: bigint): string
}

function rowsOf(call: Call, depth: number, texts: Texts): (string | null)[][] {
  const { named, valueText } = texts
  const own = [
    `${'  '.repeat(depth)}${call.type === 'CALL' ? '' : `${call.type.toLowerCase()} `}${signature(call, named)}`,
    call.to && named(call.to),
    valueText(call.value),
    call.gasUsed.toString(),
    call.error ?? '',
  ]
  return [own, ...call.calls.flatMap((inner) => rowsOf(inner, depth + 1, texts))]
}

function signature(
  { function: name, selector, args }: Call,
  named: (address: string) => string,
): string {
  const values = (args ?? []).map(({ value }) => named(value)).join(', ')
  const shown = values.length > mostArgsChars ? `${values.slice(0, mostArgsChars)}…` : values
  return name ? `${name}(${shown})` : (selector ?? '()')
}

/**
 * What many calls touch, with its values, by one debug_traceCall: code that makes the calls stands in for that of their
 * sender (state overrides), and a tracer that nodes have tells the state before them. Pure but for the random token.
 */
import type { Address, Hex } from '../../../domain/primitives.js'
import type { NodeRequest } from '../node-request.js'
import { balanceKey, codeKey, type ItemKey, nonceKey, storageKey, toStored } from '../state-item.js'
import { callsCode, type MadeCall } from './bulk-code.js'
import { asWord, type BlockParam, isOf, newToken, sender as nobody } from './bulk-plan.js'

export type State = ReadonlyMap<ItemKey, Hex>

/** Calls of one trace: so many lookups of a registry take a node some tenths of a second. */
export const callsPerTrace = 24

/**
 * The value is a State of the accounts that the calls touch, without their sender.
 * @param from - sender of the calls, an account that is empty; absent: nobody.
 */
export function prestateRequest(
  calls: readonly MadeCall[],
  at: BlockParam,
  from: Address = nobody,
): NodeRequest {
  const token = newToken()
  const stateOverrides = { [from]: { code: callsCode(token, calls) } }
  // It pays itself: who pays by default is an account whose state counts.
  const call = { from, to: from }
  return {
    call: {
      method: 'debug_traceCall',
      params: [call, at.block, { tracer: 'prestateTracer', stateOverrides }],
    },
    bringsState: true,
    judge: (answer) => {
      const value = toState(answer, { token, from, number: at.number, calls })
      return value
        ? { kind: 'value', value }
        : { kind: 'refused', message: 'the node does not trace calls as they are given' }
    },
  }
}

interface Account {
  readonly balance?: unknown
  readonly nonce?: unknown
  readonly code?: unknown
  readonly storage?: unknown
}

/** Null unless the slots that our code alone loads are there: the token, and the number of the block that it ran in. */
function toState(
  answer: unknown,
  args: {
    readonly token: string
    readonly from: Address
    readonly number: bigint
    readonly calls: readonly MadeCall[]
  },
): State | null {
  const { token, from, number } = args
  if (typeof answer !== 'object' || answer === null) return null
  const accounts = Object.entries(answer as Record<string, Account>)
  const own = accounts.find(([address]) => address.toLowerCase() === from)?.[1]
  const loaded = Object.keys(own?.storage ?? {}).map((slot) => slot.toLowerCase())
  const [inside] = loaded.filter((slot) => slot !== asWord(token))
  if (!loaded.includes(asWord(token)) || inside === undefined) return null
  if (!isOf(BigInt(inside), number)) return null
  // What is nothing is left out by those that tell it at all. Code only of who was called is surely looked at.
  const tellsNonces = accounts.some(([, account]) => typeof account.nonce === 'number')
  const tellsCode = accounts.some(
    ([name, { code }]) => isCodeOf(code) && name.toLowerCase() !== from,
  )
  const called = new Set(args.calls.map(({ to }) => to))
  const state = new Map<ItemKey, Hex>()
  const put = (key: ItemKey, value: unknown) => {
    const stored = toStored(key, value)
    if (stored !== null) state.set(key, stored)
  }
  for (const [name, account] of accounts) {
    const address = name.toLowerCase() as Address
    if (address === from || !/^0x[0-9a-f]{40}$/.test(address)) continue
    if (account.balance !== undefined) put(balanceKey(address), account.balance)
    const { nonce = 0 } = account
    if (tellsNonces && typeof nonce === 'number') put(nonceKey(address), `0x${nonce.toString(16)}`)
    if (isCodeOf(account.code)) put(codeKey(address), account.code)
    else if (tellsCode && called.has(address)) put(codeKey(address), '0x')
    for (const [slot, word] of Object.entries(account.storage ?? {})) {
      if (/^0x[0-9a-f]{1,64}$/i.test(slot)) put(storageKey(address, slot), word)
    }
  }
  return state
}

function isCodeOf(code: unknown): boolean {
  return typeof code === 'string' && code.length > 2
}

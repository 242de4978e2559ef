/** Reads overrides of accounts, as eth_simulateV1 takes them, from JSON that anyone may have written. Pure. */
import { addressPattern, hasValidChecksum } from '../grammar.js'
import { type Address, type Hex, maxUint256, toAddress } from '../primitives.js'
import type { ChangedAccount, ChangedAccounts } from './what-if.js'

export const maxAccounts = 64
/** Over all accounts. */
export const maxSlots = 1_024
/** The most code of one account: twice what a deployment may have, for contracts of tests. */
export const maxCodeBytes = 49_152
/** Contracts of the chain itself have no code that could be replaced. @see EIP-7951 for the last one */
const precompiles = [...Array.from({ length: 17 }, (_none, index) => BigInt(index + 1)), 0x100n]

const accountFields = ['balance', 'nonce', 'code', 'state', 'stateDiff'] as const

/** Reports a mistake; the sentence completes "<field> …". */
export type Report = (path: readonly (string | number)[], message: string) => void

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A decimal or hexadecimal integer from 0 to `max`; undefined: reported. */
export function integerOf(
  value: unknown,
  max: bigint,
  path: readonly string[],
  report: Report,
): bigint | undefined {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  const isText = typeof value === 'string' && /^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(value)
  const number = isNumber || isText ? BigInt(value) : null
  if (number !== null && number <= max) return number
  const most = max === maxUint256 ? '2^256 - 1' : max
  report(path, `must be an integer from 0 to ${most}, decimal or hexadecimal (0x…)`)
  return undefined
}

/** 0x-hexadecimal of 32 bytes at most, as a word of 32. */
function wordOf(value: unknown): Hex | null {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) return null
  return `0x${value.slice(2).toLowerCase().padStart(64, '0')}`
}

function wordsOf(value: unknown, path: readonly string[], report: Report) {
  if (!isObject(value)) {
    report(path, 'must be an object of storage words by slot')
    return {}
  }
  const words: Record<Hex, Hex> = {}
  for (const [name, given] of Object.entries(value)) {
    const [slot, word] = [wordOf(name), wordOf(given)]
    const problem = !slot
      ? `has the slot ${name.slice(0, 80)}, which is not 0x and at most 64 hexadecimal digits`
      : !word
        ? `must have 0x and at most 64 hexadecimal digits at slot ${name}`
        : words[slot]
          ? `must not name slot ${slot} twice`
          : null
    if (problem) report(path, problem)
    else if (slot && word) words[slot] = word
  }
  return words
}

function codeOf(value: unknown, address: Address, path: readonly string[], report: Report) {
  const isCode = typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)
  if (!isCode) report(path, 'must be 0x and hexadecimal digits, two for each byte')
  else if (value.length > 2 + 2 * maxCodeBytes) {
    report(path, `must be at most ${maxCodeBytes} bytes`)
  } else if (precompiles.includes(BigInt(address))) {
    report(path, 'must not be given: the chain itself runs this address')
  } else return value.toLowerCase() as Hex
  return undefined
}

function accountOf(
  value: unknown,
  address: Address,
  path: readonly string[],
  report: Report,
): ChangedAccount {
  if (!isObject(value)) {
    report(path, `must be an object of ${accountFields.join(', ')}`)
    return {}
  }
  for (const name of Object.keys(value)) {
    if (accountFields.some((known) => known === name)) continue
    report(path, `has the unknown field ${name.slice(0, 80)}; known: ${accountFields.join(', ')}`)
  }
  const given = (name: (typeof accountFields)[number]) => value[name] ?? undefined
  const read = <T>(
    name: (typeof accountFields)[number],
    parse: (field: unknown, path: readonly string[]) => T | undefined,
  ) => (given(name) === undefined ? undefined : parse(given(name), [...path, name]))
  if (given('state') !== undefined && given('stateDiff') !== undefined) {
    report(path, 'must not have state together with stateDiff')
  }
  const nonce = read('nonce', (field, at) =>
    integerOf(field, BigInt(Number.MAX_SAFE_INTEGER), at, report),
  )
  const fields = {
    balance: read('balance', (field, at) => integerOf(field, maxUint256, at, report)),
    nonce: nonce === undefined ? undefined : Number(nonce),
    code: read('code', (field, at) => codeOf(field, address, at, report)),
    state: read('state', (field, at) => wordsOf(field, at, report)),
    stateDiff: read('stateDiff', (field, at) => wordsOf(field, at, report)),
  }
  return Object.fromEntries(
    Object.entries(fields).filter(([, field]) => field !== undefined),
  ) as ChangedAccount
}

/** At most 64 accounts and 1,024 slots. @returns what is right; `report` gets what is not. */
export function accountsOf(value: unknown, report: Report): ChangedAccounts {
  if (!isObject(value)) {
    report([], 'must be an object of accounts by address')
    return {}
  }
  const accounts: Record<Address, ChangedAccount> = {}
  for (const [name, given] of Object.entries(value)) {
    const address = toAddress(name)
    if (!addressPattern.test(name)) {
      report([], `has ${name.slice(0, 80)}, which is no address`)
    } else if (!hasValidChecksum(name)) {
      report([], `has ${name}, whose EIP-55 checksum is wrong`)
    } else if (accounts[address]) {
      report([], `must not name ${address} twice`)
    } else accounts[address] = accountOf(given, address, [name], report)
  }
  const slots = Object.values(accounts).reduce(
    (sum, { state, stateDiff }) => sum + Object.keys({ ...state, ...stateDiff }).length,
    0,
  )
  const count = Object.keys(value).length
  if (count > maxAccounts) report([], `must name at most ${maxAccounts} accounts (not ${count})`)
  if (slots > maxSlots) report([], `must name at most ${maxSlots} slots in all (not ${slots})`)
  return accounts
}

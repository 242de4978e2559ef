/** The fields that say what is to be different from the chain: docs/how-to/what-if.md. */
import { z } from 'zod'
import { defined } from '../../domain/defined.js'
import { addressPattern, hasValidChecksum } from '../../domain/grammar.js'
import {
  type Address,
  type ChangedBlock,
  type Hex,
  maxUint256,
  toAddress,
} from '../../domain/primitives.js'
import type { ChangedAccount, ChangedAccounts, WhatIf } from '../../domain/what-if.js'

const maxAccounts = 64
/** Over all accounts. */
const maxSlots = 1_024
/** The most code of one account: twice what a deployment may have, for contracts of tests. */
const maxCodeBytes = 49_152
/** Protocols keep time in 32 bits. */
const maxTimestamp = 2n ** 32n - 1n
/** One ether per gas. */
const maxBaseFee = 10n ** 18n
/** Contracts of the chain itself have no code that could be replaced. @see EIP-7951 for the last one */
const precompiles = [...Array.from({ length: 17 }, (_none, index) => BigInt(index + 1)), 0x100n]

const accountFields = ['balance', 'nonce', 'code', 'state', 'stateDiff'] as const
const blockFields = ['timestamp', 'time', 'baseFee', 'baseFeePerGas'] as const

/** Reports a mistake; the sentence completes "<field> …". */
type Report = (path: readonly (string | number)[], message: string) => void

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A decimal or hexadecimal integer from 0 to `max`; undefined: reported. */
function integerOf(
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

function accountsOf(value: unknown, report: Report): ChangedAccounts {
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

function blockOf(value: unknown, report: Report): ChangedBlock {
  if (!isObject(value)) {
    report([], 'must be an object of timestamp, baseFee')
    return {}
  }
  for (const name of Object.keys(value)) {
    if (blockFields.some((known) => known === name)) continue
    report([], `has the unknown field ${name.slice(0, 80)}; known: timestamp, baseFee`)
  }
  const read = (names: readonly (typeof blockFields)[number][], max: bigint) => {
    const given = names.filter((name) => (value[name] ?? undefined) !== undefined)
    if (given.length > 1) report([], `must not have ${given.join(' together with ')}`)
    const [name] = given
    return name === undefined ? undefined : integerOf(value[name], max, [name], report)
  }
  const timestamp = read(['timestamp', 'time'], maxTimestamp)
  const baseFeePerGas = read(['baseFee', 'baseFeePerGas'], maxBaseFee)
  return {
    ...defined({ timestamp, baseFeePerGas }),
  }
}

/** A schema of what `parse` reads, with the documented form. */
function parsed<T>(parse: (value: unknown, report: Report) => T, documented: object) {
  return z
    .unknown()
    .transform((value, context) =>
      parse(value, (path, message) => {
        context.addIssue({ code: 'custom', path: [...path], message })
      }),
    )
    .meta({
      override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
        Object.assign(jsonSchema, documented)
      },
    })
}

const wordsSchema = (description: string) => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' },
})
const amountSchema = (description: string) => ({ type: ['string', 'integer'], description })

const StateOverrides = parsed(accountsOf, {
  type: 'object',
  maxProperties: maxAccounts,
  description:
    'What if these accounts were different: by address, as eth_simulateV1 takes it. Everything that is read for ' +
    `this request sees it. At most ${maxAccounts} accounts and ${maxSlots} slots.`,
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    properties: {
      balance: amountSchema('Wei, decimal or hexadecimal.'),
      nonce: amountSchema('Transactions sent, or contracts made.'),
      code: {
        type: 'string',
        pattern: '^0x([0-9a-fA-F]{2})*$',
        description: `Runtime code, at most ${maxCodeBytes} bytes; 0x: none.`,
      },
      state: wordsSchema('Words of 32 bytes by slot; all other slots are zero.'),
      stateDiff: wordsSchema('Words of 32 bytes by slot; not together with state.'),
    },
  },
  example: { '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266': { balance: '1000000000000000000' } },
})

const BlockOverrides = parsed(blockOf, {
  type: 'object',
  additionalProperties: false,
  description: 'What if the next block, in which the transaction is simulated, were different.',
  properties: {
    timestamp: amountSchema('Unix seconds, after the block that is calculated at. Also as time.'),
    time: amountSchema('As timestamp.'),
    baseFee: amountSchema('Wei per gas, up to 10^18. Also as baseFeePerGas.'),
    baseFeePerGas: amountSchema('As baseFee.'),
  },
  example: { timestamp: 1900000000 },
})

export const whatIfInputs = {
  stateOverrides: StateOverrides.optional(),
  blockOverrides: BlockOverrides.optional(),
}

export interface WhatIfInput {
  readonly stateOverrides?: ChangedAccounts | undefined
  readonly blockOverrides?: ChangedBlock | undefined
}

/** For the context of a call; nothing where the request changes nothing. */
export function toWhatIf({
  stateOverrides: accounts = {},
  blockOverrides: block = {},
}: WhatIfInput): {
  readonly whatIf?: WhatIf
} {
  const isEmpty = Object.keys(accounts).length === 0 && Object.keys(block).length === 0
  return isEmpty ? {} : { whatIf: { accounts, block } }
}

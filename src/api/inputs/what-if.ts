/** The fields that say what is to be different from the chain: docs/how-to/what-if.md. */
import { z } from 'zod'
import {
  accountsOf,
  integerOf,
  isObject,
  maxAccounts,
  maxCodeBytes,
  maxSlots,
  type Report,
} from '../../domain/changes/accounts.js'
import type { ChangedAccounts, WhatIf } from '../../domain/changes/what-if.js'
import { defined } from '../../domain/defined.js'
import type { ChangedBlock } from '../../domain/primitives.js'

/** Protocols keep time in 32 bits. */
const maxTimestamp = 2n ** 32n - 1n
/** One ether per gas. */
const maxBaseFee = 10n ** 18n
const blockFields = ['timestamp', 'time', 'baseFee', 'baseFeePerGas'] as const

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

/** Values of requests at random: sensible ones, those at the borders, and those that nobody should send. */
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxTokens } from '../../../src/sandbox/tokens.js'
import { seeded } from '../synthetic-market.js'
import { hostileContracts } from './hostile-code.js'

/** The parts of a JSON schema that decide what is sent. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly example?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly $ref?: string
}

export interface Dice {
  /** As `chance`, in a request that may be wrong; most may not, so that they get past the checks of their form. */
  mess(percent: number): boolean
  /** Begins another request. */
  shake(): void
  /** True in so many of a hundred. */
  chance(percent: number): boolean
  /** From 0 to below `most`. */
  below(most: number): number
  one<T>(list: readonly T[]): T
}

export function createDice(seed: number): Dice {
  const random = seeded(seed)
  const below = (most: number) => Math.floor(random() * most)
  const chance = (percent: number) => random() * 100 < percent
  let isMessy = false
  return {
    below,
    chance,
    mess: (percent) => isMessy && chance(percent),
    shake() {
      isMessy = chance(35)
    },
    one: (list) => list[below(list.length)] as (typeof list)[number],
  }
}

const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const hash = 'ab'.repeat(32)
const tokens = [native, ...sandboxTokens.map(({ address }) => address)]
export const sender = sandboxAccount('alice').address
const accounts = [sender, sandboxAccount('bob').address]
const oddAddresses = [
  ...hostileContracts.map(({ address }) => address),
  `0x${'0'.repeat(40)}`,
  `0x${'f'.repeat(40)}`,
  ...Array.from({ length: 17 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`),
  '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'.toUpperCase().replace('0X', '0x'),
]
const amounts = [0n, 1n, 999n, 10n ** 6n, 10n ** 12n, 10n ** 18n, 25n * 10n ** 18n, 10n ** 24n]
const borders = [96n, 112n, 128n, 160n, 200n, 255n, 256n].flatMap((bits) => [
  2n ** bits - 1n,
  2n ** bits,
])
const texts = ['', ' ', 'uniswap-v2', 'aave-v3', '__proto__', 'constructor', 'toString', '%00']
const wildTexts = [
  ...texts,
  '\u0000',
  'é'.repeat(300),
  '🙂',
  "';--",
  '<b>',
  '1e18',
  '-1',
  '+1',
  '0x',
  '0x1',
  '٣',
  '1.5',
  '1,2',
  '[1]',
  '{"a":1}',
  'null',
  'true',
  'latest',
  `0x${hash}`,
  '9'.repeat(79),
  'a'.repeat(2_000),
]
const wildNumbers = [-1, 0, 1, 1.5, 2 ** 31, 2 ** 53, 2 ** 64, 1e308, 5e-324]

/** Anything at all, as JSON may carry it. */
export function wild(dice: Dice, depth = 0): unknown {
  const kind = dice.below(depth > 3 ? 4 : 6)
  if (kind === 0) return dice.one(wildTexts)
  if (kind === 1) return dice.one(wildNumbers)
  if (kind === 2) return dice.one([null, true, false])
  if (kind === 3) return dice.one([...tokens, ...oddAddresses, ...borders.map(String)])
  const parts = Array.from({ length: dice.below(4) }, () => wild(dice, depth + 1))
  if (kind === 4) return parts
  return Object.fromEntries(parts.map((part) => [dice.one(texts), part]))
}

export function address(dice: Dice): string {
  if (dice.chance(80)) return dice.one(tokens)
  return dice.one([...accounts, ...oddAddresses])
}

export function amount(dice: Dice): string {
  return String(dice.one(dice.chance(80) ? amounts : borders))
}

/** A value that the schema allows, more or less. */
export function sensible(dice: Dice, name: string, schema: Schema): unknown {
  const { enum: choices, pattern = '', items } = schema
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return sensible(dice, name, dice.one(variants))
  if (name === 'executionMode' && dice.chance(80)) return 'backend'
  if (choices) return dice.one(choices)
  if (schema.type === 'array') {
    const count = dice.chance(80) ? 1 : 1 + dice.below(Math.min(schema.maxItems ?? 4, 4))
    return Array.from({ length: count }, () => sensible(dice, name, items ?? {}))
  }
  if (schema.type === 'boolean') return dice.chance(50)
  if (name === 'fromAddress' || name === 'spender') return dice.mess(20) ? address(dice) : sender
  if (name === 'deadline') return dice.one(['60', '3600', '2100-01-01T00:00:00Z', '1'])
  if (/chainid/i.test(name)) return dice.mess(50) ? dice.one([42161, 8453, 137, 0]) : 1
  if (name === 'blockNumber') return dice.one(dice.mess(30) ? [0, 1, 2 ** 40] : [300, 350, 370])
  if (schema.type === 'integer' || schema.type === 'number') {
    const { minimum = 0, maximum = 1_000 } = schema
    return dice.one([minimum, maximum, minimum + 1, Math.floor((minimum + maximum) / 2)])
  }
  if (schema.type === 'object') return someOf(dice, schema)
  if (pattern.includes('{40}')) return address(dice)
  if (/fee|slippage/i.test(name)) return String(dice.one([0, 1, 50, 100, 101, 10_000, 10_001]))
  if (pattern.includes('d{1,78}')) return amount(dice)
  return dice.one(texts)
}

/** An object by its schema: what is required, and some of the rest; one in eight has something wild. */
export function someOf(dice: Dice, schema: Schema): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    // Of two fields that stand for each other the one with an example is given.
    const isRequired = schema.required?.includes(name) || property.example !== undefined
    if (isRequired ? dice.mess(5) : !dice.chance(12)) continue
    given[name] =
      isRequired && property.example !== undefined && dice.chance(40)
        ? property.example
        : sensible(dice, name, property)
  }
  const names = Object.keys(given)
  if (names.length && dice.mess(30)) given[dice.one(names)] = wild(dice)
  if (dice.mess(10)) given[dice.one(texts) || 'unknown'] = wild(dice)
  return given
}

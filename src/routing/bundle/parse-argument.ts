/** The kinds of arguments: the allowed forms of each, and its parsed value. Pure. */
import { slippageForm, slippagePattern, toCentiBps } from '../../domain/grammar.js'
import { centiBpsDenominator } from '../../domain/primitives.js'
import { parseSignature } from './call-arguments.js'
import type { GivenTypes } from './service-action.js'
import {
  BadArgument,
  isBytes,
  isReferenceLike,
  parseAddress,
  parseAmount,
  parseReference,
} from './values.js'

/** Kinds with a single plain value: all but lists of actions. */
export type PlainKind = Exclude<keyof GivenTypes, 'actions'>

const longestList = 16
const longestText = 4_096

const parsers: { readonly [K in PlainKind]: (value: unknown) => GivenTypes[K] } = {
  address: parseAddress,
  addresses: (value) => toList(value).map(parseAddress),
  amount: parseAmount,
  amounts: (value) => toList(value).map(parseAmount),
  integer: parseInteger,
  integers: (value) => toList(value).map(parseInteger),
  bytes(value) {
    if (isBytes(value)) return value
    throw new BadArgument('0x and pairs of hexadecimal digits')
  },
  text: parseText,
  texts: (value) => toList(value).map(parseText),
  signature: (value) => parseSignature(parseText(value)),
  values(value) {
    if (Array.isArray(value)) return value
    throw new BadArgument('a list')
  },
  fields(value) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>
    }
    throw new BadArgument('an object')
  },
  slippage(value) {
    const text = typeof value === 'number' ? String(value) : value
    const isWritten = typeof text === 'string' && slippagePattern.test(text)
    const centiBps = isWritten ? toCentiBps(text) : null
    if (centiBps !== null && centiBps <= centiBpsDenominator) return centiBps
    throw new BadArgument(slippageForm)
  },
  signed(value) {
    const amount = parseAmount(value)
    if (typeof amount === 'bigint') return amount
    throw new BadArgument('a number: it is signed')
  },
  condition(value) {
    if (value === true || value === 'true') return 1n
    if (value === false || value === 'false') return 0n
    if (isReferenceLike(value)) return parseReference(value)
    throw new BadArgument('true, false or a reference {useOutputOfCallAt}')
  },
  output(value) {
    const amount = parseAmount(value)
    if (typeof amount !== 'bigint') return amount
    throw new BadArgument('a reference {useOutputOfCallAt}')
  },
}

/** @throws BadArgument. */
export function parseArgument<K extends PlainKind>(kind: K, value: unknown): GivenTypes[K] {
  return parsers[kind](value)
}

/** A single value becomes a list of one. */
function toList(value: unknown): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > 0 && list.length <= longestList) return list
  throw new BadArgument(`a list of 1 to ${longestList} values`)
}

function parseInteger(value: unknown): number {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number
  throw new BadArgument('an integer')
}

function parseText(value: unknown): string {
  if (typeof value === 'string' && value.length <= longestText) return value
  throw new BadArgument('a text')
}

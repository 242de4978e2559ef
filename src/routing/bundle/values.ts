/**
 * Parses action arguments from JSON. References stay references until the action that they name has been planned.
 * Messages complete the sentence "<argument> must be …". Pure.
 */
import type { Reference } from '../../domain/bundle.js'
import {
  addressForm,
  addressPattern,
  amountPattern,
  hasValidChecksum,
} from '../../domain/grammar.js'
import { type Address, type Hex, maxUint256, toAddress } from '../../domain/primitives.js'

/** What a refused argument must be. */
export class BadArgument extends Error {}

/** Whether a value has the form of a reference; takes raw JSON as well as checked arguments. */
export function isReferenceLike(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && 'useOutputOfCallAt' in value
}

/** @throws BadArgument. */
export function parseReference(value: Readonly<Record<string, unknown>>): Reference {
  const { useOutputOfCallAt, index = 0 } = value
  if (!isWhole(useOutputOfCallAt)) {
    throw new BadArgument(
      'a reference whose useOutputOfCallAt is the zero-based index of an action',
    )
  }
  if (!isWhole(index)) throw new BadArgument('a reference whose index is a whole number from 0')
  return { useOutputOfCallAt, index }
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** Expectation for a reference to an output that the action of that name does not have. */
export function missingOutput(name: string, count: number): string {
  return count
    ? `a reference with index 0 to ${count - 1}`
    : `a reference to an action with an output, which ${name} has not`
}

/** @throws BadArgument. */
export function parseAddress(value: unknown): Address {
  if (typeof value !== 'string' || !addressPattern.test(value)) throw new BadArgument(addressForm)
  if (hasValidChecksum(value)) return toAddress(value)
  throw new BadArgument('an address with a right EIP-55 checksum, or in lower case')
}

/** @throws BadArgument. */
export function parseAmount(value: unknown): bigint | Reference {
  if (isReferenceLike(value)) return parseReference(value)
  const text = toText(value)
  const amount = typeof text === 'string' && amountPattern.test(text) ? BigInt(text) : null
  if (amount !== null && amount <= maxUint256) return amount
  throw new BadArgument(
    'an amount in the smallest unit (a decimal string below 2^256) or a reference {useOutputOfCallAt}',
  )
}

/** Numbers that JSON carries exactly become text; anything else is returned as it is. */
export function toText(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
}

export function isBytes(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)
}

/** Every reference inside a JSON value, with its place. */
export function referencesIn(
  value: unknown,
  place: string,
): { readonly place: string; readonly value: Readonly<Record<string, unknown>> }[] {
  if (isReferenceLike(value)) return [{ place, value }]
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => referencesIn(item, `${place}[${index}]`))
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => referencesIn(item, `${place}.${key}`))
  }
  return []
}

/**
 * Arguments of actions as they are written in JSON, and what they become. References stay references until the
 * action that they name has been planned. Messages complete the sentence "<argument> must be …". Pure.
 */
import { getAddress } from 'viem'
import type { Address } from '../../domain/primitives.js'
import { maxUint256, nativeToken, toAddress } from '../../domain/primitives.js'
import type { ArgumentSpec } from '../../protocols/positions.js'

/** The output of an earlier action. */
export interface Reference {
  readonly useOutputOfCallAt: number
  readonly index: number
}

/** Why an argument cannot be taken: what it must be. */
export class BadArgument extends Error {}

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

/** @returns Address, list of addresses, bigint, list of bigints, number or Hex; references as they are. */
export function parseArgument(kind: ArgumentSpec['kind'], value: unknown): unknown {
  switch (kind) {
    case 'address':
      return parseAddress(value)
    case 'addresses':
      return toList(value).map(parseAddress)
    case 'amount':
      return parseAmount(value)
    case 'amounts':
      return toList(value).map(parseAmount)
    case 'integer':
      return parseInteger(value)
    case 'bytes':
      if (typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)) return value
      throw new BadArgument('0x and pairs of hexadecimal digits')
  }
}

function toList(value: unknown): readonly unknown[] {
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0 || list.length > 16) throw new BadArgument('a list of 1 to 16 values')
  return list
}

export function parseAddress(value: unknown): Address {
  const expected = 'an address: 0x and 40 hexadecimal digits'
  if (typeof value !== 'string' || !/^0x[0-9a-f]{40}$/i.test(value)) throw new BadArgument(expected)
  const digits = value.slice(2)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  const address = toAddress(value)
  if (!isOneCase && address !== nativeToken && getAddress(address) !== value) {
    throw new BadArgument('an address with a right EIP-55 checksum, or in lower case')
  }
  return address
}

export function parseAmount(value: unknown): bigint | Reference {
  if (isReferenceLike(value)) return parseReference(value)
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  const expected =
    'an amount in the smallest unit (a decimal string below 2^256) or a reference {useOutputOfCallAt}'
  if (typeof text !== 'string' || !/^\d{1,78}$/.test(text)) throw new BadArgument(expected)
  const amount = BigInt(text)
  if (amount > maxUint256) throw new BadArgument(expected)
  return amount
}

function parseInteger(value: unknown): number {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number
  throw new BadArgument('an integer')
}

/** Every reference inside a JSON value, with where it stands. */
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

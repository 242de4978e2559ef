/**
 * Encodes keys and values of state for a cassette. Pure.
 *
 * Key: kind (0 balance, 1 nonce, 2 code, 3 storage), the address, for storage the slot without leading zeros.
 * Value: a quantity without leading zeros; for code the row id in `codes`, or nothing for an account without code.
 * State that no node had: 128 is added to the kind, and the value is the reason.
 */
import type { Hex } from '../../domain/primitives.js'
import type { ItemKey } from '../node/state-item.js'

const kinds = 'bncs'
export const unreadableBit = 128

export function toKeyBytes(key: ItemKey, isReadable = true): Buffer {
  const kind = kinds.indexOf(key[0] ?? '')
  const slot = key.slice(41)
  const hex = key.slice(1, 41) + (slot === '0' ? '' : evenHex(slot))
  return Buffer.concat([
    Buffer.of(kind + (isReadable ? 0 : unreadableBit)),
    Buffer.from(hex, 'hex'),
  ])
}

/** Null for bytes that are not a key: a damaged row may hold anything. */
export function fromKeyBytes(bytes: Uint8Array): { key: ItemKey; isReadable: boolean } | null {
  const [first = 255] = bytes
  const isReadable = first < unreadableBit
  const kind = kinds[isReadable ? first : first - unreadableBit]
  if (kind === undefined || bytes.length < 21 || bytes.length > 53) return null
  if (kind !== 's' && bytes.length !== 21) return null
  const address = Buffer.from(bytes.subarray(1, 21)).toString('hex')
  const slot = kind === 's' ? shortHex(bytes.subarray(21)) : ''
  return { key: `${kind}${address}${slot}`, isReadable }
}

/** @param value - `0x` and hexadecimal digits without leading zeros. */
export function toQuantityBytes(value: Hex): Buffer {
  const digits = value.slice(2)
  return Buffer.from(digits === '0' ? '' : evenHex(digits), 'hex')
}

export function fromQuantityBytes(bytes: Uint8Array): Hex {
  return `0x${shortHex(bytes)}`
}

export function toIdBytes(id: number): Buffer {
  return Buffer.from(evenHex(id.toString(16)), 'hex')
}

export function fromIdBytes(bytes: Uint8Array): number {
  return Number.parseInt(shortHex(bytes), 16)
}

function evenHex(digits: string): string {
  return digits.length % 2 ? `0${digits}` : digits
}

function shortHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').replace(/^0+/, '') || '0'
}

export function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

export function hexOf(bytes: Buffer): Hex {
  return `0x${bytes.toString('hex')}`
}

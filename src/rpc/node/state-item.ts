/**
 * The unit of state: one balance, nonce, code or storage word, named by a compact key that memory, SQLite, cassettes
 * and hints share. Holds the keys, their JSON-RPC calls, and the check of answers. Pure.
 *
 * Key: kind letter (b, n, c, s) + 40 hex digits of the address + for storage the slot without leading zeros.
 */
import type { Address, Hex } from '../../domain/primitives.js'
import type { RpcCall } from './json-rpc.js'

export type ItemKey = string

const methods = {
  b: 'eth_getBalance',
  n: 'eth_getTransactionCount',
  c: 'eth_getCode',
  s: 'eth_getStorageAt',
} as const
type Kind = keyof typeof methods

const kindNames = { b: 'balance', n: 'nonce', c: 'code' } as const

export const balanceKey = (address: Address): ItemKey => `b${address.slice(2)}`
export const nonceKey = (address: Address): ItemKey => `n${address.slice(2)}`
export const codeKey = (address: Address): ItemKey => `c${address.slice(2)}`

/** @param slot - any hexadecimal quantity or word. */
export function storageKey(address: Address, slot: string): ItemKey {
  return `s${address.slice(2)}${stripZeros(slot.slice(2))}`
}

/** Whether the value is a key. Needed for stored data, which may be of any version. */
export function isItemKey(value: unknown): value is ItemKey {
  return typeof value === 'string' && /^(?:[bnc][0-9a-f]{40}|s[0-9a-f]{41,104})$/.test(value)
}

export const isSlot = (key: ItemKey): boolean => key.startsWith('s')
export const isCode = (key: ItemKey): boolean => key.startsWith('c')

/** Lower-case address inside a key. */
export function addressOf(key: ItemKey): Address {
  return `0x${key.slice(1, 41)}`
}

/** 32-byte slot inside a storage key. */
export function slotOf(key: ItemKey): Hex {
  return `0x${key.slice(41).padStart(64, '0')}`
}

/** Balance, nonce and code: what a fork reads of an account before it reads its slots. */
export function accountKeys(address: Address): readonly ItemKey[] {
  return [balanceKey(address), nonceKey(address), codeKey(address)]
}

/** The slots that are in memory together with their accounts. */
export function withAccounts(
  slots: readonly ItemKey[],
  isHeld: (key: ItemKey) => boolean,
): ItemKey[] {
  const accounts = new Map<Address, boolean>()
  return slots.filter((key) => {
    const address = addressOf(key)
    const isKnown = accounts.get(address) ?? accountKeys(address).every(isHeld)
    accounts.set(address, isKnown)
    return isKnown && isHeld(key)
  })
}

/** @param block - block parameter as the node takes it: a number, or the EIP-1898 object. */
export function callOf(key: ItemKey, block: unknown): RpcCall {
  const kind = key[0] as Kind
  const address = addressOf(key)
  const params = kind === 's' ? [address, slotOf(key), block] : [address, block]
  return { method: methods[kind], params }
}

/** `0xaddress slot 0x…` or `0xaddress balance`, for messages. */
export function describe(key: ItemKey): string {
  const kind = key[0] as Kind
  return kind === 's'
    ? `${addressOf(key)} slot 0x${key.slice(41)}`
    : `${addressOf(key)} ${kindNames[kind]}`
}

/**
 * A node's answer in its stored form: quantities and storage words without leading zeros (`0x0`), code unchanged.
 * Null when the answer is malformed, so that it never reads as zero.
 */
export function toStored(key: ItemKey, answer: unknown): Hex | null {
  if (typeof answer !== 'string') return null
  if (isCode(key)) {
    return /^0x(?:[0-9a-f]{2})*$/i.test(answer) ? (answer.toLowerCase() as Hex) : null
  }
  if (!/^0x[0-9a-f]{1,64}$/i.test(answer)) return null
  return `0x${stripZeros(answer.slice(2))}`
}

/** The stored form as a node answers it: storage as a 32-byte word, everything else unchanged. */
export function fromStored(key: ItemKey, stored: Hex): Hex {
  return key.startsWith('s') ? `0x${stored.slice(2).padStart(64, '0')}` : stored
}

/** The value at an account that does not exist. */
export function emptyValue(key: ItemKey): Hex {
  return isCode(key) ? '0x' : '0x0'
}

function stripZeros(digits: string): string {
  return digits.toLowerCase().replace(/^0+(?=.)/, '')
}

/** What a call touches, as a node tells it by eth_createAccessList. Pure. */
import type { Address, Hex } from '../../../domain/primitives.js'
import type { NodeRequest } from '../node-request.js'
import { accountKeys, type ItemKey, storageKey } from '../state-item.js'

/**
 * The call in the form that nodes take for eth_createAccessList. Its sender is nobody, so its gas must cost little;
 * nearly every read takes less.
 */
export function accessCall(to: Address, data: Hex) {
  return { to, data, gas: '0x2dc6c0' } as const
}

/** eth_createAccessList; the value are the keys of the accounts and slots that the call touches. */
export function touchedRequest(to: Address, data: Hex, block: unknown): NodeRequest {
  return {
    call: { method: 'eth_createAccessList', params: [accessCall(to, data), block] },
    judge: (answer) => {
      const value = toTouched(to, answer)
      return value
        ? { kind: 'value', value }
        : { kind: 'odd', message: 'the answer of the node is not an access list' }
    },
  }
}

/** A longer list is cut off. */
const mostTouched = 512

function toTouched(to: Address, answer: unknown): ItemKey[] | null {
  const list = (answer as { readonly accessList?: unknown } | null)?.accessList
  if (!Array.isArray(list)) return null
  const keys = new Set(accountKeys(to))
  for (const { address, storageKeys } of list as Partial<Record<string, unknown>>[]) {
    if (!isWord(address, 40) || !Array.isArray(storageKeys)) return null
    const account = address.toLowerCase() as Address
    for (const key of accountKeys(account)) keys.add(key)
    for (const slot of storageKeys) {
      if (!isWord(slot, 64)) return null
      keys.add(storageKey(account, slot))
    }
  }
  return [...keys].slice(0, mostTouched)
}

function isWord(value: unknown, digits: number): value is Hex {
  return typeof value === 'string' && value.length === 2 + digits && /^0x[0-9a-f]*$/i.test(value)
}

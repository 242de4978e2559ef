/**
 * The state of a chain as one request changed it: a source in front of another, which answers what was changed by
 * itself. Nothing that is learnt from such a state is kept, since it may hold for no other request.
 */
import type { Address, Hex } from '../../domain/primitives.js'
import type { ChangedAccount, ChangedAccounts } from '../../domain/what-if.js'
import {
  addressOf,
  balanceKey,
  codeKey,
  emptyValue,
  type ItemKey,
  isSlot,
  nonceKey,
  storageKey,
  toStored,
} from '../node/state-item.js'
import type { ChainSource } from './chain-source.js'

export interface ChangedValues {
  /** In their stored form. */
  readonly values: ReadonlyMap<ItemKey, Hex>
  /** Accounts whose other slots are zero. */
  readonly replaced: ReadonlySet<Address>
}

/** @throws RangeError when a value is malformed: callers check them. */
export function changedValues(accounts: ChangedAccounts): ChangedValues {
  const entries = Object.entries(accounts) as [Address, ChangedAccount][]
  const values = new Map<ItemKey, Hex>()
  const put = (key: ItemKey, value: string) => {
    const stored = toStored(key, value)
    if (stored === null) throw new RangeError(`${key} cannot be changed to ${value}.`)
    values.set(key, stored)
  }
  for (const [address, { balance, nonce, code, state, stateDiff }] of entries) {
    if (balance !== undefined) put(balanceKey(address), `0x${balance.toString(16)}`)
    if (nonce !== undefined) put(nonceKey(address), `0x${nonce.toString(16)}`)
    if (code !== undefined) put(codeKey(address), code)
    for (const [slot, word] of Object.entries({ ...state, ...stateDiff })) {
      put(storageKey(address, slot), word)
    }
  }
  const replaced = entries.filter(([, { state }]) => state).map(([address]) => address)
  return { values, replaced: new Set(replaced) }
}

export function changedSource(source: ChainSource, { values, replaced }: ChangedValues) {
  const changedTo = (key: ItemKey): Hex | undefined =>
    values.get(key) ?? (isSlot(key) && replaced.has(addressOf(key)) ? emptyValue(key) : undefined)
  const changed: ChainSource = {
    ...source,
    read(key, block, isForks) {
      const value = changedTo(key)
      return value === undefined ? source.read(key, block, isForks) : { ok: true, value }
    },
    ahead: async (key, block) => changedTo(key) !== undefined || source.ahead(key, block),
    held: () => [],
    heldAccounts: () => [],
    learned: { get: (topic) => source.learned.get(topic), put: () => undefined },
    poolSets: {
      keysOf: (topic) => source.poolSets.keysOf(topic),
      watch: () => undefined,
      miss: () => undefined,
      learn: () => undefined,
    },
    forkReads: {
      keys: () => [],
      asked: () => undefined,
      requests: 0,
      accounts: () => [],
      askedAccount: () => undefined,
      lacksAccount: () => undefined,
    },
  }
  return changed
}

/**
 * Which slots the forks of a chain asked for, one by one: those of another block are given them at once. What routing
 * threads read besides is several times as much, and no use to a fork. A hint only: it decides what is given early,
 * never what is answered.
 */
import { LRUCache } from 'lru-cache'
import type { ItemKey } from '../node/state-item.js'

export interface ForkSlots {
  /** A fork asked for it. One that was given it does not ask. */
  asked(key: ItemKey): void
  /** The last that were asked for. */
  keys(): readonly ItemKey[]
}

/** More take longer to be given than they spare. */
const maxKeys = 2_048

export function createForkSlots(): ForkSlots {
  const known = new LRUCache<ItemKey, true>({ max: maxKeys })
  return {
    asked: (key) => void known.set(key, true),
    keys: () => [...known.keys()],
  }
}

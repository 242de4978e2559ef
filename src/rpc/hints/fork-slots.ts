/**
 * The slots that forks of a chain requested one by one, so that forks of other blocks can be given them all at once.
 * Reads of routing threads are left out: they are several times as many, and no use to a fork. A hint only: it decides
 * what is given early, never what is answered.
 */
import { LRUCache } from 'lru-cache'
import type { ItemKey } from '../node/state-item.js'

export interface ForkSlots {
  /** Records a slot that a fork requested. Forks do not request what they were given. */
  asked(key: ItemKey): void
  /** The most recently requested slots. */
  keys(): readonly ItemKey[]
}

/** Giving a fork more than this takes longer than it saves. */
const maxKeys = 2_048

export function createForkSlots(): ForkSlots {
  const known = new LRUCache<ItemKey, true>({ max: maxKeys })
  return {
    asked: (key) => void known.set(key, true),
    keys: () => [...known.keys()],
  }
}

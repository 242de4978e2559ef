/**
 * The slots that forks of a chain requested one by one, so that forks can be given them all at once.
 * Reads of routing threads are left out: they are several times as many, and no use to a fork. A hint only: it decides
 * what is given early, never what is answered.
 */
import { LRUCache } from 'lru-cache'
import type { ItemKey } from '../node/state-item.js'

export interface ForkSlots {
  /** Records a slot that a fork requested. Forks do not request what they were given. */
  asked(key: ItemKey): void
  /**
   * The most recently requested slots, the newest first.
   * @param since - only those that were requested after that many requests. Default 0: all.
   */
  keys(since?: number): readonly ItemKey[]
  /** Requests so far. */
  readonly requests: number
}

/** Giving a fork more than this takes longer than it saves. */
const maxKeys = 2_048

export function createForkSlots(): ForkSlots {
  /** By how many requests came up to the last for the slot. */
  const known = new LRUCache<ItemKey, number>({ max: maxKeys })
  let requests = 0
  return {
    asked(key) {
      requests += 1
      known.set(key, requests)
    },
    keys(since = 0) {
      const newer: ItemKey[] = []
      // In the order of use: the first that is too old ends it.
      for (const [key, request] of known.entries()) {
        if (request <= since) break
        newer.push(key)
      }
      return newer
    },
    get requests() {
      return requests
    },
  }
}
